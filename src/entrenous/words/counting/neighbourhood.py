"""Which edges are near which, from the public graph alone: neighbourhoods, and pairs of neighbouring edges."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous import _check
from entrenous.errors import ArgumentError

__all__ = ["largest_neighbourhood", "neighbourhood_sizes", "neighbouring_pairs"]


def neighbourhood_sizes(ends: ArrayLike) -> NDArray[np.int64]:
    """Return how many other edges each edge meets: deg u + deg v - 2; parallel edges add.

    Parameters
    ----------
    ends
        One row per edge: the numbers of its two persons.

    Examples
    --------
    >>> neighbourhood_sizes([(1, 2), (2, 3), (3, 4)]).tolist()
    [1, 2, 1]
    """
    edges = _edges(ends)
    degrees = np.bincount(edges.ravel())
    sizes: NDArray[np.int64] = degrees[edges].sum(axis=1) - 2
    return sizes


def largest_neighbourhood(ends: ArrayLike, *, hops: int = 1) -> int:
    """Return the largest number of other edges that any edge reaches within so many hops.

    With one hop it is the largest of `neighbourhood_sizes`, with more it counts every edge that has an end within
    hops - 1 steps of the edge, once.

    Examples
    --------
    >>> path = [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]
    >>> [largest_neighbourhood(path, hops=hops) for hops in (1, 2, 3)]
    [2, 4, 4]
    """
    edges = _edges(ends)
    hops = _check.at_least("hops", hops, 1)
    if not len(edges):
        return 0
    if hops == 1:
        return int(neighbourhood_sizes(edges).max())
    order, starts = _incidence(edges)
    incident = [order[low:high] for low, high in pairwise(starts.tolist())]
    near = [
        len(_edges_within(edges, incident, [person], hops)) if len(found) else 0
        for person, found in enumerate(incident)
    ]
    bounds = np.array(near)[edges].sum(axis=1) - 2  # what both ends reach is counted twice here
    largest = 0
    for edge in np.argsort(-bounds, kind="stable").tolist():  # the promising first, until none can be larger
        if bounds[edge] <= largest:
            break
        largest = max(largest, len(_edges_within(edges, incident, edges[edge].tolist(), hops)) - 1)
    return largest


def neighbouring_pairs(ends: ArrayLike) -> NDArray[np.int64]:
    """Return pairs of edges that share a person, each edge in at most one pair; nothing but the graph decides.

    Every person in turn pairs off those of their edges that are in no pair yet.

    Examples
    --------
    >>> neighbouring_pairs([(1, 2), (2, 3), (3, 4), (4, 5), (8, 9)]).tolist()
    [[0, 1], [2, 3]]
    """
    edges = _edges(ends)
    order, starts = _incidence(edges)
    free = np.ones(len(edges), dtype=bool)
    pairs = []
    for low, high in pairwise(starts.tolist()):
        open_edges = np.unique(order[low:high])
        open_edges = open_edges[free[open_edges]]
        chosen = open_edges[: len(open_edges) // 2 * 2]
        free[chosen] = False
        pairs.append(chosen.reshape(-1, 2))
    return np.concatenate([np.zeros((0, 2), dtype=np.int64), *pairs])


def _edges(ends: ArrayLike) -> NDArray[np.int64]:
    edges = np.asarray(ends, dtype=np.int64)
    edges = edges.reshape(-1, 2) if edges.size == 0 else edges
    if edges.ndim != 2 or edges.shape[1] != 2 or (edges < 0).any():
        raise ArgumentError(
            "ends", "expected one row per edge with the numbers of two persons; got another shape"
        )
    return edges


def _incidence(edges: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the edges of each person, one person after the other, and where each person's start."""
    order = np.argsort(edges.T.ravel(), kind="stable") % max(1, len(edges))
    starts = np.concatenate([[0], np.cumsum(np.bincount(edges.ravel()))]).astype(np.int64)
    return order, starts


def _edges_within(
    edges: NDArray[np.int64], incident: list[NDArray[np.int64]], persons: list[int], hops: int
) -> NDArray[np.int64]:
    """Return the edges with an end within hops - 1 steps of some persons."""
    reached, frontier = set(persons), list(persons)
    found: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    for _ in range(hops):
        found = np.unique(np.concatenate([found, *(incident[person] for person in frontier)]))
        frontier = [person for person in np.unique(edges[found]).tolist() if person not in reached]
        reached.update(frontier)
        if not frontier:
            break
    return found
