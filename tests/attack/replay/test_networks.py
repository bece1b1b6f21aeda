"""Sound releases hold on every neighbour; each planted fault is found by one replay, for certain."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.real_data import DATA

from entrenous import datasets
from entrenous.attack import replay
from entrenous.attack.replay import Replay
from entrenous.graph import Graph
from entrenous.network import MECHANISMS
from entrenous.network.mechanism import GraphDesk, Mechanism, Outcome, Request
from entrenous.network.statistics import Degrees, Size, Slots, Tails
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.unit import Unit

CLUB = datasets.karate_club()
FIRM = datasets.organization(1300, seed=1).graph  # long enough for noise in several chunks


def steps(method: str, graph: Graph) -> int | None:
    return 100 * graph.n if MECHANISMS[method].chain else None


@pytest.mark.parametrize("method", MECHANISMS)
@pytest.mark.parametrize("epsilon", [0.5, 20.0])
def test_every_mechanism_holds_on_a_small_graph(method: str, epsilon: float) -> None:
    found = replay(CLUB, epsilon=epsilon, method=method, neighbours=8, steps=steps(method, CLUB), rng=3)
    assert found.faults == ()
    assert found.finding().verdict == "holds"
    assert len(found.neighbours) == 8


@pytest.mark.parametrize("method", MECHANISMS)
def test_every_mechanism_holds_on_the_smallest_graphs(method: str) -> None:
    """With hardly any noise too: an edge may stay behind with a chance of 2^-64, which a float takes for never."""
    for edges, n in (([], 2), ([(0, 1)], 2), ([(0, 1), (1, 2)], 4)):
        graph = Graph.from_edges(edges, n=n)
        for epsilon in (0.01, 1000.0):
            found = replay(
                graph, epsilon=epsilon, method=method, neighbours=3, steps=steps(method, graph), rng=2
            )
            assert found.faults == ()
            assert found.worst.share <= 1


def test_eigenvectors_of_a_multiple_eigenvalue_are_the_same_when_asked_twice() -> None:
    """A solver that starts again at random is no fault of a release, and breaks a rehearsal's promise to repeat."""
    star = Graph.from_edges([(5, leaf) for leaf in range(6, 60)], n=90)
    assert replay(star, epsilon=1.0, method="spectral", neighbours=3, published=1, rng=1).faults == ()


@pytest.mark.data
@pytest.mark.parametrize("method", MECHANISMS)
def test_every_mechanism_holds_on_blogs(method: str) -> None:
    """Real noise: what a replay accuses of is certain, or rarer than one in a hundred million."""
    graph = Graph.read(DATA / "graphs" / "polblogs.edges.gz")
    for epsilon in (1.0, 4.0) if method == "owner" else (2.0,):
        found = replay(
            graph, epsilon=epsilon, method=method, neighbours=16, published=2, steps=steps(method, graph)
        )
        assert found.faults == ()
        assert found.worst.share <= 1


@pytest.mark.parametrize("method", ["chung-lu", "dgg", "tmf"])
def test_mechanisms_of_one_question_use_all_they_pay_for(method: str) -> None:
    found = replay(CLUB, epsilon=1.0, method=method, neighbours=8, rng=1)
    assert found.worst.share > 0.95


def test_a_seed_makes_a_replay_that_can_be_repeated() -> None:
    one, two = (replay(CLUB, epsilon=1.0, neighbours=6, rng=4).finding().to_json() for _ in range(2))
    assert one == two


def patched(monkeypatch: pytest.MonkeyPatch, run: Callable[[GraphDesk, Request], Outcome]) -> None:
    plain = MECHANISMS["chung-lu"]
    monkeypatch.setitem(MECHANISMS, "chung-lu", dataclasses.replace(plain, run=run))


def broken(**asked: Any) -> Replay:
    found = replay(FIRM, epsilon=asked.pop("epsilon", 4.0), neighbours=6, published=1, **asked)
    assert found.broken
    assert math.isinf(found.finding().measured)
    assert found.finding().verdict == "BROKEN"
    return found


# The five faults that once stayed unnoticed, each alone; real noise.


def test_a_plan_that_overspends_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from entrenous.network.mechanisms import owner

    plain = owner.plan
    monkeypatch.setattr(owner, "plan", lambda epsilon, n, size: plain(2 * epsilon, n, size))
    assert "the desk refused" in broken().faults[0]


def test_a_whole_share_for_each_class_of_triangles_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from entrenous.network.mechanisms import owner

    plain = owner.class_shares
    monkeypatch.setattr(
        owner, "class_shares", lambda epsilon, classes: tuple(epsilon for _ in plain(epsilon, classes))
    )
    monkeypatch.setattr(owner, "class_cuts", lambda *_, **__: np.array([20]))
    assert "triangles" in broken().faults[0]


def test_tails_that_pay_for_one_end_of_an_edge_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tails, "stability", {Unit.EDGE: 1})
    assert any("the degree distribution: paid" in fault for fault in broken().faults)


def test_an_exact_number_of_edges_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Size, "draw", lambda _self, data, _unit, _noise: data.m)
    assert any(fault.startswith("size:") for fault in broken().faults)


def test_noise_that_is_used_for_every_chunk_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Noise.geometric

    def geometric(self: Noise, counts: Any, **asked: Any) -> Any:
        if len(counts) < 1200:
            return plain(self, counts, **asked)
        first = plain(self, np.zeros_like(counts[:600]), **asked)
        return np.asarray(counts) + np.resize(first, len(counts))

    monkeypatch.setattr(Noise, "geometric", geometric)
    assert any("the same noise is used twice" in fault for fault in broken().faults)


# More faults: a replay's other checks, each seen to fail.


def test_slots_that_lean_on_both_ends_of_an_edge_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Slots.draw

    def draw(self: Slots, data: Graph, unit: Unit, noise: Noise) -> Any:
        return plain(dataclasses.replace(self, epsilon=2 * self.epsilon), data, unit, noise)

    monkeypatch.setattr(Slots, "draw", draw)
    assert any("do not follow from their words" in fault for fault in broken().faults)


def test_a_question_that_depends_on_the_data_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(asked: GraphDesk, request: Request) -> Outcome:
        private: Graph = asked._meter.charge(Price(epsilon=1e-9), "nothing")
        asked(Degrees(epsilon=request.epsilon * (0.5 + private.m / 1e6)))
        raise AssertionError("unreachable: the first question differs")

    def run_once(asked: GraphDesk, request: Request) -> Outcome:
        try:
            return run(asked, request)
        except AssertionError:
            return MECHANISMS["tmf"].run(asked, dataclasses.replace(request, epsilon=request.epsilon / 4))

    patched(monkeypatch, run_once)
    found = broken(method="chung-lu")
    assert any("depends on the data" in fault for fault in found.faults)


def test_a_release_that_holds_the_graph_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plain: Mechanism = MECHANISMS["chung-lu"]

    def run(asked: GraphDesk, request: Request) -> Outcome:
        made = plain.run(asked, dataclasses.replace(request, epsilon=request.epsilon * 0.9))
        private: Graph = asked._meter.charge(Price(epsilon=1e-9), "nothing")
        return dataclasses.replace(made, edges=private.edges())

    patched(monkeypatch, run)
    assert "what is published differs although all answers are the same" in broken(method="chung-lu").faults


def test_an_error_says_what_is_expected() -> None:
    from entrenous.errors import ArgumentError

    with pytest.raises(ArgumentError, match="method"):
        replay(CLUB, epsilon=1.0, method="none")
    with pytest.raises(ArgumentError, match="neighbours"):
        replay(CLUB, epsilon=1.0, neighbours=0)


def test_an_error_that_depends_on_the_data_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever sees that a release fails has learned something; the sentence of the error is not repeated."""
    plain, edges = Degrees.count, FIRM.m

    def count(self: Degrees, data: Graph) -> Any:
        if data.m != edges:
            raise ValueError(f"the private number {data.m}")
        return plain(self, data)

    monkeypatch.setattr(Degrees, "count", count)
    assert broken(method="chung-lu").faults == ("with the other data it fails: ValueError",)


def test_noise_that_no_question_asked_for_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plain: Mechanism = MECHANISMS["chung-lu"]

    def before(asked: GraphDesk, request: Request) -> Outcome:
        asked._noise.geometric(np.zeros(3, np.int64), sensitivity=1, epsilon=1.0)
        return plain.run(asked, request)

    def after(asked: GraphDesk, request: Request) -> Outcome:
        made = plain.run(asked, request)
        asked._noise.geometric(np.zeros(3, np.int64), sensitivity=1, epsilon=1.0)
        return made

    patched(monkeypatch, before)
    assert broken(method="chung-lu").faults == (
        "the desk refused: noise is drawn before any question was asked",
    )
    patched(monkeypatch, after)
    assert "noise is drawn that no question asked for" in broken(method="chung-lu").faults


def test_a_desk_that_refuses_nothing_is_found_on_any_neighbour(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked costs more than what is stated, even where the neighbour moves few of the answers."""
    from entrenous import desk
    from entrenous.network.mechanisms import owner

    plan, metered = owner.plan, desk._PureMeter.__init__
    monkeypatch.setattr(owner, "plan", lambda epsilon, n, size: plan(1.01 * epsilon, n, size))
    monkeypatch.setattr(
        desk._PureMeter,
        "__init__",
        lambda self, data, unit, epsilon: metered(self, data, unit, 10 * epsilon),
    )
    assert "all questions: they cost epsilon 4.0396, and epsilon 4 is stated" in broken().faults
