"""Compiled loops over the canaries of one release."""

from __future__ import annotations

from typing import Any

import numpy as np
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


@njit(cache=True)
def slot_evidence(
    order: Array,
    indptr: Array,
    indices: Array,
    slot: Array,
    volume: Array,
    epsilon: float,
    resolution: float,
    slots: int,
    floor: float,
    start: Array,
    earlier: Array,
) -> Array:
    """Return how much likelier each canary makes the draw of its later end, in logarithms.

    The canaries of a node, as its later end, are those from start[node] to start[node + 1]; `earlier` holds their other
    ends. The other canaries of a node are unknown: each is taken to be there half of the time.
    """
    evidence = np.zeros(len(earlier))
    placed = np.zeros(slots)
    exponent = np.zeros(slots)
    drawn = np.zeros(len(order), np.bool_)
    total = volume.sum()
    unknown = epsilon + np.log1p(np.exp(-epsilon)) - np.log(2.0)
    for v in order:
        if start[v + 1] > start[v]:
            for c in range(slots):
                exponent[c] = -epsilon * resolution * volume[v] * placed[c] / total
            for k in range(indptr[v], indptr[v + 1]):
                if drawn[indices[k]]:
                    exponent[slot[indices[k]]] += epsilon
            for k in range(start[v], start[v + 1]):
                exponent[slot[earlier[k]]] += unknown
            for k in range(start[v], start[v + 1]):
                leaning = slot[earlier[k]]
                kept = exponent[leaning]
                exponent[leaning] = kept - unknown + epsilon
                evidence[k] = _log_chance(exponent, slot[v], floor)
                exponent[leaning] = kept - unknown
                evidence[k] -= _log_chance(exponent, slot[v], floor)
                exponent[leaning] = kept
        placed[slot[v]] += volume[v]
        drawn[v] = True
    return evidence


@njit(cache=True)
def _log_chance(exponent: Array, chosen: int, floor: float) -> float:
    """Return the logarithm of the chance of one choice, weights being e to the exponents, and at least the floor."""
    highest = exponent.max()
    total = 0.0
    for c in range(len(exponent)):
        total += np.exp(max(exponent[c] - highest, floor))
    return float(max(exponent[chosen] - highest, floor) - np.log(total))
