"""What the chain favours: the log-likelihood as published, or clipped so that one edge moves it less.

References
----------
Xiao, Chen & Tan (2014), Differentially private network data release via structural inference, KDD.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous._check import at_least, epsilon, probability
from entrenous.errors import ArgumentError

__all__ = ["Clipped", "Published", "Utility", "beta_for", "delta_u"]


def delta_u(n: int) -> float:
    """Return how much one edge can change the log-likelihood of any dendrogram with `n` leaves.

    This is N ln N - (N - 1) ln(N - 1) with N = floor(n^2 / 4), the largest number of pairs at one node.

    >>> round(delta_u(1224), 6)
    13.833463
    """
    # Two halves of the leaves have the most pairs between them; Python's whole numbers do not overflow.
    pairs = at_least("n", n, 0) ** 2 // 4
    # log1p: the difference of two terms of size N ln N would lose most of its digits.
    return 0.0 if pairs < 2 else math.log(pairs) - (pairs - 1) * math.log1p(-1.0 / pairs)


@dataclass(frozen=True)
class Published:
    """The profile log-likelihood: every internal node has its best link probability e / N.

    >>> math.isclose(math.exp(Published().total([1, 0], [9, 4])), 2**24 / 9**9)
    True
    """

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval link probabilities are chosen from."""
        return 0.0, 1.0

    def spread(self, n: int) -> float:
        """Return the divisor of the exponential mechanism: an edge moves the utility by at most half."""
        return 2 * delta_u(n)

    def total(self, edges: ArrayLike, pairs: ArrayLike) -> float:
        """Return the utility of a dendrogram with these counts at its internal nodes."""
        return _profile(edges, pairs, *self.bounds)


@dataclass(frozen=True)
class Clipped:
    """The log-likelihood with link probabilities restricted to [lo, hi].

    One edge changes it by a value between logit lo and logit hi whatever the dendrogram, so weights
    exp(epsilon u / range) are epsilon-differentially private, with a range far below twice `delta_u`.

    >>> round(Clipped(1e-3, 0.5).range, 3)
    6.907
    """

    lo: float
    hi: float

    def __post_init__(self) -> None:
        probability("lo", self.lo, positive=True)
        probability("hi", self.hi, positive=True)
        if self.lo >= self.hi:
            raise ArgumentError("lo", f"expected a number below hi, {self.hi!r}; got {self.lo!r}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval link probabilities are chosen from."""
        return self.lo, self.hi

    @property
    def range(self) -> float:
        """The width of the interval in which the effect of one edge lies: logit hi - logit lo."""
        return math.log(self.hi / (1 - self.hi)) - math.log(self.lo / (1 - self.lo))

    def spread(self, n: int) -> float:  # noqa: ARG002 - the published utility's spread depends on n
        """Return the divisor of the exponential mechanism."""
        return self.range

    def total(self, edges: ArrayLike, pairs: ArrayLike) -> float:
        """Return the utility of a dendrogram with these counts at its internal nodes."""
        return _profile(edges, pairs, *self.bounds)


Utility = Published | Clipped


def beta_for(epsilon_structure: float, n: int, utility: Utility | None = None) -> float:
    """Return the inverse temperature at which the chain's distribution is differentially private.

    >>> round(beta_for(0.5, 1224), 6)
    0.018072
    >>> round(beta_for(0.5, 1224, Clipped(1e-3, 0.5)), 6)
    0.072393
    """
    spread = (utility or Published()).spread(n)
    # With up to two leaves there is one dendrogram; any finite temperature describes it.
    return epsilon("epsilon", epsilon_structure) / spread if spread else 0.0


def _profile(edges: ArrayLike, pairs: ArrayLike, lo: float, hi: float) -> float:
    """Sum the best log-likelihoods over p in [lo, hi], with 0 ln 0 = 0."""
    e: NDArray[np.float64] = np.asarray(edges, np.float64)
    N: NDArray[np.float64] = np.asarray(pairs, np.float64)
    p = np.clip(e / N, lo, hi)
    # Where p is 0 or 1 the term is 0 ln 0, which is 0 here and not a number to numpy.
    mixed = (p > 0) & (p < 1)
    e, N, p = e[mixed], N[mixed], p[mixed]
    # Rounded once, so that the sum does not depend on how nodes are numbered.
    return math.fsum(e * np.log(p) + (N - e) * np.log1p(-p))
