"""Where mutual consideration settles: (I - W) X = X0, with its certificate.

Up to 64 co-owners the system is eliminated row by row with elementwise operations only: no library chooses
an order of summation, so the same input gives the same bits everywhere, alone or in a batch. No pivoting is
needed: I - W is an M-matrix whenever an equilibrium exists, and its pivots are then positive. Larger groups
use LAPACK.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from entrenous.access.item import HIGHEST
from entrenous.access.settling.peers import EXACT_SIZE, ExactInverse, FloatArray, Weights

__all__ = ["DENSE_SIZE", "TIE", "Equilibrium", "certify", "eliminate", "solve_dense"]

BoolArray = NDArray[np.bool_]

DENSE_SIZE = 1500
"""Up to this many co-owners a dense solve is the quickest."""

TIE = 1e-9
"""Settled scores closer than this, relative to their size, count as a tie until fractions say otherwise."""

ILL_CONDITIONED = 1e6
"""Beyond this sum of effects, rounding could hide whether an equilibrium exists: fractions decide."""


@dataclass(frozen=True)
class Equilibrium:
    """The settled scores of a group.

    `initial` and `settled` hold a row per person and a column per choice, `totals` is h, the row sums of
    `inverse`, which is (I - W)^-1. `defect` and `residual` are the largest errors of the two systems solved,
    (I - W) h = 1 and (I - W) X = X0.
    """

    weights: Weights
    initial: FloatArray
    settled: FloatArray
    totals: FloatArray
    inverse: FloatArray
    defect: float
    residual: float
    solver: str

    @classmethod
    def find(cls, weights: Weights, initial: FloatArray) -> Equilibrium | None:
        """Return where `initial` settles under `weights`, or None if there is no equilibrium."""
        n, choices = initial.shape
        # Solved together: the scores, h for the certificate, and the inverse for rank-one steps later on.
        known = np.hstack([initial, np.ones((n, 1)), np.eye(n)])
        solver = "elimination" if n <= EXACT_SIZE else "lapack"
        solution = eliminate(weights.used, known) if n <= EXACT_SIZE else solve_dense(weights.used, known)
        defect, residual = certify(weights.used, solution, known, choices)
        # Written with `not`, so that a defect that is not a number leads to fractions too.
        if n <= EXACT_SIZE and not (defect < 1 and solution[:, choices].max() < ILL_CONDITIONED):
            return cls._from_fractions(weights, initial)
        if not defect < 1:
            return None
        totals, inverse = solution[:, choices], solution[:, choices + 1 :]
        return cls(weights, initial, solution[:, :choices], totals, inverse, defect, residual, solver)

    @classmethod
    def _from_fractions(cls, weights: Weights, initial: FloatArray) -> Equilibrium | None:
        """Solve exactly and round once: an error of half a unit in the last place, written as a residual."""
        exact = weights.exact_inverse
        if exact is None:
            return None
        people = range(len(initial))
        settled = np.array([[float(exact.settled(i, column)) for column in initial.T] for i in people])
        totals = np.array([float(exact.settled(i, np.ones(len(initial)))) for i in people])
        inverse = np.array([[a / exact.determinant for a in row] for row in exact.adjugate])
        return cls(weights, initial, settled, totals, inverse, 0.0, HIGHEST * 2.0**-53, "fractions")

    @property
    def bound(self) -> float:
        """How much a residual can be amplified at most: max h / (1 - defect)."""
        return float(self.totals.max()) / (1 - self.defect)

    def moved(self, person: int, row: FloatArray) -> Equilibrium:
        """Return where things settle if one person answers `row` instead; a rank-one step, no new solve."""
        initial = self.initial.copy()
        change = row - initial[person]
        initial[person] = row
        return replace(self, initial=initial, settled=self.settled + self.inverse[:, person, None] * change)

    def balance(self) -> tuple[FloatArray, bool]:
        """Return what speaks for each choice less what speaks against it, and whether fractions settled ties.

        This is (I - W)^-1 (2 X0 - 5), the difference of the settled scores of a choice and of its complement.
        """
        total = HIGHEST * self.totals[:, None]
        signed = 2 * self.settled - total
        near = np.abs(signed) <= TIE * np.maximum(1, total)
        inverse = self._referee(near)
        if inverse is None:
            # Too many people for fractions: a near-tie counts as a tie, and a tie accepts.
            return np.where(near, 0.0, signed), False
        for i, c in np.argwhere(near):
            signed[i, c] = float(inverse.settled(int(i), 2 * self.initial[:, c] - HIGHEST))
        return signed, True

    def favourites(self, admissible: int) -> tuple[BoolArray, bool]:
        """Return who likes which of the first `admissible` choices best, and whether fractions told."""
        settled = self.settled[:, :admissible]
        behind = settled.max(axis=1, keepdims=True) - settled
        favourite = behind <= TIE * np.maximum(1, HIGHEST * self.totals[:, None])
        contested = favourite.sum(axis=1) > 1
        inverse = self._referee(contested)
        if inverse is None:
            return favourite, False
        for i in np.flatnonzero(contested):
            columns = np.flatnonzero(favourite[i])
            exact = [inverse.settled(int(i), self.initial[:, c]) for c in columns]
            favourite[i, columns] = [score == max(exact) for score in exact]
        return favourite, True

    def _referee(self, near: BoolArray) -> ExactInverse | None:
        """Return the exact inverse if there are near-ties and the group is small enough to settle them."""
        return self.weights.exact_inverse if near.any() and len(self.initial) <= EXACT_SIZE else None


def certify(
    weights: FloatArray, solution: FloatArray, known: FloatArray, choices: int
) -> tuple[float, float]:
    """Return the defect of h, column `choices`, and the residual of the columns before it.

    The defect is infinite unless h is positive: then no equilibrium is proven. Sums run in a fixed order.
    """
    left = solution[:, : choices + 1]
    if not (np.isfinite(left).all() and (left[:, choices] > 0).all()):
        return float("inf"), float("inf")
    rest = known[:, : choices + 1] - left
    # No matrix product: its order of summation depends on the library and on the machine.
    for k in range(len(weights)):
        rest += weights[:, k, None] * left[k]
    rest = np.abs(rest)
    return float(rest[:, choices].max()), float(rest[:, :choices].max(initial=0.0))


def eliminate(weights: FloatArray, known: FloatArray) -> FloatArray:
    """Solve (I - W) X = known without pivoting; where that fails, `certify` finds out."""
    n = len(weights)
    left = np.eye(n) - weights
    right = known.copy()
    # Without an equilibrium a pivot may be 0; the certificate then refuses what comes out.
    with np.errstate(all="ignore"):
        for k in range(n - 1):
            factor = left[k + 1 :, k, None] / left[k, k]
            left[k + 1 :, k + 1 :] -= factor * left[k, k + 1 :]
            right[k + 1 :] -= factor * right[k]
        for k in range(n - 1, -1, -1):
            right[k] /= left[k, k]
            right[:k] -= left[:k, k, None] * right[k]
    return right


def solve_dense(weights: FloatArray, known: FloatArray) -> FloatArray:
    """Solve (I - W) X = known with LAPACK; not a number where the matrix is singular."""
    try:
        return np.asarray(np.linalg.solve(np.eye(len(weights)) - weights, known))
    except np.linalg.LinAlgError:
        return np.full_like(known, np.nan)
