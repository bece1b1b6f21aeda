"""Compiled loops of the network mechanisms: slots, cells, expectations of the model, the law of degrees."""

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
def expectations(propensity: Array, size: Array, group: Array, affinity: Array) -> tuple[Array, Array]:
    """Return the expected degree of a node of each class, and the expected edges of each cell (upper triangle).

    Classes come in the order of their groups, so that a row of pairs stays in one cell for a while.
    """
    classes = len(size)
    degree = np.zeros(classes)
    cell = np.zeros(affinity.shape)
    for a in range(classes):
        own = propensity[a] * propensity[a] * affinity[group[a], group[a]]
        p = own / (1.0 + own)
        degree[a] += p * (size[a] - 1.0)
        cell[group[a], group[a]] += p * size[a] * (size[a] - 1.0) / 2.0
        b = a + 1
        while b < classes:
            other = group[b]
            factor = propensity[a] * affinity[group[a], other]
            met = 0.0  # expected edges of one node of class a
            while b < classes and group[b] == other:
                odds = factor * propensity[b]
                p = odds / (1.0 + odds)
                met += p * size[b]
                degree[b] += p * size[a]
                b += 1
            degree[a] += met
            cell[group[a], other] += met * size[a]
    return degree, cell


@njit(cache=True)
def log_no_edge(propensity: Array, size: Array, group: Array, affinity: Array) -> float:
    """Return minus the log-probability that the model draws no edge at all: the sum of ln(1 + odds) over pairs."""
    total = 0.0
    for a in range(len(size)):
        for b in range(a, len(size)):
            odds = propensity[a] * propensity[b] * affinity[group[a], group[b]]
            pairs = size[a] * (size[a] - 1.0) / 2.0 if a == b else size[a] * size[b]
            total += pairs * math.log1p(odds)
    return total


@njit(cache=True)
def blur(values: Array, ratio: float) -> Array:
    """Convolve with the two-sided geometric law (1 - ratio) / (1 + ratio) ratio^|k|, in linear time."""
    n = len(values)
    out = np.empty(n)
    tail = 0.0
    for i in range(n):
        tail = tail * ratio + values[i]
        out[i] = tail
    tail = 0.0
    for i in range(n - 1, -1, -1):
        out[i] = (out[i] + tail) * (1.0 - ratio) / (1.0 + ratio)
        tail = (tail + values[i]) * ratio
    return out


@njit(cache=True)
def tail_factors(nodes: Array, tails: Array, variance: float, reach: float) -> Array:
    """Return by which factors to change the expected nodes of each degree, so that their tails agree with noisy ones.

    Least squares. Noisy tails scatter around true ones with the given variance. True counts scatter around `nodes`,
    with that variance (Poisson), but no further than `reach`: a tail is off by the nodes within reach of its degree,
    which is as far as a noisy degree leads astray. In the tails themselves, of which the first is all nodes and the
    one after the last none, the equations are tridiagonal (Thomas algorithm).
    """
    degrees = len(nodes)
    expected = np.cumsum(nodes[::-1])[::-1]
    slope, level = np.zeros(degrees + 1), np.zeros(degrees + 1)
    level[0] = expected[0]
    for k in range(1, degrees):
        below, above = 1.0 / nodes[k - 1], 1.0 / nodes[k]
        astray = (below + above) / (2.0 * reach**2)
        pivot = below + above + astray + 1.0 / variance - below * slope[k - 1]
        slope[k] = above / pivot
        level[k] = (tails[k - 1] / variance + expected[k] * astray + below * level[k - 1]) / pivot
    solved = np.zeros(degrees + 1)
    for k in range(degrees - 1, -1, -1):
        solved[k] = level[k] + slope[k] * solved[k + 1]
    return (solved[:-1] - solved[1:]) / nodes
