from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import binom
from tests import naive
from tests.graph.strategies import graphs

from entrenous.errors import ArgumentError
from entrenous.graph import Graph, compare, measure
from entrenous.graph.measures import _kernels
from entrenous.graph.measures.centrality import eigenvector_centrality, largest_component, scaled_centrality
from entrenous.graph.measures.clustering import clustering
from entrenous.graph.measures.partitions import (
    adjusted_rand,
    louvain,
    modularity,
    normalized_mutual_information,
)
from entrenous.graph.measures.paths import path_lengths
from entrenous.graph.measures.summary import GROUPS, assortativity


def random_graph(n: int, m: int, seed: int) -> Graph:
    return Graph.from_networkx(nx.gnm_random_graph(n, m, seed=seed))


@settings(deadline=None)
@given(graphs())
def test_kernels_agree_with_their_slow_twins(graph: Graph) -> None:
    assert path_lengths(graph).histogram.tolist() == naive.distance_counts(graph)
    triangles = naive.triangles_through_nodes(graph)
    nodes = np.arange(graph.n)
    arcs = _kernels.rising_arcs(graph.indptr, graph.indices, nodes, nodes.astype(np.int32))
    parts = [_kernels.triangle_counts(*arcs, share, 3) for share in range(3)]
    assert sum(parts).tolist() == triangles
    assert clustering(graph).triangles == sum(triangles) // 3
    label = _kernels.component_labels(graph.indptr, graph.indices).tolist()
    reached = [naive.distances_from(graph, node) for node in range(graph.n)]
    assert all((label[u] == label[v]) == (v in reached[u]) for u in range(graph.n) for v in range(graph.n))


@pytest.mark.long
@pytest.mark.parametrize(("n", "m"), [(63, 80), (64, 100), (700, 900), (1100, 2500)])
def test_path_lengths_over_several_words_and_batches(n: int, m: int) -> None:
    graph = random_graph(n, m, seed=n)
    assert path_lengths(graph).histogram.tolist() == naive.distance_counts(graph)


def test_long_paths() -> None:
    lengths = path_lengths(Graph.from_edges([(node, node + 1) for node in range(299)]))
    assert lengths.diameter == 299
    assert lengths.mean == pytest.approx(301 / 3)
    assert lengths.reach == 1
    assert lengths.exact
    assert not lengths.intervals


def within(interval: tuple[float, float], value: float) -> bool:
    return interval[0] <= value <= interval[1]


def covers(hits: int, trials: int, *, at_most: float = 1.0) -> bool:
    """Tell whether intervals that hold 95 times in 100 would hold so often; `at_most` bounds how often they may."""
    least = int(binom.ppf(0.001, trials, 0.95))
    return least <= hits <= at_most * trials


@pytest.mark.parametrize("sources", [449, 513, 1024])  # just eight groups, just nine, and the default
def test_sampled_path_lengths_cover_the_truth_and_say_how_surely(sources: int) -> None:
    graph = random_graph(4000, 9000, seed=1)
    exact = path_lengths(graph)
    shares = exact.histogram[1:] / exact.histogram[1:].sum()
    samples = [path_lengths(graph, sources=sources, rng=seed) for seed in range(60)]
    truths = {"mean": exact.mean, "reach": exact.reach}
    for name, truth in truths.items():
        assert covers(sum(within(sample.intervals[name], truth) for sample in samples), 60), name
        assert sum(within(sample.intervals[name], 1.02 * truth) for sample in samples) <= 10, name
    for length in (4, 7):
        bands = [sample.band[length - 1] for sample in samples if sample.band is not None]
        assert covers(sum(within(band, shares[length - 1]) for band in bands), 60), length
        assert sum(within(band, 1.25 * shares[length - 1]) for band in bands) <= 10, length
    assert not samples[0].exact
    assert samples[0].histogram[0] == 4000
    assert path_lengths(graph, sources=sources, exact=True).exact


@pytest.mark.parametrize("sources", [1, 64, 65, 448])
def test_few_sources_give_no_interval(sources: int) -> None:
    graph = random_graph(500, 900, seed=1)
    sample = path_lengths(graph, sources=sources, rng=1)
    assert sample.sources == sources
    assert not sample.exact
    assert not sample.intervals
    assert sample.band is None
    assert sample.histogram[0] == pytest.approx(500)
    assert compare(graph, graph, only=["paths"], sources=sources).sampled >= {"avg_sp_orig", "dist_KS"}


def test_intervals_stay_within_what_is_possible() -> None:
    pairs = Graph.from_edges([(2 * node, 2 * node + 1) for node in range(500)], n=1000)
    sample = path_lengths(pairs, sources=600)
    assert sample.intervals["mean"] == (1, 1)
    assert within((0, 1), sample.intervals["reach"][0])
    lonely = path_lengths(Graph.from_edges([(0, 1)], n=5000), sources=600)
    assert lonely.histogram[0] == 5000
    assert not lonely.exact


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_sampled_clustering_covers_the_truth_and_says_how_surely(seed: int) -> None:
    graph = Graph.from_networkx(nx.powerlaw_cluster_graph(600, 4, 0.6, seed=seed))
    exact = clustering(graph)
    assert exact.exact
    samples = [clustering(graph, wedges=4000, rng=draw) for draw in range(150)]
    for name in ("triangles", "transitivity", "mean_local"):
        truth = getattr(exact, name)
        held = sum(within(sample.intervals[name], truth) for sample in samples)
        # Two-sided: exact binomial intervals hold a little more often than 95 times in 100, yet not always.
        assert covers(held, 150, at_most=149 / 150), name
        assert sum(within(sample.intervals[name], 1.2 * truth) for sample in samples) <= 15, name
        assert np.mean([getattr(sample, name) for sample in samples]) == pytest.approx(truth, rel=0.02)


@pytest.mark.long
@settings(deadline=None, max_examples=30)
@given(graphs())
def test_samples_of_tiny_graphs(graph: Graph) -> None:
    exact, sample = clustering(graph), clustering(graph, wedges=50)
    assert not sample.intervals or within(sample.intervals["transitivity"], sample.transitivity)
    assert bool(sample.triangles) <= bool(exact.triangles)
    assert clustering(graph, wedges=50, exact=True) == exact


def test_samples_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(2000, 9000, seed=2)

    def found() -> tuple[object, ...]:
        paths = path_lengths(graph, sources=700, rng=3)
        return clustering(graph), clustering(graph, wedges=5000, rng=3), paths.histogram.tolist()

    both = found()
    monkeypatch.setenv("ENTRENOUS_THREADS", "1")
    assert found() == both


def test_large_graphs_are_sampled_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entrenous.graph.measures.clustering.EXACT_UP_TO", 50)
    monkeypatch.setattr("entrenous.graph.measures.summary.COMMUNITIES_UP_TO", 50)
    monkeypatch.setattr("entrenous.graph.measures.paths.EXACT_UP_TO", 50)
    monkeypatch.setattr("entrenous.graph.measures.paths.SAMPLED_SOURCES", 512)
    graph = random_graph(700, 2000, seed=1)
    sampled, exact = measure(graph), measure(graph, exact=True)
    assert sampled.intervals.keys() == {"avg_sp", "reach", "gcc", "acc", "tri"}
    assert not exact.intervals
    assert sampled.partitions is None
    assert exact.partitions is not None
    assert (sampled.sampled, exact.sampled) == ({"avg_sp", "reach", "dist", "gcc", "acc", "tri"}, set())
    found = compare(graph, graph, measured=exact)
    assert {"gcc_synth", "gcc_RE", "dist_KS"} <= found.sampled
    assert "gcc_orig" not in found.sampled
    assert "diam_RE" not in found
    assert "diam_RE" in compare(graph, graph, exact=True)
    with pytest.raises(ArgumentError):
        measure(graph, exact=True, sources=5)


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
    lonely = Graph.from_edges(graph.edges(), n=2 * size)
    assert eigenvector_centrality(lonely)[1][:size] == pytest.approx(scores, abs=1e-6)


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
