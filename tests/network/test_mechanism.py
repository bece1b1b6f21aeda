"""What several mechanisms ask for."""

from __future__ import annotations

import pytest

from entrenous.desk import desk
from entrenous.graph import Graph
from entrenous.network.mechanism import Request, ask_degrees


@pytest.mark.parametrize("epsilon", [1e-6, 1e-2, 50.0])
@pytest.mark.parametrize("edges", [[], [(0, 1)], [(0, 1), (0, 2), (1, 2)]])
def test_any_tails_give_a_distribution(epsilon: float, edges: list[tuple[int, int]]) -> None:
    asked = desk(Graph.from_edges(edges, n=3), unit="edge", epsilon=2.1 * epsilon, rng=4)
    found = ask_degrees(asked, Request(2.1 * epsilon, n=3), epsilon=epsilon, tails_epsilon=epsilon)
    assert found.distribution.min() >= 0
    assert found.distribution.sum() == pytest.approx(1)
    assert 0 <= found.mean.min() <= found.mean.max() <= 2
    assert asked.parts == pytest.approx({"degrees": epsilon, "the degree distribution": epsilon})


@pytest.mark.parametrize("seen", [False, True])
def test_nodes_known_to_have_a_tie_have_one(seen: bool) -> None:
    asked = desk(Graph.from_edges([(0, 1)], n=40), unit="edge", epsilon=1.0, rng=4)
    found = ask_degrees(asked, Request(1.0, n=40, seen=seen), epsilon=1.0)
    assert (found.mean.min() >= 1) == seen
