"""Noisy triangle counts, pure epsilon: a ladder whose rungs are as wide as one tie's leverage.

One tie may close as many triangles as there are nodes, but in a real graph closes few. The *leverage* of a graph is
the most triangles that any one tie, present or not, closes or would close. It changes by at most one when one tie does,
so a law that falls by a factor per rung, rungs being a leverage wide and growing by one, is differentially private with
noise in proportion to the leverage (proof in docs/guarantees.md).

Triangles are counted by class: nodes are labelled by public noisy degree, and a triangle belongs to the lowest label
among its corners. Low classes have a small leverage, so that much is learned about them for little.

References
----------
Zhang, Cormode, Procopiuc, Srivastava & Xiao (2015), Private release of graph statistics using ladder functions, SIGMOD.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous._parallel import map_in_threads, shares_for
from entrenous.graph import Graph
from entrenous.graph.clustering import ranked_arcs
from entrenous.network.degrees import DegreeEstimate
from entrenous.noise import Noise

__all__ = [
    "LEAST_EPSILON",
    "TriangleCounts",
    "decay_for",
    "ladder",
    "least_leverage",
    "leverages",
    "measured_triangles",
    "triangles_by_class",
]

#: Below this share noise drowns the triangles of all but huge graphs, and a ladder's draw takes long.
LEAST_EPSILON = 1e-3
_SHARES = ((1.0,), (0.5, 0.5), (0.4, 0.28, 0.32))  # of classes, lowest first: it has the fewest triangles
_WORTH_A_CLASS = 800  # epsilon times ties that make one class worth having; each doubling is worth another
_DROWNED = 3.5  # standard deviations of the least possible noise below which a count says nothing of its own
_BATCH = 256
_HUBS = 30  # nodes whose degrees are above the range that classes divide


@dataclass(frozen=True)
class TriangleCounts:
    """What is known about triangles: noisy counts of classes, and how nodes are labelled.

    Attributes
    ----------
    cuts
        The noisy degrees at which labels change, ascending.
    noisy
        The noisy number of triangles of each class.
    deviation
        About the standard deviation of the least noise each class may have got.
    epsilon
        What the noisy degrees cost that labels are made of.
    """

    cuts: NDArray[np.float64]
    noisy: NDArray[np.int64]
    deviation: NDArray[np.float64]
    epsilon: float

    def label(self, noisy_degrees: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the label of each node."""
        return np.searchsorted(self.cuts, noisy_degrees, side="right").astype(np.int64)

    def pooled(self) -> NDArray[np.int64]:
        """Return for each class with which others it is counted: a count that noise drowns joins the next class."""
        pool = np.zeros(len(self.noisy), dtype=np.int64)
        total = 0.0
        for c in range(1, len(pool)):
            total += float(self.noisy[c - 1])
            stands = total > _DROWNED * self.deviation[c - 1]
            pool[c] = pool[c - 1] + stands
            total = 0.0 if stands else total
        return pool


def measured_triangles(
    graph: Graph, degrees: DegreeEstimate, *, epsilon: float, degrees_epsilon: float, noise: Noise
) -> TriangleCounts:
    """Return noisy triangle counts of all classes, epsilon-edge-DP as a whole."""
    cuts = _cuts(degrees.noisy, degrees_epsilon, _classes_for(epsilon, float(degrees.mean.sum()) / 2))
    classes = len(cuts) + 1
    parts = [epsilon * share for share in _SHARES[classes - 1]]
    label = np.searchsorted(cuts, degrees.noisy, side="right")
    counts = triangles_by_class(graph.indptr, graph.indices, label, classes)
    least = np.array([least_leverage(part) for part in parts])
    leverage = leverages(graph.indptr, graph.indices, label, least)
    noisy = [
        ladder(int(count), int(width), epsilon=part, noise=noise)
        for count, width, part in zip(counts, leverage, parts, strict=True)
    ]
    deviation = np.array([_least_deviation(part) for part in parts])
    return TriangleCounts(cuts, np.array(noisy, dtype=np.int64), deviation, degrees_epsilon)


def triangles_by_class(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], label: NDArray[np.int64], classes: int
) -> NDArray[np.int64]:
    """Count the triangles of each class: a triangle belongs to the lowest label among its corners.

    >>> triangle = Graph.from_edges([(0, 1), (0, 2), (1, 2)])
    >>> triangles_by_class(triangle.indptr, triangle.indices, np.array([1, 2, 1]), 3)
    array([0, 1, 0])
    """
    from entrenous.network._triangle_kernels import owned_triangles

    order, starts, heads = ranked_arcs(indptr, indices)
    ranked, shares = label[order], shares_for(len(indices))
    parts = map_in_threads(
        lambda share: owned_triangles(starts, heads, ranked, classes, share, shares), range(shares)
    )
    return sum(parts, np.zeros(classes, np.int64))


def leverages(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], label: NDArray[np.int64], least: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the leverage of each class, at least `least`: the most triangles of it that any one tie would close.

    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> leverages(path.indptr, path.indices, np.zeros(3, int), np.zeros(1, int))
    array([1])
    """
    from entrenous.network._triangle_kernels import neighbours_above, triangle_leverage

    above, shares = neighbours_above(indptr, indices, least.min()), shares_for(len(indices))
    parts = map_in_threads(
        lambda share: triangle_leverage(indptr, indices, *above, label, least, share, shares), range(shares)
    )
    return np.asarray(np.max(list(parts), axis=0), dtype=np.int64)


def ladder(count: int, leverage: int, *, epsilon: float, noise: Noise) -> int:
    """Return a count with ladder noise, epsilon-DP if one tie changes it by at most `leverage`, and `leverage` by one.

    Rung k holds the leverage + k whole numbers on either side of the rungs before, and each of them has a probability
    proportional to exp(-decay k). Drawn exactly: k is the sum of two geometric numbers, which has a law proportional to
    (k + 1) exp(-decay k), and is kept with probability (leverage + k) / (leverage (k + 1)).

    Parameters
    ----------
    count, leverage
        The true count, and its leverage, at least `least_leverage(epsilon)`.
    epsilon
        What it costs.

    Examples
    --------
    >>> noise = Noise(3)
    >>> drawn = [ladder(100_000, 80, epsilon=0.1, noise=noise) for _ in range(200)]
    >>> bool(abs(np.median(drawn) - 100_000) < 500 and len(set(drawn)) > 150)
    True
    """
    assert leverage >= least_leverage(epsilon)
    for rung, words in _candidates(decay_for(epsilon), noise):
        place = _below(leverage * (rung + 1), words)
        if place < leverage + rung:
            passed = rung * leverage + rung * (rung - 1) // 2
            up = _below(2, words)
            return count + passed + place if up else count - 1 - passed - place
    raise AssertionError("candidates never end")


def least_leverage(epsilon: float) -> int:
    """Return the smallest leverage a ladder is given; it keeps the normaliser from changing much with one tie."""
    return max(1, math.ceil(1 / epsilon))


def decay_for(epsilon: float) -> float:
    """Return how fast probabilities fall per rung, so that rungs and normaliser together cost epsilon.

    One tie moves a number by at most one rung, and changes the normaliser by a factor of at most
    1 + 1 / (least leverage + 1 / (e^decay - 1)).

    >>> decay_for(0.1) / 0.1 > 0.6
    True
    """
    low, high = epsilon / 2, epsilon
    for _ in range(50):
        middle = (low + high) / 2
        odds = math.exp(-middle) / -math.expm1(-middle)  # 1 / (e^decay - 1), also where e^decay overflows
        cost = middle + math.log1p(1 / (least_leverage(epsilon) + odds))
        low, high = (middle, high) if cost <= epsilon else (low, middle)
    return low * (1 - 1e-9)


def _least_deviation(epsilon: float) -> float:
    """Return about the standard deviation of a ladder of the least leverage."""
    rungs = 1 / decay_for(epsilon)
    return math.sqrt(2) * rungs * (least_leverage(epsilon) + rungs)


def _candidates(decay: float, noise: Noise) -> Iterator[tuple[int, Iterator[int]]]:
    """Yield sums of two geometric numbers without end, with random words to decide on each.

    Two-sided geometric noise that is not negative is geometric.
    """
    zeros = np.zeros(_BATCH, dtype=np.int64)
    while True:
        first, second = (noise.geometric(zeros, sensitivity=1, epsilon=decay) for _ in range(2))
        for a, b in zip(first.tolist(), second.tolist(), strict=True):
            if a >= 0 and b >= 0:
                yield a + b, _words(noise)


def _words(noise: Noise) -> Iterator[int]:
    while True:
        yield from noise.words(4).tolist()


def _below(bound: int, words: Iterator[int]) -> int:
    """Return a uniformly random whole number below the bound, exactly."""
    for word in words:
        if word < 2**64 - 2**64 % bound:
            return word % bound
    raise AssertionError("words never end")


def _classes_for(epsilon: float, ties: float) -> int:
    """Return how many classes are worth telling apart: more of them share epsilon, and noise grows."""
    return int(np.clip(math.log2(max(epsilon * ties / _WORTH_A_CLASS, 1)), 1, len(_SHARES)))


def _cuts(noisy: NDArray[np.int64], epsilon: float, classes: int) -> NDArray[np.float64]:
    """Divide noisy degrees, from where noise no longer drowns them to the hubs, in equal ratios."""
    lowest = 5 / epsilon  # two and a half scales of the noise
    place = min(_HUBS, len(noisy))
    hubs = float(np.partition(noisy, -place)[-place])
    return np.geomspace(lowest, max(hubs, 2 * lowest), classes)[: classes - 1]
