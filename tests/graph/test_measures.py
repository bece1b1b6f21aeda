from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from tests import naive
from tests.graph.strategies import graphs

from entrenous.errors import ArgumentError
from entrenous.graph import Graph, _kernels, measure
from entrenous.graph.centrality import eigenvector_centrality, largest_component, scaled_centrality
from entrenous.graph.communities import adjusted_rand, louvain, modularity, normalized_mutual_information
from entrenous.graph.measures import GROUPS, assortativity, clustering
from entrenous.graph.paths import path_lengths


def random_graph(n: int, m: int, seed: int) -> Graph:
    return Graph.from_networkx(nx.gnm_random_graph(n, m, seed=seed))


@settings(deadline=None)
@given(graphs())
def test_kernels_agree_with_their_slow_twins(graph: Graph) -> None:
    assert path_lengths(graph).histogram.tolist() == naive.distance_counts(graph)
    triangles = naive.triangles_through_nodes(graph)
    assert _kernels.triangle_counts(graph.indptr, graph.indices).tolist() == triangles
    assert clustering(graph).triangles == sum(triangles) // 3


@pytest.mark.parametrize(("n", "m"), [(63, 80), (64, 100), (700, 900), (1100, 2500)])
def test_path_lengths_over_several_words_and_batches(n: int, m: int) -> None:
    graph = random_graph(n, m, seed=n)
    assert path_lengths(graph).histogram.tolist() == naive.distance_counts(graph)


def test_long_paths() -> None:
    lengths = path_lengths(Graph.from_edges([(node, node + 1) for node in range(299)]))
    assert lengths.diameter == 299
    assert lengths.mean == pytest.approx(301 / 3)
    assert lengths.reach == 1
    assert lengths.interval == (lengths.mean, lengths.mean)


def test_sampled_path_lengths_cover_the_truth_and_say_how_surely() -> None:
    graph = random_graph(4000, 9000, seed=1)
    exact = path_lengths(graph)
    samples = [path_lengths(graph, sources=320, rng=seed) for seed in range(60)]
    covered = sum(low <= exact.mean <= high for low, high in (sample.interval for sample in samples))
    wrong = sum(low <= 1.02 * exact.mean <= high for low, high in (sample.interval for sample in samples))
    assert covered >= 51  # 57 expected; fewer than 51 has a probability below 1 %
    assert wrong <= 10
    assert not samples[0].exact
    assert samples[0].histogram[0] == 4000
    assert samples[0].reach == pytest.approx(exact.reach, rel=0.05)


@settings(deadline=None)
@given(graphs())
def test_clustering_and_mixing_agree_with_networkx(graph: Graph) -> None:
    other = graph.to_networkx()
    found = clustering(graph)
    assert found.transitivity == pytest.approx(nx.transitivity(other))
    assert found.mean_local == pytest.approx(nx.average_clustering(other) if graph.n else 0)
    value = assortativity(graph)
    if len(set(graph.degrees[graph.degrees > 0].tolist())) > 1:
        assert value == pytest.approx(nx.degree_pearson_correlation_coefficient(other))
    else:
        assert math.isnan(value)


@pytest.mark.parametrize("size", [30, 300])
def test_centrality_agrees_with_networkx(size: int) -> None:
    graph = random_graph(size, 4 * size, seed=3)
    value, scores = eigenvector_centrality(graph)
    expected = nx.eigenvector_centrality_numpy(graph.to_networkx())
    assert value == pytest.approx(np.linalg.eigvalsh(graph.to_scipy().toarray())[-1])
    assert scores == pytest.approx(np.array(list(expected.values())), abs=1e-6)


def test_centrality_where_eigenvectors_are_many() -> None:
    cycle = Graph.from_edges([(node, (node + 1) % 200) for node in range(200)])
    value, scores = eigenvector_centrality(cycle)
    assert value == pytest.approx(2)
    assert scores == pytest.approx(np.full(200, 200**-0.5), abs=1e-6)
    pairs = Graph.from_edges([(0, 1), (2, 3)])
    assert eigenvector_centrality(pairs)[1] == pytest.approx(np.full(4, 0.5))


@pytest.mark.parametrize("length", [8, 80])
def test_the_scaled_centrality_looks_at_the_largest_component(length: int) -> None:
    clique = [(u, v) for v in range(5) for u in range(v)]
    path = [(node, node + 1) for node in range(5, 5 + length)]
    graph = Graph.from_edges(clique + path)
    _, scores = eigenvector_centrality(graph)
    assert int(np.argmax(scores)) < 5
    scaled = scaled_centrality(graph, scores)
    assert largest_component(graph).tolist() == [False] * 5 + [True] * (length + 1)
    assert scaled.max() == 1
    assert int(np.argmax(scaled)) == pytest.approx(5 + length / 2, abs=1)
    assert not scaled[:5].any()


def test_communities_of_two_cliques() -> None:
    clique = [(u, v) for v in range(6) for u in range(v)]
    graph = Graph.from_edges([*clique, *((u + 6, v + 6) for u, v in clique), (0, 6)])
    truth = np.repeat([0, 1], 6)
    for partition in louvain(graph, seeds=3):
        assert normalized_mutual_information(partition.labels, truth) == pytest.approx(1)
        assert partition.modularity == pytest.approx(modularity(graph, truth))
    assert modularity(graph, truth) == pytest.approx(
        nx.community.modularity(graph.to_networkx(), [range(6), range(6, 12)])
    )


def test_agreement_of_partitions() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, 5, 2000), rng.integers(0, 5, 2000)
    assert normalized_mutual_information(first, first) == pytest.approx(1)
    assert adjusted_rand(first, 7 - first) == pytest.approx(1)
    assert normalized_mutual_information(first, second) < 0.02
    assert abs(adjusted_rand(first, second)) < 0.01
    halves = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    assert normalized_mutual_information(*halves) == pytest.approx(0.3437110184854508)
    assert adjusted_rand(*halves) == pytest.approx(0)
    assert normalized_mutual_information(np.zeros(3, int), np.zeros(3, int)) == 1


def test_only_what_is_asked_for_is_measured() -> None:
    graph = random_graph(30, 60, seed=1)
    seen: list[tuple[str, float]] = []
    found = measure(graph, only=["paths", "degrees"], progress=lambda group, done: seen.append((group, done)))
    assert found.paths is not None
    assert found.degree_histogram is not None
    assert found.centrality is found.clustering is found.partitions is found.assortativity is None
    assert (seen[0], seen[-1]) == (("degrees", 0.0), ("paths", 1.0))
    assert [group for group, _ in seen] == sorted((group for group, _ in seen), key=GROUPS.index)
    for only in (["words"], "paths"):
        with pytest.raises(ArgumentError):
            measure(graph, only=only)


@pytest.mark.parametrize("n", [0, 1, 2, 100])
def test_graphs_without_edges_can_be_measured(n: int) -> None:
    found = measure(Graph.from_edges([], n=n))
    assert (found.n, found.m, found.isolated) == (n, 0, n)
    assert found.best_partition is not None
    assert found.best_partition.modularity == 0
