"""Canary ties in the user's own graph: pairs that are not tied, and a fair coin for each.

All nodes get about equally many canaries, since those at one node hide each other. Nodes may be added that have no
other ties; then the public list of nodes is a longer one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.network.drawing.pairs import pair_numbers, pairs_of

__all__ = ["CanaryTies", "place"]

Ints = NDArray[np.int64]

_EXTRA_ROUNDS = 100  # of random pairs, before a graph is said to have too few that are not tied


@dataclass(frozen=True, eq=False)
class CanaryTies:
    """A graph, and pairs of its nodes that are not tied.

    Attributes
    ----------
    graph
        The user's own graph, with the nodes that were added.
    pairs
        The canaries: rows u < v, in random order.
    added
        How many nodes were added.
    """

    graph: Graph
    pairs: Ints
    added: int = 0

    @cached_property
    def load(self) -> Ints:
        """How many canaries each node has."""
        return np.bincount(self.pairs.ravel(), minlength=self.graph.n).astype(np.int64)

    def toss(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Return a fair coin for each canary."""
        return rng.random(len(self.pairs)) < 0.5

    def planted(self, coins: NDArray[np.bool_]) -> Graph:
        """Return the graph with the canaries whose coins say so."""
        ties = self.pairs[coins].astype(np.int32)
        return self.graph.with_edges(np.concatenate([self.graph.edges(), ties]))


def place(graph: Graph, count: int, *, added: int = 0, rng: np.random.Generator) -> CanaryTies:
    """Choose pairs that are not tied, about equally many at each node.

    Parameters
    ----------
    graph
        The user's own graph. Its ties stay.
    count
        How many pairs; at most half of those that are not tied.
    added
        How many nodes to add, which have no ties of their own.
    rng
        Where chance comes from; nothing private rests on it.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)], n=6)
    >>> found = place(path, 3, rng=np.random.default_rng(1))
    >>> len(found.pairs), int(found.load.sum()), found.graph.n
    (3, 6, 6)
    """
    count, added = _check.at_least("canaries", count, 1), _check.at_least("added", added, 0)
    base = _longer(graph, added)
    free = base.n * (base.n - 1) // 2 - base.m
    if count > free // 2:
        raise ArgumentError(
            "canaries",
            f"expected at most {free // 2}, half of the {free} pairs that are not tied; got {count}. "
            "Plant fewer, or add nodes",
        )
    tied = np.sort(pair_numbers(base.edges()))
    numbers: Ints = np.zeros(0, dtype=np.int64)
    whole = -(-count // max(base.n // 2, 1))  # rounds, were no pair tied or drawn before
    for _ in range(whole + _EXTRA_ROUNDS):
        missing = count - len(numbers)
        rounds = max(missing // (base.n // 2), 1)
        fresh = np.concatenate([_matching(base.n, rng) for _ in range(rounds)])
        numbers = _distinct(np.concatenate([numbers, fresh[~_within(fresh, tied)]]))[:count]
        if len(numbers) == count:
            break
    else:
        raise ArgumentError(
            "canaries",
            f"expected pairs that are not tied; found {len(numbers)} of {count}. Plant fewer, or add nodes",
        )
    return CanaryTies(base, pairs_of(numbers).astype(np.int64), added)


def _longer(graph: Graph, added: int) -> Graph:
    """Return the graph with nodes added behind its own."""
    if not added:
        return graph
    names = graph.names and (*graph.names, *(f"canary {number}" for number in range(added)))
    return Graph.from_edges(graph.edges(), n=graph.n + added, names=names, nodes_from="list")


def _matching(n: int, rng: np.random.Generator) -> Ints:
    """Return the numbers of random pairs that share no node."""
    ends = np.sort(rng.permutation(n)[: n // 2 * 2].reshape(-1, 2), axis=1)
    return pair_numbers(ends)


def _distinct(numbers: Ints) -> Ints:
    """Drop numbers that were there before; the others keep their order."""
    return numbers[np.sort(np.unique(numbers, return_index=True)[1])]


def _within(numbers: Ints, ascending: Ints) -> NDArray[np.bool_]:
    if not len(ascending):
        return np.zeros(len(numbers), dtype=bool)
    place = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.asarray(ascending[place] == numbers)
