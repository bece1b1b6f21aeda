from __future__ import annotations

import numpy as np
from tests.network import tiny

from entrenous.graph import Graph
from entrenous.network.statistics import Tails
from entrenous.noise import Noise
from entrenous.unit import Unit


def test_tails_count_the_nodes_of_each_degree_or_more() -> None:
    star = Graph.from_edges([(0, 1), (0, 2), (0, 3), (2, 3)], n=6)
    assert Tails(0, 3, 1e6).draw(star, Unit.EDGE, Noise(1)).tolist() == [4, 3, 1]
    assert Tails(1, 2, 1e6).draw(star, Unit.EDGE, Noise(1)).tolist() == [3]


def test_a_histogram_in_the_place_of_tails_would_cost_twice_as_much() -> None:
    histograms = [np.bincount(graph.degrees, minlength=5) for graph in tiny.graphs(5)]
    most = max(int(np.abs(histograms[g] - histograms[h]).sum()) for g, h in tiny.neighbours(5))
    assert most == 2 * Tails(0, 4, 1.0).sensitivity(Unit.EDGE)
