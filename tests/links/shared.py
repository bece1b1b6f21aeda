"""What several tests of links share: the two triangles of the specification, random graphs, and real ones."""

from __future__ import annotations

from functools import cache

import numpy as np
from tests.real_data import DATA

from entrenous.graph import Graph
from entrenous.hrg import Dendrogram

EDGES = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)]
G0 = Graph.from_edges(EDGES, n=6)
T2 = Dendrogram.from_nested((((0, 1), 2), (3, (4, 5))))


def random_graph(n: int, density: float, seed: int) -> Graph:
    chosen = np.triu(np.random.default_rng(seed).random((n, n)) < density, 1)
    return Graph.from_edges(np.argwhere(chosen), n=n)


@cache
def real_graph(name: str) -> Graph:
    return Graph.read(DATA / "graphs" / f"{name}.edges.gz")
