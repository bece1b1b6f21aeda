"""Shortest-path lengths: how far apart the nodes of a graph are, exactly or from a sample of sources."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.graph.structure import Graph

__all__ = ["EXACT_UP_TO", "SAMPLED_SOURCES", "PathLengths", "path_lengths"]

EXACT_UP_TO = 50_000  # nodes; beyond, the default is a sample
SAMPLED_SOURCES = 1024
_THREADS = 2


@dataclass(frozen=True)
class PathLengths:
    """The distribution of shortest-path lengths.

    Attributes
    ----------
    histogram
        How many ordered pairs of nodes are at distance 0, 1, 2, ...; an estimate if sampled.
    sources
        How many nodes the search started from; all of them if exact.
    interval
        A 95 % confidence interval of the mean; its ends coincide with the mean if exact.
    """

    histogram: NDArray[np.float64]
    sources: int
    interval: tuple[float, float]

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
    rng: np.random.Generator | int = 0,
    progress: Callable[[float], None] | None = None,
) -> PathLengths:
    """Return the distribution of shortest-path lengths.

    Parameters
    ----------
    graph
        The graph.
    sources
        How many nodes to search from, drawn without replacement; all of them by default up to 50,000 nodes,
        and 1024 beyond.
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
    from entrenous.graph import _kernels

    default = graph.n if graph.n <= EXACT_UP_TO else SAMPLED_SOURCES
    count = min(default if sources is None else _check.at_least("sources", sources, 1), graph.n)
    chosen = _chosen(graph.n, count, rng)
    batches = [chosen[start : start + 64 * _kernels.WORDS] for start in range(0, count, 64 * _kernels.WORDS)]
    words: list[NDArray[np.int64]] = []
    with ThreadPoolExecutor(_THREADS) as pool:  # the kernel lets go of the interpreter lock
        for counts in pool.map(
            lambda batch: _kernels.path_counts(graph.indptr, graph.indices, batch), batches
        ):
            words.extend(counts)
            if progress is not None:
                progress(min(len(words) * 64 / count, 1.0))
    table = np.zeros((len(words), max(map(len, words), default=0)), dtype=np.int64)
    for row, word in enumerate(words):
        table[row, : len(word)] = word
    return _summary(table[table[:, :1].sum(axis=1) > 0], graph.n, count)


def _chosen(n: int, count: int, rng: np.random.Generator | int) -> NDArray[np.int64]:
    if count == n:
        return np.arange(n, dtype=np.int64)
    return np.random.default_rng(rng).choice(n, count, replace=False).astype(np.int64)


def _summary(table: NDArray[np.int64], n: int, count: int) -> PathLengths:
    """Add up the words of 64 sources each; their spread gives the confidence interval."""
    histogram = table.sum(axis=0) * (n / count if count else 1.0)
    longest = int(np.max(np.flatnonzero(histogram), initial=-1)) + 1
    lengths = PathLengths(histogram[:longest], count, (float("nan"), float("nan")))
    if count == n:
        return PathLengths(lengths.histogram, count, (lengths.mean, lengths.mean))
    return PathLengths(lengths.histogram, count, _interval(table, lengths.mean, count / n))


def _interval(table: NDArray[np.int64], mean: float, fraction: float) -> tuple[float, float]:
    """Return a 95 % interval of the mean distance: the ratio estimator, drawn without replacement."""
    from scipy.special import stdtrit

    pairs = table[:, 1:].sum(axis=1).astype(float)
    if len(table) < 2 or not pairs.sum():
        return float("nan"), float("nan")
    steps = (table[:, 1:] * np.arange(1, table.shape[1])).sum(axis=1)
    residuals = (steps - mean * pairs) / pairs.mean()
    error = float(np.sqrt(residuals.var(ddof=1) / len(table) * (1 - fraction)))
    half = float(stdtrit(len(table) - 1, 0.975)) * error
    return mean - half, mean + half
