"""Communities: Louvain partitions, and how much two partitions agree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from entrenous.graph.conversion import seeded_igraph, to_igraph
from entrenous.graph.structure import Graph

__all__ = [
    "Partition",
    "adjusted_rand",
    "join_groups",
    "louvain",
    "modularity",
    "normalized_mutual_information",
]

Labels = NDArray[np.int64]


class Partition(NamedTuple):
    """A community for each node, and the modularity of the whole."""

    labels: Labels
    modularity: float


def louvain(graph: Graph, *, seeds: int = 5) -> tuple[Partition, ...]:
    """Return one Louvain partition per seed 0, 1, ... (Blondel et al. 2008).

    >>> two = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)])
    >>> round(louvain(two, seeds=1)[0].modularity, 6)
    0.357143
    """
    other = to_igraph(graph)
    partitions = []
    for seed in range(seeds):
        with seeded_igraph(seed):
            clusters = other.community_multilevel()
        labels = np.array(clusters.membership, dtype=np.int64)
        # Without edges there is nothing to divide; igraph calls the modularity not a number.
        partitions.append(Partition(labels, float(clusters.modularity) if graph.m else 0.0))
    return tuple(partitions)


def join_groups(pairs: NDArray[np.int64], weight: NDArray[np.float64], groups: int, *, seed: int) -> Labels:
    """Return the community of each group, by Louvain on weights between and inside groups.

    Parameters
    ----------
    pairs
        Two groups a row, the smaller number first, in ascending order; the same group twice for its inside.
    weight
        The weight of each row; rows without weight are left out.
    groups
        How many groups there are.
    seed
        For the order in which Louvain visits groups.

    Examples
    --------
    >>> join_groups(np.array([[0, 1], [0, 2], [2, 2]]), np.array([5.0, 0.0, 1.0]), 3, seed=1).tolist()
    [0, 0, 1]
    """
    across, inside = (weight > 0) & (pairs[:, 0] != pairs[:, 1]), (weight > 0) & (pairs[:, 0] == pairs[:, 1])
    other = to_igraph(Graph.from_edges(pairs[across], n=groups))
    # Loops are added afterwards: our graphs have none, igraph's may.
    other.add_edges(pairs[inside].tolist())
    with seeded_igraph(seed):
        found = other.community_multilevel(weights=np.concatenate([weight[across], weight[inside]]).tolist())
    return np.array(found.membership, dtype=np.int64)


def modularity(graph: Graph, labels: Labels) -> float:
    """Return the modularity of a partition: edges inside communities beyond what the degrees explain."""
    if graph.m == 0:
        return 0.0
    edges = graph.edges()
    inside = np.count_nonzero(labels[edges[:, 0]] == labels[edges[:, 1]]) / graph.m
    volumes = np.bincount(np.unique(labels, return_inverse=True)[1], weights=graph.degrees)
    return float(inside - ((volumes / (2 * graph.m)) ** 2).sum())


def normalized_mutual_information(first: Labels, second: Labels) -> float:
    """Return the mutual information of two partitions over the mean of their entropies.

    >>> normalized_mutual_information(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    a, b, ab = _shares(first, second)
    mean = (_entropy(a) + _entropy(b)) / 2
    return float((2 * mean - _entropy(ab)) / mean) if mean > 0 else 1.0


def adjusted_rand(first: Labels, second: Labels) -> float:
    """Return how often two partitions agree on a pair of nodes: 1 if always, 0 if as often as by chance."""
    n = len(first)
    if n < 2:
        return 1.0
    a, b, ab = (float((x * n * (x * n - 1) / 2).sum()) for x in _shares(first, second))
    expected, mean = a * b / (n * (n - 1.0) / 2), (a + b) / 2
    return (ab - expected) / (mean - expected) if mean != expected else 1.0


def _shares(first: Labels, second: Labels) -> tuple[NDArray[np.float64], ...]:
    """Return the shares of the nodes in each community of the first, of the second, and of both at once."""
    a, b = (np.unique(labels, return_inverse=True)[1] for labels in (first, second))
    # One number for each pair of labels, instead of a table of all pairs.
    both = np.unique(a * (b.max(initial=0) + 1) + b, return_counts=True)[1]
    return tuple(counts / max(len(first), 1) for counts in (np.bincount(a), np.bincount(b), both))


def _entropy(shares: NDArray[np.float64]) -> float:
    return float(-(shares * np.log(shares)).sum())
