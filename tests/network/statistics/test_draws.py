"""How often a statistic draws, what it refuses and whether it fails: none of that may depend on edges."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from entrenous.errors import PrivacyError
from entrenous.graph import Graph
from entrenous.hrg import Clipped, Dendrogram
from entrenous.network.drawing.link_classes import LinkClasses
from entrenous.network.drawing.pairs import pair_numbers
from entrenous.network.statistics import (
    Cells,
    Communities,
    CommunityCounts,
    Eigenvectors,
    LinkCounts,
    PassingPairs,
    Slots,
    Tree,
    Triangles,
)
from entrenous.noise import Noise
from entrenous.statistic import Statistic
from entrenous.unit import Unit

EMPTY = Graph.from_edges([], n=6)
FULL = Graph.from_edges(list(itertools.combinations(range(6), 2)))
LABELS = np.array([0, 1, 0, 1, 0, 1])


class Counting(Noise):
    """Noise that notes how many words are drawn."""

    def __init__(self) -> None:
        super().__init__(1)
        self.asked: list[int] = []

    def words(self, count: int) -> Any:
        self.asked.append(count)
        return super().words(count)


@pytest.mark.parametrize(
    "question",
    [Slots(np.arange(6), np.ones(6), 2, 1.0), Communities(LABELS, 1.0)],
    ids=["slots", "communities"],
)
def test_as_many_words_are_drawn_whatever_the_edges(question: Statistic[Graph, Any]) -> None:
    drawn = []
    for graph in (EMPTY, FULL):
        noise = Counting()
        question.draw(graph, Unit.EDGE, noise)
        drawn.append(noise.asked)
    assert drawn[0] == drawn[1] != []


@pytest.mark.parametrize(
    "wrong", [np.append(LABELS, 0), LABELS / 1.0, LABELS - 1], ids=["long", "float", "negative"]
)
@pytest.mark.parametrize("graph", [EMPTY, FULL], ids=["empty", "full"])
def test_labels_that_do_not_fit_are_refused(graph: Graph, wrong: Any) -> None:
    """Compiled loops do not look where they write, and an error inside one would depend on edges."""
    for asked in (Cells(wrong, 2, 1.0), Communities(wrong, 1.0), Triangles(wrong, (1.0, 1.0))):
        with pytest.raises(PrivacyError, match="it was not answered"):
            asked.draw(graph, Unit.EDGE, Noise(1))
    for asked in (Cells(LABELS, 2, 1.0), Communities(LABELS, 1.0), Triangles(LABELS, (1.0, 1.0))):
        asked.draw(graph, Unit.EDGE, Noise(1))


def test_communities_are_checked_before_they_are_counted() -> None:
    with pytest.raises(PrivacyError, match="it was not answered"):
        CommunityCounts(LABELS - 1, 1.0).outer(FULL)


@pytest.mark.parametrize(
    ("order", "expected", "count"),
    [
        (np.array([0, 1, 2, 3, 4, 4]), np.ones(6), 2),
        (np.arange(7), np.ones(6), 2),
        (np.arange(6), np.ones(7), 2),
        (np.arange(6), np.ones(6), 2**11 + 1),
    ],
    ids=["twice", "too many", "more expected", "slots"],
)
def test_slots_are_drawn_once_for_each_node(order: Any, expected: Any, count: int) -> None:
    """A node that drew twice would lean on its neighbours twice, and pay once."""
    with pytest.raises(PrivacyError, match="expected every node once"):
        Slots(order, expected, count, 1.0).draw(EMPTY, Unit.EDGE, Noise(1))


def test_eigenvectors_of_another_number_of_nodes_are_refused() -> None:
    """The price of fewer entries would not cover more of them."""
    with pytest.raises(PrivacyError, match="expected 6 nodes; got 5"):
        Eigenvectors(5, 1, 1.0).count(FULL)


def test_a_solver_that_fails_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import scipy.sparse.linalg

    def fail(*_: Any, **__: Any) -> None:
        raise scipy.sparse.linalg.ArpackNoConvergence("no", np.zeros(0), np.zeros((0, 0)))

    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", fail)
    ring = Graph.from_edges([(u, (u + 1) % 100) for u in range(100)])
    counted = Eigenvectors(100, 2, 1.0).count(ring)
    assert counted.shape == (100, 2)
    assert (counted.sum(axis=0) > 0).all()


def test_rounding_of_eigenvectors_is_paid_for() -> None:
    """A vector of norm 1 whose entries are rounded up, most of them by half a step."""
    asked = Eigenvectors(4, 1, 1.0)
    steps = np.array([100.51, 100.51, 99.51, 99.46])
    assert np.linalg.norm(steps) < 200
    rounded = int(np.abs(asked.in_steps(steps[:, None] / 200)).sum())
    assert 200 * 4**0.5 < rounded <= asked.sensitivity(Unit.EDGE) / 2


@pytest.mark.parametrize("graph", [EMPTY, FULL], ids=["empty", "full"])
def test_a_chain_makes_the_steps_it_is_told_to(graph: Graph) -> None:
    told: list[tuple[int, int]] = []
    asked = Tree(70, Clipped(0.05, 0.5), "mixture", 1.0, progress=lambda done, of: told.append((done, of)))
    asked.draw(graph, Unit.EDGE, Noise(1))
    assert told[-1] == (70, 70)


def test_a_chain_leaves_the_stream_of_published_draws_alone() -> None:
    """What is drawn from a graph must not be repeated, or led back to, by what is published."""
    noise = Noise(1)
    before = noise.generator.bit_generator.state
    Tree(70, Clipped(0.05, 0.5), "mixture", 1.0).draw(FULL, Unit.EDGE, noise)
    assert noise.generator.bit_generator.state == before


def test_a_utility_of_ones_own_is_refused() -> None:
    class Wide(Clipped):
        """A utility whose range nobody proved."""

    with pytest.raises(PrivacyError, match="whose range is proved"):
        Tree(70, Wide(0.05, 0.5), "mixture", 1.0)


def test_link_classes_that_overlap_cost_what_all_of_them_do() -> None:
    """A pair that lies in two classes moves two counts."""
    tree = Dendrogram.from_nested((((0, 1), 2), 3))
    every = LinkClasses(tree, np.arange(3), np.ones(3, np.bool_))
    asked, empty = LinkCounts(every, 1.0), Graph.from_edges([], n=4)
    moved = [
        int(np.abs(asked.count(empty.with_edges([pair])) - asked.count(empty)).sum())
        for pair in itertools.combinations(range(4), 2)
    ]
    assert max(moved) == asked.sensitivity(Unit.EDGE) == 3


def test_pairs_that_pass_come_in_an_order_that_says_nothing() -> None:
    ring = Graph.from_edges([(u, (u + 1) % 60) for u in range(60)])
    passed = PassingPairs(60 * 59 // 2, 60, 2.0).draw(ring, Unit.EDGE, Noise(1))
    assert len(passed) > 20
    assert (np.diff(pair_numbers(passed)) > 0).all()
