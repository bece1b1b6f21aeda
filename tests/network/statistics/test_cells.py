from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from entrenous.graph import Graph
from entrenous.network.statistics import Cells
from entrenous.noise import Noise
from entrenous.unit import Unit


@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 99))
def test_every_edge_is_in_one_cell(n: int, groups: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(rng.integers(0, n, size=(20, 2)), n=n, clean=True)
    group = rng.integers(0, groups, size=n)
    expected = np.zeros((groups, groups), int)
    for u, v in graph.edges().tolist():
        expected[min(group[u], group[v]), max(group[u], group[v])] += 1
    noisy = Cells(group, groups, 1e4).draw(graph, Unit.EDGE, Noise(1))
    np.testing.assert_array_equal(noisy, expected)
