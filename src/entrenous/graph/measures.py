"""What is measured on one graph: degrees, distances, clustering, mixing, centrality, communities."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.graph.centrality import eigenvector_centrality, scaled_centrality
from entrenous.graph.communities import Partition, louvain
from entrenous.graph.paths import PathLengths, path_lengths
from entrenous.graph.structure import Graph

__all__ = [
    "GROUPS",
    "Centrality",
    "Clustering",
    "Measures",
    "Progress",
    "assortativity",
    "clustering",
    "measure",
]

GROUPS = ("degrees", "assortativity", "clustering", "centrality", "communities", "paths")
"""The groups of measures, the cheap ones first."""

Progress = Callable[[str, float], None]
"""Called with the group at work and the fraction of it that is done."""


@dataclass(frozen=True)
class Clustering:
    """How many friends of friends are friends.

    Attributes
    ----------
    triangles
        The number of triangles.
    transitivity
        The share of paths of two edges that close to a triangle.
    mean_local
        The mean over nodes of the share of pairs of neighbours that are linked, 0 below degree 2.
    """

    triangles: int
    transitivity: float
    mean_local: float


@dataclass(frozen=True)
class Centrality:
    """Eigenvector centrality.

    Attributes
    ----------
    leading_eigenvalue
        The largest eigenvalue of the adjacency matrix.
    scores
        Its eigenvector, of length 1.
    scaled
        The eigenvector of the largest component, scaled to a largest score of 1, 0 elsewhere.
    """

    leading_eigenvalue: float
    scores: NDArray[np.float64]
    scaled: NDArray[np.float64]


@dataclass(frozen=True)
class Measures:
    """What was measured on a graph; a group that was not asked for is None.

    All of it depends on the graph: it is the curator's, never published.
    """

    n: int
    m: int
    isolated: int
    degree_histogram: NDArray[np.int64] | None = None
    assortativity: float | None = None
    clustering: Clustering | None = None
    centrality: Centrality | None = None
    partitions: tuple[Partition, ...] | None = None
    paths: PathLengths | None = None

    @property
    def best_partition(self) -> Partition | None:
        """The partition of the highest modularity."""
        return (
            None if not self.partitions else max(self.partitions, key=lambda partition: partition.modularity)
        )


def measure(
    graph: Graph,
    *,
    only: Collection[str] | None = None,
    sources: int | None = None,
    seeds: int = 5,
    rng: np.random.Generator | int = 0,
    progress: Progress | None = None,
) -> Measures:
    """Measure a graph.

    Parameters
    ----------
    graph
        The graph.
    only
        The groups to compute, of `GROUPS`; all by default.
    sources
        How many nodes path lengths are measured from; see `entrenous.graph.paths.path_lengths`.
    seeds
        How many Louvain partitions to draw.
    rng
        What draws the sources, if not all nodes are.
    progress
        Called with the group at work and the fraction of it that is done.

    Examples
    --------
    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (0, 2)], n=4)
    >>> found = measure(triangle, only=["clustering"])
    >>> found.clustering
    Clustering(triangles=1, transitivity=1.0, mean_local=0.75)
    >>> found.isolated
    1
    """
    wanted = checked_groups(only)
    _check.at_least("seeds", seeds, 1)
    results: dict[str, object] = {}
    fields = {"degrees": "degree_histogram", "communities": "partitions"}
    work: dict[str, Callable[[], object]] = {
        "degrees": lambda: np.bincount(graph.degrees, minlength=1),
        "assortativity": lambda: assortativity(graph),
        "clustering": lambda: clustering(graph),
        "centrality": lambda: _centrality(graph),
        "communities": lambda: louvain(graph, seeds=seeds),
        "paths": lambda: path_lengths(graph, sources=sources, rng=rng, progress=_within("paths", progress)),
    }
    for group in wanted:
        _tell(progress, group, 0.0)
        results[fields.get(group, group)] = work[group]()
        _tell(progress, group, 1.0)
    isolated = int(np.count_nonzero(graph.degrees == 0))
    return Measures(graph.n, graph.m, isolated, **results)  # type: ignore[arg-type]


def checked_groups(only: Collection[str] | None) -> tuple[str, ...]:
    """Return the groups asked for, the cheap ones first."""
    if only is None:
        return GROUPS
    if isinstance(only, str) or not set(only) <= set(GROUPS):
        raise ArgumentError("only", f"expected some of {', '.join(GROUPS)}; got something else")
    return tuple(group for group in GROUPS if group in only)


def assortativity(graph: Graph) -> float:
    """Return the correlation of the degrees at the two ends of an edge; not a number if all are equal.

    Reference: Newman, "Assortative mixing in networks", Physical Review Letters 89, 2002.

    >>> round(assortativity(Graph.from_edges([(0, 1), (1, 2), (2, 3)])), 9)
    -0.5
    """
    if graph.m == 0:
        return float("nan")
    left = np.repeat(graph.degrees, graph.degrees).astype(float)
    right = graph.degrees[graph.indices].astype(float)
    mean = left.mean()
    variance = ((left - mean) ** 2).mean()
    return float(((left - mean) * (right - mean)).mean() / variance) if variance > 0 else float("nan")


def clustering(graph: Graph) -> Clustering:
    """Return triangles, transitivity and mean local clustering.

    >>> clustering(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])).transitivity
    0.6
    """
    from entrenous.graph import _kernels

    triangles = _kernels.triangle_counts(graph.indptr, graph.indices)
    pairs = graph.degrees * (graph.degrees - 1) // 2
    total, paths = int(triangles.sum()), int(pairs.sum())
    local = triangles / np.maximum(pairs, 1)
    return Clustering(total // 3, total / paths if paths else 0.0, float(local.mean()) if graph.n else 0.0)


def _centrality(graph: Graph) -> Centrality:
    value, scores = eigenvector_centrality(graph)
    return Centrality(value, scores, scaled_centrality(graph, scores))


def _tell(progress: Progress | None, group: str, fraction: float) -> None:
    if progress is not None:
        progress(group, fraction)


def _within(group: str, progress: Progress | None) -> Callable[[float], None] | None:
    return None if progress is None else lambda fraction: progress(group, fraction)
