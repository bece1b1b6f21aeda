"""Compiled loops over the canaries of one release."""

from __future__ import annotations

from typing import Any

from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]


@njit(cache=True)
def least_mass(
    risk: float, right: int, guesses: int, canaries: int, slopes: Array, intercepts: Array
) -> float:
    """Return what all probabilities add up to at least, if `right` or more guesses are right with this probability.

    The curve is the largest of straight lines, slopes ascending, and of 0. See `coin_bounds.refuted`.
    """
    lines = len(slopes)
    here = 0
    above = 0.0  # the sum of all tails further out
    tail = risk
    for i in range(right - 1, -1, -1):
        hit = ((i + 1) * tail + above) / canaries
        above += tail
        while here + 1 < lines and (
            slopes[here + 1] * hit + intercepts[here + 1] >= slopes[here] * hit + intercepts[here]
        ):
            here += 1
        missed = max(slopes[here] * hit + intercepts[here], 0.0)
        tail = max(tail, (above + canaries * missed) / (guesses - i))
        if tail > 1:
            return tail
    return tail
