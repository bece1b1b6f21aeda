"""tmf: "keeps true edges when epsilon is of the order of ln n, in time linear in the edges", as its paper says."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest
from tests.network.planted import planted

from entrenous.graph import Graph
from entrenous.network import release


def recall(graph: Graph, epsilon: float) -> float:
    made = release(graph, epsilon=epsilon, method="tmf", rng=3).artifact
    return len(set(map(tuple, made.edges().tolist())) & set(map(tuple, graph.edges().tolist()))) / graph.m


def test_true_edges_are_kept_at_large_epsilon_only() -> None:
    graph = planted(10, 30, 0.3, 0.005)
    assert recall(graph, 1.0) < 0.15
    assert recall(graph, 4.0) < 0.75
    assert recall(graph, 12.0) > 0.97
    assert recall(graph, 60.0) == 1.0


def test_a_large_graph_is_filtered_without_its_matrix() -> None:
    n = 300_000  # 45 thousand million pairs
    graph = Graph.from_edges(np.column_stack([np.arange(n - 1), np.arange(1, n)]), n=n)
    tracemalloc.start()
    start = time.process_time()
    made = release(graph, epsilon=2.0, method="tmf", rng=1).artifact
    seconds, (_, peak) = time.process_time() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert made.m == pytest.approx(graph.m, rel=0.02)
    assert peak < 500e6
    assert seconds < 30
