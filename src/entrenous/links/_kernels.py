"""Compiled loops of `links`: entropies of many link classes, and degree-preserving switching."""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Int64s = NDArray[np.int64]

_NEGLIGIBLE = 1e-30  # a probability this far below the mode's adds nothing to a sum of doubles
_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


@njit(cache=True)
def _stirling_error(k: int) -> float:
    """Return ln k! minus Stirling's formula for it."""
    if k < 16:
        return math.lgamma(k + 1.0) - (k + 0.5) * math.log(k) + k - _HALF_LOG_TAU
    square = float(k) * k
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680) / square) / square) / square) / k


@njit(cache=True)
def log_binomial(n: int, k: int) -> float:
    """Return ln C(n, k) to full precision also where n! would cancel nearly all digits."""
    k = min(k, n - k)
    if k <= 0:
        return 0.0
    # Loader's form: the entropy of k in n carries the size, three small corrections the rest.
    spread = k * math.log(n / k) - (n - k) * math.log1p(-k / n)
    corrections = _stirling_error(n) - _stirling_error(k) - _stirling_error(n - k)
    # Divided twice: the product k (n - k) of two 64-bit numbers would overflow in the largest classes.
    return spread + 0.5 * math.log(n / k / (n - k)) - _HALF_LOG_TAU + corrections


@njit(cache=True)
def class_entropy(N: int, e: int, K: int) -> float:
    """Return the entropy in nats of K links among N pairs of which e, all sets alike, are edges.

    The number l of edges among them is hypergeometric and all C(K, l) patterns with l edges are alike, so the
    entropy is E[ln C(K, l) - ln P(l)]. Weights relative to the mode, w = P(l) / P(mode), follow from ratios of
    neighbours; the sum walks both ways from the mode until they are negligible.
    """
    if K <= 0 or e <= 0 or e >= N:
        return 0.0
    lo, hi = max(0, K - (N - e)), min(K, e)
    mode = min(max(int((K + 1.0) * (e + 1.0) / (N + 2.0)), lo), hi)
    at_mode = log_binomial(K, mode)
    others = 0.0  # the sum of weights but the mode's own 1
    beyond = 0.0  # the sum of w (ln C(K, l) - ln C(K, mode) - ln w)
    for step in (1, -1):
        weight, log_weight, log_patterns = 1.0, 0.0, 0.0
        among = mode
        while (among < hi) if step > 0 else (among > lo):
            low = among if step > 0 else among - 1
            patterns = (K - low) / (low + 1.0)  # C(K, low + 1) / C(K, low)
            placings = (e - low) / (N - K - e + low + 1.0)
            weight *= patterns * placings if step > 0 else 1.0 / (patterns * placings)
            log_weight += step * math.log(patterns * placings)
            log_patterns += step * math.log(patterns)
            among += step
            others += weight
            beyond += weight * (log_patterns - log_weight)
            if weight < _NEGLIGIBLE:
                break
    return at_mode + math.log1p(others) + beyond / (1.0 + others)


@njit(cache=True)
def class_entropies(N: Int64s, e: Int64s, K: Int64s) -> NDArray[np.float64]:
    """Return `class_entropy` for many classes."""
    nats = np.empty(len(N))
    for k in range(len(N)):
        nats[k] = class_entropy(N[k], e[k], K[k])
    return nats


# ---------------------------------------------------------------------- switching


@njit(cache=True)
def _linked(indptr: Int64s, rows: NDArray[np.int32], u: int, v: int) -> bool:
    """Tell whether u and v are linked, looking through the shorter of their rows, in any order."""
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v = v, u
    at, end = indptr[u], indptr[u + 1]
    while at < end and rows[at] != v:
        at += 1
    return at < end


@njit(cache=True)
def _replace(indptr: Int64s, rows: NDArray[np.int32], u: int, old: int, new: int) -> None:
    """Replace one neighbour in the row of u; the row keeps its length, as degrees are preserved."""
    at = indptr[u]
    while rows[at] != old:
        at += 1
    rows[at] = new


@njit(cache=True)
def switch_edges(
    edges: NDArray[np.int32],
    indptr: Int64s,
    indices: NDArray[np.int32],
    kept: int,
    attempts: int,
    rng: np.random.Generator,
) -> int:
    """Switch ends of random pairs of edges, in place, until at most `kept` original edges are left.

    Returns how many original edges are left, which is more than `kept` if the attempts did not suffice.
    """
    m = len(edges)
    rows = indices.copy()
    left = m
    for _ in range(attempts):
        if left <= kept:
            break
        i, j = int(rng.random() * m), int(rng.random() * m)
        a, b = edges[i, 0], edges[i, 1]
        c, d = edges[j, 0], edges[j, 1]
        if rng.random() < 0.5:
            c, d = d, c
        if a == d or c == b or i == j or _linked(indptr, rows, a, d) or _linked(indptr, rows, c, b):
            continue
        for u, old, new in ((a, b, d), (b, a, c), (c, d, b), (d, c, a)):
            _replace(indptr, rows, u, old, new)
        left -= _linked(indptr, indices, a, b) + _linked(indptr, indices, c, d)
        left += _linked(indptr, indices, a, d) + _linked(indptr, indices, c, b)
        edges[i, 0], edges[i, 1] = a, d
        edges[j, 0], edges[j, 1] = c, b
    return left
