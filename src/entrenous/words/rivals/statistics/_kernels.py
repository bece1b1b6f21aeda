"""Weights of rivals, compiled: holders reroute what is more than n-grams need."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Ids = NDArray[np.int32]
FloatArray = NDArray[np.float64]


@njit(cache=True)
def divide(start: int, end: int, ngram: Ids, bias: FloatArray, largest: float) -> float:
    """Return what a holder gives each n-gram whose bias is 1; any other gets its bias over sqrt(how many there are)."""
    size = end - start
    taken, whole = 0.0, 0
    for row in range(start, end):
        if bias[ngram[row]] < 1:
            taken += bias[ngram[row]] ** 2
        else:
            whole += 1
    if whole == 0:
        return 0.0
    return min(largest, math.sqrt((size - taken) / whole)) / math.sqrt(size)


@njit(cache=True)
def reroute(
    offsets: Offsets,
    ngram: Ids,
    bias: FloatArray,
    largest: float,
    most: int,
    needed: float,
    discount: float,
    total: FloatArray,
) -> None:
    """Add to `total` what holders give; those with at most `most` n-grams share out what exceeds `needed`."""
    early = np.zeros(len(total))
    for holder in range(len(offsets) - 1):
        start, end = offsets[holder], offsets[holder + 1]
        if 0 < end - start <= most:
            whole, part = divide(start, end, ngram, bias, largest), 1 / math.sqrt(end - start)
            for row in range(start, end):
                given = whole if bias[ngram[row]] >= 1 else bias[ngram[row]] * part
                early[ngram[row]] += given * given
    excess = np.zeros(len(total))
    for place in range(len(total)):
        if early[place] > needed:
            excess[place] = 1 - needed / early[place]
        total[place] += min(early[place], needed)
    for holder in range(len(offsets) - 1):
        start, end = offsets[holder], offsets[holder + 1]
        if end == start:
            continue
        whole, part = divide(start, end, ngram, bias, largest), 1 / math.sqrt(end - start)
        back = 0.0
        if end - start <= most:
            for row in range(start, end):
                given = whole if bias[ngram[row]] >= 1 else bias[ngram[row]] * part
                back += given * given * excess[ngram[row]]
        for row in range(start, end):
            given = whole if bias[ngram[row]] >= 1 else bias[ngram[row]] * part
            if end - start <= most:
                total[ngram[row]] += given - given * given + discount * back / most
            else:
                total[ngram[row]] += given
