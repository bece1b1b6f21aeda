"""owner: how epsilon is divided, and what slots and public blocks are worth."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrenous import datasets
from entrenous.desk import desk
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.network import release
from entrenous.network.mechanism import Request
from entrenous.network.mechanisms import owner
from entrenous.network.mechanisms.owner import Plan, plan, slots_for


def asked_for(graph: Graph, request: Request) -> dict[str, float]:
    """What a run asks for, and what each question costs."""
    asked = desk(graph, unit="edge", epsilon=request.epsilon, rng=1)
    owner.run(asked, request)
    return asked.parts


@given(st.floats(1e-3, 100), st.integers(2, 10**7), st.integers(1, 10**9))
def test_a_plan_spends_what_there_is_and_no_more(epsilon: float, n: int, edges: int) -> None:
    chosen = plan(epsilon, n, edges)
    parts = (
        chosen.size,
        chosen.structure,
        chosen.counts,
        chosen.degrees,
        chosen.triangles,
        chosen.distribution,
    )
    assert min(parts) >= 0
    assert chosen.degrees > 0
    total = sum(map(Fraction, parts))
    assert abs(total - Fraction(epsilon)) <= Fraction(epsilon) / 10**14


@given(st.floats(1e-3, 100), st.integers(2, 10**7), st.floats(0, 1e9))
def test_slots_are_never_more_than_nodes_or_words_allow(epsilon: float, n: int, edges: float) -> None:
    assert 1 <= slots_for(epsilon, n, edges) <= min(64, n)


def test_shares_divide_what_the_size_leaves() -> None:
    divided = Plan.of_shares(1.0, (0.5, 0.1, 0.4), size=0.2)
    assert (
        divided.structure,
        divided.counts + divided.triangles,
        divided.degrees + divided.distribution,
    ) == (pytest.approx((0.4, 0.08, 0.32)))
    assert divided.counts == divided.triangles


def test_slots_find_communities_and_not_without_budget() -> None:
    """Four groups of fifty, dense inside: with budget most ties fall inside slots, more than chance would have."""
    rng = np.random.default_rng(1)
    community = np.repeat(np.arange(4), 50)
    u, v = np.triu_indices(200, 1)
    tied = rng.random(len(u)) < np.where(community[u] == community[v], 0.5, 0.01)
    graph = Graph.from_edges(np.column_stack([u, v])[tied], n=200)
    a, b = graph.edges().T
    inside = {}
    for share in (0.8, 1e-3):
        request = Request(3.0, n=200, shares=(share, 0.1, 0.9 - share))
        outcome = owner.run(desk(graph, unit="edge", epsilon=3.0, rng=1), request)
        slot = outcome.private["slots"]
        expected = ((np.bincount(slot) / 200) ** 2).sum()
        inside[share] = (slot[a] == slot[b]).mean() - expected
    assert inside[0.8] > 0.3
    assert abs(inside[1e-3]) < 0.1


@pytest.mark.parametrize(("epsilon", "shares"), [(1e-5, None), (1.0, (0.5, 1e-9, 0.5 - 1e-9))])
def test_triangles_that_noise_would_drown_are_not_asked_for(
    epsilon: float, shares: tuple[float, ...] | None
) -> None:
    """A ladder that wide takes hours to draw."""
    assert "triangles" not in asked_for(datasets.karate_club(), Request(epsilon, n=34, shares=shares))
    assert "triangles" in asked_for(datasets.karate_club(), Request(1.0, n=34))


def test_shares_that_nothing_would_use_go_to_what_is_used() -> None:
    """Triangles that noise drowns leave theirs to degrees; so do cells where a graph is too small for groups."""
    drowned = Plan.of_shares(1e-3, (0.5, 0.1, 0.4))
    assert drowned.triangles == 0
    assert drowned.degrees + drowned.distribution == pytest.approx(0.45e-3)
    sparse = plan(1.0, 100, 150)
    assert sparse.counts == sparse.structure == 0
    assert sparse.degrees > 0.8
    single = Plan(0.0, 0.1, 0.5, 0.1).without_cells()
    assert (single.counts, single.triangles) == (0.0, 0.2)
    assert Plan(0.0, 0.1, 0.5, 0.0).without_cells().triangles == 0


def test_what_is_not_spent_on_one_cell_is_not_spent() -> None:
    parts = asked_for(datasets.karate_club(), Request(0.1, n=34, shares=(0.0, 0.4, 0.6)))
    assert list(parts) == ["degrees", "the degree distribution", "triangles"]
    assert sum(parts.values()) == pytest.approx(0.1)


def test_a_release_brings_the_tree_of_its_slots() -> None:
    """Four cliques, two and two tied to each other: the tree says so."""
    rng = np.random.default_rng(1)
    block = np.arange(80) // 20
    pairs = [(u, v) for v in range(80) for u in range(v)]
    chance = np.array(
        [[0.9, 0.3, 0.02, 0.02], [0.3, 0.9, 0.02, 0.02], [0.02, 0.02, 0.9, 0.3], [0.02, 0.02, 0.3, 0.9]]
    )
    edges = [(u, v) for u, v in pairs if rng.random() < chance[block[u], block[v]]]
    made = release(Graph.from_edges(edges, n=80), epsilon=20.0, hierarchy=block, rng=1)
    assert made.private["slot tree"] == Dendrogram.from_nested(((0, 1), (2, 3)))
