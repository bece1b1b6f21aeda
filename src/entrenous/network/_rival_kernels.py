"""Compiled loops of the rivals: the draw of communities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from entrenous.network._kernels import draw_by_words, slot_weights

Array = NDArray[Any]


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
