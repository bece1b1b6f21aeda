"""Weights of n-grams, compiled: what every holder gives, summed.

Holders are visited in the order of the table, which is public. What a holder gives is rounded *down* to whole steps
of a grid, so that its vector never grows.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Ids = NDArray[np.int32]
FloatArray = NDArray[np.float64]

TINY = 1e-280  # below, squares lose digits and a vector could come out longer than it is


@njit(cache=True)
def restrict(offsets: Offsets, ngram: Ids, kept: NDArray[np.bool_], most: int) -> tuple[Offsets, Ids]:
    """Return the rows of kept n-grams, the first `most` of each holder."""
    holders = len(offsets) - 1
    new_offsets = np.zeros(holders + 1, np.int64)
    rows = np.empty(len(ngram), np.int32)
    end = 0
    for holder in range(holders):
        last = min(end + most, len(rows))
        for row in range(offsets[holder], offsets[holder + 1]):
            if end < last and kept[ngram[row]]:
                rows[end] = ngram[row]
                end += 1
        new_offsets[holder + 1] = end
    return new_offsets, rows[:end].copy()


@njit(cache=True)
def spread(
    offsets: Offsets, ngram: Ids, value: FloatArray, grid: float, cap: float, total: NDArray[np.int64]
) -> None:
    """Add to `total` what holders give: in proportion to `value`, L2 norm at most `grid`, each at most `cap`."""
    for holder in range(len(offsets) - 1):
        squares = 0.0
        for row in range(offsets[holder], offsets[holder + 1]):
            squares += value[ngram[row]] * value[ngram[row]]
        if squares > TINY:
            factor = grid / math.sqrt(squares)
            for row in range(offsets[holder], offsets[holder + 1]):
                total[ngram[row]] += int(min(value[ngram[row]] * factor, cap))


@njit(cache=True)
def descend(offsets: Offsets, ngram: Ids, cutoff: float, total: FloatArray) -> None:
    """Let holders, one after another, move their n-grams towards `cutoff`, each by a vector of norm at most 1."""
    for holder in range(len(offsets) - 1):
        squares = 0.0
        for row in range(offsets[holder], offsets[holder + 1]):
            gap = cutoff - total[ngram[row]]
            squares += gap * gap
        if squares > TINY:
            factor = min(1.0, 1.0 / math.sqrt(squares))
            for row in range(offsets[holder], offsets[holder + 1]):
                total[ngram[row]] += factor * (cutoff - total[ngram[row]])
