"""What the default mechanism is worth on a real graph."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.real_data import DATA

from entrenous.graph import Graph
from entrenous.network import release


@cache
def polblogs() -> Graph:
    return Graph.read(DATA / "graphs" / "polblogs.edges.gz")


def kolmogorov_smirnov(first: np.ndarray, second: np.ndarray) -> float:
    most = max(first.max(), second.max()) + 1
    laws = (np.cumsum(np.bincount(each, minlength=most)) / len(each) for each in (first, second))
    return float(np.abs(np.subtract(*laws)).max())


@pytest.mark.data
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_edge_owners_beat_degrees_alone(seed: int) -> None:
    graph = polblogs()
    owned = release(graph, epsilon=1.0, rng=seed)
    degrees_alone = release(graph, epsilon=1.0, method="chung-lu", rng=seed)
    entropy = owned.private["model"].cross_entropy(graph.edges())
    assert entropy < degrees_alone.private["model"].cross_entropy(graph.edges()) - 1
    assert entropy < 43.5
    assert kolmogorov_smirnov(owned.artifact.degrees, graph.degrees) < 0.1
