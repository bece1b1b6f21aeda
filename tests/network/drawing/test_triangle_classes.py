from __future__ import annotations

import numpy as np
import pytest

from entrenous.graph import Graph
from entrenous.network.drawing._kernels import adjacency
from entrenous.network.drawing.triangle_classes import TriangleCounts, class_cuts, class_shares


@pytest.mark.parametrize("seed", range(4))
def test_adjacency_of_drawn_edges_is_that_of_a_graph(seed: int) -> None:
    graph = Graph.from_edges(np.random.default_rng(seed).integers(0, 14, size=(60, 2)), n=14, clean=True)
    edges = np.random.default_rng(seed).permutation(graph.edges())
    indptr, indices = adjacency(edges.astype(np.int32), graph.n)
    assert indptr.tolist() == graph.indptr.tolist()
    for v in range(graph.n):
        row = slice(indptr[v], indptr[v + 1])
        assert sorted(indices[row]) == graph.indices[row].tolist()


def test_drowned_counts_join_the_next_class() -> None:
    def pooled(*noisy: int) -> list[int]:
        counts = TriangleCounts(np.array([5.0, 9.0]), np.array(noisy), np.full(3, 10.0), 0.4)
        return counts.pooled().tolist()

    assert pooled(1000, 1000, 1000) == [0, 1, 2]
    assert pooled(1000, 1000, -50) == [0, 1, 2]
    assert pooled(3, 1000, 1000) == [0, 0, 1]
    assert pooled(3, -5, 1000) == [0, 0, 0]


def test_more_epsilon_and_more_edges_tell_more_classes_apart() -> None:
    noisy = np.random.default_rng(1).geometric(0.05, size=1000)
    found = [
        len(class_cuts(noisy, edges=edges, epsilon=epsilon, degrees_epsilon=1.0))
        for edges, epsilon in ((1000, 0.1), (10_000, 0.5), (100_000, 1.0))
    ]
    assert found == [0, 1, 2]
    assert [len(class_shares(1.0, cuts + 1)) for cuts in found] == [1, 2, 3]
