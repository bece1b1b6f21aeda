"""Classes of triangles: which are told apart, and what noisy counts of them say.

Nodes are labelled by public noisy degree, and a triangle belongs to the lowest label among its corners.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous._parallel import map_in_threads, shares_for
from entrenous.graph.measures.clustering import ranked_arcs

__all__ = ["LEAST_EPSILON", "TriangleCounts", "class_cuts", "class_shares", "triangles_by_class"]

#: Below this share noise drowns the triangles of all but huge graphs, and a ladder's draw takes long.
LEAST_EPSILON = 1e-3
_SHARES = ((1.0,), (0.5, 0.5), (0.4, 0.28, 0.32))  # of classes, lowest first: it has the fewest triangles
_WORTH_A_CLASS = 800  # epsilon times edges that make one class worth having; each doubling is worth another
_DROWNED = 3.5  # standard deviations of the least possible noise below which a count says nothing of its own
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


def class_shares(epsilon: float, classes: int) -> tuple[float, ...]:
    """Return how epsilon is shared between the classes, lowest first."""
    return tuple(epsilon * share for share in _SHARES[classes - 1])


def class_cuts(
    noisy: NDArray[np.int64], *, edges: float, epsilon: float, degrees_epsilon: float
) -> NDArray[np.float64]:
    """Return the noisy degrees at which labels change: as many as the triangles' epsilon can tell apart.

    Parameters
    ----------
    noisy
        The noisy degree of each node.
    edges
        About how many edges there are.
    epsilon, degrees_epsilon
        What triangles may cost, and what the noisy degrees cost.
    """
    return _cuts(noisy, degrees_epsilon, _classes_for(epsilon, edges))


def triangles_by_class(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], label: NDArray[np.int64], classes: int
) -> NDArray[np.int64]:
    """Count the triangles of each class: a triangle belongs to the lowest label among its corners.

    >>> indptr, indices = np.array([0, 2, 4, 6]), np.array([1, 2, 0, 2, 0, 1], np.int32)
    >>> triangles_by_class(indptr, indices, np.array([1, 2, 1]), 3)
    array([0, 1, 0])
    """
    from entrenous.network.drawing._model_kernels import owned_triangles

    order, starts, heads = ranked_arcs(indptr, indices)
    ranked, shares = label[order], shares_for(len(indices))
    parts = map_in_threads(
        lambda share: owned_triangles(starts, heads, ranked, classes, share, shares), range(shares)
    )
    return sum(parts, np.zeros(classes, np.int64))


def _classes_for(epsilon: float, ties: float) -> int:
    """Return how many classes are worth telling apart: more of them share epsilon, and noise grows."""
    return int(np.clip(math.log2(max(epsilon * ties / _WORTH_A_CLASS, 1)), 1, len(_SHARES)))


def _cuts(noisy: NDArray[np.int64], epsilon: float, classes: int) -> NDArray[np.float64]:
    """Divide noisy degrees, from where noise no longer drowns them to the hubs, in equal ratios."""
    lowest = 5 / epsilon  # two and a half scales of the noise
    place = min(_HUBS, len(noisy))
    hubs = float(np.partition(noisy, -place)[-place])
    return np.geomspace(lowest, max(hubs, 2 * lowest), classes)[: classes - 1]
