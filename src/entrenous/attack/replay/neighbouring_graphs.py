"""Graphs that differ in one tie: at random, where a tie should tell most, and near the worst found so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from entrenous.graph import Graph

__all__ = ["Neighbour", "near", "telling_neighbours"]

_TRIED = 200  # pairs at random of which those with most common neighbours are taken


@dataclass(frozen=True)
class Neighbour:
    """A pair of nodes whose tie is there or not."""

    u: int
    v: int

    def of(self, graph: Graph) -> Graph:
        """Return the graph with this tie added, or taken away if it has it."""
        edges = graph.edges()
        if graph.has_edge(self.u, self.v):
            gone = (edges == sorted((self.u, self.v))).all(axis=1)
            return graph.with_edges(edges[~gone])
        return graph.with_edges(np.vstack([edges, [[self.u, self.v]]]))

    def change(self, graph: Graph) -> str:
        """Say what differs, without saying who."""
        return "one tie less" if graph.has_edge(self.u, self.v) else "one tie more"


def telling_neighbours(graph: Graph, count: int, rng: np.random.Generator) -> Iterator[Neighbour]:
    """Yield neighbours: by turns ties and pairs at random, best connected and loneliest nodes, many common neighbours.

    >>> club = Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])
    >>> len({(each.u, each.v) for each in telling_neighbours(club, 5, np.random.default_rng(1))})
    5
    """
    by_degree = np.argsort(graph.degrees, kind="stable")
    kinds = (_tie, _pair, _hubs, _loners, _close)
    seen: set[tuple[int, int]] = set()
    most = min(count, graph.n * (graph.n - 1) // 2)
    for turn in range(50 * count):
        if len(seen) == most:
            return
        u, v = sorted(kinds[turn % len(kinds)](graph, by_degree, rng))
        if u != v and (u, v) not in seen:
            seen.add((u, v))
            yield Neighbour(u, v)


def near(graph: Graph, worst: Neighbour, rng: np.random.Generator) -> Neighbour:
    """Return a neighbour that shares an end with the worst one so far; the other end is drawn anew."""
    kept = (worst.u, worst.v)[int(rng.integers(2))]
    around = graph.neighbors(kept)
    other = int(rng.choice(around)) if len(around) and rng.random() < 0.5 else int(rng.integers(graph.n))
    if other == kept:
        other = (kept + 1) % graph.n
    return Neighbour(*sorted((kept, other)))


def _tie(graph: Graph, _: np.ndarray, rng: np.random.Generator) -> tuple[int, int]:
    if not graph.m:
        return _pair(graph, _, rng)
    u, v = graph.edges()[int(rng.integers(graph.m))].tolist()
    return u, v


def _pair(graph: Graph, _: np.ndarray, rng: np.random.Generator) -> tuple[int, int]:
    u, v = rng.integers(graph.n, size=2).tolist()
    return u, v


def _hubs(graph: Graph, by_degree: np.ndarray, rng: np.random.Generator) -> tuple[int, int]:
    u, v = by_degree[-1 - rng.integers(min(graph.n, 20), size=2)].tolist()
    return u, v


def _loners(graph: Graph, by_degree: np.ndarray, rng: np.random.Generator) -> tuple[int, int]:
    u, v = by_degree[rng.integers(min(graph.n, 20), size=2)].tolist()
    return u, v


def _close(graph: Graph, _: np.ndarray, rng: np.random.Generator) -> tuple[int, int]:
    """Return the pair with most common neighbours among some that have one."""
    best, most = _pair(graph, _, rng), -1
    for _turn in range(_TRIED):
        middle = graph.neighbors(int(rng.integers(graph.n)))
        if len(middle) < 2:
            continue
        u, v = rng.choice(middle, size=2, replace=False).tolist()
        common = len(np.intersect1d(graph.neighbors(u), graph.neighbors(v), assume_unique=True))
        if common > most:
            best, most = (u, v), common
    return best
