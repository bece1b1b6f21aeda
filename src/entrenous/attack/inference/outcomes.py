"""What an outcome of `access` tells about single answers, by trying all of them.

For groups of up to four, every combination of answers is enumerated (56 monotone answers each) with its outcome; for
an observer who knows their own answer the posterior of everybody else's is exact. The outcome alone is the *floor*:
whoever decides anything together tells that much. What a service shows on top of it is measured the same way.

Measures, for an observer and the others (the *targets*):

- bits about an answer, or about a line (the widest audience somebody's own score accepts): the min-entropy leakage
  log2(E[largest posterior] / largest prior), mean over the targets;
- *certain*: given that the outcome is narrower than the observer wanted, the probability that the observer knows for
  sure of somebody that they said no to the next wider audience;
- *suspicion*: in the same case, the mean of the largest posterior of such a no.

References
----------
G. Smith, "On the foundations of quantitative information flow", FoSSaCS 2009.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.access.insight.pivotality import all_answers
from entrenous.access.insight.sealed_words import own_line, sealed_reason
from entrenous.access.item import CHOICES, HIGHEST, NEUTRAL, Item
from entrenous.access.settling.peers import Weights
from entrenous.access.votes import DEFAULT, Vote, check_vote
from entrenous.errors import ArgumentError

__all__ = [
    "ANSWERS",
    "LINES",
    "PRIORS",
    "Channel",
    "Deciding",
    "Told",
    "asks",
    "leak",
    "measure",
    "shown",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Codes = NDArray[np.int16]
Progress = Callable[[int, int], None]

MOST_PEOPLE = 4
"""56 answers to the power of so many people are all that one waits for."""

ANSWERS: IntArray = all_answers(Item({"anybody": None}, {}))[::-1].copy()
"""All answers on the usual scale, from (0, 0, 0) to (5, 5, 5): scores for friends, friends of friends, everyone."""

LINES: IntArray = (ANSWERS > NEUTRAL).sum(axis=1)
"""For every answer, how many of the wider audiences its own scores accept."""

SURE = 1 - 1e-9


def _usual() -> FloatArray:
    """Return how answers are spread if most people tap one of the form's presets; an assumption, no data."""
    prior = np.full(len(ANSWERS), 0.15 / len(ANSWERS))
    taps = {(0, 0, 0): 0.12, (5, 1, 0): 0.28, (5, 4, 1): 0.22, (5, 5, 5): 0.18, (3, 3, 3): 0.05}
    for place, answer in enumerate(ANSWERS.tolist()):
        prior[place] += taps.get(tuple(answer), 0.0)
    return np.asarray(prior / prior.sum())


PRIORS: Mapping[str, FloatArray] = {
    "uniform": np.full(len(ANSWERS), 1 / len(ANSWERS)),
    "real": _usual(),
}
"""What an observer takes for likely beforehand: every answer alike, or mostly the presets of the form."""


@dataclass(frozen=True)
class Told:
    """What an observer learns from a channel; the module says what the measures are."""

    answer_bits: float
    line_bits: float
    certain: float
    suspicion: float

    def to_dict(self) -> dict[str, float]:
        """Return the measures ready for JSON."""
        return {
            "answer_bits": self.answer_bits,
            "line_bits": self.line_bits,
            "certain": self.certain,
            "suspicion": self.suspicion,
        }


@dataclass(frozen=True)
class Deciding:
    """A group that decides: who listens to whom, and how many must agree."""

    weights: FloatArray
    needed: int

    @classmethod
    def alike(cls, people: int, vote: Vote = DEFAULT, *, listening: int = 0) -> Deciding:
        """Return a group in which everybody listens to everybody with the same weight, in percent."""
        if not 2 <= people <= MOST_PEOPLE:
            raise ArgumentError(
                "people", f"expected from 2 to {MOST_PEOPLE}; larger groups are not enumerated"
            )
        if not 0 <= listening <= 100:
            raise ArgumentError("listening", "expected a percentage from 0 to 100")
        weights = (np.ones((people, people)) - np.eye(people)) * listening / 100
        return cls(weights, check_vote(vote).needed(people))

    @property
    def people(self) -> int:
        """How many decide together."""
        return len(self.weights)

    @cached_property
    def outcomes(self) -> NDArray[np.int8]:
        """The position of the outcome for every combination of answers, an axis per person."""
        outcomes = np.zeros((len(ANSWERS),) * self.people, dtype=np.int8)
        # Monotone answers pass from the narrow side on, so the widest that passes is the number of those that do.
        for column in range(ANSWERS.shape[1]):
            given = ANSWERS[:, column]
            outcomes[self.passing[np.ix_(*[given] * self.people)]] = column + 1
        return outcomes

    @cached_property
    def passing(self) -> NDArray[np.bool_]:
        """Whether a choice passes, for every combination of scores that people can give it; exact."""
        inverse = Weights(self.weights, "cap").exact_inverse
        assert inverse is not None, "capped weights always settle"
        scores = np.array(list(product(range(HIGHEST + 1), repeat=self.people)), dtype=object)
        # What speaks for a choice less what speaks against it, in whole numbers: a tie accepts.
        balance = (2 * scores - HIGHEST) @ np.array(inverse.adjugate, dtype=object).T * inverse.determinant
        enough = (balance >= 0).sum(axis=1) >= self.needed
        return np.asarray(enough, dtype=np.bool_).reshape((HIGHEST + 1,) * self.people)


@dataclass(frozen=True)
class Channel:
    """What is seen in every combination of people's states, and what the outcome is there.

    `seen` and `outcomes` have an axis per person. Whoever is `watching` knows their own states; what was wanted is what
    the first of them wanted. If nobody is, the observer is an outsider, who knows what is seen alone.
    """

    seen: NDArray[np.integer]
    outcomes: NDArray[np.integer]
    watching: tuple[int, ...] = (0,)
    share: float = 1.0


def shown(group: Deciding, observer: int) -> Codes:
    """Return a number for every text the service's own renderer shows the observer, for all answers."""
    numbers: dict[tuple[str, str], int] = {}
    table = np.zeros((len(ANSWERS), len(CHOICES)), dtype=np.int16)
    for place, scores in enumerate(ANSWERS.tolist()):
        line = own_line(dict(zip(CHOICES[1:], scores, strict=True)))
        for outcome, choice in enumerate(CHOICES):
            text = sealed_reason(line, choice, group.people, group.needed)
            table[place, outcome] = numbers.setdefault((choice, text), len(numbers))
    own = np.arange(len(ANSWERS)).reshape([-1 if axis == observer else 1 for axis in range(group.people)])
    return np.asarray(table[own, group.outcomes])


def asks(group: Deciding, observer: int) -> Codes:
    """Return what a petition told that went "above all to" those who could help: the canary.

    It names those of the others whose answer alone can make the outcome narrower, or wider than nobody; if there are
    none, all of them.
    """
    outcomes = group.outcomes
    named = np.zeros(outcomes.shape, dtype=np.int16)
    others = [person for person in range(group.people) if person != observer]
    for bit, person in enumerate(others):
        lowest, highest = outcomes.take([0], axis=person), outcomes.take([-1], axis=person)
        helps = np.where(outcomes > 0, lowest < outcomes, highest > 0)
        named |= helps.astype(np.int16) << bit
    everybody = (1 << len(others)) - 1
    named[named == 0] = everybody
    return np.asarray(outcomes.astype(np.int16) * (everybody + 1) + named)


def leak(
    people: int,
    vote: Vote = DEFAULT,
    *,
    listening: int = 0,
    prior: str = "uniform",
    progress: Progress | None = None,
) -> dict[str, Told]:
    """Return what one co-owner learns about another: from the outcome, from all that is shown, and from names.

    Parameters
    ----------
    people
        How many decide together: 2, 3 or 4.
    vote
        How many must agree; consensus unless said otherwise.
    listening
        How much everybody listens to everybody, in percent.
    prior
        One of `PRIORS`.
    progress
        Called with how many parts are done and how many there are.

    Examples
    --------
    >>> told = leak(2)
    >>> round(told["outcome"].line_bits, 9) == round(told["shown"].line_bits, 9), told["outcome"].certain
    (True, 1.0)
    """
    group = Deciding.alike(people, vote, listening=listening)
    weights = PRIORS[_check.one_of("prior", prior, PRIORS)]
    views: dict[str, Callable[[], NDArray[np.integer]]] = {
        "outcome": lambda: group.outcomes,
        "shown": lambda: shown(group, 0),
        "names": lambda: asks(group, 0),
    }
    told = {}
    parts = len(views) * len(ANSWERS)
    for place, (name, view) in enumerate(views.items()):
        done = _shifted(progress, place * len(ANSWERS), parts)
        told[name] = measure([Channel(view(), group.outcomes)], weights, LINES, progress=done)
    return told


def _shifted(progress: Progress | None, start: int, parts: int) -> Progress | None:
    return None if progress is None else lambda done, _: progress(start + done, parts)


def measure(
    channels: Sequence[Channel], prior: FloatArray, lines: IntArray, *, progress: Progress | None = None
) -> Told:
    """Return what is told about the states of those who do not watch.

    Parameters
    ----------
    channels
        One, or several of which the observer does not know which it is, each with its share.
    prior
        How likely each state is, for everybody alike.
    lines
        For every state, the position of the widest audience that it accepts.
    progress
        Called with how many of the watchers' own states are done and how many there are.
    """
    if not math.isclose(math.fsum(channel.share for channel in channels), 1):
        raise ArgumentError("channels", "expected shares that add up to 1")
    watching = channels[0].watching
    owns = list(product(range(len(prior)), repeat=len(watching)))
    sums = np.zeros(5)
    for done, own in enumerate(owns, 1):
        share = float(np.prod(prior[list(own)]))
        wanted = int(lines[own[0]]) if own else 0
        sums += share * _given(channels, own, prior, lines, wanted)
        if progress is not None:
            progress(done, len(owns))
    line_prior = np.bincount(lines, prior).max()
    wanting = max(sums[2], 1e-300)
    return Told(
        answer_bits=math.log2(sums[0] / prior.max()),
        line_bits=math.log2(sums[1] / line_prior),
        certain=float(sums[3] / wanting),
        suspicion=float(sums[4] / wanting),
    )


def _given(
    channels: Sequence[Channel], own: tuple[int, ...], prior: FloatArray, lines: IntArray, wanted: int
) -> FloatArray:
    """Return for one own state: guessed answers, guessed lines, and where more was wanted its share, surely, likely."""
    seen = [channel.seen[_placed(channel, own)] for channel in channels]
    size = 1 + max(int(codes.max()) for codes in seen)
    outcome = np.zeros(size, dtype=np.int64)
    joint: FloatArray = np.zeros((seen[0].ndim, size, len(prior)))
    for channel, codes in zip(channels, seen, strict=True):
        outcome[codes.ravel()] = channel.outcomes[_placed(channel, own)].ravel()
        joint += channel.share * _joint(codes, prior, size)
    total = joint[0].sum(axis=1)
    by_line = np.stack([joint[:, :, lines == line].sum(axis=2) for line in range(lines.max() + 1)], axis=2)
    # Whoever's line is not beyond the outcome said no to the next wider audience.
    refusing = np.where(lines[None, :] <= outcome[:, None], joint, 0.0).sum(axis=2)
    likely = (refusing / np.where(total > 0, total, 1.0)).max(axis=0)
    more = total * (wanted > outcome)
    return np.array(
        [
            joint.max(axis=2).sum(axis=1).mean(),
            by_line.max(axis=2).sum(axis=1).mean(),
            more.sum(),
            more[likely > SURE].sum(),
            (more * likely).sum(),
        ]
    )


def _placed(channel: Channel, own: tuple[int, ...]) -> tuple[slice | int, ...]:
    states = dict(zip(channel.watching, own, strict=True))
    return tuple(states.get(axis, slice(None)) for axis in range(channel.seen.ndim))


def _joint(codes: NDArray[np.integer], prior: FloatArray, size: int) -> FloatArray:
    """Return for every target the joint distribution of what is seen and of the target's state."""
    states, targets = len(prior), codes.ndim
    joint = np.zeros((targets, size, states))
    for first, block in _blocks(codes, prior):
        rest = block.ndim
        likely = np.ones(block.shape)
        for axis in range(rest):
            likely *= prior.reshape([-1 if axis == each else 1 for each in range(rest)])
        if first is not None:
            likely *= prior[first]
            joint[0, :, first] += np.bincount(block.ravel(), likely.ravel(), size)
        for axis in range(rest):
            state = np.arange(states).reshape([-1 if axis == each else 1 for each in range(rest)])
            cell = (block * states + state).ravel()
            joint[axis + targets - rest] += np.bincount(cell, likely.ravel(), size * states).reshape(
                size, states
            )
    return joint


def _blocks(codes: NDArray[np.integer], prior: FloatArray) -> Iterator[tuple[int | None, IntArray]]:
    """Cut the largest tables along their first axis, so that memory stays that of three people."""
    if codes.ndim < MOST_PEOPLE:
        yield None, codes.astype(np.int64)
    else:
        yield from ((first, codes[first].astype(np.int64)) for first in range(len(prior)))
