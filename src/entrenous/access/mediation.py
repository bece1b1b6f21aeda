"""From wishes to a decision: settle, see who accepts what, vote.

The method is CAPE, Collaborative Access control by considering Peer Effects.

References
----------
Q. Xiao and K.-L. Tan, "Peer-aware collaborative access control in social networks", CollaborateCom 2012.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from entrenous.access.decision import (
    HARD_LIMIT,
    MOST_RESTRICTIVE,
    MOST_SUPPORTERS,
    NO_AGREEMENT,
    NO_EQUILIBRIUM,
    NOTHING_PASSED,
    Certificate,
    Decision,
)
from entrenous.access.insight.sealed_words import (
    UNSETTLED,
    own_line,
    sealed_options,
    sealed_reason,
    sealed_viewer,
)
from entrenous.access.item import ALLOW, CHOICES, DENY, NEUTRAL, Item, Limits, Peers, Wishes
from entrenous.access.settling.equilibrium import DENSE_SIZE, BoolArray, Equilibrium
from entrenous.access.settling.guidance import guide
from entrenous.access.settling.peers import EXACT_SIZE, Weights
from entrenous.access.votes import DEFAULT, Vote
from entrenous.errors import ArgumentError

__all__ = ["ENGINE", "Verdict", "decide", "judge", "mediate", "scan", "tally"]

ENGINE = 2
"""Kept with stored decisions; it rises whenever the same input could give another decision."""


@dataclass(frozen=True)
class Verdict:
    """The position of the chosen audience, the rule that chose it and who accepts it."""

    choice: int
    rule: str
    accepting: BoolArray
    exact_ties: bool = False

    @property
    def agreed(self) -> bool:
        """Whether the vote gave a decision."""
        return self.rule != NO_AGREEMENT


def mediate(
    wishes: Wishes,
    peers: Peers,
    *,
    choices: Sequence[str] = CHOICES,
    method: str = "oc",
    mode: str = "cap",
    vote: Vote | None = None,
    limits: Limits | None = None,
    anchor: str = "each",
    originator: str | None = None,
    monotone: bool = True,
    circles: Mapping[str, Collection[str]] | None = None,
) -> Decision:
    """Decide together who may see a shared thing.

    Every co-owner's wish is moved by the wishes of those they listen to, theirs in turn by others, until
    all settle: X = (I - W)^-1 X0. A vote on the settled wishes gives the audience. The arguments are those
    of `Item`.

    Returns
    -------
    Decision
        Always one that can be enforced; see `Decision.agreed`.

    Raises
    ------
    ArgumentError
        If anything handed in is out of its range; the message names the person and the field.

    Examples
    --------
    >>> wishes = {
    ...     "u1": {"friends": 5, "friends-of-friends": 5, "public": 4},
    ...     "u2": {"friends": 3, "friends-of-friends": 3, "public": 0},
    ...     "u3": {"friends": 4, "friends-of-friends": 4, "public": 0},
    ...     "u4": {"friends": 2, "friends-of-friends": 2, "public": 2},
    ... }
    >>> peers = {"u1": {"u2": 0.4}, "u3": {"u2": 0.2, "u4": 0.5}, "u4": {"u2": 0.25, "u3": 0.25}}
    >>> decision = mediate(wishes, peers)
    >>> decision.choice, decision.rule
    ('friends-of-friends', 'consensus')
    >>> round(decision.settled["u4"][decision.choice], 2), round(decision.against("u4", decision.choice), 2)
    (4.46, 4.4)
    >>> mediate(wishes, peers, limits={"u4": "friends"}).choice
    'friends'
    """
    item = Item(
        wishes,
        peers,
        choices=choices,
        method=method,
        mode=mode,
        vote=DEFAULT if vote is None else vote,
        limits={} if limits is None else limits,
        anchor=anchor,
        originator=originator,
        monotone=monotone,
        circles={} if circles is None else circles,
    )
    return decide(item)


def decide(item: Item) -> Decision:
    """Mediate an item that is already put together; `mediate` for a file or a stored snapshot.

    >>> wishes = {"ann": {"friends": 3, "friends-of-friends": 2, "public": 2}}
    >>> decide(Item.from_dict({"wishes": wishes})).choice
    'friends'
    """
    if len(item.people) > DENSE_SIZE:
        raise ArgumentError(
            "wishes", f"expected at most {DENSE_SIZE} co-owners; got {len(item.people)}: use mediate_sparse"
        )
    weights = Weights.of(item)
    equilibrium = Equilibrium.find(weights, item.scores)
    if equilibrium is None:
        return _unsettled(item, weights)
    widest = int(item.ceilings.min())
    verdict = judge(equilibrium, method=item.method, vote=item.vote, widest=widest)
    return Decision(
        choice=item.choices[verdict.choice],
        settled={
            who: dict(zip(item.scored, row, strict=True))
            for who, row in zip(item.people, equilibrium.settled.tolist(), strict=True)
        },
        accepted_by=tuple(who for who, yes in zip(item.people, verdict.accepting, strict=True) if yes),
        rule=verdict.rule,
        certificate=Certificate(
            exists=True,
            totals=dict(zip(item.people, equilibrium.totals.tolist(), strict=True)),
            defect=equilibrium.defect,
            bound=equilibrium.bound,
            residual=equilibrium.residual,
            solver=equilibrium.solver,
            exact_ties=verdict.exact_ties,
        ),
        reasons=_reasons(item, verdict),
        anchor=item.anchor,
        originator=str(item.originator),
    )


def judge(equilibrium: Equilibrium, *, method: str, vote: Vote, widest: int) -> Verdict:
    """Return what the vote on settled wishes gives if no choice beyond position `widest` is open."""
    people, columns = equilibrium.initial.shape
    needed = vote.needed(people)
    if method != "oo":
        balance, exact = equilibrium.balance()
        choice, rule = scan(balance >= 0, needed, widest, vote.name)
        return Verdict(choice, rule, (balance[:, choice - 1] >= 0) & (choice > 0), exact)
    favourites, exact = equilibrium.favourites(widest + 1)
    best, rule = tally(favourites, needed, vote.name)
    if best is None:
        return Verdict(0, rule, np.zeros(people, dtype=np.bool_), exact)
    if widest + 1 < columns and tally(equilibrium.favourites(columns)[0], needed, vote.name)[0] != best:
        rule = HARD_LIMIT
    return Verdict(best, rule, favourites[:, best], exact)


def scan(accepts: BoolArray, needed: int, widest: int, name: str) -> tuple[int, str]:
    """Return the widest choice that passes, 0 if none does, and the rule; column c is about choice c + 1.

    A consensus against a choice goes on to the next narrower one. A limit is no vote: choices beyond it are
    left out.

    >>> scan(np.array([[True, True], [True, False]]), needed=2, widest=2, name="consensus")
    (1, 'consensus')
    """
    passing = np.flatnonzero(accepts.sum(axis=0) >= needed) + 1
    open_ = passing[passing <= widest]
    cut = len(open_) < len(passing)
    choice = int(open_[-1]) if len(open_) else 0
    if cut:
        return choice, HARD_LIMIT
    return choice, name if choice else NOTHING_PASSED


def tally(favourites: BoolArray, needed: int, name: str) -> tuple[int | None, str]:
    """Return the choice the vote gives, and the rule: most supporters first, then the most restrictive.

    >>> tally(np.array([[True, True], [True, True]]), needed=2, name="consensus")
    (0, 'most restrictive')
    >>> tally(np.array([[True, False], [False, True]]), needed=2, name="consensus")
    (None, 'no agreement')
    """
    supporters = favourites.sum(axis=0)
    passing = np.flatnonzero(supporters >= needed)
    if not len(passing):
        return None, NO_AGREEMENT
    if len(passing) == 1:
        return int(passing[0]), name
    best = passing[supporters[passing] == supporters[passing].max()]
    return int(best[0]), MOST_SUPPORTERS if len(best) == 1 else MOST_RESTRICTIVE


def _unsettled(item: Item, weights: Weights) -> Decision:
    """Return the decision where consideration grows without end: co-owners only, and who can help."""
    guidance = guide(item.people, weights)
    return Decision(
        choice=item.choices[0],
        settled={},
        accepted_by=(),
        rule=NO_EQUILIBRIUM,
        certificate=Certificate(
            exists=False,
            totals={},
            defect=float("inf"),
            bound=float("inf"),
            residual=float("inf"),
            solver="fractions" if len(item.people) <= EXACT_SIZE else "lapack",
            guidance=guidance,
        ),
        reasons=dict.fromkeys(item.people, UNSETTLED),
        anchor=item.anchor,
        originator=str(item.originator),
    )


def _reasons(item: Item, verdict: Verdict) -> dict[str, str]:
    """Return for every co-owner what may be told to them: from their own line and the outcome alone."""
    people, needed = len(item.people), item.vote.needed(len(item.people))
    choice = item.choices[verdict.choice]
    if item.method == "oo":
        return dict.fromkeys(item.people, sealed_options(choice, people, needed, agreed=verdict.agreed))
    if item.method == "circles":
        return {who: sealed_viewer(_own_verdict(item, who), choice, people, needed) for who in item.people}
    reasons = {}
    for who in item.people:
        wish, limit = item.wishes[who], item.limits.get(who)
        assert limit is None or isinstance(limit, str), "only circles have several"
        line = None if wish is None else own_line(wish, limit, choices=item.choices)
        reasons[who] = sealed_reason(line, choice, people, needed, choices=item.choices)
    return reasons


def _own_verdict(item: Item, who: str) -> str | None:
    """Return what a co-owner's own circles say about the viewer, None if they did not answer."""
    if item.wishes[who] is None:
        return None
    place = item.people.index(who)
    return ALLOW if item.scores[place, 0] > NEUTRAL and item.ceilings[place] else DENY
