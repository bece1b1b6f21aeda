from __future__ import annotations

import importlib.util
import math
import random
from types import ModuleType

import igraph
import numpy as np
import pytest
from hypothesis import given, settings
from tests.graph.strategies import graphs
from tests.real_data import DATA

from entrenous.errors import ArgumentError
from entrenous.graph import Graph, compare, measure
from entrenous.graph.conversion import seeded_igraph
from entrenous.graph.measures.comparison import (
    hellinger,
    kolmogorov_smirnov,
    kullback_leibler,
    total_variation,
    wasserstein,
)

CHANCE = {"mod_RE", "mod_orig", "mod_synth", "mod_transfer", "cd_NMI", "cd_ARI", "nmi_ceiling"}


def rewired(graph: Graph, seed: int) -> Graph:
    other = graph.to_igraph()
    with seeded_igraph(seed):
        other.rewire(n=graph.m)
    return Graph.from_igraph(other)


def test_distances_of_histograms() -> None:
    first, second = np.array([2.0, 2.0]), np.array([0.0, 1.0, 3.0])
    assert total_variation(first, second) == pytest.approx(0.75)
    assert kolmogorov_smirnov(first, second) == pytest.approx(0.75)
    assert wasserstein(first, second) == pytest.approx(1.25)
    assert hellinger(first, second) == pytest.approx(math.sqrt(1 - math.sqrt(0.125)))
    assert kullback_leibler(first, first * 7) == pytest.approx(0)
    assert kullback_leibler(first, second) > 10


@settings(deadline=None, max_examples=30)
@given(graphs())
def test_a_graph_is_no_different_from_itself(graph: Graph) -> None:
    found = compare(graph, graph)
    errors = [found[name] for name in found if name.endswith("_RE")]
    assert all(value == 0 or math.isnan(value) for value in errors)
    assert found["edge_recall"] == (1 if graph.m else 0)
    assert len(found) == len(list(found)) == len(dict(found))
    if graph.n:
        assert found["deg_KS"] == found["evc_MAE@all"] == 0
        assert found["evc_overlap@1%"] == 1
        assert found["cd_NMI"] == pytest.approx(found["nmi_ceiling"], abs=0.2)


def test_what_changed_is_seen() -> None:
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 21)], n=25)
    path = star.with_edges([(node, node + 1) for node in range(20)])
    found = compare(star, path)
    assert found["edges_RE"] == 0
    assert found["edge_recall"] == pytest.approx(1 / 20)
    assert found["max_deg_RE"] == pytest.approx(0.9)
    assert found["lambda1_orig"] == pytest.approx(math.sqrt(20))
    assert found["diam_RE"] == pytest.approx(9)
    assert (found["isolated_orig"], found["isolated_synth"]) == (4, 4)
    assert found.original.m == found.released.m == 20
    assert found.released.paths is not None
    assert found.released.paths.diameter == 20


def test_an_empty_release_can_be_compared() -> None:
    graph = Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])
    found = compare(graph, graph.with_edges([]))
    assert found["edges_RE"] == pytest.approx(1)
    assert math.isnan(found["dist_KS"])
    assert found["reach_synth"] == 0


def test_names_are_put_in_order() -> None:
    original = Graph.from_edges([(0, 1), (1, 2)], names=["a", "b", "c"])
    shuffled = Graph.from_edges([(2, 1), (1, 0)], names=["c", "b", "a"])
    assert compare(original, shuffled, only=[])["edge_recall"] == 1
    with pytest.raises(ArgumentError, match="1 others"):
        compare(original, Graph.from_edges([(0, 1)], names=["a", "b", "d"]))
    with pytest.raises(ArgumentError):
        compare(original, Graph.from_edges([(0, 1)]))


def test_the_original_need_not_be_measured_again() -> None:
    graph = Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])
    known = measure(graph)
    found = compare(graph, graph.with_edges([(0, 3)]), measured=known)
    assert found.original is known
    assert dict(found) == pytest.approx(dict(compare(graph, graph.with_edges([(0, 3)]))), nan_ok=True)


def evaluation() -> ModuleType:
    path = DATA.parent / "tools" / "evaluate_graph.py"
    spec = importlib.util.spec_from_file_location("evaluate_graph", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.data
def test_agrees_with_the_independent_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    script = evaluation()
    graph = Graph.read(DATA / "graphs" / "polblogs.edges.gz")
    other = rewired(graph, seed=1)
    edges = [side.edges().astype(np.int64) for side in (graph, other)]
    try:
        expected = script.compare(*(script.stats(side, graph.n) for side in edges), *edges)
    finally:
        igraph.set_random_number_generator(random)
    found = compare(graph, other)
    shared = set(found) & set(expected)
    assert len(shared) == len(expected) - 4  # all but n, m, synth_n and synth_m
    for name in shared - CHANCE:
        assert found[name] == pytest.approx(expected[name], abs=1e-9), name
    for name in shared & CHANCE:
        assert found[name] == pytest.approx(expected[name], abs=0.05), name
    assert found["deg_KS"] == 0  # rewiring keeps degrees
    assert found["tri_RE"] > 0.1  # but not triangles
