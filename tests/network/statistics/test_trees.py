"""A dendrogram by the exponential mechanism: what the chain approaches is private, and Tree draws from that."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from tests import naive
from tests.network import tiny
from tests.network.drawing.test_link_classes import epsilons, pairs_of, seeds

from entrenous.graph import Graph
from entrenous.hrg import Clipped, Dendrogram, Published
from entrenous.hrg.utility import Utility, beta_for
from entrenous.network.drawing.link_classes import link_classes
from entrenous.network.statistics import LinkCounts, Tree
from entrenous.noise import Noise
from entrenous.statistic import Noted
from entrenous.unit import Unit

TREES = [naive.canonical(tree) for tree in naive.all_dendrograms((0, 1, 2, 3))]
UTILITIES: list[tuple[Utility, str]] = [(Clipped(0.05, 0.5), "mixture"), (Published(), "local")]


def question(utility: Utility, moves: str, *, epsilon: float, steps: int = 60) -> Tree:
    return Tree(steps, utility, moves, epsilon)  # type: ignore[arg-type]


def distribution(graph: Graph, utility: Utility, epsilon: float) -> np.ndarray:
    """The logarithm of the exact distribution that the chain approaches, over all 15 dendrograms."""
    edges = {frozenset(edge) for edge in graph.edges().tolist()}
    values = np.array([naive.utility_of(tree, edges, *utility.bounds) for tree in TREES])
    exponents = beta_for(epsilon, graph.n, utility) * values
    return np.asarray(exponents - np.log(np.exp(exponents).sum()))


@pytest.mark.parametrize(("utility", "moves"), UTILITIES, ids=["clipped", "published"])
def test_what_the_chain_approaches_keeps_the_promise_on_every_graph_of_four_nodes(
    utility: Utility, moves: str
) -> None:
    def loss(epsilon: float) -> float:
        exact = [distribution(graph, utility, epsilon) for graph in tiny.graphs(4)]
        return max(float(np.abs(exact[g] - exact[h]).max()) for g, h in tiny.neighbours(4))

    price = question(utility, moves, epsilon=2.0).price(Unit.EDGE).epsilon
    assert loss(2.0) <= price == 2.0
    assert loss(6.0) > price  # four nodes leave some of the bound unused


@pytest.mark.long
@pytest.mark.parametrize(("utility", "moves"), UTILITIES, ids=["clipped", "published"])
def test_a_tree_is_drawn_from_that_distribution_and_no_other(utility: Utility, moves: str) -> None:
    graph, draws, epsilon = Graph.from_edges([(0, 1), (2, 3)], n=4), 1000, 8.0
    asked, noise = question(utility, moves, epsilon=epsilon), Noise(4)
    seen: Counter[object] = Counter()
    for _ in range(draws):
        drawn = asked.draw(graph, Unit.EDGE, noise)
        seen[naive.canonical(drawn.answer.nested())] += 1
    times = np.array([seen[tree] for tree in TREES])
    assert times.sum() == draws

    def statistic(spent: float) -> float:
        expected = draws * np.exp(distribution(graph, utility, spent))
        return float(((times - expected) ** 2 / expected).sum())

    assert statistic(epsilon) < chi2.ppf(0.999, 14)
    assert statistic(1.5 * epsilon) > chi2.ppf(0.999, 14)
    assert statistic(epsilon / 1.5) > chi2.ppf(0.999, 14)


def test_how_the_chain_went_is_for_the_curator_alone() -> None:
    """Trace and acceptance depend on edges and are not paid for."""
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    drawn = question(Published(), "local", epsilon=1.0).draw(graph, Unit.EDGE, Noise(1))
    assert isinstance(drawn, Noted)
    assert isinstance(drawn.answer, Dendrogram)
    assert set(drawn.notes) == {"trace", "acceptance"}


def test_the_price_is_conditional() -> None:
    assert Tree.condition is not None
    assert "reached its distribution" in Tree.condition


@given(st.integers(2, 14), seeds, epsilons)
def test_exactly_one_count_changes_when_an_edge_is_flipped(n: int, seed: int, epsilon: float) -> None:
    rng = np.random.default_rng(seed)
    classes = link_classes(Dendrogram.random(n, seed), epsilon)
    asked = LinkCounts(classes, epsilon)
    graph = Graph.from_edges(rng.integers(0, n, size=(2 * n, 2)), n=n, clean=True)
    edges = {tuple(edge) for edge in graph.edges().tolist()}
    u, v = sorted(rng.choice(n, size=2, replace=False).tolist())
    flipped = graph.with_edges(sorted(edges ^ {(u, v)}))
    change = asked.count(flipped) - asked.count(graph)
    assert np.abs(change).sum() == 1
    place = int(np.flatnonzero(change)[0])
    assert (u, v) in pairs_of(classes)[place]
    assert change[place] == (-1 if (u, v) in edges else 1)
