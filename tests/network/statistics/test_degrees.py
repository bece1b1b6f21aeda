from __future__ import annotations

import math

import numpy as np
import pytest

from entrenous.graph import Graph
from entrenous.network.statistics import Degrees, LargestDegree
from entrenous.noise import Noise
from entrenous.unit import Unit


def test_noise_is_for_a_sensitivity_of_two() -> None:
    """The spread of noisy degrees is that of scale 2 / epsilon; 30 % less or more would be noticed."""
    graph = Graph.from_edges([], n=20_000)
    noisy = Degrees(0.5).draw(graph, Unit.EDGE, Noise(6))
    ratio = math.exp(-0.25)
    assert np.var(noisy) == pytest.approx(2 * ratio / (1 - ratio) ** 2, rel=0.1)


def test_the_largest_degree_is_that_of_the_graph() -> None:
    star = Graph.from_edges([(0, i) for i in range(1, 9)])
    assert LargestDegree(1e6).draw(star, Unit.EDGE, Noise(1)) == 8
    assert LargestDegree(1e6).draw(Graph.from_edges([], n=0), Unit.EDGE, Noise(1)) == 0
