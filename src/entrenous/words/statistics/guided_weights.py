"""Rounds of weights, each guided by the ones before: for words, and for longer n-grams that published ones form.

The rounds of one length add up to one noisy weight per n-gram; see `entrenous.words.statistics.guided_rounds`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np

from entrenous.noise import Noise
from entrenous.price import NoiseEvent
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.statistics.candidates import Candidates, occurring, scored
from entrenous.words.statistics.found import Found, Scored
from entrenous.words.statistics.guided_rounds import InRounds, Rounds
from entrenous.words.statistics.threshold import normal_excess
from entrenous.words.statistics.weights import Rows, check_holders, guided_weights

__all__ = ["LARGEST", "GuidedLonger", "GuidedWords"]

LARGEST = 0.15
"""The largest weight that a holder gives one word; chosen on enron-core."""
_WORDS = 1000  # single words of a holder that take part; chosen on enron-core
_ROUNDS = 6
_GUESS_PER_SHORTER = 5  # longer n-grams per shorter one that rounds aim at; chosen on enron-core

_UNITS = frozenset({Unit.EDGE_CONTENT.name, Unit.SENDER.name})

Tick = Callable[[], object]


@dataclass(frozen=True)
class GuidedWords(InRounds[Found]):
    """Words whose noisy weights of all rounds together exceed a threshold.

    Attributes
    ----------
    mu
        By how many standard deviations of their noise one holder may move the rounds together.
    delta
        What may be lost at the threshold.
    contribution
        How many words of a holder take part at most; never more than a thousand.
    group
        How many holders are to be hidden together.
    tick
        Called after each round.
    """

    name: ClassVar[str] = "words"
    proof: ClassVar[str] = "named-words"
    units: ClassVar[frozenset[str]] = _UNITS
    count: ClassVar[int] = _ROUNDS

    mu: float
    delta: float
    contribution: int
    group: int = 1
    tick: Tick | None = field(default=None, compare=False, repr=False)

    @property
    def most(self) -> int:
        """How many words of a holder take part at most."""
        return min(self.contribution, _WORDS)

    @property
    def rounds(self) -> Rounds:
        """The rounds, whose target is the threshold."""
        return Rounds(self.mu, self.count, self.target)

    @property
    def target(self) -> float:
        """The score that words must exceed."""
        moved = self.group * LARGEST * self.mu  # the most that one word can owe to the holders to be hidden
        return normal_excess(self.delta, self.group * self.most) + moved

    @property
    def threshold(self) -> float:
        """The noisy weight, the mean over all rounds, that words must exceed."""
        return self.target / self.mu

    def event(self, unit: Unit) -> NoiseEvent:
        """Return the noise of all rounds together, and the delta of the threshold."""
        return replace(super().event(unit), delta=self.delta)

    def draw(self, data: Table, unit: Unit, noise: Noise) -> Found:
        """Return the words above the threshold."""
        check_holders(data, unit)
        rounds = self.rounds
        rows = Rows.of(data, data.length == 1, self.most)
        divide = partial(guided_weights, rows, largest=LARGEST)
        standing = rounds.run(divide, np.unique(rows.ngram), data.ngrams, noise, self.tick)
        high = standing.score > self.target  # proof: named-words
        return Found.of(data, standing.ids[high], standing.score[high])


@dataclass(frozen=True, eq=False)
class GuidedLonger(InRounds[Scored]):
    """Noisy weights of candidates: n-grams, one word longer, that published ones form.

    All of them get noise, also those that never occur, so no threshold is needed.

    Attributes
    ----------
    mu
        By how many standard deviations of their noise one holder may move the rounds together.
    candidates
        What the published n-grams form.
    words
        The published words that they consist of.
    tick
        Called after each round.
    """

    name: ClassVar[str] = "longer n-grams"
    proof: ClassVar[str] = "longer-ngrams"
    units: ClassVar[frozenset[str]] = _UNITS
    count: ClassVar[int] = _ROUNDS

    mu: float
    candidates: Candidates
    words: tuple[str, ...]
    tick: Tick | None = None

    def draw(self, data: Table, unit: Unit, noise: Noise) -> Scored:
        """Return the candidates that stand high after all rounds."""
        check_holders(data, unit)
        ids, numbers = occurring(self.candidates, self.words, data)
        kept = np.zeros(data.ngrams, np.bool_)
        kept[ids] = True
        rounds = Rounds(self.mu, self.count, self.candidates.target(_GUESS_PER_SHORTER))
        divide = partial(guided_weights, Rows.of(data, kept))
        standing = rounds.run(divide, ids, data.ngrams, noise, self.tick)
        return scored(
            self.candidates, numbers, standing.score, noise, rounds, grid=rounds.grid
        )  # proof: longer-ngrams
