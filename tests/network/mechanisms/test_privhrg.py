"""PrivHRG: a chain of a fixed length, a promise that hangs on it, and more structure for more budget."""

from __future__ import annotations

import numpy as np
import pytest

from entrenous.desk import desk
from entrenous.graph import Graph
from entrenous.network.mechanism import Outcome, Request
from entrenous.network.mechanisms import privhrg


def made(graph: Graph, request: Request, seed: int = 1) -> Outcome:
    return privhrg.run(desk(graph, unit="edge", epsilon=request.epsilon, rng=seed), request)


def test_more_budget_finds_more_structure() -> None:
    """Two cliques of twelve: with epsilon 100 the model is nearly exact, with 0.1 it knows the density at best."""
    cliques = [(u + s, v + s) for s in (0, 12) for v in range(12) for u in range(v)]
    graph = Graph.from_edges(cliques, n=24)
    rich, poor = (
        made(graph, Request(epsilon, n=24), seed=2).model.cross_entropy(graph.edges())
        for epsilon in (100.0, 0.1)
    )
    assert rich < 2
    assert poor > 5


@pytest.mark.parametrize("utility", ["clipped", "published"])
def test_the_number_of_steps_is_fixed_in_advance(utility: str) -> None:
    for m in (0, 5, 60):
        graph = Graph.from_edges(np.random.default_rng(m).integers(0, 20, size=(m, 2)), n=20, clean=True)
        seen: list[tuple[int, int]] = []

        def note(done: int, total: int, seen: list[tuple[int, int]] = seen) -> None:
            seen.append((done, total))

        outcome = made(graph, Request(1.0, n=20, utility=utility, progress=note))
        assert outcome.parameters["steps"] == privhrg.STEPS_PER_NODE * 20
        assert seen[-1] == (privhrg.STEPS_PER_NODE * 20,) * 2
