"""Eigenvector centrality: who is linked to those who are linked."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous._parallel import map_in_threads, shares_for
from entrenous.graph.conversion import to_scipy
from entrenous.graph.structure import Graph

__all__ = ["eigenvector_centrality", "largest_component", "scaled_centrality"]

_DENSE_UP_TO = 64  # nodes; smaller matrices are decomposed as a whole


def eigenvector_centrality(graph: Graph) -> tuple[float, NDArray[np.float64]]:
    """Return the leading eigenvalue of the adjacency matrix and its eigenvector, of length 1, not negative.

    Where several eigenvectors share the leading eigenvalue, it is the one nearest to equal scores.

    >>> value, scores = eigenvector_centrality(Graph.from_edges([(0, 1), (0, 2), (0, 3)]))
    >>> round(value**2, 9), (scores.round(3) * 1000).astype(int)
    (3.0, array([707, 408, 408, 408]))
    """
    if graph.n == 0 or graph.m == 0:
        return 0.0, np.full(graph.n, 1 / np.sqrt(max(graph.n, 1)))
    value, vector = _leading(to_scipy(graph) if graph.n <= _DENSE_UP_TO else _adjacency(graph))
    # The leading eigenvector of a matrix without negative entries has one sign (Perron, Frobenius).
    vector = np.abs(vector)
    return value, vector / np.linalg.norm(vector)


def scaled_centrality(graph: Graph, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the centrality within the largest component, scaled to a largest score of 1; others have 0.

    Parameters
    ----------
    graph
        The graph.
    scores
        Its eigenvector centrality; restricted to the component of its peak, it is that component's own.
    """
    inside = largest_component(graph)
    if graph.m == 0:
        return inside.astype(float)
    if not inside[int(np.argmax(scores))]:
        _, vector = _leading(to_scipy(graph)[inside][:, inside])
        scores = np.zeros(graph.n)
        scores[inside] = np.abs(vector)
    scaled = np.where(inside, scores, 0.0)
    return np.asarray(scaled / scaled.max())


def largest_component(graph: Graph) -> NDArray[np.bool_]:
    """Tell for each node whether it lies in the largest connected component (the first of equals)."""
    from entrenous.graph.measures import _kernels

    if graph.n == 0:
        return np.zeros(0, dtype=bool)
    labels = _kernels.component_labels(graph.indptr, graph.indices)
    return np.asarray(labels == np.bincount(labels).argmax())


def _adjacency(graph: Graph) -> Any:
    """Return the adjacency matrix as what it does to a vector, without entries that are all one."""
    from scipy.sparse.linalg import LinearOperator

    from entrenous.graph.measures import _kernels

    shares = shares_for(len(graph.indices))
    until = len(graph.indices) * np.arange(1, shares) / shares
    cuts = np.searchsorted(graph.indptr, until)  # rows with about as many arcs in each part
    parts = list(pairwise([0, *cuts.tolist(), graph.n]))

    def product(vector: NDArray[np.float64]) -> NDArray[np.float64]:
        values = np.ascontiguousarray(vector).ravel()
        sums = map_in_threads(
            lambda part: _kernels.neighbour_sums(graph.indptr, graph.indices, values, *part), parts
        )
        return np.concatenate(list(sums))

    return LinearOperator((graph.n, graph.n), matvec=product, dtype=np.float64)


def _leading(matrix: Any) -> tuple[float, NDArray[np.float64]]:
    from scipy.sparse.linalg import eigsh

    n = matrix.shape[0]
    if n <= _DENSE_UP_TO:
        values, vectors = np.linalg.eigh(matrix.toarray())
        shared = vectors[:, values > values[-1] - 1e-9 * max(1.0, values[-1])]
        return float(values[-1]), shared @ shared.sum(axis=0)
    # A fixed start makes the result reproducible.
    values, vectors = eigsh(matrix, k=1, which="LA", v0=np.ones(n), tol=1e-9, maxiter=20_000)
    return float(values[0]), vectors[:, 0]
