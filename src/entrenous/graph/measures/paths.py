"""Shortest-path lengths: how far apart the nodes of a graph are, exactly or from a sample of sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous._parallel import map_in_threads
from entrenous.graph.structure import Graph

__all__ = ["EXACT_UP_TO", "SAMPLED_SOURCES", "Interval", "PathLengths", "path_lengths"]

EXACT_UP_TO = 50_000  # nodes; beyond, the default is a sample
SAMPLED_SOURCES = 1024
_LEAST_GROUPS = 8  # of 64 sources; Student's interval over fewer holds less often than it says
_EXACT_WORK = 100_000_000_000  # nodes times edges: about twenty seconds of one core

Interval = tuple[float, float]


@dataclass(frozen=True)
class PathLengths:
    """The distribution of shortest-path lengths.

    Attributes
    ----------
    histogram
        How many ordered pairs of nodes are at distance 0, 1, 2, ...; an estimate if sampled.
    sources
        How many nodes the search started from; all of them if exact.
    intervals
        The 95 % confidence intervals of `mean` and `reach` by name; empty if exact, and from fewer than 449 sources,
        which make too few groups to tell how far they scatter.
    band
        A 95 % confidence interval, pointwise, of the share of connected pairs at distance 1, 2, ...; None likewise.
        Too narrow for distances that fewer than one pair in a hundred has: a sample may miss those altogether.
    """

    histogram: NDArray[np.float64]
    sources: int
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    band: NDArray[np.float64] | None = None

    @property
    def exact(self) -> bool:
        """Whether the search started from every node."""
        return self.sources == round(float(self.histogram[0])) if len(self.histogram) else True

    @property
    def mean(self) -> float:
        """The mean distance of connected pairs; not a number if there are none."""
        pairs = self.histogram[1:].sum()
        weights = np.arange(1, len(self.histogram))
        return float((self.histogram[1:] * weights).sum() / pairs) if pairs else float("nan")

    @property
    def diameter(self) -> int:
        """The largest distance met: a lower bound if sampled."""
        return max(len(self.histogram) - 1, 0)

    @property
    def reach(self) -> float:
        """The fraction of ordered pairs of nodes that are connected."""
        n = float(self.histogram[0]) if len(self.histogram) else 0.0
        return float(self.histogram[1:].sum() / (n * (n - 1))) if n > 1 else 0.0


def path_lengths(
    graph: Graph,
    *,
    sources: int | None = None,
    exact: bool = False,
    rng: np.random.Generator | int = 0,
    progress: Callable[[float], None] | None = None,
) -> PathLengths:
    """Return the distribution of shortest-path lengths.

    From a sample of sources it is estimated as a ratio: distances found, by groups of up to 64 sources, over pairs
    connected. The intervals are Student's over these groups, of which there must be eight, with the finite-population
    correction of drawing without replacement (Cochran, "Sampling Techniques", 1977, sections 2.6 and 6.3).

    Parameters
    ----------
    graph
        The graph.
    sources
        How many nodes to search from, drawn without replacement; by default all of them up to 50,000 nodes (fewer if
        there are more than a few million edges), and 1024 beyond.
    exact
        Search from every node, however large the graph.
    rng
        What draws the sources.
    progress
        Called with the fraction done.

    Examples
    --------
    >>> lengths = path_lengths(Graph.from_edges([(0, 1), (1, 2)]))
    >>> lengths.histogram
    array([3., 4., 2.])
    >>> lengths.exact, lengths.diameter
    (True, 2)
    """
    from entrenous.graph.measures import _kernels

    count = graph.n if exact else _sources(graph, sources)
    groups = _groups(_chosen(graph.n, count, rng))
    batches = [groups[start : start + _kernels.WORDS] for start in range(0, len(groups), _kernels.WORDS)]
    rows: list[NDArray[np.int64]] = []
    for counts in map_in_threads(
        lambda batch: _kernels.path_counts(graph.indptr, graph.indices, batch), batches
    ):
        rows.extend(counts)
        if progress is not None:
            progress(min(len(rows) / len(groups), 1.0))
    # Searches end at different distances: shorter rows are filled up with none.
    table = np.zeros((len(rows), max(map(len, rows), default=0)), dtype=np.int64)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return _summary(table[: len(groups)], graph.n, count)


def _sources(graph: Graph, requested: int | None) -> int:
    if requested is not None:
        return min(_check.at_least("sources", requested, 1), graph.n)
    affordable = graph.n <= EXACT_UP_TO and graph.n * graph.m <= _EXACT_WORK
    return graph.n if affordable else min(SAMPLED_SOURCES, graph.n)


def _chosen(n: int, count: int, rng: np.random.Generator | int) -> NDArray[np.int64]:
    if count == n:
        return np.arange(n, dtype=np.int64)
    return np.random.default_rng(rng).choice(n, count, replace=False).astype(np.int64)


def _groups(sources: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sources in rows of up to 64, as even as can be: groups of one weight, whose spread can be trusted."""
    # Rounded up: a word of the search holds 64 sources.
    count = -(-len(sources) // 64)
    groups = np.full((count, 64), -1, np.int64)
    for row, part in enumerate(np.array_split(sources, count) if count else ()):
        groups[row, : len(part)] = part
    return groups


def _summary(table: NDArray[np.int64], n: int, count: int) -> PathLengths:
    """Add up the groups of sources; their spread gives the confidence intervals, if there are enough of them."""
    histogram = table.sum(axis=0) * (n / count if count else 1.0)
    longest = int(np.max(np.flatnonzero(histogram), initial=-1)) + 1
    lengths = PathLengths(histogram[:longest], count)
    found = table[:, 1:longest]
    pairs = found.sum(axis=1)
    if lengths.exact or len(table) < _LEAST_GROUPS or not pairs.any():
        return lengths
    fraction = count / n
    # No distance is below 1, and no share outside 0 and 1, whatever the scatter says.
    mean = _ratio_interval(found @ np.arange(1, longest), pairs, fraction).clip(min=1)
    reach = _ratio_interval(pairs, table[:, 0] * (n - 1), fraction).clip(0, 1)
    intervals = {name: (float(ends[0]), float(ends[1])) for name, ends in (("mean", mean), ("reach", reach))}
    return replace(lengths, intervals=intervals, band=_ratio_interval(found, pairs, fraction).clip(0, 1).T)


def _ratio_interval(over: NDArray[Any], under: NDArray[Any], fraction: float) -> NDArray[np.float64]:
    """Return the ends of 95 % intervals of the ratio of two sums over groups, for each column of the numerator."""
    from scipy.special import stdtrit

    groups, total = len(under), float(under.sum())
    ratio = over.sum(axis=0) / total
    residuals = over - (np.outer(under, ratio) if over.ndim > 1 else under * ratio)
    # The linearized variance of a ratio: Cochran, section 6.3.
    spread = residuals.std(axis=0, ddof=1) * groups / total
    half = float(stdtrit(groups - 1, 0.975)) * spread * np.sqrt((1 - fraction) / groups)
    return np.stack((ratio - half, ratio + half))
