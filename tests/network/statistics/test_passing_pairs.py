"""Pairs that pass by themselves, with two probabilities: exact to the last bit."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from decimal import Decimal, localcontext
from math import comb

import numpy as np
import pytest
from scipy.stats import chi2
from tests.network import tiny
from tests.network.scripted import Words

from entrenous.graph import Graph
from entrenous.network.statistics import PassingPairs
from entrenous.network.statistics.passing_pairs import Filter, choose_filter
from entrenous.noise import Noise
from entrenous.unit import Unit

FAR = [[10**6]]  # a gap that leaves the matrix at once


def loss_of(chosen: Filter) -> float:
    """The largest log ratio of the chances of an edge and of a non-edge, to pass or not, in 60 digits."""
    with localcontext() as context:
        context.prec = 60
        kept, stays_out = Decimal(chosen.keep) / 2**64, (-Decimal(chosen.rate)).exp()
        ratios = (kept / (1 - stays_out), stays_out / (1 - kept))
        return float(max(abs(ratio.ln()) for ratio in ratios))


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 4.0, 12.0, 60.0])
@pytest.mark.parametrize("n", [2, 5, 1000, 10**6])
def test_a_filter_costs_its_price(epsilon: float, n: int) -> None:
    pairs = n * (n - 1) // 2
    for edges in {1, max(1, pairs // 1000), max(1, pairs // 3), pairs}:
        asked = PassingPairs(pairs, edges, epsilon)
        assert loss_of(asked.filter) <= asked.price(Unit.EDGE).epsilon == epsilon


def test_nothing_is_given_away_where_edges_are_rare() -> None:
    assert loss_of(PassingPairs(10**6, 10**4, 1.0).filter) > 1.0 - 1e-6


def test_the_check_notices_rounding_that_is_not_paid_for() -> None:
    n = 10**6
    pairs = n * (n - 1) // 2
    assert loss_of(choose_filter(1e-3, pairs, pairs // 1000)) > 1e-3


def test_the_draw_uses_the_filter_and_nothing_else() -> None:
    """An edge passes with exactly `keep` of 2^64 words; gaps between non-edges have exactly the filter's rate."""
    graph = Graph.from_edges([(0, 1), (1, 2)], n=4)
    asked = PassingPairs(6, 2, 1.5)
    keep, rate = asked.filter.keep, asked.filter.rate
    noise = Words([keep - 1, keep], FAR)
    assert asked.draw(graph, Unit.EDGE, noise).tolist() == [[0, 1]]
    assert noise.epsilons == [rate]
    assert asked.draw(graph, Unit.EDGE, Words([keep, keep - 1], FAR)).tolist() == [[1, 2]]


@pytest.mark.parametrize("graph", tiny.graphs(4)[::9])
def test_gaps_lead_from_one_passing_pair_to_the_next(graph: Graph) -> None:
    """Gaps fall on pairs wherever they are, and an edge they fall on does not pass by that."""
    asked, edges = PassingPairs(6, 2, 1.5), set(map(tuple, graph.edges().tolist()))
    numbered = sorted(tiny.pairs(4), key=lambda pair: pair[1] * (pair[1] - 1) // 2 + pair[0])
    for gaps in itertools.product((1, 2, 3), repeat=3):
        places = [place for place in np.cumsum(gaps) - 1 if place < 6]
        noise = Words([2**64 - 1] * graph.m, [[*gaps, 10**6]])
        expected = [numbered[place] for place in places if numbered[place] not in edges]
        assert asked.draw(graph, Unit.EDGE, noise).tolist() == [list(pair) for pair in expected]


@pytest.mark.long
def test_pairs_pass_by_the_exact_distribution_and_no_other() -> None:
    graph, draws = Graph.from_edges([(0, 1), (1, 2)], n=4), 3000
    asked, noise = PassingPairs(6, 2, 1.5), Noise(3)
    seen = Counter(frozenset(map(tuple, asked.draw(graph, Unit.EDGE, noise).tolist())) for _ in range(draws))
    edges = set(map(tuple, graph.edges().tolist()))
    outputs = [frozenset(map(tuple, output.edges().tolist())) for output in tiny.graphs(4)]

    def statistic(epsilon: float) -> float:
        chosen, total = choose_filter(epsilon, 6, 2), 0.0
        for output in outputs:
            chance = math.prod(
                p if pair in output else 1 - p
                for pair in tiny.pairs(4)
                for p in [chosen.kept if pair in edges else chosen.invented]
            )
            total += (seen[output] - draws * chance) ** 2 / (draws * chance)
        return total

    assert statistic(1.5) < chi2.ppf(0.999, 63)
    assert statistic(1.5 / 1.3) > chi2.ppf(0.999, 63)
    assert statistic(1.5 * 1.3) > chi2.ppf(0.999, 63)


def test_filling_up_to_an_exact_total_as_published_would_break_the_promise() -> None:
    """The published filter: edges that pass, then non-edges, uniformly, up to the total."""
    epsilon, pairs, total = 1.0, 45, 5
    kept = choose_filter(epsilon, pairs, total).kept

    def chance(edges: int, hits: int) -> float:
        return kept**hits * (1 - kept) ** (edges - hits) / comb(pairs - edges, total - hits)

    # Of four edges all pass and one of 41 non-edges joins them; with that one an edge, too, all five pass.
    assert math.log(chance(5, 5) / chance(4, 4)) > 2 * epsilon


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 3.0, 9.0])
def test_the_threshold_is_the_published_one(epsilon: float) -> None:
    """The paper solves for the threshold on either side of 1; ours is found by bisection."""
    pairs, edges = 100_000, 5_000
    odds = pairs / edges - 1
    if epsilon < math.log(odds):
        threshold = math.log((odds + math.exp(epsilon)) / 2) / epsilon
        kept = 0.5 * math.exp(-epsilon * (threshold - 1))
    else:
        threshold = 0.5 + math.log(odds) / (2 * epsilon)
        kept = 1 - 0.5 * math.exp(-epsilon * (1 - threshold))
    chosen = choose_filter(epsilon, pairs, edges)
    assert chosen.kept == pytest.approx(kept, rel=1e-9)
    assert chosen.invented == pytest.approx(0.5 * math.exp(-epsilon * threshold), rel=1e-9)
    assert edges * chosen.kept + (pairs - edges) * chosen.invented == pytest.approx(edges)
