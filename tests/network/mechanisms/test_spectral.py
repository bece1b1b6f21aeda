"""spectral: the graph that eigenvectors suggest."""

from __future__ import annotations

import numpy as np
import pytest
from tests.network.planted import planted

from entrenous.network import release
from entrenous.network.mechanisms.spectral import largest_entries


def test_eigenvectors_without_noise_rebuild_communities() -> None:
    graph = planted(3, 30, 0.9, 0.02)
    made = release(graph, epsilon=5e5, method="spectral", rng=1).artifact
    u, v = made.edges().T
    assert (u // 30 == v // 30).mean() > 0.95
    assert made.m == graph.m


@pytest.mark.parametrize("count", [1, 30, 1225])
def test_the_largest_entries_are_those_of_the_whole_matrix(count: int) -> None:
    rng = np.random.default_rng(4)
    vectors, values = rng.normal(size=(50, 3)), np.array([2.0, 0.5, -1.0])
    pairs, entries = largest_entries(vectors, values, count)
    whole = (vectors * values) @ vectors.T
    expected = np.sort(whole[np.triu_indices(50, 1)])[::-1][:count]
    np.testing.assert_allclose(np.sort(entries)[::-1], expected, atol=1e-12)
    np.testing.assert_allclose(whole[tuple(pairs.T)], entries, atol=1e-12)
    assert (pairs[:, 0] < pairs[:, 1]).all()
