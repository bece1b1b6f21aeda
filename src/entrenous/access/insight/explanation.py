"""What moved one person: for whoever may read all answers, never for the co-owners.

A settled score is a weighted mean: a share of it is the person's own initial score, the rest reaches the
person through others. A reason holds the own answer and weights, and that rest in words. Where the rest is,
or is nearly, a single person's, nothing is said of it; and whether the person accepts a choice is said only
if the words tell as much. Words are not nothing all the same: to a co-owner they tell more about the others
than the outcome does (`entrenous access leak` says how much), so co-owners read `sealed_words` instead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from entrenous.access.item import HIGHEST, NEUTRAL, Item
from entrenous.access.settling.equilibrium import TIE, BoolArray, Equilibrium
from entrenous.access.settling.peers import FloatArray, Weights
from entrenous.errors import ArgumentError

__all__ = ["SCALE", "Reason", "explain"]

SCALE = ("strongly disagree", "disagree", "slightly disagree", "slightly agree", "agree", "strongly agree")
"""What the scores 0 to 5 mean."""


FAINT = 1e-9
"""Weights that together add less than this are rounding, not people heard."""

DOMINANT = 0.9
"""If one person makes this much of what reaches another, the sum of the others is as good as that person's."""

LEANINGS = ("against it", "rather against it", "about even", "rather for it", "for it")
BORDERS = (0.0, 1.5, 2.25, 2.75, 3.5, float(HIGHEST))
"""A mean above one border and up to the next leans as the word between them says."""


@dataclass(frozen=True)
class Reason:
    """One person's part in one choice.

    `own` is the score the person gave, `weight` what the person gives to the others' wishes together, where
    the own wish counts 1, `others` in words what reaches the person from everybody else (None if nothing
    does, or if it would be nearly one person's answer), `accepts` whether the person ends up accepting the
    choice, None if saying so would tell more of the others than `others` does.
    """

    choice: str
    own: float
    weight: float
    others: str | None
    accepts: bool | None


def explain(item: Item, person: str) -> tuple[Reason, ...]:
    """Return a person's part in every mediated choice, from the narrowest to the widest.

    For whoever may read all answers: it tells the person more about the others than the outcome does.

    >>> wishes = {who: {"friends": 5, "friends-of-friends": 2, "public": 0} for who in ("ann", "bob", "cleo")}
    >>> reason = explain(Item(wishes, {"ann": {"bob": 0.2, "cleo": 0.2}}), "ann")[1]
    >>> reason.own, reason.weight, reason.others, reason.accepts
    (2.0, 0.4, 'rather against it', False)
    """
    if not isinstance(person, str) or person not in item.wishes:
        raise ArgumentError(
            "person", f"expected one of the {len(item.people)} people in wishes; got somebody else"
        )
    equilibrium = Equilibrium.find(Weights.of(item), item.scores)
    if equilibrium is None:
        return ()
    return _parts(item, equilibrium, item.people.index(person), _accepted(item, equilibrium))


def _accepted(item: Item, equilibrium: Equilibrium) -> BoolArray:
    if item.method == "oo":
        return equilibrium.favourites(len(item.choices))[0]
    return np.asarray(equilibrium.balance()[0] >= 0)


def _parts(item: Item, equilibrium: Equilibrium, place: int, accepted: BoolArray) -> tuple[Reason, ...]:
    listens, effects = equilibrium.weights.used[place], equilibrium.inverse[place]
    total, own_effect = float(equilibrium.totals[place]), float(effects[place])
    heard = total - own_effect
    weight = sum(listens.tolist()) if heard > FAINT else 0.0
    telling = not (_dominated(listens) or _dominated(np.delete(effects, place)))
    parts = []
    for column, choice in enumerate(item.scored):
        own, settled = float(equilibrium.initial[place, column]), float(equilibrium.settled[place, column])
        accepts = bool(accepted[place, column])
        if not weight:
            parts.append(Reason(choice, own, weight, None, accepts))
            continue
        word, (lower, upper) = None, (BORDERS[0], BORDERS[-1])
        if telling:
            mean = (settled - own_effect * own) / heard
            leaning = int(np.searchsorted(BORDERS[1:-1], mean))
            word, (lower, upper) = LEANINGS[leaning], BORDERS[leaning : leaning + 2]
        # The person accepts where the others' mean reaches this: within the word's range, it would tell more.
        turning = (NEUTRAL * total - own_effect * own) / heard
        hidden = not telling if item.method == "oo" else lower - TIE < turning < upper + TIE
        parts.append(Reason(choice, own, weight, word, None if hidden else accepts))
    return tuple(parts)


def _dominated(parts: FloatArray) -> bool:
    """Return whether one person makes nearly all of it."""
    return bool(parts.max(initial=0.0) >= DOMINANT * parts.sum())
