"""Guessing all ties at once, by somebody who knows nothing but released graphs.

Epsilon bounds what a tie itself adds, not what can be said of it from all the others: that hubs are tied is a
statistic, and statistics are what a release is for. So nothing is promised about these guesses; they are set beside
those of somebody who knows everybody's number of ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.tools.roc import Roc
from entrenous.errors import ArgumentError
from entrenous.graph import Graph

__all__ = ["Guess", "guess_edges"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Guess:
    """How well a reader of released graphs guesses all ties.

    Attributes
    ----------
    releases
        How many graphs were read.
    density
        The share of pairs that are tied: how often a blind guess is right.
    precision
        Of the pairs thought likeliest, as many as there are ties, the share that are tied.
    by_degrees
        The same for somebody who knows every person's number of ties, and nothing else.
    roc
        How well ties are told from other pairs.
    """

    releases: int
    density: float
    precision: float
    by_degrees: float
    roc: Roc = field(repr=False)


def guess_edges(graph: Graph, released: Sequence[Graph], *, pairs: int = 500_000, rng: int = 0) -> Guess:
    """Guess all ties of a graph from released ones, and compare with the truth. Private.

    A pair is the likelier tied the more often it is in the releases, and among equals the more ties both have in them.

    Parameters
    ----------
    graph
        The private graph.
    released
        Graphs on the same nodes.
    pairs
        Of more pairs than these, so many without a tie are chosen at random and weighed up.
    rng
        The seed of that choice.

    Examples
    --------
    >>> from entrenous import datasets
    >>> club = datasets.karate_club()
    >>> round(guess_edges(club, [club]).precision, 2)
    1.0
    """
    if not released or any(each.n != graph.n for each in released):
        raise ArgumentError("released", f"expected one graph or more on the same {graph.n} nodes; got others")
    keys, weight = _pairs_looked_at(graph, pairs, rng)
    u, v = np.divmod(keys, graph.n)
    seen = np.zeros(len(keys))
    for each in released:
        seen[np.searchsorted(keys, np.intersect1d(_keys(each), keys))] += 1
    degrees = np.mean([each.degrees for each in released], axis=0)
    tied = np.isin(keys, _keys(graph))
    likely = _products(degrees, u, v)
    score = seen + likely / (1 + likely)  # below 1: it decides among equals
    return Guess(
        releases=len(released),
        density=2 * graph.m / max(graph.n * (graph.n - 1), 1),
        precision=_precision(score, tied, weight),
        by_degrees=_precision(_products(graph.degrees.astype(np.float64), u, v), tied, weight),
        roc=Roc.of_masses(score, np.where(tied, 0.0, weight), np.where(tied, weight, 0.0)),
    )


def _pairs_looked_at(graph: Graph, most: int, rng: int) -> tuple[NDArray[np.int64], FloatArray]:
    """Return pairs, sorted, and for how many pairs each stands: all, or every tie and some others."""
    n = graph.n
    count = n * (n - 1) // 2
    edges = np.sort(_keys(graph))
    if count <= most:
        u, v = np.triu_indices(n, 1)
        return u * n + v, np.ones(count)
    ends = np.random.default_rng(rng).integers(0, n, size=(most, 2))
    ends = np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1)
    others = np.setdiff1d(ends[:, 0] * n + ends[:, 1], edges)
    keys = np.concatenate([edges, others])
    weight = np.repeat([1.0, (count - len(edges)) / len(others)], [len(edges), len(others)])
    order = np.argsort(keys)
    return keys[order], weight[order]


def _keys(graph: Graph) -> NDArray[np.int64]:
    """Return one number per edge, the smaller end first."""
    edges = np.sort(graph.edges().astype(np.int64), axis=1)
    return np.asarray(edges[:, 0] * graph.n + edges[:, 1])


def _products(degrees: FloatArray, u: NDArray[np.int64], v: NDArray[np.int64]) -> FloatArray:
    """Return how many ties two nodes would share if ties were laid at random with these degrees."""
    return np.asarray(degrees[u] * degrees[v] / max(float(degrees.sum()), 1.0))


def _precision(score: FloatArray, tied: NDArray[np.bool_], weight: FloatArray) -> float:
    """Return the share of ties among the likeliest pairs, as many as there are ties; equals count in part."""
    values, place = np.unique(-score, return_inverse=True)
    mass = np.bincount(place, weight, minlength=len(values))
    hits = np.bincount(place, np.where(tied, weight, 0.0), minlength=len(values))
    wanted = float(np.where(tied, weight, 0.0).sum())
    taken = np.clip(wanted - np.concatenate([[0.0], np.cumsum(mass)[:-1]]), 0.0, mass)
    return float((hits * taken / mass).sum() / wanted)
