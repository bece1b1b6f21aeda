"""How far a liar gets in a mediation, with and without hard limits: every possible answer is tried.

One co-owner knows everybody else's answers and weights, which is more than the service ever shows, and tries every
possible answer, each with three sets of weights: their own, none at all, and the largest allowed for everybody. (A
limit of one's own is no lie: anybody may always narrow.) Two liars are told apart: the *selfish* one takes the lie
whose outcome is nearest to the audience they would choose alone, in steps of the scale; the *spreader* takes the one
whose outcome is widest, whatever it is worth. Mediation is not strategy-proof. What holds is that no lie of one
person carries an outcome past another's hard limit.

References
----------
Gibbard: Manipulation of voting schemes: a general result. Econometrica 1973 (why lies pay somewhere in most rules).
Moulin: On strategy-proofness and single peakedness. Public Choice 1980 (why they never pay under veto).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.access import CHOICES, Item, decide, mediate_batch, votes
from entrenous.access.insight.pivotality import all_answers
from entrenous.access.insight.rivals import RIVALS, own_choices
from entrenous.access.item import HIGHEST
from entrenous.access.settling.peers import Weights
from entrenous.access.votes import Vote
from entrenous.attack.tools.findings import Finding
from entrenous.errors import ArgumentError

__all__ = ["HEEDS", "VOTES", "Groups", "Lie", "Manipulation", "manipulate", "manipulate_rules", "tempted"]

VOTES: Mapping[str, Vote] = {
    name: vote for rule in votes.VOTES.values() for name, vote in rule.examples().items()
}
"""The votes that mediation is tried with."""

HEEDS = (None, 0.0, 1.0)
"""What liars say about how much others move them: the truth, nothing, and as much as can be."""

LIAR = 0
"""The place of the liar in a group; groups are random, so any place does."""

_MOST_AT_ONCE = 400_000  # mediations: bounds memory
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Lie:
    """What one co-owner of an item could get by lying.

    Attributes
    ----------
    person
        Who.
    outcome
        The audience if everybody is honest.
    best, gain
        The audience nearest to what this person would choose alone, among all that lies lead to, and by how many steps
        it is nearer than the honest outcome.
    answer, heeds
        A lie that leads there: the scores, and what is said about all own weights, None for the truth. If nothing is
        gained, honesty.
    widest
        The widest audience that lies lead to, an own hard limit being lifted.
    past_wish, past_limit
        How many others wished for less than the widest, and how many have a hard limit below it: always 0.
    """

    person: str
    outcome: str
    best: str
    gain: int
    answer: tuple[int, ...]
    heeds: float | None
    widest: str
    past_wish: int
    past_limit: int


def tempted(item: Item) -> list[Lie]:
    """Return what every co-owner of an item could get by lying. For whoever runs the mediation, not for co-owners.

    Examples
    --------
    >>> from entrenous.access import read_example
    >>> [(lie.person, lie.outcome, lie.best, lie.gain) for lie in tempted(read_example("thesis-oc")) if lie.gain]
    [('u4', 'friends-of-friends', 'private', 2)]
    """
    if item.method == "circles":
        raise ArgumentError("method", 'expected "oc" or "oo": circles are one question for each viewer')
    own, answers = own_choices(item), all_answers(item)
    honest = item.choices.index(decide(item).choice)
    found = []
    for place, who in enumerate(item.people):
        if item.wishes[who] is None:
            continue
        outcomes = _outcomes_of_lies(item, place, answers)
        off = np.abs(outcomes - own[place])
        gain = int(abs(honest - own[place]) - off.min())
        best = int(off.argmin() if gain > 0 else (answers == item.scores[place]).all(axis=1).argmax())
        widest = int(outcomes.max())
        others = np.arange(len(item.people)) != place
        found.append(
            Lie(
                person=who,
                outcome=item.choices[honest],
                best=item.choices[outcomes[best] if gain > 0 else honest],
                gain=max(gain, 0),
                answer=tuple(answers[best % len(answers)].tolist()),
                heeds=HEEDS[best // len(answers)],
                widest=item.choices[widest],
                past_wish=int((own[others] < widest).sum()),
                past_limit=int((item.ceilings[others] < widest).sum()),
            )
        )
    return found


def _outcomes_of_lies(item: Item, liar: int, answers: IntArray) -> IntArray:
    """Return the outcomes of all answers of one co-owner, first with honest weights; an own limit is lifted."""
    scores = np.repeat(item.scores[None], len(answers), axis=0)
    scores[:, liar] = answers
    ceilings = item.ceilings.copy()
    ceilings[liar] = len(item.choices) - 1
    outcomes = [
        mediate_batch(
            scores,
            np.broadcast_to(weights, (len(answers), *weights.shape)),
            method=item.method,
            mode=item.mode,
            vote=item.vote,
            ceilings=np.broadcast_to(ceilings, (len(answers), len(ceilings))),
            monotone=item.monotone,
        ).choice
        for weights in _lying_weights(Weights.of(item).given, liar)
    ]
    return np.concatenate(outcomes)


def _lying_weights(weights: FloatArray, liar: int) -> list[FloatArray]:
    """Return weights, of one group or many, with the liar's own as they are and as they may be stated."""
    stated = []
    for heed in HEEDS:
        changed = weights.copy()
        if heed is not None:
            changed[..., liar, :] = heed
            changed[..., liar, liar] = 0.0
        stated.append(changed)
    return stated


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of co-owners with honest answers; person 0 of each is going to lie.

    Attributes
    ----------
    scores
        Shape (groups, people, 3): how much each wants friends, friends of friends and the public to see the item.
    weights
        Shape (groups, people, people): how much each is moved by each other.
    """

    scores: IntArray
    weights: FloatArray

    @classmethod
    def random(cls, groups: int, people: int, *, rng: np.random.Generator | int | None = None) -> Groups:
        """Return groups with answers drawn evenly from all there are, and weights of whole percents.

        >>> Groups.random(10, 3, rng=1).scores.shape
        (10, 3, 3)
        """
        size, n = _check.at_least("groups", groups, 1), _check.at_least("people", people, 2)
        generator = np.random.default_rng(rng)
        answers = _answers()
        weights = generator.integers(0, 101, size=(size, n, n)) / 100
        weights[:, range(n), range(n)] = 0.0
        return cls(answers[generator.integers(0, len(answers), size=(size, n))], weights)

    @classmethod
    def every_pair(cls, levels: tuple[float, ...] = (0.0, 0.4, 0.9)) -> Groups:
        """Return every group of two: all answers of both, all weights of both among some levels.

        >>> len(Groups.every_pair((0.5,)))
        3136
        """
        answers = _answers()
        people, heed = np.arange(len(answers)), np.arange(len(levels))
        grid = np.array(list(product(people, people, heed, heed)))
        weights = np.zeros((len(grid), 2, 2))
        weights[:, 0, 1], weights[:, 1, 0] = np.array(levels)[grid[:, 2]], np.array(levels)[grid[:, 3]]
        return cls(answers[grid[:, :2]], weights)

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def wished(self) -> IntArray:
        """The position of the widest audience that each person wishes for alone; 0 is the co-owners."""
        widths = np.arange(1, self.scores.shape[2] + 1)
        return np.asarray(((2 * self.scores > HIGHEST) * widths).max(axis=2))


@dataclass(frozen=True)
class Manipulation:
    """How far liars got in many groups.

    Attributes
    ----------
    rule
        How it was decided.
    limits
        Whether everybody else set a hard limit at what they wished for.
    groups
        How many groups there were.
    pays
        The share of groups in which some lie brings the outcome nearer to what the liar would choose alone.
    gain
        By how many steps of three, on average over all groups.
    honest_past, selfish_past, spreader_past
        The share of groups whose outcome is wider than somebody else wished: everybody honest, the best lie for the
        liar, and the lie with the widest outcome.
    furthest
        The most steps, of three, by which any lie carried an outcome past what somebody else wished.
    """

    rule: str
    limits: bool
    groups: int
    pays: float
    gain: float
    honest_past: float
    selfish_past: float
    spreader_past: float
    furthest: int

    def finding(self) -> Finding:
        """Return this as a finding: what is promised is that nobody's hard limit is overstepped, in any group."""
        return Finding(
            mechanism=f"access: {self.rule}, {'with' if self.limits else 'without'} hard limits",
            unit="hard limit",
            attack="one co-owner knows all answers and tries every lie",
            stated=0.0 if self.limits else None,
            measured=self.spreader_past,
            quantity="share of groups past a limit" if self.limits else "share of groups past a wish",
            confidence=1.0,
            trials=0,
            details={
                "groups": self.groups,
                "pays": self.pays,
                "gain": self.gain,
                "honest_past": self.honest_past,
                "selfish_past": self.selfish_past,
                "furthest": self.furthest,
            },
        )


def manipulate(
    groups: Groups,
    *,
    vote: str = "consensus",
    limits: bool,
    progress: Callable[[int, int], object] | None = None,
) -> Manipulation:
    """Try every lie in every group.

    Parameters
    ----------
    groups
        Groups with honest answers.
    vote
        One of `VOTES`.
    limits
        Whether everybody but the liar sets a hard limit: the widest audience they wish for themselves.
    progress
        Called with groups tried and groups in all.

    Examples
    --------
    >>> groups = Groups.random(200, 3, rng=1)
    >>> free, limited = (manipulate(groups, limits=limits) for limits in (False, True))
    >>> free.spreader_past > 0.3, limited.spreader_past
    (True, 0.0)
    """
    rule = VOTES[_check.one_of("vote", vote, VOTES)]
    answers = _answers()
    size, _, columns = groups.scores.shape
    wished = groups.wished
    ceilings = wished.copy() if limits else np.full_like(wished, columns)
    ceilings[:, LIAR] = columns
    outcomes = np.empty((size, len(HEEDS), len(answers)), dtype=np.int64)  # honest weights first
    step = max(1, _MOST_AT_ONCE // len(answers))
    for start in range(0, size, step):
        part = slice(start, min(start + step, size))
        scores = np.repeat(groups.scores[part], len(answers), axis=0)
        scores[:, LIAR] = np.tile(answers, (part.stop - start, 1))
        bounds = np.repeat(ceilings[part], len(answers), axis=0)
        for number, stated in enumerate(_lying_weights(groups.weights[part], LIAR)):
            weights = np.repeat(stated, len(answers), axis=0)
            decided = mediate_batch(scores, weights, vote=rule, ceilings=bounds)
            outcomes[part, number] = decided.choice.reshape(-1, len(answers))
        if progress is not None:
            progress(part.stop, size)
    return _summed(f"mediation, {vote}", limits, groups, outcomes.reshape(size, -1))


def _summed(rule: str, limits: bool, groups: Groups, outcomes: IntArray) -> Manipulation:
    """Sum up what all answers of the liars led to, their honest ones among them."""
    rows, wished = np.arange(len(groups)), groups.wished
    honest = _place(groups.scores[:, LIAR])
    off = np.abs(outcomes - wished[:, [LIAR]])
    gain = off[rows, honest] - off.min(axis=1)
    best = np.where(gain > 0, off.argmin(axis=1), honest)
    past = outcomes - np.delete(wished, LIAR, axis=1).min(axis=1)[:, None]
    return Manipulation(
        rule=rule,
        limits=limits,
        groups=len(groups),
        pays=float((gain > 0).mean()),
        gain=float(gain.mean()),
        honest_past=float((past[rows, honest] > 0).mean()),
        selfish_past=float((past[rows, best] > 0).mean()),
        spreader_past=float((past.max(axis=1) > 0).mean()),
        furthest=int(max(past.max(), 0)),
    )


def manipulate_rules(
    groups: Groups, *, progress: Callable[[int, int], object] | None = None
) -> list[Manipulation]:
    """Try every lie under the other rules that `access.compare` knows; they have no limits.

    The liar put the item up, and so decides alone under "uploader". Clarke's rule is left out: it takes a tax for
    lies, and points paid cannot be set against steps gained.

    >>> found = {each.rule: each.pays for each in manipulate_rules(Groups.random(20, 3, rng=1))}
    >>> found["veto"], found["uploader"], found["average"] > 0
    (0.0, 0.0, True)
    """
    answers = _answers()
    rules = {name: choose for name, choose in RIVALS.items() if name != "clarke"}
    outcomes = {rule: np.empty((len(groups), len(answers)), dtype=np.int64) for rule in rules}
    for group, scores in enumerate(groups.scores):
        others = {f"p{k}": _wish(row) for k, row in enumerate(scores) if k != LIAR}
        for k, answer in enumerate(answers):
            item = Item({"liar": _wish(answer)} | others, {})
            for rule, choose in rules.items():
                outcomes[rule][group, k] = choose(item)
        if progress is not None:
            progress(group + 1, len(groups))
    return [_summed(rule, False, groups, found) for rule, found in outcomes.items()]


def _answers() -> IntArray:
    """Return every answer about the usual audiences: no wider one is scored higher than a narrower one."""
    return all_answers(Item({"liar": None}, {}))


def _place(answers: IntArray) -> IntArray:
    """Return the places of some answers among all of them."""
    code = (HIGHEST + 1) ** np.arange(answers.shape[1])
    places = {number: place for place, number in enumerate((_answers() @ code).tolist())}
    return np.array([places[number] for number in (answers @ code).tolist()])


def _wish(answer: IntArray) -> dict[str, int]:
    return dict(zip(CHOICES[1:], answer.tolist(), strict=True))
