"""Compiled drawing of distinct node pairs inside rectangles of a node order."""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Int64s = NDArray[np.int64]

# 2^64 divided by the golden ratio: multiplying by it spreads neighbouring keys over the whole table.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True)
def draw_pairs(
    order: NDArray[np.int32], rectangles: Int64s, pairs: Int64s, counts: Int64s, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Draw `counts[k]` distinct pairs from each rectangle, all such sets being equally likely."""
    total = 0
    most = 0
    for k in range(len(counts)):
        total += counts[k]
        most = max(most, min(counts[k], pairs[k] - counts[k]))
    edges = np.empty((total, 2), np.int32)
    places = 2
    while places < 2 * most:
        places *= 2
    table = np.full(places, -1, np.int64)
    slots = np.empty(most, np.int64)
    at = 0
    for k in range(len(counts)):
        few = min(counts[k], pairs[k] - counts[k])
        _fill(table, slots, few, pairs[k], rng)
        if few == counts[k]:
            for j in range(few):
                _place(edges, at, order, rectangles[k], table[slots[j]])
                at += 1
        else:
            # More than half of the pairs are edges: the set drawn is the pairs left out.
            for index in range(pairs[k]):
                if table[_slot(table, index)] != index:
                    _place(edges, at, order, rectangles[k], index)
                    at += 1
        for j in range(few):
            table[slots[j]] = -1
    return edges


@njit(cache=True)
def _slot(table: Int64s, key: int) -> np.int64:
    """Return the place of `key` in an open-addressing table, or the free place where it belongs."""
    last = len(table) - 1
    at = np.int64((np.uint64(key) * _SPREAD) >> np.uint64(20)) & last
    while table[at] >= 0 and table[at] != key:
        at = (at + 1) & last
    return at


@njit(cache=True)
def _fill(table: Int64s, slots: Int64s, few: int, pairs: int, rng: np.random.Generator) -> None:
    """Put `few` distinct numbers below `pairs` into the table; at most half are taken: few retries."""
    filled = 0
    while filled < few:
        key = int(rng.random() * pairs)
        at = _slot(table, key)
        if table[at] < 0:
            table[at] = key
            slots[filled] = at
            filled += 1


@njit(cache=True)
def _place(
    edges: NDArray[np.int32], at: int, order: NDArray[np.int32], rectangle: Int64s, index: int
) -> None:
    """Write the pair with this index in the rectangle as an edge, smaller node first."""
    if rectangle[0] == rectangle[2]:
        row = int((1.0 + np.sqrt(1.0 + 8.0 * index)) / 2.0)
        # The root may be off by one, either way; row is the largest with row (row - 1) / 2 <= index.
        while row * (row - 1) // 2 > index:
            row -= 1
        while row * (row + 1) // 2 <= index:
            row += 1
        column = index - row * (row - 1) // 2
    else:
        width = rectangle[3] - rectangle[2]
        row = index // width
        column = index - row * width
    u = order[rectangle[0] + row]
    v = order[rectangle[2] + column]
    edges[at, 0] = min(u, v)
    edges[at, 1] = max(u, v)
