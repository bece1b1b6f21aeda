"""Attempts to break the promises of the rivals, by exact enumeration where that is possible."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chi2

from entrenous.graph import Graph
from entrenous.network import MECHANISMS, _kernels, _rival_kernels
from entrenous.network.mechanism import Request as Order
from entrenous.network.mechanisms import dk2, spectral, tmf
from entrenous.network.mechanisms import privgraph as community
from entrenous.noise import Noise

RIVALS = ("dk2", "spectral", "tmf", "privgraph", "dgg")
Edges = frozenset[tuple[int, int]]


def all_graphs(n: int) -> list[Edges]:
    pairs = list(itertools.combinations(range(n), 2))
    return [
        frozenset(edges) for size in range(len(pairs) + 1) for edges in itertools.combinations(pairs, size)
    ]


def neighbours(n: int) -> Iterator[tuple[Edges, Edges]]:
    pairs = list(itertools.combinations(range(n), 2))
    return ((g, g | {pair}) for g in all_graphs(n) for pair in pairs if pair not in g)


def graph_of(edges: Edges, n: int) -> Graph:
    return Graph.from_edges(sorted(edges), n=n)


def a_graph(seed: int, n: int = 60, m: int = 300) -> Graph:
    return Graph.from_edges(np.random.default_rng(seed).integers(0, n, size=(m, 2)), n=n, clean=True)


# What leaves the graph leaves it by a few doors. With all doors shut, two graphs cannot be told apart.


@pytest.fixture
def doors(asked: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Replace every other private draw as well by something that ignores the data."""

    def adjust(graph: Graph, first: np.ndarray, *, epsilon: float, noise: Noise) -> np.ndarray:
        asked.epsilon.append(epsilon)
        asked.public.append(first.tolist())
        return np.arange(graph.n) % 3

    def filter_pairs(graph: Graph, chosen: tmf.Filter, noise: Noise) -> np.ndarray:
        asked.epsilon.append(loss_of(chosen))
        asked.public.append(chosen)
        return np.array([[0, 1], [2, 3]], dtype=np.int32)

    monkeypatch.setattr(community, "adjust", adjust)
    monkeypatch.setattr(tmf, "filter_pairs", filter_pairs)
    return asked


@pytest.mark.parametrize("method", RIVALS)
def test_nothing_leaves_a_graph_but_through_the_noise(method: str, doors: SimpleNamespace) -> None:
    made = [
        MECHANISMS[method][0](graph, Order(1.0), Noise(1))
        for graph in (a_graph(1), a_graph(2), a_graph(3, m=2), a_graph(4, m=1500))
    ]
    for other in made[1:]:
        np.testing.assert_array_equal(other.edges, made[0].edges)
        assert other.parameters == made[0].parameters
    assert all(public == doors.public[0] for public in doors.public)


@pytest.mark.parametrize("method", RIVALS)
def test_noise_fits_what_one_edge_changes(method: str, doors: SimpleNamespace) -> None:
    graph = a_graph(5)
    MECHANISMS[method][0](graph, Order(1.0), Noise(1))
    before, sensitivity = list(doors.counts), list(doors.sensitivity)
    for edge in range(0, graph.m, 40):
        doors.counts.clear()
        MECHANISMS[method][0](graph.with_edges(np.delete(graph.edges(), edge, axis=0)), Order(1.0), Noise(1))
        changes = [int(np.abs(a - b).sum()) for a, b in zip(before, doors.counts, strict=True)]
        assert all(change <= bound for change, bound in zip(changes, sensitivity, strict=True))


@pytest.mark.parametrize("method", RIVALS)
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 7.3])
def test_no_more_is_spent_than_was_promised(method: str, epsilon: float, doors: SimpleNamespace) -> None:
    MECHANISMS[method][0](a_graph(5), Order(epsilon), Noise(1))
    spent = doors.epsilon
    if method == "privgraph":  # an edge is inside a community or between two: it pays for one of the last two
        spent = [*spent[:-2], max(spent[-2:])]
    assert sum(map(Fraction, spent)) <= Fraction(epsilon)
    if epsilon <= 1:  # above, tmf's threshold falls below 1, where Laplace noise gives a little away
        assert sum(spent) > 0.99 * epsilon


# tmf: pairs pass by themselves, with two probabilities.


def loss_of(chosen: tmf.Filter) -> float:
    """The largest log ratio of the chances of an edge and of a non-edge, to pass or not, in 60 digits."""
    with localcontext() as context:
        context.prec = 60
        kept, stays_out = Decimal(chosen.keep) / 2**64, (-Decimal(chosen.rate)).exp()
        ratios = (kept / (1 - stays_out), stays_out / (1 - kept))
        return float(max(abs(ratio.ln()) for ratio in ratios))


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 4.0, 12.0, 60.0])
@pytest.mark.parametrize("n", [2, 5, 1000, 10**6])
def test_a_filter_costs_its_epsilon(epsilon: float, n: int) -> None:
    pairs = n * (n - 1) // 2
    for edges in {1, max(1, pairs // 1000), max(1, pairs // 3), pairs}:
        assert loss_of(tmf.choose_filter(epsilon, pairs, edges)) <= epsilon + tmf.ROUNDING
    # Nothing is given away where edges are rare.
    assert loss_of(tmf.choose_filter(1.0, 10**6, 10**4)) > 1.0 - 1e-6


def test_pairs_pass_by_the_exact_law_and_no_other() -> None:
    graph, draws = graph_of(frozenset({(0, 1), (1, 2)}), 4), 20_000
    chosen, noise = tmf.choose_filter(1.5, 6, 2), Noise(3)
    seen = Counter(
        frozenset(map(tuple, tmf.filter_pairs(graph, chosen, noise).tolist())) for _ in range(draws)
    )
    pairs = list(itertools.combinations(range(4), 2))
    edges = set(map(tuple, graph.edges().tolist()))

    def statistic(law: tmf.Filter) -> float:
        total = 0.0
        for output in all_graphs(4):
            chance = math.prod(
                p if pair in output else 1 - p
                for pair in pairs
                for p in [law.kept if pair in edges else law.invented]
            )
            total += (seen[output] - draws * chance) ** 2 / (draws * chance)
        return total

    assert statistic(chosen) < chi2.ppf(0.999, 63)
    assert statistic(tmf.choose_filter(1.35, 6, 2)) > chi2.ppf(0.999, 63)
    assert statistic(tmf.choose_filter(1.65, 6, 2)) > chi2.ppf(0.999, 63)


def test_filling_up_to_an_exact_total_as_published_would_break_the_promise() -> None:
    """The published filter: edges that pass, then non-edges, uniformly, up to the total."""
    epsilon, pairs, total = 1.0, 45, 5
    kept = tmf.choose_filter(epsilon, pairs, total).kept

    def chance(edges: int, hits: int) -> float:
        return kept**hits * (1 - kept) ** (edges - hits) / comb(pairs - edges, total - hits)

    # Of four edges all pass and one of 41 non-edges joins them; with that one an edge, too, all five pass.
    assert math.log(chance(5, 5) / chance(4, 4)) > 2 * epsilon


# dk2: one edge moves all edges at its ends.


@pytest.mark.parametrize("bound", [1, 2, 3, 4])
def test_joint_degrees_change_by_as_much_as_is_said_and_no_more(bound: int) -> None:
    tables = {g: dk2.joint_degrees(graph_of(g, 5), bound) for g in all_graphs(5)}
    most = max(int(np.abs(tables[g] - tables[h]).sum()) for g, h in neighbours(5))
    assert most == dk2.sensitivity(bound)


def test_the_largest_degree_changes_by_one_at_most() -> None:
    assert max(graph_of(h, 5).degrees.max() - graph_of(g, 5).degrees.max() for g, h in neighbours(5)) == 1


# spectral: a unit vector is what it is, whatever the eigensolver did.


def steps_of(graph: Graph, count: int, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    found: list[np.ndarray] = []

    def geometric(noise: Noise, counts: np.ndarray, **_: object) -> np.ndarray:
        found.append(counts)
        return counts

    monkeypatch.setattr(Noise, "geometric", geometric)
    spectral.noisy_vectors(graph, count, epsilon=1.0, noise=Noise(1))
    return found[0]


def test_eigenvectors_change_by_no_more_than_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs of neighbours on five nodes, among them those whose eigenvectors turn by a right angle."""
    steps = {g: steps_of(graph_of(g, 5), 2, monkeypatch) for g in all_graphs(5)}
    most = max(int(np.abs(steps[g] - steps[h]).sum()) for g, h in neighbours(5))
    assert 0.5 * spectral.vector_sensitivity(5, 2) < most <= spectral.vector_sensitivity(5, 2)


def test_a_vector_that_turns_round_uses_the_whole_sensitivity(monkeypatch: pytest.MonkeyPatch) -> None:
    even = np.full((900, 1), 1 / 30)
    steps = []
    for vector in (even, -even, 1.0001 * even):
        monkeypatch.setattr(spectral, "_leading", lambda graph, count, vector=vector: vector)
        steps.append(steps_of(Graph.from_edges([], n=900), 1, monkeypatch))
    bound = spectral.vector_sensitivity(900, 1)
    assert 0.99 * bound < np.abs(steps[0] - steps[1]).sum() <= bound
    assert np.abs(steps[2]).sum() <= bound / 2  # longer than 1, as no eigenvector should be


def test_quadratic_forms_change_by_no_more_than_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[np.ndarray, int]] = []

    def geometric(noise: Noise, counts: np.ndarray, *, sensitivity: int, epsilon: float) -> np.ndarray:
        asked.append((counts, sensitivity))
        return counts

    monkeypatch.setattr(Noise, "geometric", geometric)
    rng, attained = np.random.default_rng(2), 0.0
    for columns in (1, 1, 3, 5):
        vectors = np.linalg.qr(rng.normal(size=(8, columns)))[0]
        graph = a_graph(7, n=8, m=12)
        for pair in itertools.combinations(range(8), 2):
            if graph.has_edge(*pair):
                continue
            asked.clear()
            for each in (graph, graph.with_edges([*graph.edges().tolist(), pair])):
                spectral.noisy_forms(each, vectors, epsilon=1.0, noise=Noise(1))
            (before, sensitivity), (after, same) = asked
            assert sensitivity == same
            assert np.abs(before - after).sum() <= sensitivity
            attained = max(attained, np.abs(before - after).sum() / sensitivity)
    assert attained > 0.8


# community: an edge influences the draws of both its ends, and then one of two counts.


def adjustment_law(edges: Edges, first: tuple[int, ...], communities: int, weight: float) -> np.ndarray:
    """The exact law of the adjusted communities of four nodes, from the weights of the compiled kernel."""
    law = np.ones((1,))
    for node in range(4):
        counts = np.zeros(communities)
        for edge in edges:
            if node in edge:
                counts[first[sum(edge) - node]] += 1
        weights = np.zeros(communities, np.uint64)
        _kernels.slot_weights(counts, np.zeros(communities), weight, weights)
        law = np.multiply.outer(law, weights.astype(float) / float(weights.sum()))
    return law.ravel()


def largest_loss(epsilon: float, weight: float) -> float:
    worst = 0.0
    for first in ((0, 0, 0, 0), (0, 1, 0, 1), (0, 1, 2, 0), (2, 1, 0, 1)):
        laws = {g: np.log(adjustment_law(g, first, 3, weight)) for g in all_graphs(4)}
        worst = max(worst, *(float(np.abs(laws[g] - laws[h]).max()) for g, h in neighbours(4)))
    return worst


def test_adjustment_keeps_its_promise_on_every_graph_of_four_nodes() -> None:
    epsilon = 3.0
    loss = largest_loss(epsilon, (epsilon - community.ROUNDING) / 2)
    assert epsilon - 0.3 < loss <= epsilon
    assert largest_loss(epsilon, epsilon) > epsilon + 1  # as if only one end had to be paid for


def test_compiled_adjustment_follows_the_exact_law_and_no_other() -> None:
    edges, first, draws = frozenset({(0, 1), (0, 2), (1, 2), (2, 3)}), (0, 1, 1, 0), 30_000
    graph, words = graph_of(edges, 4), Noise(5).words(5 * draws).reshape(draws, 5)
    seen = np.zeros((2, 2, 2, 2))
    for row in words:
        adjusted, used = _rival_kernels.adjust_communities(
            graph.indptr, graph.indices, np.array(first), 2, 0.8, row
        )
        assert used >= 4
        seen[tuple(adjusted)] += 1

    def statistic(weight: float) -> float:
        expected = draws * adjustment_law(edges, first, 2, weight)
        return float(((seen.ravel() - expected) ** 2 / expected).sum())

    assert statistic(0.8) < chi2.ppf(0.999, 15)
    assert statistic(0.72) > chi2.ppf(0.999, 15)
    assert statistic(0.88) > chi2.ppf(0.999, 15)


def test_words_that_would_favour_a_community_are_drawn_again() -> None:
    lonely = Graph.from_edges([], n=1)

    def draw(*words: int) -> tuple[list[int], int]:
        adjusted, used = _rival_kernels.adjust_communities(
            lonely.indptr, lonely.indices, np.array([0]), 3, 1.0, np.array(words, np.uint64)
        )
        return adjusted.tolist(), used

    top = 2**64 - 1
    assert draw(0, 0) == ([0], 1)
    assert draw(top, 0) == ([0], 2)
    assert draw(top, top)[1] == 0


@pytest.mark.parametrize("labels", [(0, 0, 0, 0), (0, 1, 0, 1), (0, 1, 2, 0)])
def test_an_edge_pays_for_an_inner_or_an_outer_count_never_for_both(labels: tuple[int, ...]) -> None:
    where = np.array(labels)
    changes = set()
    for g, h in neighbours(4):
        before, after = graph_of(g, 4), graph_of(h, 4)
        inner = np.abs(community.inner_degrees(after, where) - community.inner_degrees(before, where)).sum()
        outer = np.abs(community.outer_counts(after, where) - community.outer_counts(before, where)).sum()
        changes.add((int(inner), int(outer)))
    assert changes <= {(2, 0), (0, 1)}
