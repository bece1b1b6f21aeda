from __future__ import annotations

import numpy as np
import pytest

from entrenous.graph import Graph
from entrenous.network.drawing._kernels import edge_table, enter_edges, pair_up
from entrenous.network.drawing.deconvolution import DegreeEstimate
from entrenous.network.drawing.graph import _cells_left, _Targets, _where_sparse, _without_spill, draw_graph
from entrenous.network.drawing.triangle_classes import TriangleCounts, triangles_by_class

N = 1500
ONE = np.zeros(N, dtype=np.int64)


def estimate_of(degrees: np.ndarray) -> DegreeEstimate:
    values, times = np.unique(degrees, return_counts=True)
    return DegreeEstimate(degrees, degrees.astype(float), values.astype(float), times / len(degrees))


def target_degrees() -> np.ndarray:
    return 1 + np.random.default_rng(3).geometric(0.08, size=N)


def draw(noisy: list[int], cuts: list[float], epsilon: float = 50.0) -> Graph:
    counts = TriangleCounts(np.array(cuts), np.array(noisy), np.full(len(noisy), 10.0), epsilon)
    degrees = estimate_of(target_degrees())
    return Graph.from_edges(draw_graph(degrees, ONE, ONE, None, np.random.default_rng(1), counts), n=N)


def count(graph: Graph, cuts: list[float]) -> list[int]:
    label = np.searchsorted(cuts, graph.degrees, side="right")
    return triangles_by_class(graph.indptr, graph.indices, label, len(cuts) + 1).tolist()


@pytest.mark.parametrize("target", [8_000, 20_000, 35_000])
def test_a_drawn_graph_has_the_measured_triangles(target: int) -> None:
    assert count(draw([target], []), []) == pytest.approx([target], rel=0.05)


def test_triangles_of_classes_are_met_each() -> None:
    assert count(draw([9_000, 14_000], [14.0]), [14.0]) == pytest.approx([9_000, 14_000], rel=0.1)


@pytest.mark.parametrize("noisy", [-500, 0, 10**9])
def test_triangles_no_graph_could_have_do_no_harm(noisy: int) -> None:
    graph, target = draw([noisy], []), target_degrees()
    assert np.abs(np.sort(graph.degrees) - np.sort(target)).mean() < 0.3


def test_teams_keep_the_degrees_and_the_cells() -> None:
    target, slot = target_degrees(), np.arange(N) % 2
    volume = np.bincount(slot, target)
    cells = np.array([[0.45 * volume[0], 0.05 * volume.sum()], [0.0, 0.45 * volume[1]]])
    counts = TriangleCounts(np.array([]), np.array([20_000]), np.array([10.0]), 50.0)
    rng = np.random.default_rng(2)
    graph = Graph.from_edges(draw_graph(estimate_of(target), slot, ONE, cells, rng, counts), n=N)
    assert np.abs(np.sort(graph.degrees) - np.sort(target)).mean() < 0.3
    u, v = graph.edges().T
    assert (slot[u] == slot[v]).mean() == pytest.approx(0.9, abs=0.04)


def test_teams_have_no_ties_in_dense_cells() -> None:
    group = np.repeat([0, 1], [10, 100])
    cells = np.array([[40.0, 100.0], [0.0, 300.0]])
    targets = _Targets(np.full(110, 9), group, group, cells)
    ties = np.array([[0, 1], [0, 50], [50, 51]], dtype=np.int32)
    assert _where_sparse(targets, ties).tolist() == [[0, 50], [50, 51]]


def test_what_teams_leave_of_cells_has_the_degrees_that_are_left() -> None:
    group = np.repeat([0, 1], [50, 50])
    cells = np.array([[100.0, 60.0], [0.0, 120.0]])
    targets = _Targets(np.full(100, 6), group, group, cells)
    ties = np.array([[i, i + 1] for i in range(0, 48, 2)], dtype=np.int32)
    left = targets.degrees - np.bincount(ties.ravel(), minlength=100)
    found = _cells_left(targets, ties, left)
    assert found is not None
    ends = (found + found.T).sum(axis=1)
    assert ends == pytest.approx(np.bincount(group, left), rel=1e-3)
    assert found[0, 0] / found[1, 1] < 0.8


def test_edges_enter_a_table_once_whichever_way_round() -> None:
    rng = np.random.default_rng(6)
    first, second = (rng.integers(0, 40, (300, 2)).astype(np.int32) for _ in range(2))
    known = {frozenset(edge) for edge in first.tolist()}
    twin = []
    for edge in second.tolist():
        twin.append(frozenset(edge) not in known)
        known.add(frozenset(edge))
    assert enter_edges(edge_table(first, 40, 600), second, 40).tolist() == twin
    assert 0 < sum(twin) < len(twin)


def test_missing_ends_are_paired_without_loops_or_doubles() -> None:
    rng = np.random.default_rng(4)
    edges = np.array([[0, 1], [2, 3]], dtype=np.int32)
    placed = np.concatenate([edges, np.column_stack([np.arange(4, 60), np.arange(5, 61)])])
    table = edge_table(placed, 200, len(placed))
    missing = np.zeros(200, dtype=np.int64)
    missing[:30] = 2
    made = pair_up(missing, table, rng)
    assert len(made) > 20
    assert (made[:, 0] != made[:, 1]).all()
    pairs = {tuple(sorted(pair)) for pair in made.tolist()}
    assert len(pairs) == len(made)
    assert not pairs & {(0, 1), (2, 3), *((i, i + 1) for i in range(4, 60))}
    assert (np.bincount(made.ravel(), minlength=200) <= missing).all()
    assert len(pair_up(np.zeros(9, dtype=np.int64), table, rng)) == 0


def test_a_class_that_asked_for_too_many_gives_way() -> None:
    """Where the next class has no teams of its own, and more triangles too many than this one asked for."""
    stepped, before = np.array([0.3, 0.0]), np.array([0.28, 0.01])
    target = np.array([100.0, 5000.0])
    for excess, left in ((900.0, 0.14), (50.0, 0.3)):
        settled = _without_spill(stepped, before, target, np.array([0.0, -excess]))
        assert settled.tolist() == [left, 0.0]
    assert _without_spill(np.array([0.3, 0.2]), before, target, np.array([0.0, -900.0]))[0] == 0.3


def test_no_drawing_is_kept_that_is_worse_than_one_without_teams() -> None:
    target = [800, 2_100]
    error = [
        np.abs(np.subtract(count(draw(asked, [8.0]), [8.0]), target)).sum() for asked in (target, [0, 0])
    ]
    assert error[0] <= error[1]


def test_a_drawn_graph_has_the_target_degrees_and_keeps_its_cells() -> None:
    rng = np.random.default_rng(4)
    target = rng.geometric(0.2, size=400)
    values, times = np.unique(target, return_counts=True)
    degrees = DegreeEstimate(target, target.astype(float), values, times / 400)
    slot = np.repeat([0, 1], 200)
    volume = np.bincount(slot, target)
    cells = np.array([[0.45 * volume[0], 0.05 * volume.sum()], [0.0, 0.45 * volume[1]]])
    edges = draw_graph(degrees, slot, np.zeros(400, np.int64), cells, rng)
    graph = Graph.from_edges(edges, n=400)
    assert np.abs(np.sort(graph.degrees) - np.sort(target)).mean() < 0.3
    assert np.abs(graph.degrees - target).mean() < 0.6
    u, v = graph.edges().T
    assert (slot[u] == slot[v]).mean() == pytest.approx(0.9, abs=0.05)
