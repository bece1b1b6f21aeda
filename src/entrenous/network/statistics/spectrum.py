"""Leading eigenvectors of the adjacency matrix, and quadratic forms along public vectors.

Entries are rounded to a grid and get whole-number noise, so no bit of a float leaks. The price of a rounded unit vector
is its norm, whatever an eigensolver made of the graph.

References
----------
Wang, Wu & Wu (2013), Differential privacy preserving spectral graph analysis, PAKDD.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from inspect import signature
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import PrivacyError
from entrenous.graph import Graph
from entrenous.graph.conversion import to_scipy
from entrenous.statistic import Counts
from entrenous.unit import Unit

__all__ = ["Eigenvectors", "QuadraticForms"]

_GRID = (
    100  # steps of the grid per typical entry 1 / sqrt(n): rounding adds half a percent to the sensitivity
)
_FORM_GRID = 1_000_000
_DENSE_UP_TO = (
    64  # nodes up to which a dense solver is quicker, and finds all vectors of a multiple eigenvalue
)


@dataclass(frozen=True)
class Eigenvectors(Counts[Graph, NDArray[np.float64]]):
    """The eigenvectors of the largest eigenvalues with noise, one per column.

    >>> one = [Eigenvectors(nodes=n, vectors=1, epsilon=1.0).sensitivity(Unit.EDGE) for n in (400, 100)]
    >>> one[0] / one[1]  # in steps of a grid that is itself twice as fine
    4.0
    """

    name: ClassVar[str] = "eigenvectors"
    proof: ClassVar[str] = "eigenvectors"
    kind: ClassVar[type] = Graph
    nodes: int
    vectors: int
    epsilon: float

    def sensitivity(self, unit: Unit) -> int:
        """Return twice the largest L1 norm of rounded unit vectors: two graphs may have nothing in common."""
        if unit != Unit.EDGE:
            raise self.unproved(unit)
        # |rint(x)| <= |x| + 1/2, and sum |x| <= grid sqrt(n); both graphs may use the whole of it.
        norm = math.ceil(self._grid * math.sqrt(self.nodes) + self.nodes / 2)
        return 2 * self.vectors * norm  # proof: eigenvectors

    def count(self, data: Graph) -> NDArray[np.int64]:
        """Return the vectors in steps of the grid."""
        if data.n != self.nodes:  # the price is that of vectors with so many entries
            raise PrivacyError(
                f"eigenvectors: expected {data.n} nodes; got {self.nodes}; it was not answered"
            )
        return self.in_steps(_leading(data, self.vectors))

    def in_steps(self, vectors: NDArray[np.float64]) -> NDArray[np.int64]:
        """Round vectors to the grid, those longer than 1, as floats or an eigensolver may have them, made shorter."""
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=0), 1) * (1 - 1e-9)
        return np.asarray(np.rint(vectors * self._grid), dtype=np.int64)

    def answer(self, noisy: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return them in their own measure."""
        return noisy / self._grid

    @property
    def _grid(self) -> int:
        """The number of steps of the grid between 0 and 1."""
        return math.ceil(_GRID * math.sqrt(self.nodes))


@dataclass(frozen=True, eq=False)
class QuadraticForms(Counts[Graph, NDArray[np.float64]]):
    """The forms u' A u of public vectors, one per column, with noise."""

    name: ClassVar[str] = "eigenvalues"
    proof: ClassVar[str] = "quadratic-forms"
    kind: ClassVar[type] = Graph
    vectors: NDArray[np.float64]
    epsilon: float

    def sensitivity(self, unit: Unit) -> int:
        """Return twice the product of the two longest rows: an edge {a, b} changes a form by 2 u_a u_b."""
        if unit != Unit.EDGE:
            raise self.unproved(unit)
        rows = np.sort(np.linalg.norm(self.vectors, axis=1))
        change = 2 * float(rows[-1] * rows[-2])
        # Two for each: rounding to the grid, and floats.
        return int(math.ceil(change * _FORM_GRID) + 2 * self.vectors.shape[1])  # proof: quadratic-forms

    def count(self, data: Graph) -> NDArray[np.int64]:
        """Return the forms in steps of the grid."""
        values = (self.vectors * (to_scipy(data) @ self.vectors)).sum(axis=0)
        return np.asarray(np.rint(values * _FORM_GRID), dtype=np.int64)

    def answer(self, noisy: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return them in their own measure."""
        return noisy / _FORM_GRID


def _leading(graph: Graph, count: int) -> NDArray[np.float64]:
    """Return the eigenvectors of the largest eigenvalues, one per column: the same whenever they are asked for."""
    from scipy.sparse.linalg import ArpackError, eigsh

    matrix = to_scipy(graph)
    # Where eigenvalues are multiple the solver starts again at random: from a seed, as far as scipy lets it be set.
    again = {"rng": np.random.default_rng(0)} if "rng" in signature(eigsh).parameters else {}
    if graph.n <= _DENSE_UP_TO or graph.m == 0:
        return np.linalg.eigh(matrix.toarray())[1][:, ::-1][:, :count] if graph.m else np.eye(graph.n, count)
    try:
        values, vectors = eigsh(
            matrix, k=count, which="LA", v0=np.ones(graph.n), tol=1e-9, maxiter=20_000, **again
        )
    except ArpackError:  # whether a solver fails depends on the edges: nobody must see it
        return np.eye(graph.n, count)
    return np.asarray(vectors[:, np.argsort(-values)])
