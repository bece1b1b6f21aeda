from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import naive

from entrenous.graph import Graph
from entrenous.network.drawing._kernels import edge_table, settle_degrees
from entrenous.network.drawing._model_kernels import expectations, log_no_edge
from entrenous.network.drawing.model import BlockModel, classify, fit


def a_model(seed: int, n: int = 14) -> BlockModel:
    """Three groups, several classes in each, one node alone in its class."""
    rng = np.random.default_rng(seed)
    group = np.array([0, 0, 1, 1, 2])
    node_class = np.concatenate([[0, 1, 2, 3, 4], rng.integers(0, 4, size=n - 5)])
    affinity = rng.uniform(0.1, 3.0, size=(3, 3))
    size = np.bincount(node_class, minlength=5).astype(float)
    return BlockModel(node_class, size, group, rng.uniform(0.05, 2.0, size=5), affinity + affinity.T)


def probabilities(model: BlockModel) -> np.ndarray:
    return naive.pair_probabilities(model.node_class, model.group, model.propensity, model.affinity)


@pytest.mark.parametrize("seed", range(5))
def test_expectations_agree_with_all_pairs_of_nodes(seed: int) -> None:
    model = a_model(seed)
    p = probabilities(model)
    degree, cell = expectations(model.propensity, model.size, model.group, model.affinity)
    np.testing.assert_allclose(degree[model.node_class], p.sum(axis=1))
    of_node = model.group[model.node_class]
    expected = np.zeros((3, 3))
    for u, v in zip(*np.triu_indices(len(p), 1), strict=True):
        low, high = sorted((of_node[u], of_node[v]))
        expected[low, high] += p[u, v]
    np.testing.assert_allclose(cell, expected)


@pytest.mark.parametrize("seed", range(5))
def test_cross_entropy_agrees_with_all_pairs_of_nodes(seed: int) -> None:
    model = a_model(seed)
    p = probabilities(model)[np.triu_indices(14, 1)]
    present = np.random.default_rng(seed).random(len(p)) < 0.4
    graph = Graph.from_edges(np.column_stack(np.triu_indices(14, 1))[present], n=14)
    no_edge = log_no_edge(model.propensity, model.size, model.group, model.affinity)
    assert no_edge == pytest.approx(-np.log1p(-p).sum())
    assert model.cross_entropy(graph.edges()) == pytest.approx(
        -np.log(np.where(present, p, 1 - p)).sum() / 14
    )


@pytest.mark.long
def test_drawn_graphs_have_the_expected_counts() -> None:
    model, draws = a_model(3), 4000
    p = probabilities(model)
    rng = np.random.default_rng(5)
    seen = np.zeros_like(p)
    for _ in range(draws):
        u, v = model.draw(rng).T
        assert len(set(zip(u.tolist(), v.tolist(), strict=True))) == len(u)
        seen[u, v] += 1
    seen += seen.T
    spread = np.sqrt(draws * p * (1 - p)) + 1e-9
    assert np.abs((seen - draws * p) / spread).max() < 5
    assert np.abs((seen - draws * p * 1.1) / spread).max() > 5


def test_a_fit_reaches_target_degrees_and_cells() -> None:
    rng = np.random.default_rng(7)
    group = np.repeat([0, 1, 2], 60)
    degrees = rng.uniform(1.0, 12.0, size=180)
    share = np.array([[0.25, 0.1, 0.05], [0.0, 0.25, 0.1], [0.0, 0.0, 0.25]])
    model = fit(group, degrees, share * degrees.sum() / 2)
    degree, cell = expectations(model.propensity, model.size, model.group, model.affinity)
    np.testing.assert_allclose(cell, share * degrees.sum() / 2, rtol=0.1)
    assert np.corrcoef(degree[model.node_class], degrees)[0, 1] > 0.99
    alone = fit(group, degrees)
    assert (alone.affinity == 1).all()
    reached = expectations(alone.propensity, alone.size, alone.group, alone.affinity)[0][alone.node_class]
    np.testing.assert_allclose(reached, degrees, rtol=0.08, atol=0.3)


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1e4)), min_size=1, max_size=40))
def test_classes_are_of_one_group_and_about_one_degree(nodes: list[tuple[int, float]]) -> None:
    group, degrees = np.array([g for g, _ in nodes]), np.array([d for _, d in nodes])
    node_class, size, class_group, mean = classify(group, degrees)
    np.testing.assert_array_equal(np.bincount(node_class), size)
    np.testing.assert_array_equal(class_group[node_class], group)
    assert (np.abs(mean[node_class] - degrees) <= 0.51 + 0.09 * degrees).all()


@pytest.mark.parametrize("target", [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [2.0, 2.0, 2.0], [1e-3, 1e-3, 1e-3]])
def test_targets_at_the_edge_of_the_possible_give_a_graph(target: list[float]) -> None:
    model = fit(np.zeros(3, np.int64), np.array(target))
    assert len(model.draw(np.random.default_rng(1))) <= 3


@st.composite
def targets(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A graph, a target degree for each node, and a group for each node."""
    n = draw(st.integers(2, 16))
    pairs = draw(st.lists(st.sampled_from([(u, v) for v in range(n) for u in range(v)]), unique=True))
    target = draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))
    group = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return np.array(pairs, np.int32).reshape(-1, 2), np.array(target), np.array(group)


@pytest.mark.long
@settings(max_examples=200)
@given(targets(), st.integers(0, 9))
def test_settling_keeps_graphs_simple_and_moves_degrees_nearer(
    drawn: tuple[np.ndarray, np.ndarray, np.ndarray], seed: int
) -> None:
    edges, target, group = drawn
    n = len(target)
    before = np.bincount(edges.ravel(), minlength=n)
    degree, settled, table = before.copy(), edges.copy(), edge_table(edges, n, len(edges))
    rng = np.random.default_rng(seed)
    moved = 0
    for label in (group, np.zeros(n, np.int64)):
        earlier = np.bincount(label, degree, minlength=3)
        moved += settle_degrees(settled, degree, target, label, 3, table, rng)
        np.testing.assert_array_equal(np.bincount(label, degree, minlength=3), earlier)
    np.testing.assert_array_equal(degree, np.bincount(settled.ravel(), minlength=n))
    simple = {tuple(sorted(edge)) for edge in settled.tolist() if edge[0] != edge[1]}
    assert len(simple) == len(edges)
    assert np.abs(degree - target).sum() == np.abs(before - target).sum() - 2 * moved
    assert (np.abs(degree - target) <= np.abs(before - target)).all()


def test_settling_reaches_what_can_be_reached() -> None:
    rng = np.random.default_rng(2)
    graph = Graph.from_edges(rng.integers(0, 300, size=(900, 2)), n=300, clean=True)
    edges, degree = graph.edges().copy(), graph.degrees.copy()
    target = rng.permutation(degree)
    before = np.abs(degree - target).sum()
    settle_degrees(edges, degree, target, np.zeros(300, np.int64), 1, edge_table(edges, 300, len(edges)), rng)
    assert np.abs(degree - target).sum() < 0.1 * before
