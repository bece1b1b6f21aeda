"""What is measured on one graph: degrees, distances, clustering, mixing, centrality, communities."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.graph.measures.centrality import eigenvector_centrality, scaled_centrality
from entrenous.graph.measures.clustering import Clustering, clustering
from entrenous.graph.measures.partitions import Partition, louvain
from entrenous.graph.measures.paths import Interval, PathLengths, path_lengths
from entrenous.graph.simplification import arcs
from entrenous.graph.structure import Graph

__all__ = [
    "COMMUNITIES_UP_TO",
    "GROUPS",
    "Centrality",
    "Measures",
    "Progress",
    "assortativity",
    "measure",
]

_PATHS = {"avg_sp": "mean", "reach": "reach"}
_CLUSTERING = {"gcc": "transitivity", "acc": "mean_local", "tri": "triangles"}
GROUPS = ("degrees", "assortativity", "clustering", "centrality", "communities", "paths")
"""The groups of measures, the cheap ones first."""

COMMUNITIES_UP_TO = 2_000_000  # edges; a partition of ten million takes a minute and two gigabytes

Progress = Callable[[str, float], None]
"""Called with the group at work and the fraction of it that is done."""


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

    @property
    def sampled(self) -> frozenset[str]:
        """The names, as comparisons begin them, of what was sampled."""
        paths = self.paths is not None and not self.paths.exact
        wedges = self.clustering is not None and not self.clustering.exact
        return frozenset([*_PATHS, "dist"] if paths else []) | frozenset(_CLUSTERING if wedges else [])

    @property
    def intervals(self) -> dict[str, Interval]:
        """The 95 % confidence intervals of what was sampled, by the names of comparisons."""
        sampled = (self.paths, _PATHS), (self.clustering, _CLUSTERING)
        return {
            short: part.intervals[name]
            for part, names in sampled
            if part is not None
            for short, name in names.items()
            if name in part.intervals
        }


def measure(
    graph: Graph,
    *,
    only: Collection[str] | None = None,
    sources: int | None = None,
    exact: bool = False,
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
        The groups to compute, of `GROUPS`; by default all, but communities only up to two million edges.
    sources
        How many nodes path lengths are measured from; see `entrenous.graph.measures.paths.path_lengths`.
    exact
        Sample nothing and leave nothing out, however large the graph.
    seeds
        How many Louvain partitions to draw.
    rng
        What draws samples, where the graph is too large to go without.
    progress
        Called with the group at work and the fraction of it that is done.

    Examples
    --------
    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (0, 2)], n=4)
    >>> found = measure(triangle, only=["clustering"])
    >>> found.clustering.triangles, found.clustering.exact
    (1, True)
    >>> found.isolated
    1
    """
    wanted = checked_groups(only, graph, exact=exact)
    _check.at_least("seeds", seeds, 1)
    if exact and sources is not None:
        raise ArgumentError("sources", "expected none where everything is to be exact; got a number")
    results: dict[str, object] = {}
    fields = {"degrees": "degree_histogram", "communities": "partitions"}
    work: dict[str, Callable[[], object]] = {
        "degrees": lambda: np.bincount(graph.degrees, minlength=1),
        "assortativity": lambda: assortativity(graph),
        "clustering": lambda: clustering(graph, exact=exact, rng=rng),
        "centrality": lambda: _centrality(graph),
        "communities": lambda: louvain(graph, seeds=seeds),
        "paths": lambda: path_lengths(
            graph, sources=sources, exact=exact, rng=rng, progress=_within("paths", progress)
        ),
    }
    for group in wanted:
        _tell(progress, group, 0.0)
        results[fields.get(group, group)] = work[group]()
        _tell(progress, group, 1.0)
    isolated = int(np.count_nonzero(graph.degrees == 0))
    return Measures(graph.n, graph.m, isolated, **results)  # type: ignore[arg-type]


def checked_groups(only: Collection[str] | None, graph: Graph, *, exact: bool = False) -> tuple[str, ...]:
    """Return the groups asked for, or else those that can be had in reasonable time, the cheap ones first."""
    if only is None:
        affordable = exact or graph.m <= COMMUNITIES_UP_TO
        return tuple(group for group in GROUPS if affordable or group != "communities")
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
    degrees = graph.degrees.astype(float)
    gaps = degrees - (degrees**2).sum() / degrees.sum()  # from the mean over ends of edges
    variance = float((degrees * gaps**2).sum())
    covariance = sum(float(gaps[node] @ gaps[row]) for node, row in arcs(graph.indptr, graph.indices))
    return covariance / variance if variance > 0 else float("nan")


def _centrality(graph: Graph) -> Centrality:
    value, scores = eigenvector_centrality(graph)
    return Centrality(value, scores, scaled_centrality(graph, scores))


def _tell(progress: Progress | None, group: str, fraction: float) -> None:
    if progress is not None:
        progress(group, fraction)


def _within(group: str, progress: Progress | None) -> Callable[[float], None] | None:
    return None if progress is None else lambda fraction: progress(group, fraction)
