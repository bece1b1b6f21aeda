"""Noisy numbers of holders: words above a threshold first, then longer n-grams that published ones form.

What a holder adds to an n-gram does not depend on its other n-grams, so that this statistic also stands where secrets
are single n-grams, and where a secret may move the counts of its n-grams by more than 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import PrivacyError
from entrenous.noise import FINE, Noise
from entrenous.price import NoiseEvent, Price
from entrenous.statistic import Statistic
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.statistics.candidates import Candidates, occurring, scored
from entrenous.words.statistics.found import Found, Scored
from entrenous.words.statistics.threshold import coupled_threshold
from entrenous.words.statistics.weights import Rows, check_holders, holder_counts

__all__ = ["GRID_SHARE", "Counted", "FixedCounts"]

# Of delta: noise on a grid of FINE steps a deviation exceeds a threshold by so little more often.
GRID_SHARE = 1 - 1e-5

Ids = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Counted:
    """An answer that goes on: words, and a function that scores the longer n-grams they form, each length once."""

    words: Found
    longer: Callable[[Candidates], Scored]


@dataclass(frozen=True)
class FixedCounts(Statistic[Table, Counted]):
    """Counts with the same noise on each, looked at length by length.

    It is one question however many lengths there are: a holder moves `contribution` counts of all lengths together,
    and each count gets its noise once. So the answer goes on: which longer n-grams are looked at depends on the
    shorter ones that were published.

    Attributes
    ----------
    scale
        The standard deviation of the noise on each count.
    delta
        What may be lost at the threshold for words.
    contribution
        How many n-grams of a holder count at most, its own most frequent ones.
    n
        The longest n-grams.
    group
        How many holders are to be hidden together.
    coupling
        By how much a secret content may move the count of each of its n-grams.
    least
        The least threshold.
    """

    name: ClassVar[str] = "counts of n-grams"
    proof: ClassVar[str] = "fixed-counts"
    kind: ClassVar[type] = Table

    scale: float
    delta: float
    contribution: int
    n: int = 1
    group: int = 1
    coupling: int = 1
    least: float = 0.0

    @property
    def threshold(self) -> float:
        """The noisy count that words must exceed."""
        ngrams = self.contribution * self.group  # a group may also have as many n-grams, each at one holder
        delta = self.delta * GRID_SHARE
        return max(
            self.least,
            coupled_threshold(self.scale, delta, self.contribution, self.coupling),
            coupled_threshold(self.scale, delta, ngrams, 1),
        )

    def event(self, unit: Unit) -> NoiseEvent:
        """Return the noise: one holder moves so many counts by 1 each."""
        if unit not in (Unit.EDGE_CONTENT, Unit.SENDER):
            raise self.unproved(unit)
        return NoiseEvent("gaussian", scale=self.scale, repeats=self.contribution, delta=self.delta)

    def price(self, unit: Unit) -> Price:
        """Return the mu of all counts that a holder moves, and the delta of the threshold."""
        return self.event(unit).price

    def draw(self, data: Table, unit: Unit, noise: Noise) -> Counted:
        """Name words above the threshold, and score longer n-grams when they are asked for."""
        check_holders(data, unit)
        table = data.within(self.contribution)
        counts = holder_counts(Rows.of(table), table.ngrams)
        steps = max(math.ceil(FINE / self.scale), 1)

        def score(ids: Ids) -> NDArray[np.float64]:
            drawn = noise.gaussian(
                counts[ids] * steps, scale=self.scale * steps, of=ids
            )  # proof: fixed-counts
            return drawn / (self.scale * steps)

        ids = np.flatnonzero((counts > 0) & (table.length == 1)).astype(np.int32)
        words = score(ids)
        high = words * self.scale > self.threshold
        found = Found.of(table, ids[high], words[high])
        lengths = iter(range(2, self.n + 1))

        def longer(candidates: Candidates) -> Scored:
            if candidates.shorter.shape[1] + 1 != next(lengths, None):
                raise PrivacyError(
                    "counts of n-grams: each length is scored once, in order; it was not answered"
                )
            ids, numbers = occurring(candidates, found.words, table)
            return scored(candidates, numbers, score(ids), noise, grid=self.scale * steps)

        return Counted(found, longer)
