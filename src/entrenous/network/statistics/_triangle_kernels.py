"""Compiled loops over triangles: the leverage of one edge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]


@njit(cache=True, nogil=True)
def neighbours_above(indptr: Array, indices: Array, floor: int) -> tuple[Array, Array]:
    """Return, for each node, the neighbours that have more neighbours than the floor."""
    n = len(indptr) - 1
    start = np.zeros(n + 1, np.int64)
    kept = np.empty(len(indices), np.int32)
    count = 0
    for u in range(n):
        for k in range(indptr[u], indptr[u + 1]):
            v = indices[k]
            if indptr[v + 1] - indptr[v] > floor:
                kept[count] = v
                count += 1
        start[u + 1] = count
    return start, kept[:count]


@njit(cache=True, nogil=True)
def triangle_leverage(
    indptr: Array,
    indices: Array,
    start: Array,
    high: Array,
    label: Array,
    least: Array,
    share: int,
    shares: int,
) -> Array:
    """Return the most triangles of each class that one tie, present or not, of one share of the nodes would close.

    At least `least`: two nodes have no more common neighbours than either has neighbours, so only pairs of nodes with
    more neighbours than the smallest of `least` are looked at: `start` and `high` are `neighbours_above` it.
    """
    n, classes = len(indptr) - 1, len(least)
    leverage = least.copy()
    closed = np.zeros((n, classes), np.int32)  # by class, for pairs of u with any other node
    met, last = np.empty(n, np.int32), np.full(n, -1, np.int32)
    for u in range(share, n, shares):
        if indptr[u + 1] - indptr[u] <= least.min():
            continue
        count = 0
        for k in range(indptr[u], indptr[u + 1]):
            w = indices[k]
            lower = min(label[u], label[w])
            for j in range(start[w], start[w + 1]):
                v = high[j]
                if v >= u:  # rows are sorted
                    break
                if last[v] != u:
                    last[v] = u
                    met[count] = v
                    count += 1
                closed[v, min(lower, label[v])] += 1
        for v in met[:count]:
            for c in range(classes):
                leverage[c] = max(leverage[c], closed[v, c])
                closed[v, c] = 0
    return leverage
