"""Pairs of nodes: numbered, drawn by weight, and named by a release. What several rivals share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["NamedPairs", "draw_by_weight", "pair_numbers", "pairs_of"]

_ROUNDS = 40  # of redrawing pairs that were there already; only nearly complete groups need them all


def pair_numbers(edges: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the number of each pair u < v: v (v - 1) / 2 + u, from 0 to the number of pairs.

    >>> pair_numbers(np.array([[0, 1], [0, 2], [1, 2], [0, 3]])).tolist()
    [0, 1, 2, 3]
    """
    u, v = edges[:, 0].astype(np.int64), edges[:, 1].astype(np.int64)
    return np.asarray(v * (v - 1) // 2 + u, dtype=np.int64)


def pairs_of(numbers: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the pairs with these numbers, the inverse of `pair_numbers`.

    >>> pairs_of(np.array([0, 3])).tolist()
    [[0, 1], [0, 3]]
    """
    v = ((1 + np.sqrt(1 + 8 * numbers.astype(np.float64))) / 2).astype(np.int64)
    v -= v * (v - 1) // 2 > numbers  # the root may be off by one, either way
    v += v * (v + 1) // 2 <= numbers
    return np.column_stack([numbers - v * (v - 1) // 2, v]).astype(np.int32)


def draw_by_weight(
    weight: NDArray[np.float64],
    group: NDArray[np.int64],
    target: NDArray[np.int64],
    rng: np.random.Generator,
    taken: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Draw distinct pairs inside groups, both ends in proportion to their weights (fast Chung-Lu).

    Parameters
    ----------
    weight, group
        Of each node.
    target
        The number of pairs of each group; a group that cannot hold so many gets as many as chance finds.
    taken
        Numbers of pairs that are there already.

    Returns
    -------
    The numbers of the new pairs, ascending.

    Examples
    --------
    >>> numbers = draw_by_weight(np.ones(6), np.array([0, 0, 0, 1, 1, 1]), np.array([3, 1]), np.random.default_rng(1))
    >>> pairs_of(numbers)[:3].tolist(), len(numbers)
    ([[0, 1], [0, 2], [1, 2]], 4)
    """
    order = np.argsort(group, kind="stable")
    reach = np.concatenate([[0.0], np.cumsum(weight[order])])
    start = np.searchsorted(group[order], np.arange(len(target) + 1))
    low, high = reach[start[:-1]], reach[start[1:]]
    old = np.zeros(0, dtype=np.int64) if taken is None else np.sort(taken)
    drawn = np.zeros(0, dtype=np.int64)
    missing = np.where(high > low, target, 0)
    for _ in range(_ROUNDS):
        if not missing.any():
            break
        where = np.repeat(np.arange(len(target)), missing)
        level = low[where] + rng.random((2, len(where))) * (high - low)[where]
        place = np.searchsorted(reach, level, side="right") - 1
        ends = order[np.clip(place, start[where], start[where + 1] - 1)]
        u, v = ends.min(axis=0), ends.max(axis=0)
        fresh = pair_numbers(np.column_stack([u, v]))[u != v]
        drawn = np.union1d(drawn, fresh[~_contained(fresh, old)])
        reached = np.bincount(group[pairs_of(drawn)[:, 0]], minlength=len(target))
        missing = np.maximum(np.where(high > low, target, 0) - reached, 0)
    return drawn


def _contained(values: NDArray[np.int64], ascending: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which values are in a sorted array."""
    if not len(ascending):
        return np.zeros(len(values), dtype=bool)
    place = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    return np.asarray(ascending[place] == values)


@dataclass(frozen=True)
class NamedPairs:
    """A model that knows two kinds of pairs: those a release names, and all others.

    Attributes
    ----------
    n
        The number of nodes.
    named
        The pairs that the release names, rows u < v.
    inside, outside
        The probability of a tie between a named pair, and between any other; both above 0 and below 1.
    """

    n: int
    named: NDArray[np.int32]
    inside: float
    outside: float

    @classmethod
    def trusted(cls, named: NDArray[np.int32], n: int, *, edges: float, trust: float) -> NamedPairs:
        """Return the model in which a share `trust` of the named pairs is tied, and `edges` pairs in all."""
        pairs, lowest = n * (n - 1) / 2, 1e-12
        others = max(edges - trust * len(named), 0) / max(pairs - len(named), 1)
        return cls(n, named, min(max(trust, lowest), 1 - 1e-9), min(max(others, lowest), 1 - 1e-9))

    def cross_entropy(self, edges: NDArray[np.integer]) -> float:
        """Return -(1/n) log-likelihood of the edges of a graph, in nats per node."""
        numbers = np.sort(pair_numbers(edges))
        hits = int(_contained(pair_numbers(self.named), numbers).sum())
        misses = len(self.named) - hits
        missed = len(edges) - hits
        rest = self.n * (self.n - 1) // 2 - len(self.named) - missed
        log_likelihood = (
            hits * np.log(self.inside)
            + misses * np.log1p(-self.inside)
            + missed * np.log(self.outside)
            + rest * np.log1p(-self.outside)
        )
        return float(-log_likelihood / self.n)
