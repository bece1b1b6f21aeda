"""Names of n-grams from nested weights: words above a threshold, then what they form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np

from entrenous.errors import PrivacyError
from entrenous.noise import Noise
from entrenous.price import NoiseEvent
from entrenous.unit import Unit
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table
from entrenous.words.statistics.candidates import Candidates, occurring, scored
from entrenous.words.statistics.found import Found, Scored
from entrenous.words.statistics.guided_rounds import InRounds, Rounds
from entrenous.words.statistics.nested.nesting import LARGEST, NESTINGS, Layout, nested_weights, nesting_of
from entrenous.words.statistics.threshold import normal_excess
from entrenous.words.statistics.weights import Rows, check_holders

__all__ = ["MOST_WORDS", "ROUNDS", "NestedLonger", "NestedWords"]

ROUNDS = 20
"""How many rounds of noise guide each other; chosen on enron-core, where 30 name 1 % more."""

MOST_WORDS = 2**31
"""How many words of its own a unit may have: a table numbers its n-grams with 31 bits."""
_LEAST, _PACE = -1.5, 0.04  # as in `Rounds`; chosen on enron-core
_GUESS_PER_SHORTER = 5  # longer n-grams per shorter one that rounds aim at; chosen on enron-core

Tick = Callable[[], object]


@dataclass(frozen=True)
class NestedWords(InRounds[Found]):
    """Words whose noisy weights of all rounds together exceed a threshold.

    Attributes
    ----------
    mu
        By how many standard deviations of their noise one unit may move the rounds together.
    delta
        What may be lost at the threshold.
    tick
        Called after each round.
    """

    name: ClassVar[str] = "words"
    proof: ClassVar[str] = "nested-weights"
    units: ClassVar[frozenset[str]] = frozenset(NESTINGS)

    mu: float
    delta: float
    tick: Tick | None = field(default=None, compare=False, repr=False)

    @property
    def target(self) -> float:
        """The score that words must exceed: however many a unit has of its own, and whatever it gives each."""
        return normal_excess(self.delta, MOST_WORDS) + LARGEST * self.mu

    @property
    def threshold(self) -> float:
        """The noisy weight, the mean over all rounds, that words must exceed."""
        return self.target / self.mu

    def event(self, unit: Unit) -> NoiseEvent:
        """Return the noise of all rounds together, and the delta of the threshold."""
        return replace(super().event(unit), delta=self.delta)

    def draw(self, data: Table, unit: Unit, noise: Noise) -> Found:
        """Return the words above the threshold."""
        mail, nesting = messages_of(data, unit), nesting_of(unit)
        rows, layout = Rows.of(mail, mail.length == 1), Layout.of(mail, nesting)
        rounds = Rounds(self.mu, ROUNDS, self.target, _LEAST, _PACE)
        divide = partial(nested_weights, rows, layout, nesting, words=True)
        said = np.unique(rows.ngram[np.repeat(mail.copies > 0, np.diff(rows.offsets))])
        standing = rounds.run(divide, said, data.ngrams, noise, self.tick)
        high = standing.score > self.target  # proof: nested-weights
        found = Found.of(data, standing.ids[high], standing.score[high])
        return Found(found.words, found.parts, found.score, standing.first[high])


@dataclass(frozen=True, eq=False)
class NestedLonger(InRounds[Scored]):
    """Noisy weights of candidates: n-grams, one word longer, that published ones form; all of them get noise.

    Attributes
    ----------
    mu
        By how many standard deviations of their noise one unit may move the rounds together.
    candidates
        What the published n-grams form.
    words
        The published words that they consist of.
    tick
        Called after each round.
    """

    name: ClassVar[str] = "longer n-grams"
    proof: ClassVar[str] = "nested-weights"
    units: ClassVar[frozenset[str]] = frozenset(NESTINGS)

    mu: float
    candidates: Candidates
    words: tuple[str, ...]
    tick: Tick | None = None

    def draw(self, data: Table, unit: Unit, noise: Noise) -> Scored:
        """Return the candidates that stand high after all rounds."""
        mail, nesting = messages_of(data, unit), nesting_of(unit)
        ids, numbers = occurring(self.candidates, self.words, data)
        kept = np.zeros(data.ngrams, np.bool_)
        kept[ids] = True
        target = np.zeros(data.ngrams)
        target[ids] = self.candidates.targets(numbers, _GUESS_PER_SHORTER)
        rounds = Rounds(self.mu, ROUNDS, target, _LEAST, _PACE)
        divide = partial(nested_weights, Rows.of(data, kept), Layout.of(mail, nesting), nesting, words=False)
        standing = rounds.run(divide, ids, data.ngrams, noise, self.tick)
        return scored(
            self.candidates, numbers, standing.score, noise, rounds, grid=rounds.grid
        )  # proof: longer-ngrams


def messages_of(table: Table, unit: Unit) -> MessageTable:
    """Return a table of messages that was counted for this unit, or refuse any other."""
    if not isinstance(table, MessageTable):
        raise PrivacyError("expected a table of messages; it was not answered")
    check_holders(table, unit, messages=True)
    return table
