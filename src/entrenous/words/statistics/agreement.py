"""How often neighbouring edges carry the same n-grams: three counts over public pairs of edges, with noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import PrivacyError
from entrenous.price import NoiseEvent
from entrenous.statistic import Counts
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.statistics.weights import Rows, check_holders

__all__ = ["Agreement"]


@dataclass(frozen=True, eq=False)
class Agreement(Counts[Table, tuple[int, int, int]]):
    """Over pairs of edges: how many n-grams both carry, the first carries, and the second carries.

    Attributes
    ----------
    epsilon
        What the answer costs.
    contribution
        How many n-grams of an edge count at most: its most frequent ones.
    pairs
        Numbers of two edges each, from the public graph; no edge is in two pairs.
    names
        A public list of n-grams to look at; None looks at all.
    """

    name: ClassVar[str] = "correlation"
    proof: ClassVar[str] = "agreement"
    kind: ClassVar[type] = Table

    epsilon: float
    contribution: int
    pairs: NDArray[np.int64]
    names: tuple[str, ...] | None = None

    def sensitivity(self, unit: Unit) -> int:
        """Return 2c: c n-grams of an edge are in the number of common ones, and in one of the two sizes."""
        if unit != Unit.EDGE_CONTENT:
            raise self.unproved(unit)
        return 2 * self.contribution  # proof: agreement

    def event(self, unit: Unit) -> NoiseEvent:
        """Return the noise: two of the three counts move, each by the contribution at most."""
        scale = self.sensitivity(unit) / self.epsilon
        return NoiseEvent("geometric", scale=scale, sensitivity=self.contribution, repeats=2)

    def count(self, data: Table) -> NDArray[np.int64]:
        """Count over all pairs."""
        check_holders(data, Unit.EDGE_CONTENT)
        if len(self.pairs) and np.bincount(self.pairs.ravel()).max() > 1:
            raise PrivacyError("correlation: expected each edge in one pair at most; nothing was counted")
        if self.names is None:
            rows = Rows.of(data, most=self.contribution)
        else:
            rows = Rows.listed(data, self.names, self.contribution)
        return np.array(agreement(rows, self.pairs), dtype=np.int64)

    def answer(self, noisy: NDArray[np.int64]) -> tuple[int, int, int]:
        """Return the three noisy counts."""
        both, first, second = noisy.tolist()
        return both, first, second


def agreement(rows: Rows, pairs: NDArray[np.int64]) -> tuple[int, int, int]:
    """Return over all pairs how many n-grams both edges carry, the first carries, and the second carries."""
    pair_of = np.full(rows.holders, -1, dtype=np.int64)
    pair_of[pairs[:, 0]] = pair_of[pairs[:, 1]] = np.arange(len(pairs))
    is_first = np.zeros(rows.holders, dtype=bool)
    is_first[pairs[:, 0]] = True
    holder = np.repeat(np.arange(rows.holders), np.diff(rows.offsets))
    paired = pair_of[holder] >= 0
    holder, ngram = holder[paired], rows.ngram[paired]
    key = pair_of[holder] * (int(ngram.max(initial=0)) + 1) + ngram
    first = is_first[holder]
    common = np.intersect1d(key[first], key[~first], assume_unique=True)
    return len(common), int(first.sum()), int((~first).sum())
