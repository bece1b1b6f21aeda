from __future__ import annotations

import numpy as np
import pytest

from entrenous.graph import Graph
from entrenous.network.statistics import Size
from entrenous.noise import Noise
from entrenous.unit import Unit


def test_the_noisy_size_has_sensitivity_one_and_is_at_least_one() -> None:
    graph = Graph.from_edges([(i, i + 1) for i in range(1000)])
    noise, asked = Noise(1), Size(0.5)
    sizes = np.array([asked.draw(graph, Unit.EDGE, noise) for _ in range(4000)])
    ratio = np.exp(-0.5)
    assert sizes.mean() == pytest.approx(1000, abs=0.25)
    assert sizes.var() == pytest.approx(2 * ratio / (1 - ratio) ** 2, rel=0.15)
    empty = Graph.from_edges([], n=5)
    assert min(asked.draw(empty, Unit.EDGE, noise) for _ in range(50)) == 1
