"""Who could change the outcome, with how little: for whoever may read all answers, never for the co-owners.

A person's smallest change is the least number of points, summed over the choices, by which another answer
of that person alone gives another outcome. All answers are tried in the order of their distance, each by a
rank-one step from the settled scores instead of a new solve.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from entrenous.access.item import HIGHEST, Item
from entrenous.access.mediation import Verdict, decide, judge
from entrenous.access.settling.equilibrium import Equilibrium
from entrenous.access.settling.peers import Weights
from entrenous.errors import ArgumentError

__all__ = [
    "Flip",
    "Objection",
    "Pivot",
    "all_answers",
    "could_widen",
    "pivotality",
    "second_round",
    "smallest_flips",
]

DIRECTIONS = ("any", "narrower", "wider")
MOST_CHOICES = 6
"""Six scores for each of so many choices are all answers one waits for."""


@dataclass(frozen=True)
class Flip:
    """The least change of a person's own scores that gives another outcome, and which outcome.

    `points` sums the change over all choices; `answer` is a nearest such answer, a score per scored choice.
    All are None if no answer of this person alone changes anything.
    """

    points: int | None
    outcome: str | None
    answer: tuple[int, ...] | None


@dataclass(frozen=True)
class Pivot:
    """One person's power over the outcome.

    `flip` is the smallest change of own scores that matters, `without` the outcome if the person were no
    co-owner (None for a single owner), `limit_binds` whether lifting this person's limit alone would change
    it.
    """

    flip: Flip
    without: str | None
    limit_binds: bool


@dataclass(frozen=True)
class Objection:
    """What an objection could build on; for whoever may read all answers.

    `alone` is the objector's own smallest change. `helpers` are the others who could bring a change about,
    the ones who need the fewest points first, then the most influential. Naming helpers to the objector
    names who said no, and telling `alone` tells it with two co-owners: a sealed service shows neither.
    """

    objector: str
    alone: Flip
    helpers: tuple[str, ...]


def smallest_flips(item: Item, *, direction: str = "any") -> dict[str, Flip]:
    """Return for every co-owner the smallest change of own scores that flips the outcome.

    Parameters
    ----------
    item
        The item as answered.
    direction
        Count outcomes that are "narrower", "wider" or, by default, "any" that differ.

    Examples
    --------
    >>> from entrenous.access import read_example
    >>> {who: flip.points for who, flip in smallest_flips(read_example("thesis-oc")).items()}
    {'u1': 5, 'u2': 1, 'u3': 1, 'u4': 2}
    """
    if direction not in DIRECTIONS:
        raise ArgumentError("direction", f"expected one of {', '.join(DIRECTIONS)}")
    equilibrium = _settled(item)
    widest = int(item.ceilings.min())
    now = _judge(item, equilibrium, widest)
    answers = all_answers(item)
    flips = {}
    for place, who in enumerate(item.people):
        flips[who] = Flip(None, None, None)
        if item.wishes[who] is None:
            continue
        points = np.abs(answers - equilibrium.initial[place]).sum(axis=1).astype(np.int64)
        # Nearest first, so that the first that flips is the smallest; stable, so that it is always the same one.
        for k in np.argsort(points, kind="stable"):
            then = _judge(item, equilibrium.moved(place, answers[k].astype(np.float64)), widest)
            if _differs(now, then, direction):
                flips[who] = Flip(int(points[k]), item.choices[then.choice], tuple(answers[k].tolist()))
                break
    return flips


def could_widen(item: Item) -> tuple[str, ...]:
    """Return those who by another answer of their own could have led to a wider audience.

    >>> from entrenous.access import read_example
    >>> could_widen(read_example("thesis-second-round"))
    ('u2', 'u3', 'u4')
    """
    flips = smallest_flips(item, direction="wider")
    return tuple(who for who, flip in flips.items() if flip.points is not None)


def pivotality(item: Item) -> dict[str, Pivot]:
    """Return every co-owner's power over the outcome: for whoever may read all answers, not for the co-owners.

    >>> from entrenous.access import read_example
    >>> report = pivotality(read_example("limits"))
    >>> report["dora"].limit_binds, report["dora"].without, report["ann"].without
    (True, 'public', 'friends')
    """
    flips = smallest_flips(item)
    equilibrium = _settled(item)
    now = _judge(item, equilibrium, int(item.ceilings.min()))
    report = {}
    for place, who in enumerate(item.people):
        ceilings = item.ceilings.copy()
        if who in item.limits:
            # Who has not answered keeps everything closed, with a limit or without.
            ceilings[place] = len(item.choices) - 1 if item.wishes[who] is not None else 0
        lifted = _judge(item, equilibrium, int(ceilings.min()))
        without = decide(item.without(who)).choice if len(item.people) > 1 else None
        report[who] = Pivot(flips[who], without, _differs(now, lifted, "any"))
    return report


def second_round(item: Item, objector: str, *, direction: str = "narrower") -> Objection:
    """Return what an objection leads to: whether the objector can help themselves, and who could help most.

    For whoever may read all answers, or where all co-owners agreed beforehand to be named.
    `Item.revised` then takes the new answers, and `decide` mediates again.

    >>> from entrenous.access import decide, read_example
    >>> item = read_example("thesis-oc")
    >>> second_round(item, "u4").helpers
    ('u2', 'u3', 'u1')
    >>> decide(item.revised({"u3": {"friends": 4, "friends-of-friends": 2, "public": 0}})).choice
    'friends'
    """
    if not isinstance(objector, str) or objector not in item.wishes:
        raise ArgumentError(
            "objector", f"expected one of the {len(item.people)} people in wishes; got another"
        )
    flips = smallest_flips(item, direction=direction)
    # Column sums of the inverse: what one point of a person moves in all.
    reach = _settled(item).inverse.sum(axis=0)
    ranked = sorted(
        (flip.points, -float(reach[place]), place)
        for place, (who, flip) in enumerate(flips.items())
        if flip.points is not None and who != objector
    )
    return Objection(objector, flips[objector], tuple(item.people[place] for _, _, place in ranked))


def all_answers(item: Item) -> NDArray[np.int64]:
    """Return every answer a person can give, a row each.

    >>> len(all_answers(Item({"ann": None}, {})))
    56
    """
    columns = len(item.scored)
    if item.method == "oc" and item.monotone:
        rows = list(combinations_with_replacement(range(HIGHEST, -1, -1), columns))
    elif columns <= MOST_CHOICES:
        rows = list(product(range(HIGHEST, -1, -1), repeat=columns))
    else:
        raise ArgumentError("choices", f"expected at most {MOST_CHOICES} scored choices to try every answer")
    return np.array(rows)


def _settled(item: Item) -> Equilibrium:
    equilibrium = Equilibrium.find(Weights.of(item), item.scores)
    if equilibrium is None:
        raise ArgumentError("peers", "expected weights with an equilibrium; lower them, or use mode cap")
    return equilibrium


def _judge(item: Item, equilibrium: Equilibrium, widest: int) -> Verdict:
    return judge(equilibrium, method=item.method, vote=item.vote, widest=widest)


def _differs(now: Verdict, then: Verdict, direction: str) -> bool:
    """Return whether the outcome is another one; agreeing on the narrowest differs from not agreeing at all."""
    if direction == "narrower":
        return then.choice < now.choice
    if direction == "wider":
        return then.choice > now.choice
    return then.choice != now.choice or then.agreed != now.agreed
