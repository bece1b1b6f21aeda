"""Why the outcome is what it is, in plain words, for one reader.

A settled score is a weighted mean: a share of it is the reader's own initial score, the rest reaches the
reader through others. A reason holds the reader's own answer and weights, and that rest in words: a figure
could be solved for single answers, or for what the others listen to. Where the rest is, or is nearly, a
single person's, nothing is said of it; and whether the reader accepts a choice is said only if the words or
the outcome tell as much. With two co-owners the outcome itself tells, and the reason says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from entrenous.access.decision import HARD_LIMIT, NO_AGREEMENT, NOTHING_PASSED
from entrenous.access.item import HIGHEST, NEUTRAL, Item
from entrenous.access.settling.equilibrium import TIE, BoolArray, Equilibrium
from entrenous.access.settling.peers import FloatArray, Weights
from entrenous.errors import ArgumentError

__all__ = ["SCALE", "Reason", "explain", "reasons_for"]

SCALE = ("strongly disagree", "disagree", "slightly disagree", "slightly agree", "agree", "strongly agree")
"""What the scores 0 to 5 mean."""


FAINT = 1e-9
"""Weights that together add less than this are rounding, not people heard."""

DOMINANT = 0.9
"""If one person makes this much of what reaches the reader, the sum of the others is as good as that person's."""

LEANINGS = ("against it", "rather against it", "about even", "rather for it", "for it")
BORDERS = (0.0, 1.5, 2.25, 2.75, 3.5, float(HIGHEST))
"""A mean above one border and up to the next leans as the word between them says."""


@dataclass(frozen=True)
class Reason:
    """The reader's part in one choice.

    `own` is the score the reader gave, `weight` what the reader gives to the others' wishes together, where
    the own wish counts 1, `others` in words what reaches the reader from everybody else (None if nothing
    does, or if it would be nearly one person's answer), `accepts` whether the reader ends up accepting the
    choice, None if saying so would tell more of the others than `others` does.
    """

    choice: str
    own: float
    weight: float
    others: str | None
    accepts: bool | None


def explain(item: Item, person: str) -> tuple[Reason, ...]:
    """Return the reader's own part in every mediated choice, from the narrowest to the widest.

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


def reasons_for(item: Item, equilibrium: Equilibrium, choice: int, rule: str) -> dict[str, str]:
    """Return a paragraph for every co-owner about the decision for position `choice`."""
    accepted = _accepted(item, equilibrium)
    outcome = _outcome(item, choice, rule)
    pair = len(item.people) == 2
    hint = (
        " With two co-owners the outcome itself tells each something about the other's view." if pair else ""
    )
    column = choice if item.method == "oo" else choice - 1
    unanimous = _unanimous(item, column, rule)
    reasons = {}
    for place, who in enumerate(item.people):
        parts = list(_parts(item, equilibrium, place, accepted))
        if unanimous:
            parts[column] = replace(parts[column], accepts=True)
        reasons[who] = (
            outcome + _limit_sentence(item, place, rule) + _own_sentences(item, who, parts, column) + hint
        )
    return reasons


def _unanimous(item: Item, column: int, rule: str) -> bool:
    """Return whether the outcome itself says that everybody accepts it, the choice in `column`."""
    if item.vote.needed(len(item.people)) < len(item.people):
        return False
    return rule not in (HARD_LIMIT, NO_AGREEMENT) if item.method == "oo" else column >= 0


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
        # The reader accepts where the others' mean reaches this: within the word's range, it would tell more.
        turning = (NEUTRAL * total - own_effect * own) / heard
        hidden = not telling if item.method == "oo" else lower - TIE < turning < upper + TIE
        parts.append(Reason(choice, own, weight, word, None if hidden else accepts))
    return tuple(parts)


def _dominated(parts: FloatArray) -> bool:
    """Return whether one person makes nearly all of it."""
    return bool(parts.max(initial=0.0) >= DOMINANT * parts.sum())


def _outcome(item: Item, choice: int, rule: str) -> str:
    name = item.choices[choice]
    if len(item.people) == 1:
        return f"You are the only owner, so your own choice holds: {name}."
    if rule == NO_AGREEMENT:
        return f"No audience suits enough of you, so only the co-owners see the item ({name})."
    if rule == NOTHING_PASSED:
        return f"No wider audience found enough of you for it, so the outcome is {name}."
    if rule == HARD_LIMIT:
        return f"The outcome is {name}: weighing all views would have gone elsewhere, but a hard limit holds."
    every = "all of you" if item.vote.needed(len(item.people)) == len(item.people) else "enough of you"
    return f"The outcome is {name}: after weighing each other's views, {every} accept it."


def _limit_sentence(item: Item, place: int, rule: str) -> str:
    who = item.people[place]
    if item.wishes[who] is None:
        return " You did not answer, so nothing wider than the narrowest audience was possible."
    if rule == HARD_LIMIT and item.ceilings[place] == item.ceilings.min():
        return " Your own hard limit is the one that holds, or one of them."
    return ""


def _own_sentences(item: Item, who: str, parts: Sequence[Reason], column: int) -> str:
    """Return what the reader's own part was in the outcome, and in the next wider choice if there is one."""
    if item.wishes[who] is None:
        return ""
    columns = (column,) if item.method == "oo" else (column + 1, column)
    return "".join(" " + _sentence(item.method, parts[place]) for place in columns if 0 <= place < len(parts))


def _sentence(method: str, part: Reason) -> str:
    said = f"On {part.choice} you said {part.own:.0f} ({SCALE[int(part.own)]})"
    verdict = _verdict(method, part)
    if not part.weight:
        return f"{said}; you listen to nobody here, so that stands: {verdict}."
    given = f"to your own view's 100% you add {part.weight:.0%} for the others'"
    if part.others is None:
        return f"{said}; {given}, and what reaches you is not shown, as it is nearly one person's: {verdict}."
    return f"{said}; {given}, and what reaches you from the others together is {part.others}: {verdict}."


def _verdict(method: str, part: Reason) -> str:
    if part.accepts is None:
        return "how that comes out for you is left open, as it could give an answer away"
    if method == "oo":
        return "it is among what suits you best" if part.accepts else "another audience suits you better"
    return "you accept it" if part.accepts else "you do not accept it"
