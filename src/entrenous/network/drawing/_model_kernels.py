"""Compiled loops of the model: what it expects, the distribution of degrees, and triangles of drawn edges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]


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


@njit(cache=True, nogil=True)
def owned_triangles(
    starts: Array, heads: Array, label: Array, classes: int, share: int, shares: int
) -> Array:
    """Count the triangles of each class whose first corner is in one share of the nodes: every so-many-th.

    Rows are those of `graph.measures.clustering.ranked_arcs`, with labels in the same order; a triangle belongs to the
    lowest label among its corners.
    """
    n = len(starts) - 1
    counts = np.zeros(classes, np.int64)
    seen = np.full(n, -1, np.int32)
    for u in range(share, n, shares):
        for k in range(starts[u], starts[u + 1]):
            seen[heads[k]] = u
        for k in range(starts[u], starts[u + 1]):
            v = heads[k]
            lower = min(label[u], label[v])
            for j in range(starts[v], starts[v + 1]):
                if seen[heads[j]] == u:
                    counts[min(lower, label[heads[j]])] += 1
    return counts
