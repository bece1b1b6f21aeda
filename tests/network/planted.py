"""Graphs with planted structure."""

from __future__ import annotations

import numpy as np

from entrenous.graph import Graph


def planted(communities: int, size: int, inside: float, across: float, seed: int = 1) -> Graph:
    """A graph with planted communities."""
    rng = np.random.default_rng(seed)
    n = communities * size
    u, v = np.triu_indices(n, 1)
    chance = np.where(u // size == v // size, inside, across)
    tied = rng.random(len(u)) < chance
    return Graph.from_edges(np.column_stack([u[tied], v[tied]]), n=n)


def cliques(count: int, size: int) -> Graph:
    pairs = [(size * c + i, size * c + j) for c in range(count) for j in range(size) for i in range(j)]
    return Graph.from_edges(pairs, n=count * size)
