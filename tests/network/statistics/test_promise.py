"""Statistics made of geometric noise: what they cost is what one edge changes, on every tiny graph.

Noise on whole numbers multiplies the probability of an output by e^(epsilon / sensitivity) per step, and each step can
go either way. So the largest loss of a statistic is a sum that can be written down from what it asks noise for.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.network import tiny
from tests.network.scripted import Constant, Recorder

from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.network import statistics
from entrenous.network.drawing.link_classes import link_classes
from entrenous.network.statistics import (
    Cells,
    CommunityCounts,
    Degrees,
    Eigenvectors,
    JointDegrees,
    LargestDegree,
    LinkCounts,
    QuadraticForms,
    Size,
    Tails,
)
from entrenous.statistic import Statistic
from entrenous.unit import Unit

N = 5
GROUPS = [(0, 0, 0, 0, 0), (0, 1, 0, 1, 0), (0, 1, 2, 0, 1), (4, 3, 2, 1, 0)]
TREES = [(((0, 1), 2), (3, 4)), ((((0, 3), 1), 4), 2)]
RNG = np.random.default_rng(2)
QUESTIONS: list[Statistic[Graph, Any]] = [
    Size(0.7),
    Degrees(0.7),
    LargestDegree(0.7),
    *(Tails(lowest, highest, 0.7) for lowest, highest in ((0, 4), (1, 4), (0, 2), (1, 3))),
    *(Cells(np.array(group), max(group) + 1, 0.7) for group in GROUPS),
    *(JointDegrees(bound, 0.7) for bound in range(1, N)),
    *(
        LinkCounts(link_classes(Dendrogram.from_nested(tree), e), 0.7)
        for tree in TREES
        for e in (0.02, 0.7, 50.0)
    ),
    *(CommunityCounts(np.array(group), 0.7) for group in GROUPS),
    *(Eigenvectors(N, vectors, 0.7) for vectors in (1, 2)),
    *(QuadraticForms(np.linalg.qr(RNG.normal(size=(N, columns)))[0], 0.7) for columns in (1, 3)),
]
#: How much of its price a statistic uses at least; the others use all of it.
USED = {"Eigenvectors": 0.5, "QuadraticForms": 0.8}
#: Drawn by more than geometric noise: their exact distributions are tried where they live.
DRAWN = {
    "Communities": "communities",
    "PassingPairs": "passing_pairs",
    "Slots": "slots",
    "Tree": "trees",
    "Triangles": "triangles",
}


def name(question: Statistic[Graph, Any]) -> str:
    return type(question).__name__


KINDS = sorted({name(question) for question in QUESTIONS})


@cache
def loss(question: Statistic[Graph, Any]) -> float:
    """The largest |log ratio| of the probability of an answer on two neighbouring graphs."""
    drawn = []
    for graph in tiny.graphs(N):
        recorder = Recorder()
        question.draw(graph, Unit.EDGE, recorder)
        drawn.append(recorder.draws)
    scales = {tuple((draw.sensitivity, draw.epsilon, draw.counts.shape) for draw in draws) for draws in drawn}
    assert len(scales) == 1  # neither noise nor the shape of an answer depends on edges
    (noise,) = scales
    total = np.zeros(len(tiny.neighbours(N)))
    one, other = np.array(tiny.neighbours(N)).T
    for place, (sensitivity, epsilon, _) in enumerate(noise):
        counts = np.array([draws[place].counts.ravel() for draws in drawn])
        total += epsilon / sensitivity * np.abs(counts[one] - counts[other]).sum(axis=1)
    return float(total.max())


@pytest.mark.parametrize("question", QUESTIONS, ids=name)
def test_a_statistic_keeps_its_promise_on_every_graph_of_five_nodes(question: Statistic[Graph, Any]) -> None:
    price = question.price(Unit.EDGE).epsilon
    assert loss(question) <= price * (1 + 1e-12)
    assert price <= 0.7


def most_used(kind: str) -> float:
    return max(
        loss(question) / question.price(Unit.EDGE).epsilon for question in QUESTIONS if name(question) == kind
    )


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_paid_for_is_used(kind: str) -> None:
    """A check with room to spare would prove little."""
    assert most_used(kind) >= USED.get(kind, 1 - 1e-12)


@pytest.mark.parametrize("question", QUESTIONS, ids=name)
def test_an_answer_depends_on_nothing_but_the_noisy_numbers(question: Statistic[Graph, Any]) -> None:
    answers = {repr(question.draw(graph, Unit.EDGE, Constant())) for graph in tiny.graphs(N)[::7]}
    assert len(answers) == 1


class InnerDegreesAtHalfPrice(CommunityCounts):
    _INNER = 1


class InnerEdgesCountedAsOuterToo(CommunityCounts):
    def outer(self, data: Graph) -> np.ndarray:
        return np.append(super().outer(data), self.inner(data).sum() // 2)


def understated(question: Statistic[Graph, Any]) -> list[Statistic[Graph, Any]]:
    """The same question with half the sensitivity; where that is 1, with everything counted twice."""
    kind: Any = type(question)

    class HalfTheSensitivity(kind):
        def sensitivity(self, unit: Unit) -> int:
            return max(super().sensitivity(unit) // 2, 1)

    class CountedTwice(kind):
        def count(self, data: Graph) -> np.ndarray:
            return 2 * super().count(data)

    if isinstance(question, CommunityCounts):
        wrong = [InnerDegreesAtHalfPrice, InnerEdgesCountedAsOuterToo]
    else:
        wrong = [HalfTheSensitivity if question.sensitivity(Unit.EDGE) > 1 else CountedTwice]  # type: ignore[attr-defined]
    return [each(**vars(question)) for each in wrong]


@pytest.mark.parametrize("kind", KINDS)
def test_the_check_notices_a_sensitivity_that_is_too_small(kind: str) -> None:
    faults: dict[str, list[Statistic[Graph, Any]]] = {}
    for question in QUESTIONS:
        for wrong in understated(question) if name(question) == kind else ():
            faults.setdefault(name(wrong), []).append(wrong)
    assert faults
    for questions in faults.values():
        assert any(loss(wrong) > 1.01 * wrong.price(Unit.EDGE).epsilon for wrong in questions)


@pytest.mark.parametrize("question", QUESTIONS, ids=name)
def test_nothing_is_proved_for_another_unit(question: Statistic[Graph, Any]) -> None:
    with pytest.raises(ArgumentError, match="no proof for the unit sender"):
        question.price(Unit.SENDER)


def test_every_statistic_is_tried() -> None:
    assert {*KINDS, *DRAWN} == set(statistics.__all__)
    here = {file.name for file in Path(__file__).parent.iterdir()}
    assert {f"test_{module}.py" for module in DRAWN.values()} <= here
