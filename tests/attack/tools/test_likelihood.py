"""The distributions by which answers are judged: they add up to one, and answers are drawn from them."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from entrenous.attack.tools.likelihood import ImpossibleError, likelihood
from entrenous.attack.tools.lower_bound import clopper_pearson
from entrenous.attack.tools.transcript import draw_once
from entrenous.graph import Graph
from entrenous.hrg import Clipped, Dendrogram, Published
from entrenous.network import statistics
from entrenous.network.drawing.link_classes import link_classes
from entrenous.statistic import Statistic
from entrenous.unit import Unit

GRAPH = Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3)], n=4)
TREE = Dendrogram.from_nested(((0, 1), (2, 3)))
PAIRS = list(product(range(4), repeat=2))


def all_slots() -> list[Any]:
    return [np.array(slots) for slots in product(range(3), repeat=4)]


def all_communities() -> list[Any]:
    drawn = {tuple(np.unique(each, return_inverse=True)[1].tolist()) for each in product(range(3), repeat=4)}
    return [np.array(each) for each in drawn]


def all_passing() -> list[Any]:
    pairs = [(u, v) for u, v in PAIRS if u < v]
    chosen = product((False, True), repeat=len(pairs))
    return [
        np.array([pair for pair, has in zip(pairs, each, strict=True) if has]).reshape(-1, 2)
        for each in chosen
    ]


CASES: list[tuple[Statistic[Graph, Any], list[Any]]] = [
    (statistics.Slots(np.array([2, 0, 1, 3]), np.array([2.0, 2.0, 3.0, 1.0]), 3, epsilon=0.8), all_slots()),
    (statistics.Communities(np.array([0, 1, 2, 2]), epsilon=2.0), all_communities()),
    (statistics.PassingPairs(6, 3, epsilon=1.0), all_passing()),
    (statistics.Triangles(np.zeros(4, np.int64), (1.0,)), [np.array([count]) for count in range(-600, 600)]),
]


@pytest.mark.long
@pytest.mark.parametrize(("statistic", "answers"), CASES, ids=lambda each: getattr(each, "name", ""))
def test_probabilities_add_up_to_one_and_answers_follow_them(
    statistic: Statistic[Graph, Any], answers: list[Any]
) -> None:
    of = likelihood(statistic, GRAPH, Unit.EDGE)
    chances = {as_text(answer): math.exp(of(answer, ())) for answer in answers}
    assert sum(chances.values()) == pytest.approx(1.0, abs=1e-6)
    likeliest, rng, runs = max(chances, key=lambda each: chances[each]), np.random.default_rng(1), 3000
    hits = sum(as_text(draw_once(statistic, GRAPH, rng).answer) == likeliest for _ in range(runs))
    low, high = clopper_pearson(hits, runs, confidence=0.9999)
    assert low <= chances[likeliest] <= high


def as_text(answer: Any) -> str:
    return str(np.asarray(answer).tolist())


@pytest.mark.long
@pytest.mark.parametrize(("utility", "moves"), [(Published(), "local"), (Clipped(1e-3, 0.5), "mixture")])
def test_trees_of_a_long_chain_are_as_likely_as_is_said(utility: Any, moves: Any) -> None:
    path = Graph.from_edges([(0, 1)], n=3)
    trees = [Dendrogram.from_nested(nested) for nested in (((0, 1), 2), ((0, 2), 1), ((1, 2), 0))]
    question = statistics.Tree(steps=60, utility=utility, moves=moves, epsilon=3.0)
    of = likelihood(question, path, Unit.EDGE)
    weights = np.exp([of(tree, ()) for tree in trees])
    rng, runs = np.random.default_rng(3), 1500
    hits = sum(draw_once(question, path, rng).answer == trees[0] for _ in range(runs))
    low, high = clopper_pearson(hits, runs, confidence=0.9999)
    assert low <= weights[0] / weights.sum() <= high


ADDED = [
    statistics.Size(epsilon=0.5),
    statistics.Degrees(epsilon=0.5),
    statistics.LargestDegree(epsilon=0.5),
    statistics.Tails(0, 3, epsilon=0.5),
    statistics.Cells(np.array([0, 0, 1, 1]), 2, epsilon=0.5),
    statistics.JointDegrees(3, epsilon=0.5),
    statistics.LinkCounts(link_classes(TREE, 1.0), epsilon=0.5),
    statistics.Eigenvectors(4, 2, epsilon=0.5),
    statistics.QuadraticForms(np.eye(4, 2), epsilon=0.5),
    statistics.CommunityCounts(np.array([0, 0, 1, 1]), epsilon=0.5),
]


@pytest.mark.parametrize("statistic", ADDED, ids=lambda each: each.name)
def test_added_noise_never_tells_more_than_its_price(statistic: Statistic[Graph, Any]) -> None:
    """The ratio of likelihoods is bounded by epsilon for every answer: here for drawn ones."""
    other = Graph.from_edges([(0, 1), (0, 2), (1, 2)], n=4)
    here, there = (likelihood(statistic, graph, Unit.EDGE) for graph in (GRAPH, other))
    rng, ratios = np.random.default_rng(1), []
    for _ in range(200):
        said = draw_once(statistic, GRAPH, rng)
        ratios.append(here(said.answer, said.numbers) - there(said.answer, said.numbers))
    assert max(np.abs(ratios)) <= statistic.price(Unit.EDGE).epsilon + 1e-9


def test_every_statistic_of_networks_is_known() -> None:
    judged = {type(each) for each, _ in CASES} | {type(each) for each in ADDED} | {statistics.Tree}
    assert judged == {getattr(statistics, name) for name in statistics.__all__}


def test_numbers_of_another_shape_are_impossible() -> None:
    of = likelihood(statistics.Degrees(epsilon=1.0), GRAPH, Unit.EDGE)
    with pytest.raises(ImpossibleError):
        of(None, (np.zeros(5, np.int64),))
