"""How far a released graph is from the original, measure by measure.

Names ending in _RE are relative errors, |released - original| / |original|; _orig and _synth are the values.
The comparison touches the private graph: it is the curator's, never published.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import ArgumentError
from entrenous.graph.measures import partitions
from entrenous.graph.measures.paths import Interval
from entrenous.graph.measures.summary import Centrality, Measures, Progress, measure
from entrenous.graph.simplification import packed
from entrenous.graph.structure import Graph

__all__ = [
    "TOP",
    "Comparison",
    "aligned",
    "compare",
    "hellinger",
    "kolmogorov_smirnov",
    "kullback_leibler",
    "total_variation",
    "wasserstein",
]

TOP: Mapping[str, int | float] = {"10": 10, "20": 20, "50": 50, "1%": 0.01, "5%": 0.05}
"""The numbers of most central nodes that are compared, as counts or shares of all nodes."""

Histogram = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Comparison(Mapping[str, float]):
    """A mapping from the name of a measure to its value, with both sides' measures for pictures.

    Attributes
    ----------
    original
        The measures of the original.
    released
        The measures of the release.
    """

    original: Measures
    released: Measures
    values_by_name: Mapping[str, float] = field(repr=False)

    def __getitem__(self, name: str) -> float:
        return self.values_by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)

    @property
    def sampled(self) -> frozenset[str]:
        """The names of all values that rest on samples: of either side, and differences made of them."""
        before, after = self.original.sampled, self.released.sampled
        by_side = {"orig": before, "synth": after}
        parts = ((name, *name.rsplit("_", 1)) for name in self)
        return frozenset(name for name, stem, kind in parts if stem in by_side.get(kind, before | after))

    @property
    def intervals(self) -> dict[str, Interval]:
        """The 95 % confidence intervals of values of either side that were sampled, by name; differences have none."""
        sides = {"orig": self.original, "synth": self.released}
        return {
            f"{name}_{side}": interval
            for side, found in sides.items()
            for name, interval in found.intervals.items()
        }


def compare(
    original: Graph,
    released: Graph,
    *,
    only: Collection[str] | None = None,
    sources: int | None = None,
    exact: bool = False,
    seeds: int = 5,
    measured: Measures | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare a released graph with the original on the same nodes.

    Parameters
    ----------
    original, released
        The graphs; if their names stand in another order, the released one is put in the original's.
    only
        The groups of measures, of `entrenous.graph.measures.summary.GROUPS`; by default all, but communities only
        where both graphs have at most two million edges.
    sources
        How many nodes path lengths are measured from.
    exact
        Sample nothing and leave nothing out, however large the graphs.
    seeds
        How many Louvain partitions are drawn on each side.
    measured
        The measures of the original with the same options, if they are already there.
    progress
        Called with the group at work and the fraction of it that is done.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    >>> found = compare(path, triangle, only=["degrees"])
    >>> round(found["edges_RE"], 6), round(found["deg_W1"], 6)
    (0.5, 0.666667)
    """
    other = aligned(original, released)
    look = partial(measure, only=only, sources=sources, exact=exact, seeds=seeds, progress=progress)
    before = measured or look(original)
    after = look(other)
    values = _sizes(original, other)
    if before.degree_histogram is not None and after.degree_histogram is not None:
        values |= _degrees(original, other, before.degree_histogram, after.degree_histogram)
    if before.assortativity is not None and after.assortativity is not None:
        values |= _both("ass", before.assortativity, after.assortativity)
        values["ass_absdiff"] = abs(before.assortativity - after.assortativity)
    if before.clustering is not None and after.clustering is not None:
        values |= _both("gcc", before.clustering.transitivity, after.clustering.transitivity)
        values |= _both("acc", before.clustering.mean_local, after.clustering.mean_local)
        values |= _both("tri", before.clustering.triangles, after.clustering.triangles)
    if before.centrality is not None and after.centrality is not None:
        values |= _central(before.centrality, after.centrality)
    values |= _partitions(other, before, after) | _paths(before, after)
    return Comparison(before, after, values)


def kullback_leibler(first: Histogram, second: Histogram) -> float:
    """Return the divergence of the second distribution from the first, smoothed by the machine epsilon."""
    p, q = _distributions(first, second)
    # Where the second has no mass and the first has some, the divergence would be infinite.
    tiny = float(np.finfo(float).eps)
    return float(np.sum(p * np.log((p + tiny) / (q + tiny))))


def hellinger(first: Histogram, second: Histogram) -> float:
    """Return the Hellinger distance of two histograms: 0 if proportional, 1 if disjoint.

    >>> hellinger(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    1.0
    """
    p, q = _distributions(first, second)
    # Rounding may take the sum a little above 1.
    return float(np.sqrt(max(0.0, 1 - np.sum(np.sqrt(p * q)))))


def total_variation(first: Histogram, second: Histogram) -> float:
    """Return the total variation distance of two histograms."""
    p, q = _distributions(first, second)
    return float(np.abs(p - q).sum() / 2)


def kolmogorov_smirnov(first: Histogram, second: Histogram) -> float:
    """Return the largest difference of the two cumulative distributions."""
    p, q = _distributions(first, second)
    return float(np.abs(np.cumsum(p) - np.cumsum(q)).max())


def wasserstein(first: Histogram, second: Histogram) -> float:
    """Return the Wasserstein-1 distance, in units of the histograms' axis."""
    p, q = _distributions(first, second)
    return float(np.abs(np.cumsum(p) - np.cumsum(q)).sum())


def _distributions(first: Histogram, second: Histogram) -> tuple[Histogram, Histogram]:
    size = max(len(first), len(second))
    p, q = (np.pad(np.asarray(part, float), (0, size - len(part))) for part in (first, second))
    return p / p.sum(), q / q.sum()


def aligned(original: Graph, released: Graph) -> Graph:
    """Return the released graph with its nodes in the original's order."""
    if released.n != original.n:
        raise ArgumentError("released", f"expected the {original.n} nodes of the original; got {released.n}")
    if released.names == original.names:
        return released
    place = {original.name(node): node for node in range(original.n)}
    places = np.array([place.get(released.name(node), -1) for node in range(released.n)], dtype=np.int64)
    if places.min(initial=0) < 0:
        unknown = int(np.count_nonzero(places < 0))
        raise ArgumentError("released", f"expected the nodes of the original; got {unknown} others")
    return original.with_edges(places[released.edges()])


def _relative(original: float, released: float) -> float:
    return float(abs(released - original) / (abs(original) + 1e-15))


def _both(name: str, original: float, released: float) -> dict[str, float]:
    return {
        f"{name}_RE": _relative(original, released),
        f"{name}_orig": float(original),
        f"{name}_synth": float(released),
    }


def _sizes(original: Graph, released: Graph) -> dict[str, float]:
    """Compare the numbers of nodes and edges, and the edges themselves."""
    active = [int(np.count_nonzero(graph.degrees)) for graph in (original, released)]
    keys = [packed(graph.edges(), undirected=False) for graph in (original, released)]
    common = _shared(*keys)
    return {
        "nodes_RE": _relative(*active),
        "isolated_orig": float(original.n - active[0]),
        "isolated_synth": float(original.n - active[1]),
        **_both("edges", original.m, released.m),
        "edge_jaccard": common / max(1, original.m + released.m - common),
        "edge_recall": common / max(1, original.m),
    }


def _shared(first: NDArray[np.int64], second: NDArray[np.int64]) -> int:
    """Return how many numbers two sorted arrays of distinct ones share."""
    place = np.searchsorted(second, first)
    # What is larger than all has no place; any place does, since the numbers there differ.
    place[place == len(second)] = 0
    return int(np.count_nonzero(second[place] == first)) if len(second) else 0


def _degrees(
    original: Graph, released: Graph, before: NDArray[np.int64], after: NDArray[np.int64]
) -> dict[str, float]:
    summaries: dict[str, Callable[[Graph], float]] = {
        "avg_deg": lambda graph: 2 * graph.m / max(graph.n, 1),
        "deg_var": lambda graph: float(graph.degrees.var(ddof=1)) if graph.n > 1 else 0.0,
        "max_deg": lambda graph: int(graph.degrees.max(initial=0)),
    }
    values = {f"{name}_RE": _relative(of(original), of(released)) for name, of in summaries.items()}
    return values | _distances("deg", before.astype(float), after.astype(float), "KL Hellinger TVD KS W1")


def _distances(name: str, before: Histogram, after: Histogram, which: str) -> dict[str, float]:
    """Compare two histograms; not a number where one of them is empty."""
    distances = {
        "KL": kullback_leibler,
        "Hellinger": hellinger,
        "TVD": total_variation,
        "KS": kolmogorov_smirnov,
        "W1": wasserstein,
    }
    filled = before.sum() > 0 and after.sum() > 0
    return {
        f"{name}_{key}": distances[key](before, after) if filled else float("nan") for key in which.split()
    }


def _paths(before: Measures, after: Measures) -> dict[str, float]:
    if before.paths is None or after.paths is None:
        return {}
    first, second = before.paths, after.paths
    values = _distances("dist", first.histogram, second.histogram, "KL")
    values |= _distances("dist", first.histogram[1:], second.histogram[1:], "Hellinger TVD KS")
    values |= _both("avg_sp", first.mean, second.mean)
    if first.exact and second.exact:  # of a sample it is a lower bound
        values["diam_RE"] = _relative(first.diameter, second.diameter)
    return values | {"reach_orig": first.reach, "reach_synth": second.reach}


def _central(before: Centrality, after: Centrality) -> dict[str, float]:
    """Compare the most central nodes and the sorted scores; `evc_max1` is the component scaled to 1."""
    values = _both("lambda1", before.leading_eigenvalue, after.leading_eigenvalue)
    for name, first, second in (
        ("evc", before.scores, after.scores),
        ("evc_max1", before.scaled, after.scaled),
    ):
        if not len(first):
            continue
        ranked = [np.argsort(-scores, kind="stable") for scores in (first, second)]
        # Sorted against sorted: the k-th largest scores are compared, whoever has them.
        gaps = np.abs(first[ranked[0]] - second[ranked[1]])
        for label, size in TOP.items():
            k = max(1, int(size * len(first))) if isinstance(size, float) else size
            values[f"{name}_overlap@{label}"] = len(np.intersect1d(ranked[0][:k], ranked[1][:k])) / k
            values[f"{name}_MAE@{label}"] = float(gaps[:k].mean())
        values[f"{name}_MAE@all"] = float(gaps.mean())
    return values


def _partitions(released: Graph, before: Measures, after: Measures) -> dict[str, float]:
    """Compare communities: agreement of the partitions of both sides, and modularity."""
    best, other = before.best_partition, after.best_partition
    if before.partitions is None or after.partitions is None or best is None or other is None:
        return {}
    first, second = ([part.labels for part in side.partitions or ()] for side in (before, after))
    nmi, rand = partitions.normalized_mutual_information, partitions.adjusted_rand
    own = [nmi(a, b) for i, a in enumerate(first) for j, b in enumerate(first) if i != j]
    return {
        **_both("mod", best.modularity, other.modularity),
        "mod_transfer": partitions.modularity(released, best.labels),
        "cd_NMI": float(np.mean([nmi(a, b) for a, b in product(first, second)])),
        "cd_ARI": float(np.mean([rand(a, b) for a, b in product(first, second)])),
        "nmi_ceiling": float(np.mean(own)) if own else 1.0,
    }
