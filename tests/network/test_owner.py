from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrenous import datasets
from entrenous.graph import Graph
from entrenous.network import release
from entrenous.network.drawing.deconvolution import DegreeEstimate
from entrenous.network.mechanism import Request as Order
from entrenous.network.mechanism import noisy_size
from entrenous.network.mechanisms import owner
from entrenous.network.mechanisms.owner import Plan, draw_graph, plan, slots_for
from entrenous.noise import Noise


@given(st.floats(1e-3, 100), st.integers(2, 10**7), st.integers(1, 10**9))
def test_a_plan_spends_what_there_is_and_no_more(epsilon: float, n: int, edges: int) -> None:
    chosen = plan(epsilon, n, edges)
    parts = (chosen.size, chosen.structure, chosen.counts, chosen.degrees, chosen.triangles, chosen.law)
    assert min(parts) >= 0
    assert chosen.degrees > 0
    total = sum(map(Fraction, parts))
    assert abs(total - Fraction(epsilon)) <= Fraction(epsilon) / 10**14


@given(st.floats(1e-3, 100), st.integers(2, 10**7), st.floats(0, 1e9))
def test_slots_are_never_more_than_nodes_or_words_allow(epsilon: float, n: int, edges: float) -> None:
    assert 1 <= slots_for(epsilon, n, edges) <= min(64, n)


def test_shares_divide_what_the_size_leaves() -> None:
    divided = Plan.of_shares(1.0, (0.5, 0.1, 0.4), size=0.2)
    assert (divided.structure, divided.counts + divided.triangles, divided.degrees + divided.law) == (
        pytest.approx((0.4, 0.08, 0.32))
    )
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
        outcome = owner.run(graph, Order(3.0, shares=(share, 0.1, 0.9 - share)), Noise(1))
        slot = outcome.private["slots"]
        expected = ((np.bincount(slot) / 200) ** 2).sum()
        inside[share] = (slot[a] == slot[b]).mean() - expected
    assert inside[0.8] > 0.3
    assert abs(inside[1e-3]) < 0.1


def test_a_drawn_graph_has_the_wished_degrees_and_keeps_its_cells() -> None:
    rng = np.random.default_rng(4)
    wished = rng.geometric(0.2, size=400)
    values, times = np.unique(wished, return_counts=True)
    degrees = DegreeEstimate(wished, wished.astype(float), values, times / 400)
    slot = np.repeat([0, 1], 200)
    volume = np.bincount(slot, wished)
    cells = np.array([[0.45 * volume[0], 0.05 * volume.sum()], [0.0, 0.45 * volume[1]]])
    edges = draw_graph(degrees, slot, np.zeros(400, np.int64), cells, rng)
    graph = Graph.from_edges(edges, n=400)
    assert np.abs(np.sort(graph.degrees) - np.sort(wished)).mean() < 0.3
    assert np.abs(graph.degrees - wished).mean() < 0.6
    u, v = graph.edges().T
    assert (slot[u] == slot[v]).mean() == pytest.approx(0.9, abs=0.05)


def test_the_noisy_size_has_sensitivity_one_and_is_at_least_one() -> None:
    graph = Graph.from_edges([(i, i + 1) for i in range(1000)])
    noise = Noise(1)
    sizes = np.array([noisy_size(graph, epsilon=0.5, noise=noise) for _ in range(4000)])
    ratio = np.exp(-0.5)
    assert sizes.mean() == pytest.approx(1000, abs=0.25)
    assert sizes.var() == pytest.approx(2 * ratio / (1 - ratio) ** 2, rel=0.15)
    empty = Graph.from_edges([], n=5)
    assert min(noisy_size(empty, epsilon=0.5, noise=noise) for _ in range(50)) == 1


@pytest.mark.parametrize(("epsilon", "shares"), [(1e-5, None), (1.0, (0.5, 1e-9, 0.5 - 1e-9))])
def test_triangles_that_noise_would_drown_are_not_measured(
    epsilon: float, shares: tuple[float, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a ladder this wide takes hours to draw")

    monkeypatch.setattr(owner, "measured_triangles", refuse)
    made = release(datasets.karate_club(), epsilon=epsilon, shares=shares, rng=1)
    assert made.artifact.n == 34
    with pytest.raises(AssertionError, match="ladder"):
        release(datasets.karate_club(), epsilon=1.0, rng=1)


def test_shares_that_nothing_would_use_go_to_what_is_used() -> None:
    """Triangles that noise drowns leave theirs to degrees; so do cells where a graph is too small for groups."""
    drowned = Plan.of_shares(1e-3, (0.5, 0.1, 0.4))
    assert drowned.triangles == 0
    assert drowned.degrees + drowned.law == pytest.approx(0.45e-3)
    sparse = plan(1.0, 100, 150)
    assert sparse.counts == sparse.structure == 0
    assert sparse.degrees > 0.8
    single = Plan(0.0, 0.1, 0.5, 0.1).without_cells()
    assert (single.counts, single.triangles) == (0.0, 0.2)
    assert Plan(0.0, 0.1, 0.5, 0.0).without_cells().triangles == 0


def test_a_card_prints_what_was_spent() -> None:
    made = owner.run(datasets.karate_club(), Order(0.1, shares=(0.0, 0.4, 0.6)), Noise(1))
    assert made.parameters["epsilon for counts"] == 0
    assert made.parameters["degree strata"] == made.parameters["slots"] == 1
    spent = [value for name, value in made.parameters.items() if name.startswith("epsilon for")]
    assert sum(spent) == pytest.approx(0.1, abs=1e-5)
