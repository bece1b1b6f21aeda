"""Why the outcome is what it is, in plain words, for one reader.

A settled score is a weighted mean: a share of it is the reader's own initial score, the rest reaches the
reader through others. A reason uses these two parts only, the second in words. Where "the others" are, or
are nearly, a single person, even their sum would be that person's answer, so nothing is said of it; with
two co-owners the outcome itself tells, and the reason says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from entrenous.access.decision import HARD_LIMIT, NO_AGREEMENT, NOTHING_PASSED
from entrenous.access.equilibrium import BoolArray, Equilibrium
from entrenous.access.item import NEUTRAL, Item
from entrenous.access.peers import Weights
from entrenous.errors import ArgumentError

__all__ = ["SCALE", "Reason", "explain", "reasons_for"]

SCALE = ("strongly disagree", "disagree", "slightly disagree", "slightly agree", "agree", "strongly agree")
"""What the scores 0 to 5 mean."""


FAINT = 1e-9
"""An effect below this is rounding, not a person heard."""

DOMINANT = 0.9
"""If one person makes this much of what reaches the reader, the sum of the others is as good as that person's."""


@dataclass(frozen=True)
class Reason:
    """The reader's part in one choice, on the scale from 0 to 5.

    `own` is the score the reader gave, `share` the part of the settled score that stems from it, `others`
    the mean of what reaches the reader from everybody else (None if nothing does, or if it would be one
    person's answer), `weighed` the settled score on the same scale, None if it would give `others` away.
    """

    choice: str
    own: float
    share: float
    others: float | None
    weighed: float | None
    sources: int
    accepts: bool


def explain(item: Item, person: str) -> tuple[Reason, ...]:
    """Return the reader's own part in every mediated choice, from the narrowest to the widest.

    >>> wishes = {who: {"friends": 5, "friends-of-friends": 2, "public": 0} for who in ("ann", "bob", "cleo")}
    >>> reason = explain(Item(wishes, {"ann": {"bob": 0.2, "cleo": 0.2}}), "ann")[1]
    >>> reason.own, round(reason.share, 2), reason.others, reason.accepts
    (2.0, 0.71, 2.0, False)
    """
    if person not in item.wishes:
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
    reasons = {}
    for place, who in enumerate(item.people):
        parts = _parts(item, equilibrium, place, accepted)
        reasons[who] = (
            outcome + _limit_sentence(item, place, rule) + _own_sentences(item, who, parts, choice) + hint
        )
    return reasons


def _accepted(item: Item, equilibrium: Equilibrium) -> BoolArray:
    if item.method == "oo":
        return equilibrium.favourites(len(item.choices))[0]
    return np.asarray(equilibrium.balance()[0] >= 0)


def _parts(item: Item, equilibrium: Equilibrium, place: int, accepted: BoolArray) -> tuple[Reason, ...]:
    effects = equilibrium.inverse[place]
    total, own_effect = float(equilibrium.totals[place]), float(effects[place])
    heard = np.delete(effects, place)
    sources = int((heard > FAINT).sum())
    telling = sources > 1 and heard.max() < DOMINANT * heard.sum()
    parts = []
    for column, choice in enumerate(item.scored):
        own, settled = float(equilibrium.initial[place, column]), float(equilibrium.settled[place, column])
        others = (settled - own_effect * own) / (total - own_effect) if telling else None
        weighed = settled / total if telling or not sources else None
        share = own_effect / total if sources else 1.0
        parts.append(Reason(choice, own, share, others, weighed, sources, bool(accepted[place, column])))
    return tuple(parts)


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


def _own_sentences(item: Item, who: str, parts: tuple[Reason, ...], choice: int) -> str:
    """Return what the reader's own part was in the outcome, and in the next wider choice if there is one."""
    if item.wishes[who] is None:
        return ""
    chosen = choice if item.method == "oo" else choice - 1
    wanted = (
        [chosen]
        if item.method == "oo"
        else [place for place in (chosen + 1, chosen) if 0 <= place < len(parts)]
    )
    return "".join(" " + _sentence(item.method, parts[place]) for place in wanted)


def _sentence(method: str, part: Reason) -> str:
    said = f"On {part.choice} you said {part.own:.0f} ({SCALE[int(part.own)]})"
    verdict = _verdict(method, part)
    if not part.sources:
        return f"{said}; you listen to nobody here, so that stands: {verdict}."
    share = f"your own view makes about {round(part.share, 1):.0%} of where you end up"
    if part.others is None:
        return f"{said}; {share}, one other person's (nearly) all the rest: {verdict}."
    return f"{said}; {share}, and what reaches you from the others together is {_leaning(part.others)}: {verdict}."


def _leaning(mean: float) -> str:
    """Return a mean score in words; a figure such as 0.0 would tell what every single one of them said."""
    words = ("against it", "rather against it", "about even", "rather for it", "for it")
    return words[int(np.searchsorted((1.5, 2.25, 2.75, 3.5), mean))]


def _verdict(method: str, part: Reason) -> str:
    if method == "oo":
        return "it is among what suits you best" if part.accepts else "another audience suits you better"
    if part.weighed is not None and abs(part.weighed - NEUTRAL) < 0.05:
        return "just enough, you accept it" if part.accepts else "just not enough, you do not accept it"
    return "you accept it" if part.accepts else "you do not accept it"
