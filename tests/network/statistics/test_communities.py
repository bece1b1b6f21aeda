"""Adjusted communities: an edge influences the draws of both its ends, and both are paid for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2
from tests import naive
from tests.network import tiny
from tests.network.reading import distribution, ranges
from tests.network.scripted import Words

from entrenous.graph import Graph
from entrenous.network.statistics import Communities, CommunityCounts
from entrenous.network.statistics._kernels import adjust_communities
from entrenous.network.statistics.communities import ROUNDING
from entrenous.noise import Noise
from entrenous.unit import Unit

EPSILON = 3.0


def apart(graph: Graph) -> Graph:
    """The same graph after two nodes without an edge, which a test can put where it likes."""
    return Graph.from_edges(graph.edges() + 2, n=graph.n + 2)


def draw(asked: Communities, graph: Graph, words: Sequence[int]) -> list[int]:
    """Draw for all but the first two nodes, by which both communities have a member and keep their names."""
    return asked.draw(graph, Unit.EDGE, Words([0, 2**52, *words])).tolist()[2:]  # type: ignore[no-any-return]


def loss(asked: Communities) -> float:
    """The largest |log ratio| of the probability of any communities on two neighbouring graphs."""
    n, points = len(asked.first) - 2, list[int]()
    exact = [
        distribution(lambda words, graph=graph: draw(asked, graph, words), range(n), 2, points)  # type: ignore[misc]
        for graph in map(apart, tiny.graphs(n))
    ]
    ratios = [exact[g][found] / exact[h][found] for g, h in tiny.neighbours(n) for found in exact[g]]
    return math.log(max(*ratios, 1 / min(ratios)))


class OneEndPaid(Communities):
    """Draws as if an edge influenced one of its ends alone."""

    def draw(self, data: Graph, unit: Unit, noise: Noise) -> Any:
        return Communities(self.first, 2 * self.epsilon - ROUNDING).draw(data, unit, noise)


def question(*first: int, epsilon: float = EPSILON, kind: type[Communities] = Communities) -> Communities:
    return kind(np.array([0, 1, *first]), epsilon)


def test_adjustment_keeps_its_promise_on_every_graph_of_four_nodes() -> None:
    asked = question(0, 1, 1, 0)
    assert 0.85 * EPSILON < loss(asked) <= asked.price(Unit.EDGE).epsilon == EPSILON


@pytest.mark.parametrize("first", [(0, 0, 0), (0, 1, 0), (1, 0, 0)])
def test_adjustment_keeps_its_promise_wherever_nodes_were_at_first(first: tuple[int, ...]) -> None:
    assert 0.7 * EPSILON < loss(question(*first)) <= EPSILON
    assert loss(question(*first, kind=OneEndPaid)) > EPSILON + 1


def excess_of_a_rare_edge(epsilon: float, *, paid: float) -> float:
    """By how much more than `paid` an edge changes the communities of its ends, where rounding shows most.

    Both ends have many neighbours in community 1 and are in community 0 themselves; the twin tells how many show it.
    """
    weight = (epsilon - ROUNDING) / 2

    def weights(around: int, edge: int) -> list[int]:
        return naive.slot_weights([edge, around], [0.0, 0.0], weight)

    def change(around: int) -> float:
        with_edge, without = (
            Fraction(weights(around, edge)[0], sum(weights(around, edge))) for edge in (1, 0)
        )
        return float(with_edge / without)

    most = int(14 / weight)
    around = max(range(most - 500, most - 10), key=change)
    first = np.concatenate([[0, 1, 0, 0], np.ones(around, int)])
    star = [(end, other) for end in (2, 3) for other in range(4, 4 + around)]
    asked, chances = Communities(first, epsilon), []
    for edges in (star, [*star, (2, 3)]):
        graph = Graph.from_edges(np.array(edges), n=len(first))
        sums = itertools.accumulate(weights(around, len(edges) % 2))
        points = [total + aside for total in sums for aside in (-9, 9)]
        low, high = ranges(lambda word: draw(asked, graph, [word])[0], 2, points)[1:]  # noqa: B023 - called at once
        chances.append(Fraction(low, high))
    return 2 * math.log(chances[1] / chances[0]) - paid  # both ends, which are alike


@pytest.mark.long
def test_rounding_of_rare_communities_is_paid_for_at_both_ends() -> None:
    epsilon = 2e-4
    assert -2 * ROUNDING < excess_of_a_rare_edge(epsilon, paid=epsilon) <= 0
    assert excess_of_a_rare_edge(epsilon + ROUNDING, paid=epsilon) > 0  # as if nothing had been set aside


def adjustment(edges: set[tuple[int, int]], first: tuple[int, ...], weight: float) -> np.ndarray:
    """The exact distribution of adjusted communities of four nodes, by the definition."""
    found = np.ones(1)
    for node in range(4):
        counts = [
            sum(first[sum(edge) - node] == community for edge in edges if node in edge)
            for community in (0, 1)
        ]
        odds = np.exp(weight * np.array(counts))
        found = np.multiply.outer(found, odds / odds.sum())
    return found.ravel()


def test_compiled_adjustment_follows_the_exact_distribution_and_no_other() -> None:
    edges, first, draws = {(0, 1), (0, 2), (1, 2), (2, 3)}, (0, 1, 1, 0), 30_000
    graph, words = Graph.from_edges(sorted(edges), n=4), Noise(5).words(5 * draws).reshape(draws, 5)
    seen = np.zeros((2, 2, 2, 2))
    for row in words:
        adjusted, used = adjust_communities(graph.indptr, graph.indices, np.array(first), 2, 0.8, row)
        assert used >= 4
        seen[tuple(adjusted)] += 1

    def statistic(weight: float) -> float:
        expected = draws * adjustment(edges, first, weight)
        return float(((seen.ravel() - expected) ** 2 / expected).sum())

    assert statistic(0.8) < chi2.ppf(0.999, 15)
    assert statistic(0.72) > chi2.ppf(0.999, 15)
    assert statistic(0.88) > chi2.ppf(0.999, 15)


def test_words_that_would_favour_a_community_are_drawn_again() -> None:
    lonely = Graph.from_edges([], n=1)

    def drawn(*words: int) -> tuple[list[int], int]:
        adjusted, used = adjust_communities(
            lonely.indptr, lonely.indices, np.array([0]), 3, 1.0, np.array(words, np.uint64)
        )
        return adjusted.tolist(), used

    top = 2**64 - 1
    assert drawn(0, 0) == ([0], 1)
    assert drawn(top, 0) == ([0], 2)
    assert drawn(top, top)[1] == 0


@pytest.mark.parametrize("labels", [(0, 0, 0, 0), (0, 1, 0, 1), (0, 1, 2, 0)])
def test_an_edge_pays_for_an_inner_or_an_outer_count_never_for_both(labels: tuple[int, ...]) -> None:
    asked = CommunityCounts(np.array(labels), 1.0)
    inner = [asked.inner(graph) for graph in tiny.graphs(4)]
    outer = [asked.outer(graph) for graph in tiny.graphs(4)]
    changes = {
        (int(np.abs(inner[g] - inner[h]).sum()), int(np.abs(outer[g] - outer[h]).sum()))
        for g, h in tiny.neighbours(4)
    }
    assert changes <= {(2, 0), (0, 1)}


def test_adjustment_leads_nodes_home() -> None:
    home = np.arange(200) // 50
    u, v = np.triu_indices(200, 1)
    tied = np.random.default_rng(1).random(len(u)) < np.where(home[u] == home[v], 0.5, 0.01)
    graph = Graph.from_edges(np.column_stack([u, v])[tied], n=200)
    first = np.where(np.random.default_rng(1).random(200) < 0.7, home, 0)
    moved = Communities(first, 4.0).draw(graph, Unit.EDGE, Noise(1))
    assert (moved == home).mean() > 0.98
