"""Spectral release: the leading eigenvectors of the adjacency matrix with noise, and the graph they suggest.

1. *Size*: a noisy number of edges, which the reconstruction needs to know.
2. *Eigenvectors.* k unit vectors of n entries. Whatever the graph, a unit vector has L1 norm of at most sqrt(n), so
   one edge changes each by at most 2 sqrt(n). The paper's sharper bound, sqrt(n) over the gap to the next
   eigenvalue, is a first-order approximation and looks at the private gap: noise scaled by it promises nothing, so
   it is not used.
3. *Eigenvalues.* The noisy vectors, made orthonormal, are public by now; the quadratic forms u' A u are counted
   along them. One edge {a, b} changes them by 2 u_a u_b each, at most twice the product of the two longest rows in
   all.
4. *Post-processing.* The pairs with the largest entries of the rebuilt matrix become edges, as many as the noisy
   size says.

Entries are rounded to a grid and get whole-number noise, so no bit of a float leaks. The price of a rounded unit
vector is its norm, whatever an eigensolver made of the graph.

References
----------
Wang, Wu & Wu (2013), Differential privacy preserving spectral graph analysis, PAKDD.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph
from entrenous.graph.conversion import to_scipy
from entrenous.network.mechanism import SIZE_SHARE, Order, Outcome, noisy_size
from entrenous.network.pairs import NamedPairs
from entrenous.noise import Noise

__all__ = ["PAIRS", "largest_entries", "noisy_forms", "noisy_vectors", "run", "vector_sensitivity"]

PAIRS = 5  # eigenpairs; the paper tries 2 to 9
FORMS_SHARE = 0.1
_GRID = (
    100  # steps of the grid per typical entry 1 / sqrt(n): rounding adds half a percent to the sensitivity
)
_FORM_GRID = 1_000_000
_DENSE_UP_TO = 64
_ROWS = 256  # of the rebuilt matrix at a time: never all n^2 entries


def vector_sensitivity(n: int, count: int) -> int:
    """Return how much one edge changes the rounded entries of `count` unit vectors in total.

    >>> vector_sensitivity(400, 1) / vector_sensitivity(100, 1)  # in steps of a grid that is itself twice as fine
    4.0
    """
    # |rint(x)| <= |x| + 1/2, and sum |x| <= grid sqrt(n); both graphs may use the whole of it.
    return 2 * count * math.ceil(_grid(n) * math.sqrt(n) + n / 2)


def noisy_vectors(graph: Graph, count: int, *, epsilon: float, noise: Noise) -> NDArray[np.float64]:
    """Return the leading eigenvectors with noise, one per column, epsilon-edge-DP as a whole."""
    vectors = _leading(graph, count)
    # At most 1, also as floats.
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=0), 1) * (1 - 1e-9)
    steps = np.rint(vectors * _grid(graph.n)).astype(np.int64)
    sensitivity = vector_sensitivity(graph.n, vectors.shape[1])
    return noise.geometric(steps, sensitivity=sensitivity, epsilon=epsilon) / _grid(graph.n)


def noisy_forms(
    graph: Graph, vectors: NDArray[np.float64], *, epsilon: float, noise: Noise
) -> NDArray[np.float64]:
    """Return the quadratic forms u' A u of public vectors with noise, epsilon-edge-DP as a whole."""
    values = (vectors * (to_scipy(graph) @ vectors)).sum(axis=0)
    rows = np.sort(np.linalg.norm(vectors, axis=1))
    change = 2 * float(rows[-1] * rows[-2])
    # Two for each: rounding to the grid, and floats.
    sensitivity = math.ceil(change * _FORM_GRID) + 2 * len(values)
    steps = np.rint(values * _FORM_GRID).astype(np.int64)
    return noise.geometric(steps, sensitivity=sensitivity, epsilon=epsilon) / _FORM_GRID


def largest_entries(
    vectors: NDArray[np.float64], values: NDArray[np.float64], count: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the pairs u < v with the largest entries of the rebuilt matrix, and the entries.

    >>> pairs, entries = largest_entries(np.array([[0.8], [0.0], [0.6]]), np.array([1.0]), 1)
    >>> pairs.tolist(), entries.round(2).tolist()
    ([[0, 2]], [0.48])
    """
    length = np.linalg.norm(vectors, axis=1)
    # Long rows first: no entry exceeds the product of its two rows.
    order = np.argsort(-length, kind="stable")
    vectors, length = vectors[order], length[order]
    best, where, least = np.zeros(0), np.zeros((0, 2), dtype=np.int64), -np.inf
    for start in range(0, len(vectors) - 1, _ROWS):
        possible = length * length[start] * np.abs(values).max() >= least
        stop = int(np.count_nonzero(possible))
        if stop <= start:
            break
        entries = (vectors[start : start + _ROWS] * values) @ vectors[start:stop].T
        row, column = np.nonzero(entries > least)
        above = column > row
        best = np.concatenate([best, entries[row[above], column[above]]])
        where = np.concatenate([where, start + np.column_stack([row[above], column[above]])])
        if len(best) > count:
            kept = np.argpartition(-best, count - 1)[:count]
            best, where = best[kept], where[kept]
            least = float(best.min())
    return np.sort(order[where], axis=1).astype(np.int32), best


def run(graph: Graph, order: Order, noise: Noise) -> Outcome:
    """Carry out the mechanism; size, vectors and forms are together epsilon-edge-differentially private."""
    size, forms = order.spendable * SIZE_SHARE, order.spendable * FORMS_SHARE
    epsilon = order.spendable - size - forms
    pairs = graph.n * (graph.n - 1) // 2
    edges = min(noisy_size(graph, epsilon=size, noise=noise), pairs)
    noisy = noisy_vectors(graph, min(PAIRS, graph.n), epsilon=epsilon, noise=noise)
    vectors = np.linalg.qr(noisy)[0]
    values = noisy_forms(graph, vectors, epsilon=forms, noise=noise)
    drawn, entries = largest_entries(vectors, values, edges)
    trust = float(np.clip(np.clip(entries, 0, 1).mean(), edges / pairs, max(0.5, edges / pairs)))
    parameters: dict[str, str | int | float] = {
        "epsilon for size": round(size, 6),
        "epsilon for eigenvectors": round(epsilon, 6),
        "epsilon for eigenvalues": round(forms, 6),
        "eigenpairs": len(values),
    }
    return Outcome(drawn, parameters, NamedPairs.trusted(drawn, graph.n, edges=edges, trust=trust))


def _grid(n: int) -> int:
    """Return the number of steps of the grid between 0 and 1."""
    return math.ceil(_GRID * math.sqrt(n))


def _leading(graph: Graph, count: int) -> NDArray[np.float64]:
    """Return the eigenvectors of the largest eigenvalues, one per column."""
    from scipy.sparse.linalg import eigsh

    matrix = to_scipy(graph)
    if graph.n <= _DENSE_UP_TO or graph.m == 0:
        return np.linalg.eigh(matrix.toarray())[1][:, ::-1][:, :count] if graph.m else np.eye(graph.n, count)
    values, vectors = eigsh(matrix, k=count, which="LA", v0=np.ones(graph.n), tol=1e-9, maxiter=20_000)
    return np.asarray(vectors[:, np.argsort(-values)])
