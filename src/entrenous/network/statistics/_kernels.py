"""Compiled loops over private edges: draws of slots and communities, edges between groups, and leverages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]

# The smallest weight a slot can have, relative to the largest: e^-14. Together with the scale below, every weight is
# a whole number above 3e9, so that rounding changes a ratio of two weights by less than a billionth.
LOWEST = -14.0
SCALE = 2.0**52


@njit(cache=True)
def slot_weights(counts: Array, expected: Array, epsilon: float, weights: Array) -> Any:
    """Fill in whole-number weights proportional to exp(epsilon (count - expected)), and return their sum."""
    highest = -np.inf
    for c in range(len(counts)):
        highest = max(highest, epsilon * (counts[c] - expected[c]))
    total = np.uint64(0)
    for c in range(len(counts)):
        exponent = max(epsilon * (counts[c] - expected[c]) - highest, LOWEST)
        weights[c] = np.uint64(math.exp(exponent) * SCALE)
        total += weights[c]
    return total


@njit(cache=True)
def draw_by_words(weights: Array, total: int, words: Array, used: int) -> tuple[int, int]:
    """Draw an index in exact proportion to whole-number weights; return it, or -1 without words, and the words used."""
    top = np.uint64(0xFFFFFFFFFFFFFFFF)
    surplus = (top % total + np.uint64(1)) % total  # 2^64 modulo total: words above top - surplus are redrawn
    while used < len(words) and words[used] > top - surplus:
        used += 1
    if used == len(words):
        return -1, used
    remainder = words[used] % total
    c = 0
    while remainder >= weights[c]:
        remainder -= weights[c]
        c += 1
    return c, used + 1


@njit(cache=True)
def assign_slots(
    order: Array,
    indptr: Array,
    indices: Array,
    volume: Array,
    epsilon: float,
    resolution: float,
    slots: int,
    words: Array,
) -> tuple[Array, int]:
    """Draw the slot of every node in order, each edge counting for its later endpoint only.

    Exact: the probabilities are ratios of whole numbers, drawn by rejection from random 64-bit words.
    Returns the slots and how many words were used, or 0 when the words ran out.
    """
    n = len(order)
    slot = np.full(n, -1, np.int32)
    placed = np.zeros(slots)  # noisy volume in each slot so far
    counts = np.zeros(slots)
    expected = np.zeros(slots)
    weights = np.zeros(slots, np.uint64)
    total_volume = volume.sum()
    used = 0
    for v in order:
        counts[:] = 0.0
        for k in range(indptr[v], indptr[v + 1]):
            if slot[indices[k]] >= 0:
                counts[slot[indices[k]]] += 1.0
        for c in range(slots):
            expected[c] = resolution * volume[v] * placed[c] / total_volume
        total = slot_weights(counts, expected, epsilon, weights)
        c, used = draw_by_words(weights, total, words, used)
        if c < 0:
            return slot, 0
        slot[v] = c
        placed[c] += volume[v]
    return slot, used


@njit(cache=True)
def cell_counts(indptr: Array, indices: Array, group: Array, groups: int) -> Array:
    """Count the edges between every two groups: entry (c, d), c <= d, of an upper triangle."""
    counts = np.zeros((groups, groups), np.int64)
    for u in range(len(indptr) - 1):
        for k in range(indptr[u], indptr[u + 1]):
            if indices[k] > u:
                c = min(group[u], group[indices[k]])
                d = max(group[u], group[indices[k]])
                counts[c, d] += 1
    return counts


@njit(cache=True)
def adjust_communities(
    indptr: Array, indices: Array, community: Array, communities: int, epsilon: float, words: Array
) -> tuple[Array, int]:
    """Draw a new community for every node, in proportion to exp(epsilon times its neighbours there at first).

    All draws look at the first communities, which are public: one edge influences the draws of its two ends. Exact: the
    probabilities are ratios of whole numbers, drawn by rejection from random 64-bit words. Returns the communities
    and how many words were used, or 0 when the words ran out.
    """
    n = len(indptr) - 1
    adjusted = np.empty(n, np.int64)
    counts = np.zeros(communities)
    nothing = np.zeros(communities)
    weights = np.zeros(communities, np.uint64)
    used = 0
    for v in range(n):
        counts[:] = 0.0
        for k in range(indptr[v], indptr[v + 1]):
            counts[community[indices[k]]] += 1.0
        total = slot_weights(counts, nothing, epsilon, weights)
        c, used = draw_by_words(weights, total, words, used)
        if c < 0:
            return adjusted, 0
        adjusted[v] = c
    return adjusted, used


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
