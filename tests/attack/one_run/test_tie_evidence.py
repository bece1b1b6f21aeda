"""What answers say about canaries is the exact ratio of likelihoods, where one is known, and never looks at a coin."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from tests import naive

from entrenous import datasets
from entrenous.attack.one_run import tie_evidence
from entrenous.attack.one_run._kernels import slot_evidence
from entrenous.attack.one_run.canary_ties import CanaryTies, place
from entrenous.attack.one_run.tie_evidence import all_evidence, evidence
from entrenous.attack.tools.likelihood import likelihood
from entrenous.attack.tools.recorder import Recorder
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.network.drawing.link_classes import link_classes
from entrenous.network.statistics import (
    Cells,
    CommunityCounts,
    Degrees,
    LinkCounts,
    PassingPairs,
    Size,
    Slots,
    Tails,
    Triangles,
)
from entrenous.statistic import Statistic
from entrenous.unit import Unit

PATH = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (6, 7)], n=10)
APART = CanaryTies(PATH, np.array([[0, 5], [2, 7], [1, 8]]))
GROUP = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2])
TREE = Dendrogram.from_newick("((((0,1),(2,3)),((4,5),(6,7))),(8,9));")

ASKED: dict[str, tuple[Statistic[Any, Any], float]] = {
    "degrees": (Degrees(epsilon=1.3), 1e-9),
    "slots": (Slots(np.array([3, 1, 0, 2, 4, 5, 9, 8, 7, 6]), np.linspace(1, 3, 10), 3, epsilon=1.1), 1e-9),
    "pairs": (PassingPairs(45, 9, epsilon=1.5), 1e-9),
    "cells": (
        Cells(GROUP, 3, epsilon=0.7),
        1e-3,
    ),  # what is in doubt is taken for normal, however little it is
    "communities": (CommunityCounts(GROUP, epsilon=0.7), 1e-9),
    "link classes": (LinkCounts(link_classes(TREE, 1.0), epsilon=1.0), 1e-9),
    "size": (Size(epsilon=0.5), 1e-9),
}


def exact(statistic: Statistic[Any, Any], said: Any, ties: CanaryTies) -> np.ndarray:
    """Return the logarithms of ratios of likelihoods, by going through all coins."""
    tossed = np.array(list(product((False, True), repeat=len(ties.pairs))))
    logs = np.array(
        [likelihood(statistic, ties.planted(coins), Unit.EDGE)(said.answer, said.numbers) for coins in tossed]
    )
    return np.array(
        [
            np.logaddexp.reduce(logs[tossed[:, each]]) - np.logaddexp.reduce(logs[~tossed[:, each]])
            for each in range(len(ties.pairs))
        ]
    )


@pytest.mark.parametrize("name", ASKED)
def test_evidence_is_the_exact_ratio_over_all_coins(name: str) -> None:
    statistic, tolerance = ASKED[name]
    rng = np.random.default_rng(4)
    seen = []
    for seed in range(12):
        recorder = Recorder(seed)
        recorder.answer(statistic, APART.planted(APART.toss(rng)), Unit.EDGE)
        (said,) = recorder.said
        seen.append(evidence(statistic, said, APART))
        assert seen[-1] == pytest.approx(exact(statistic, said, APART), abs=tolerance)
    assert np.std(seen) > 0


def test_canaries_that_share_a_node_hide_each_other() -> None:
    """At the node they share, the others are a coin each; their other ends say a little more, which is left out."""
    star = CanaryTies(Graph.from_edges([(0, 1)], n=5), np.array([[0, 2], [0, 3], [0, 4]]))
    statistic = Degrees(epsilon=1.0)
    for seed in range(10):
        recorder = Recorder(seed)
        recorder.answer(statistic, star.planted(np.array([True, False, True])), Unit.EDGE)
        found = evidence(statistic, recorder.said[0], star)
        assert found == pytest.approx(exact(statistic, recorder.said[0], star), abs=0.25)
        assert abs(found).max() <= 1.0 + 1e-9


def test_slots_agree_with_the_slow_twin_where_nodes_share_canaries() -> None:
    club = datasets.karate_club()
    ties = place(club, 70, rng=np.random.default_rng(2))
    statistic = Slots(np.argsort(-club.degrees), club.degrees + 0.5, 4, epsilon=1.4)
    recorder = Recorder(6)
    recorder.answer(statistic, ties.planted(ties.toss(np.random.default_rng(3))), Unit.EDGE)
    slow = naive.slot_evidence(
        statistic.order.tolist(), club, recorder.said[0].answer.tolist(), statistic.expected.tolist(),
        1.4 - 1e-8, 0.8, 4, ties.pairs.tolist(),
    )  # fmt: skip
    assert evidence(statistic, recorder.said[0], ties) == pytest.approx(slow)
    assert slot_evidence.py_func is not None


def test_tails_speak_for_ties_where_there_are_too_many_nodes() -> None:
    ties = place(Graph.from_edges([(0, 1)], n=400), 200, rng=np.random.default_rng(1))
    statistic, coins = Tails(0, 5, epsilon=2.0), ties.toss(np.random.default_rng(2))
    recorder = Recorder(1)
    recorder.answer(statistic, ties.planted(coins), Unit.EDGE)
    said = recorder.said[0]
    plenty, few = (said.draws[0].noisy + 300 * side for side in (1, -1))
    for noisy, sign in ((plenty, 1), (few, -1)):
        said.draws[0] = type(said.draws[0])("geometric", noisy, noisy, said.draws[0].scale)
        found = evidence(statistic, said, ties)
        assert np.all(found[ties.graph.degrees[ties.pairs].max(axis=1) == 0] * sign > 1.9)
        assert abs(found).max() <= 2.0 + 1e-6


def test_one_more_is_exact_without_doubt_and_bounded_with_it() -> None:
    surplus = np.arange(-5, 7)
    plain = tie_evidence._one_more(surplus, np.zeros(12), 0.8)
    assert plain == pytest.approx(0.8 * (np.abs(surplus) - np.abs(surplus - 1)), abs=1e-3)
    blurred = tie_evidence._one_more(surplus, np.full(12, 9.0), 0.8)
    assert np.all(np.diff(blurred) > 0)
    assert abs(blurred).max() < 0.8
    many = tie_evidence._by_surplus(400, 0.3)
    near = tie_evidence._one_more(np.arange(402) - 200.0, np.full(402, 100.0), 0.3)
    assert near[150:250] == pytest.approx(many[150:250], abs=0.002)


def test_what_says_next_to_nothing_says_0_and_evidence_adds_up() -> None:
    question = Triangles(np.zeros(PATH.n, dtype=np.int64), (1.0,))
    recorder = Recorder(1)
    for statistic in (question, Degrees(epsilon=1.0), Size(epsilon=1.0)):
        recorder.answer(statistic, PATH, Unit.EDGE)
    assert not evidence(question, recorder.said[0], APART).any()
    parts = [evidence(said.statistic, said, APART) for said in recorder.said]
    assert all_evidence(recorder.said, APART) == pytest.approx(sum(parts))
