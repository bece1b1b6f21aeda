"""Slots: the exact distribution of the draw, and what one edge does to it."""

from __future__ import annotations

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
from entrenous.network.statistics import Slots
from entrenous.network.statistics._kernels import assign_slots, slot_weights
from entrenous.network.statistics.slots import RESOLUTION, ROUNDING
from entrenous.noise import Noise
from entrenous.unit import Unit

EPSILON = 1.5


def question(
    order: Sequence[int], expected: Sequence[float], slots: int = 2, epsilon: float = EPSILON
) -> Slots:
    return Slots(np.array(order), np.array(expected), slots, epsilon)


def draw(asked: Slots, graph: Graph, words: Sequence[int]) -> list[int]:
    return asked.draw(graph, Unit.EDGE, Words(list(words))).tolist()  # type: ignore[no-any-return]


def loss(asked: Slots, graphs: Sequence[Graph], pairs: Sequence[tuple[int, int]]) -> float:
    """The largest |log ratio| of the probability of any assignment on two neighbouring graphs."""
    order, points = asked.order.tolist(), list[int]()
    exact = [
        distribution(lambda words, graph=graph: draw(asked, graph, words), order, asked.count, points)  # type: ignore[misc]
        for graph in graphs
    ]
    ratios = [exact[g][slots] / exact[h][slots] for g, h in pairs for slots in exact[g]]
    return math.log(max(*ratios, 1 / min(ratios)))


def test_a_draw_keeps_its_promise_on_every_graph_of_four_nodes() -> None:
    asked = question([2, 0, 3, 1], [2.5, 1.0, 3.0, 0.5])
    found = loss(asked, tiny.graphs(4), tiny.neighbours(4))
    assert found <= asked.price(Unit.EDGE).epsilon == EPSILON
    assert found > 0.7 * EPSILON  # what is left is the normaliser, which two slots share


class Overdrawn(Slots):
    """Draws with more than it charges."""

    def draw(self, data: Graph, unit: Unit, noise: Noise) -> Any:
        return question(self.order, self.expected, self.count, 2 * self.epsilon).draw(data, unit, noise)  # type: ignore[arg-type]


def test_the_check_notices_a_draw_with_more_than_is_charged() -> None:
    wrong = Overdrawn(np.arange(3), np.array([2.0, 1.0, 3.0]), 2, EPSILON)
    assert loss(wrong, tiny.graphs(3), tiny.neighbours(3)) > 1.1 * EPSILON


def chance_of_a_rare_slot(asked: Slots, graph: Graph) -> Fraction:
    """The exact probability that the second of two nodes joins the first."""
    low, high = ranges(lambda word: draw(asked, graph, [0, word])[1], 2)[1:]
    return Fraction(low, high)


def excess_of_an_edge(epsilon: float, *, paid: float) -> float:
    """By how much more than `paid` an edge changes a rare slot of two nodes, where rounding shows most."""
    worst = -1.0
    for exponent in np.linspace(13.5, 13.999, 60):
        volume = exponent / (epsilon * RESOLUTION / 2)
        asked = question([0, 1], [volume, volume], epsilon=epsilon)
        without, with_edge = (chance_of_a_rare_slot(asked, graph) for graph in tiny.graphs(2))
        worst = max(worst, math.log(with_edge / without) - paid)
    return worst


@pytest.mark.parametrize("epsilon", [1e-5, 1e-4])
def test_rounding_of_a_rare_slot_is_paid_for(epsilon: float) -> None:
    assert -2 * ROUNDING < excess_of_an_edge(epsilon, paid=epsilon) <= 0
    assert excess_of_an_edge(epsilon + ROUNDING, paid=epsilon) > 0  # as if nothing had been set aside


def weigh(counts: list[int], expected: list[float], epsilon: float) -> np.ndarray:
    weights = np.zeros(len(counts), np.uint64)
    assert slot_weights(np.array(counts, float), np.array(expected), epsilon, weights) == weights.sum()
    return weights


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 3.0, 12.0])
def test_rounding_of_weights_is_paid_for(epsilon: float) -> None:
    """One more neighbour changes no probability of a slot by more than epsilon plus what is set aside."""
    rng = np.random.default_rng(4)
    worst = 0.0
    for _ in range(800):
        slots = int(rng.integers(2, 65))
        counts = rng.integers(0, rng.choice([2, 10, 10_000]), size=slots).tolist()
        expected = (rng.random(slots) * rng.choice([1e-3, 10.0, 1e4])).tolist()
        before = weigh(counts, expected, epsilon)
        counts[int(rng.integers(slots))] += 1
        after = weigh(counts, expected, epsilon)
        assert before.min() > 3e9
        # As fractions of whole numbers: logarithms of nearly equal numbers would hide what is looked for.
        scale = Fraction(int(after.sum()), int(before.sum()))
        ratios = [Fraction(int(a), int(b)) / scale for a, b in zip(after, before, strict=True)]
        worst = max(worst, float(max(ratios)), float(1 / min(ratios)))
    assert np.log(worst) <= epsilon + ROUNDING


def test_weights_agree_with_their_twin() -> None:
    rng = np.random.default_rng(6)
    for _ in range(200):
        counts, expected = rng.integers(0, 9, size=5).tolist(), (4 * rng.random(5)).tolist()
        twin = np.array(naive.slot_weights(counts, expected, 0.7), float)
        np.testing.assert_allclose(weigh(counts, expected, 0.7).astype(float), twin, rtol=1e-13)


def test_compiled_slots_follow_the_exact_distribution_and_no_other() -> None:
    graph = Graph.from_edges([(0, 1), (0, 2), (0, 3), (1, 2)], n=4)
    order, volume, draws = np.array([0, 2, 1, 3]), np.array([3.0, 2.0, 2.5, 0.5]), 40_000
    words = Noise(11).words(5 * draws).reshape(draws, 5)
    seen = np.zeros((3, 3, 3, 3))
    for row in words:
        slot, used = assign_slots(order, graph.indptr, graph.indices, volume, 0.8, 0.9, 3, row)
        assert used >= 4
        seen[tuple(slot)] += 1

    def statistic(epsilon: float) -> float:
        edges = {frozenset(edge) for edge in graph.edges().tolist()}
        expected = draws * naive.slot_distribution(
            order.tolist(), edges, volume.tolist(), epsilon=epsilon, resolution=0.9, slots=3, weigh=weigh
        )
        return float(((seen - expected) ** 2 / expected).sum())

    assert statistic(0.8) < chi2.ppf(0.999, 80)
    assert statistic(0.7) > chi2.ppf(0.999, 80)
    assert statistic(0.9) > chi2.ppf(0.999, 80)


@pytest.mark.parametrize("slots", [2, 3])
def test_the_draw_is_its_twin_on_every_graph_of_four_nodes(slots: int) -> None:
    """Given the same words both must choose the same slots: the compiled loop owns edges as the proof says."""
    volume = [2.5, 1.0, 3.0, 0.5]
    rng = np.random.default_rng(5)
    for graph in tiny.graphs(4):
        order = rng.permutation(4).tolist()
        words = rng.integers(0, 2**64, size=30, dtype=np.uint64).tolist()
        twin = naive.assign_slots(
            order,
            {frozenset(edge) for edge in graph.edges().tolist()},
            volume,
            epsilon=0.8 - ROUNDING,
            resolution=RESOLUTION,
            slots=slots,
            words=words,
        )
        assert draw(question(order, volume, slots, 0.8), graph, words) == twin


def test_words_that_would_favour_a_slot_are_drawn_again() -> None:
    """Three equal weights do not divide 2^64: the surplus at the top is skipped, and words may run out."""
    lonely = Graph.from_edges([], n=1)
    top, zero = 2**64 - 1, 0

    def drawn(*words: int) -> tuple[list[int], int]:
        slot, used = assign_slots(
            np.array([0]), lonely.indptr, lonely.indices, np.ones(1), 1.0, 0.9, 3, np.array(words, np.uint64)
        )
        return slot.tolist(), used

    assert drawn(zero, zero) == ([0], 1)
    assert drawn(top, zero) == ([0], 2)
    assert drawn(2**64 - 2**52 - 1, zero) == ([2], 1)
    assert drawn(top, top)[1] == 0
