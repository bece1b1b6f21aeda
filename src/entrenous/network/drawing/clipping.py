"""Noisy counts brought back to where counts can be, without the bias that clipping alone brings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["clip_to_total", "clip_without_bias"]


def clip_without_bias(noisy: NDArray[np.int64], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Bring noisy counts into 0..N keeping their sum: x = clip(y - t, 0, N), t found by bisection.

    Clipping alone would add half a noise scale of phantom edges to every empty class.

    >>> clip_without_bias(np.array([-3, 2, 9]), np.array([5, 5, 20])).round(6).tolist()
    [0.0, 0.5, 7.5]
    """
    target = min(max(float(noisy.sum()), 0.0), float(pairs.sum()))
    low, high = float((noisy - pairs).min(initial=0)), float(noisy.max(initial=0))
    for _ in range(100):
        middle = (low + high) / 2
        if np.clip(noisy - middle, 0, pairs).sum() > target:
            low = middle
        else:
            high = middle
    return np.asarray(np.clip(noisy - high, 0, pairs), dtype=np.float64)


def clip_to_total(noisy: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Bring noisy counts to whole numbers of 0 or more with a given sum: max(y - t, 0), t found by bisection.

    Fractions go to the largest remainders, so that the sum is exact.

    >>> clip_to_total(np.array([-30, 20, 90, 10]), 101).tolist()
    [0, 14, 83, 4]
    """
    low, high = float(noisy.min()) - total, float(noisy.max())
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(noisy - middle, 0).sum() > total else (low, middle)
    target = np.maximum(noisy - high, 0)
    whole: NDArray[np.int64] = np.floor(target).astype(np.int64)
    missing = total - int(whole.sum())
    whole[np.argsort(whole - target, kind="stable")[:missing]] += 1
    return whole
