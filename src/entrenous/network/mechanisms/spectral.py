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

References
----------
Wang, Wu & Wu (2013), Differential privacy preserving spectral graph analysis, PAKDD.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entrenous.network import statistics
from entrenous.network.drawing.pairs import NamedPairs
from entrenous.network.mechanism import SIZE_SHARE, GraphDesk, Mechanism, Outcome, Request

__all__ = ["MECHANISM", "PAIRS", "largest_entries", "run"]

PAIRS = 5  # eigenpairs; the paper tries 2 to 9
FORMS_SHARE = 0.1
_ROWS = 256  # of the rebuilt matrix at a time: never all n^2 entries


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


def run(asked: GraphDesk, request: Request) -> Outcome:
    """Ask for the size, eigenvectors and their quadratic forms, and keep the largest entries of what they rebuild."""
    size, forms = request.spendable * SIZE_SHARE, request.spendable * FORMS_SHARE
    epsilon = request.spendable - size - forms
    pairs = request.n * (request.n - 1) // 2
    edges = min(asked(statistics.Size(epsilon=size)), pairs)
    noisy = asked(statistics.Eigenvectors(request.n, min(PAIRS, request.n), epsilon=epsilon))
    vectors = np.linalg.qr(noisy)[0]
    values = asked(statistics.QuadraticForms(vectors, epsilon=forms))
    drawn, entries = largest_entries(vectors, values, edges)
    trust = float(np.clip(np.clip(entries, 0, 1).mean(), edges / pairs, max(0.5, edges / pairs)))
    model = NamedPairs.trusted(drawn, request.n, edges=edges, trust=trust)
    return Outcome(drawn, {"eigenpairs": len(values)}, model)


MECHANISM = Mechanism("spectral", "leading eigenvectors", run)
