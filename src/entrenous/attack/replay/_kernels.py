"""Compiled laws of draws that are no added noise: written from their definitions, beside the code that draws.

An auditor who used the code under audit to say what it should have done would find nothing. So the weights, and the
draws by random words, stand here once more.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]

FLOOR = -14.0  # exponents below the highest one are cut off here
WHOLE = 4503599627370496.0  # 2^52: weights are whole numbers


@njit(cache=True)
def weigh(counts: Array, expected: Array, epsilon: float, weights: Array) -> Any:
    """Fill in the whole-number weights of choices, and return their sum."""
    highest = -np.inf
    for c in range(len(counts)):
        highest = max(highest, epsilon * (counts[c] - expected[c]))
    total = np.uint64(0)
    for c in range(len(counts)):
        weights[c] = np.uint64(math.exp(max(epsilon * (counts[c] - expected[c]) - highest, FLOOR)) * WHOLE)
        total += weights[c]
    return total


@njit(cache=True)
def chosen(weights: Array, total: Any, words: Array, used: int) -> tuple[int, int]:
    """Return the choice that random words make, and how many were used: remainders, the uneven end rejected."""
    rest = np.uint64(0xFFFFFFFFFFFFFFFF) % total + np.uint64(1)
    uneven = np.uint64(0) if rest == total else rest
    while used < len(words):
        word = words[used]
        used += 1
        if uneven == 0 or word < np.uint64(0) - uneven:
            place = word % total
            for c in range(len(weights)):
                if place < weights[c]:
                    return c, used
                place -= weights[c]
    return -1, used


@njit(cache=True)
def follow_slots(
    order: Array, indptr: Array, indices: Array, volume: Array, epsilon: float, resolution: float, slots: int,
    words: Array,
) -> Array:  # fmt: skip
    """Return the slots that random words draw for nodes in their order, an edge counting for its later end."""
    place = np.empty(len(order), np.int64)
    for k in range(len(order)):
        place[order[k]] = k
    slot = np.full(len(order), -1, np.int64)
    placed, counts, expected = np.zeros(slots), np.zeros(slots), np.zeros(slots)
    weights, whole, used = np.zeros(slots, np.uint64), volume.sum(), 0
    for v in order:
        counts[:] = 0.0
        for k in range(indptr[v], indptr[v + 1]):
            if place[indices[k]] < place[v]:
                counts[slot[indices[k]]] += 1.0
        for c in range(slots):
            expected[c] = resolution * volume[v] * placed[c] / whole
        total = weigh(counts, expected, epsilon, weights)
        slot[v], used = chosen(weights, total, words, used)
        placed[slot[v]] += volume[v]
    return slot


@njit(cache=True)
def follow_communities(
    indptr: Array, indices: Array, first: Array, communities: int, epsilon: float, words: Array
) -> Array:
    """Return the communities that random words draw, every node leaning towards those of its neighbours at first."""
    adjusted = np.empty(len(indptr) - 1, np.int64)
    counts, nothing = np.zeros(communities), np.zeros(communities)
    weights, used = np.zeros(communities, np.uint64), 0
    for v in range(len(indptr) - 1):
        counts[:] = 0.0
        for k in range(indptr[v], indptr[v + 1]):
            counts[first[indices[k]]] += 1.0
        total = weigh(counts, nothing, epsilon, weights)
        adjusted[v], used = chosen(weights, total, words, used)
    return adjusted


@njit(cache=True)
def told(counts: Array, other: Array, expected: Array, epsilon: float, drawn: int) -> tuple[float, float]:
    """Return how much likelier a choice is with the first counts than with others, and the most of any choice."""
    weights, against = np.zeros(len(counts), np.uint64), np.zeros(len(counts), np.uint64)
    total = weigh(counts, expected, epsilon, weights)
    instead = weigh(other, expected, epsilon, against)
    most, loss = 0.0, 0.0
    for c in range(len(counts)):
        ratio = math.log(weights[c] / total) - math.log(against[c] / instead)
        most = max(most, abs(ratio))
        if c == drawn:
            loss = ratio
    return loss, most


@njit(cache=True)
def slots_told(
    order: Array, indptr: Array, indices: Array, other_indptr: Array, other_indices: Array, volume: Array,
    epsilon: float, resolution: float, slots: int, slot: Array,
) -> tuple[float, float]:  # fmt: skip
    """Return the loss of drawn slots between two graphs, and the most that the slots of the same nodes can tell."""
    place = np.empty(len(order), np.int64)
    for k in range(len(order)):
        place[order[k]] = k
    placed, counts, other, expected = np.zeros(slots), np.zeros(slots), np.zeros(slots), np.zeros(slots)
    whole, loss, most = volume.sum(), 0.0, 0.0
    for v in order:
        counts[:] = 0.0
        other[:] = 0.0
        for k in range(indptr[v], indptr[v + 1]):
            if place[indices[k]] < place[v]:
                counts[slot[indices[k]]] += 1.0
        for k in range(other_indptr[v], other_indptr[v + 1]):
            if place[other_indices[k]] < place[v]:
                other[slot[other_indices[k]]] += 1.0
        if not np.array_equal(counts, other):
            for c in range(slots):
                expected[c] = resolution * volume[v] * placed[c] / whole
            one, worst = told(counts, other, expected, epsilon, slot[v])
            loss += one
            most += worst
        placed[slot[v]] += volume[v]
    return loss, most


@njit(cache=True)
def communities_told(
    indptr: Array, indices: Array, other_indptr: Array, other_indices: Array, first: Array, communities: int,
    epsilon: float, adjusted: Array,
) -> tuple[float, float]:  # fmt: skip
    """Return the loss of drawn communities between two graphs, and the most that draws of the same nodes can tell."""
    counts, other, nothing = np.zeros(communities), np.zeros(communities), np.zeros(communities)
    loss, most = 0.0, 0.0
    for v in range(len(indptr) - 1):
        counts[:] = 0.0
        other[:] = 0.0
        for k in range(indptr[v], indptr[v + 1]):
            counts[first[indices[k]]] += 1.0
        for k in range(other_indptr[v], other_indptr[v + 1]):
            other[first[other_indices[k]]] += 1.0
        if not np.array_equal(counts, other):
            one, worst = told(counts, other, nothing, epsilon, adjusted[v])
            loss += one
            most += worst
    return loss, most
