"""How many friends of friends are friends: counted, or estimated from a sample of wedges.

A wedge is a path of two edges; it is closed if its ends are linked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous._parallel import map_in_threads, shares_for
from entrenous.graph.measures.paths import Interval
from entrenous.graph.structure import Graph

__all__ = ["EXACT_UP_TO", "SAMPLED_WEDGES", "Clustering", "clustering", "ranked_arcs"]

EXACT_UP_TO = 25_000_000  # edges; beyond, the default is a sample
SAMPLED_WEDGES = 1_000_000
_SHARES = 8  # parts of a sample, each with its own generator


@dataclass(frozen=True)
class Clustering:
    """How many friends of friends are friends.

    Attributes
    ----------
    triangles
        The number of triangles.
    transitivity
        The share of wedges that are closed.
    mean_local
        The mean over nodes of the share of pairs of neighbours that are linked, 0 below degree 2.
    wedges
        How many wedges were drawn for each of the two shares; None if everything was counted.
    intervals
        The 95 % confidence intervals of the three by name; empty if everything was counted.
    """

    triangles: int
    transitivity: float
    mean_local: float
    wedges: int | None = None
    intervals: Mapping[str, Interval] = field(default_factory=dict, repr=False)

    @property
    def exact(self) -> bool:
        """Whether everything was counted."""
        return self.wedges is None


def clustering(
    graph: Graph, *, wedges: int | None = None, exact: bool = False, rng: np.random.Generator | int = 0
) -> Clustering:
    """Return triangles, transitivity and mean local clustering.

    Beyond 25 million edges they are estimated by wedge sampling: a wedge drawn uniformly is closed with the
    probability of the transitivity, a wedge at a node drawn uniformly with that of the mean local clustering. Draws
    are independent, so the exact binomial intervals (Clopper, Pearson 1934) hold at least 95 times in 100, whatever the
    graph.

    Parameters
    ----------
    graph
        The graph.
    wedges
        Estimate from so many wedges of each kind; a million by default, where it is too large to count.
    exact
        Count, however large the graph.
    rng
        What draws the wedges.

    References
    ----------
    Seshadhri, Pinar, Kolda, "Wedge sampling for computing clustering coefficients and triangle counts on large
    graphs", Statistical Analysis and Data Mining 7, 2014.

    Examples
    --------
    >>> clustering(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])).transitivity
    0.6
    """
    drawn = None if wedges is None else _check.at_least("wedges", wedges, 1)
    if exact or (drawn is None and graph.m <= EXACT_UP_TO):
        return _counted(graph)
    return _sampled(graph, drawn or SAMPLED_WEDGES, np.random.default_rng(rng))


def ranked_arcs(
    indptr: NDArray[np.int64], indices: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Return the nodes by degree, and, numbered in that order, the edges of each that lead upwards, in rows."""
    from entrenous.graph.measures._kernels import rising_arcs

    # Stable: ties of degree keep the order of nodes, on every machine.
    order = np.argsort(np.diff(indptr), kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return order, *rising_arcs(indptr, indices, order, rank)


def _counted(graph: Graph) -> Clustering:
    from entrenous.graph.measures._kernels import triangle_counts

    order, starts, heads = ranked_arcs(graph.indptr, graph.indices)
    shares = shares_for(len(heads))
    parts = map_in_threads(lambda share: triangle_counts(starts, heads, share, shares), range(shares))
    triangles = sum(parts, np.zeros(graph.n, np.int64))
    pairs = _wedges_at(graph)[order]
    total, paths = int(triangles.sum()), int(pairs.sum())
    local = triangles / np.maximum(pairs, 1)
    return Clustering(total // 3, total / paths if paths else 0.0, float(local.mean()) if graph.n else 0.0)


def _sampled(graph: Graph, drawn: int, rng: np.random.Generator) -> Clustering:
    reach = np.cumsum(_wedges_at(graph))
    paths = int(reach[-1]) if graph.n else 0
    if not paths:
        return Clustering(0, 0.0, 0.0)
    anywhere = _closed(graph, np.searchsorted(reach, rng.integers(paths, size=drawn), side="right"), rng)
    local = _closed(graph, rng.integers(graph.n, size=drawn), rng)
    low, high = _binomial_interval(anywhere, drawn)
    intervals = {
        "triangles": (low * paths / 3, high * paths / 3),
        "transitivity": (low, high),
        "mean_local": _binomial_interval(local, drawn),
    }
    share = anywhere / drawn
    return Clustering(round(share * paths / 3), share, local / drawn, drawn, intervals)


def _closed(graph: Graph, centers: NDArray[np.int64], rng: np.random.Generator) -> int:
    """Draw a wedge at each center and return how many are closed."""
    from entrenous.graph.measures import _kernels

    # A fixed number of shares: what is drawn must not depend on the number of threads.
    shares = zip(np.array_split(centers, _SHARES), rng.spawn(_SHARES), strict=True)
    found = map_in_threads(
        lambda share: _kernels.closed_wedges(graph.indptr, graph.indices, *share), list(shares)
    )
    return int(sum(found))


def _wedges_at(graph: Graph) -> NDArray[np.int64]:
    """Return the number of pairs of neighbours of each node."""
    return graph.degrees * (graph.degrees - 1) // 2


def _binomial_interval(hits: int, draws: int) -> Interval:
    """Return the 95 % interval of Clopper and Pearson for a share."""
    from scipy.special import betaincinv

    low = float(betaincinv(hits, draws - hits + 1, 0.025)) if hits else 0.0
    high = float(betaincinv(hits + 1, draws - hits, 0.975)) if hits < draws else 1.0
    return low, high
