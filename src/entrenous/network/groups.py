"""Groups of nodes and how densely they are tied: the numbers behind the community picture."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph

__all__ = ["Groups", "block_densities", "largest_groups"]

MOST_GROUPS = 16


class Groups(NamedTuple):
    """A partition with few parts: the largest groups first, all others in the last one."""

    member_of: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def as_ordered(self, graph: Graph, other: Graph) -> Groups:
        """Return these groups of a graph's nodes in the order in which another graph has the same nodes."""
        if graph.names == other.names:
            return self
        place = {graph.name(node): node for node in range(graph.n)}
        order = np.array([place[other.name(node)] for node in range(other.n)], dtype=np.int64)
        return Groups(self.member_of[order], self.sizes)


def largest_groups(partition: NDArray[np.int64], *, most: int = MOST_GROUPS) -> Groups:
    """Return the groups of a partition, largest first, all but the largest pooled.

    >>> largest_groups(np.array([5, 5, 5, 7, 7, 9, 8]), most=3)
    Groups(member_of=array([0, 0, 0, 1, 1, 2, 2]), sizes=array([3, 2, 2]))
    """
    _, groups, sizes = np.unique(partition, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    member_of = np.minimum(rank[groups], most - 1)
    return Groups(member_of, np.bincount(member_of))


def block_densities(graph: Graph, groups: Groups) -> NDArray[np.float64]:
    """Return the share of pairs that are tied, within and between groups.

    >>> pair = Graph.from_edges([(0, 1), (1, 2)], n=4)
    >>> block_densities(pair, largest_groups(np.array([0, 0, 1, 1])))
    array([[1.  , 0.25],
           [0.25, 0.  ]])
    """
    count = len(groups.sizes)
    ends = groups.member_of[graph.edges()]
    edges = np.bincount(ends[:, 0] * count + ends[:, 1], minlength=count**2).reshape(count, count)
    pairs = np.outer(groups.sizes, groups.sizes) - np.diag(groups.sizes)
    # Each edge inside a group stands once in `edges` and is a pair twice in `pairs`.
    densities: NDArray[np.float64] = (edges + edges.T) / np.maximum(pairs, 1)
    return densities
