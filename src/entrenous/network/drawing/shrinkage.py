"""What noisy counts of edges between groups tell about the true ones. All of this is post-processing.

Noise is large against small cells, so each count is drawn towards what broader sums say.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["settle_cells"]

_PULL = 2 * math.sqrt(2)  # pseudo-edges of the prior, in units of the noise scale: two standard deviations
_ROUNDS = 4


def settle_cells(
    noisy: NDArray[np.float64],
    expected: NDArray[np.float64],
    slot: NDArray[np.int64],
    stratum: NDArray[np.int64],
    *,
    epsilon: float,
) -> NDArray[np.float64]:
    """Return sensible, positive cell counts: the noisy ones, drawn towards broader sums.

    Parameters
    ----------
    noisy, expected
        The noisy table, and the table that degrees alone would give (both upper triangles).
    slot, stratum
        Of each group. Sums over all pairs of slots, of strata, and inside against across slots, have far less noise
        for their size than single cells; the expectation is first brought in line with those.
    epsilon
        What the noisy table cost.
    """
    scale = 1 / epsilon
    upper = np.triu(np.ones(noisy.shape, dtype=bool))
    prior = np.triu(np.maximum(expected, 1e-9))
    families = [
        np.not_equal.outer(slot, slot).astype(np.int64),
        _pair(slot, slot),
        _pair(stratum, stratum),
    ]
    for _ in range(_ROUNDS):
        for family in families:
            members = np.bincount(family[upper])
            pull = _PULL * scale * np.sqrt(np.maximum(members, 1))
            total = np.bincount(family[upper], noisy[upper])
            target = (np.maximum(total, 0) + pull) / (np.bincount(family[upper], prior[upper]) + pull)
            prior = np.triu(prior * target[family])
    weight = _PULL * scale
    return np.triu(prior * (np.maximum(noisy, -0.9 * weight) + weight) / (prior + weight))


def _pair(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for the unordered pair of labels of every two groups."""
    return np.asarray(np.minimum.outer(a, b) * (a.max() + 1) + np.maximum.outer(a, b), dtype=np.int64)
