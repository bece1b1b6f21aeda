"""A transcript's likelihood ratio is exact, and a question that the other world would not ask gives it away."""

from __future__ import annotations

import math

import numpy as np
import pytest

from entrenous.attack.tools.transcript import Ask, Draw, Said, Transcript, log_ratio, record
from entrenous.desk import Desk
from entrenous.errors import PrivacyError
from entrenous.graph import Graph
from entrenous.network import MECHANISMS
from entrenous.network.mechanism import Request
from entrenous.network.statistics import Degrees, Size, Slots
from entrenous.statistic import Statistic
from entrenous.unit import Unit

EMPTY, PAIR = (Graph.from_edges(edges, n=2) for edges in ([], [(0, 1)]))
TRIANGLE = Graph.from_edges([(0, 1), (0, 2), (1, 2)], n=3)


def asking(*statistics: Statistic[Graph, object]) -> Ask:
    def ask(desk: Desk[Graph]) -> None:
        for statistic in statistics:
            desk(statistic)

    return ask


def said(statistic: Statistic[Graph, object], *numbers: int) -> Transcript:
    drawn = Draw("geometric", np.zeros(len(numbers), np.int64), np.array(numbers))
    return Transcript((Said(statistic, Unit.EDGE, None, None, [drawn]),), public=0, unit=Unit.EDGE)


def test_geometric_noise_counts_by_its_distance() -> None:
    degrees = Degrees(epsilon=1.0)
    worlds = (asking(degrees), PAIR), (asking(degrees), EMPTY)
    assert log_ratio(said(degrees, 5, -2), *worlds) == pytest.approx(0.5 - 0.5)
    assert log_ratio(said(degrees, 5, 1), *worlds) == pytest.approx(1.0)


def test_later_questions_may_depend_on_earlier_answers() -> None:
    def adaptive(desk: Desk[Graph]) -> None:
        size = desk(Size(epsilon=1.0))
        desk(Degrees(epsilon=0.5 + size / 100))

    seen = record(adaptive, PAIR, epsilon=10.0, rng=np.random.default_rng(1))
    first, second = seen.said
    assert second.statistic == Degrees(epsilon=0.5 + first.answer / 100)
    assert log_ratio(seen, (adaptive, PAIR), (adaptive, PAIR)) == 0.0
    assert math.isfinite(log_ratio(seen, (adaptive, PAIR), (adaptive, EMPTY)))


def test_a_question_that_depends_on_the_data_is_infinitely_telling() -> None:
    one, other = asking(Degrees(epsilon=1.0)), asking(Degrees(epsilon=1.1))
    seen = record(one, PAIR, epsilon=2.0, rng=np.random.default_rng(1))
    assert log_ratio(seen, (one, PAIR), (other, EMPTY)) == math.inf
    assert log_ratio(seen, (other, PAIR), (one, EMPTY)) == -math.inf
    assert log_ratio(seen, (asking(), PAIR), (one, EMPTY)) == -math.inf


def test_questions_are_the_same_where_their_arrays_are() -> None:
    def ask(expected: float) -> Ask:
        return asking(Slots(np.arange(2), np.full(2, expected), 3, epsilon=1.0))

    seen = record(ask(1.0), PAIR, epsilon=1.0, rng=np.random.default_rng(1))
    assert math.isfinite(log_ratio(seen, (ask(1.0), PAIR), (ask(1.0), EMPTY)))
    assert log_ratio(seen, (ask(1.0), PAIR), (ask(2.0), EMPTY)) == math.inf


def test_a_run_ends_when_its_epsilon_is_spent_and_the_seed_of_the_rest_is_known() -> None:
    orders = []

    def ask(desk: Desk[Graph]) -> None:
        orders.append(desk.generator.permutation(50).tolist())
        desk(Size(epsilon=1.0))
        raise AssertionError("post-processing was run")

    seen = record(ask, PAIR, epsilon=1.0, rng=np.random.default_rng(2))
    assert log_ratio(seen, (ask, PAIR), (ask, PAIR)) == 0.0
    assert orders[0] == orders[1] == orders[2]


def test_a_desk_that_is_recorded_refuses_what_exceeds_its_epsilon() -> None:
    with pytest.raises(PrivacyError, match="size"):
        record(asking(Degrees(epsilon=0.9), Size(epsilon=0.2)), PAIR, epsilon=1.0, rng=None)


def test_real_noise_is_recorded_too() -> None:
    (answer,) = record(asking(Degrees(epsilon=1.0)), PAIR, epsilon=1.0, rng=None).said
    assert np.abs(answer.numbers[0] - 1).max() < 200
    assert (answer.answer == answer.numbers[0]).all()


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_can_be_recorded_and_told_apart(name: str) -> None:
    """Its questions follow from earlier answers: none is impossible in the other world."""
    ask: Ask = lambda desk: MECHANISMS[name].run(desk, Request(1.0, 3, steps=50))  # noqa: E731
    rng = np.random.default_rng(5)
    path = Graph.from_edges([(0, 1), (0, 2)], n=3)
    for _ in range(5):
        seen = record(ask, path, epsilon=1.0, rng=rng)
        assert seen.said
        assert math.isfinite(log_ratio(seen, (ask, TRIANGLE), (ask, path)))
