"""Mechanisms that want more than was promised are refused by the program, whatever they try."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

from entrenous import datasets
from entrenous.desk import Desk, desk
from entrenous.errors import PrivacyError
from entrenous.graph import Graph
from entrenous.network import MECHANISMS, release, statistics
from entrenous.network.drawing.pairs import NamedPairs
from entrenous.network.mechanism import GraphDesk, Mechanism, Outcome, Request
from entrenous.network.release import check_request
from entrenous.price import Price
from entrenous.statistic import Statistic
from entrenous.unit import Unit
from entrenous.vault import Budget, Vault

KARATE = datasets.karate_club()
NOBODY = np.zeros((0, 2), np.int32)


def outcome(request: Request, edges: np.ndarray = NOBODY, **parameters: Any) -> Outcome:
    return Outcome(edges, parameters, NamedPairs(request.n, NOBODY, 0.5, 0.5))


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Register a rogue, let it run, and see that it is refused after the charge and that nothing comes out."""

    def check(run: Any, match: str, **options: Any) -> None:
        monkeypatch.setitem(MECHANISMS, "rogue", Mechanism("rogue", "wants too much", run, **options))
        vault = Vault.create(tmp_path / "a.vault", Budget(epsilon=10.0))
        with pytest.raises(PrivacyError, match=match) as caught:
            release(KARATE, epsilon=1.0, method="rogue", vault=vault)
        assert str(KARATE.m) not in str(caught.value)
        state = vault.state
        (entry,) = state.releases.values()
        (promise,) = entry.promises
        assert (float(promise.epsilon), entry.rehearsal) == (1.0, False)
        assert state.drawn == {}
        assert list(vault.shelf.folder.iterdir()) == []

    return check


def test_a_rogue_that_asks_for_a_thousand_is_refused(refused: Any) -> None:
    def run(asked: GraphDesk, request: Request) -> Outcome:
        return outcome(request, edges=asked(statistics.Size(epsilon=1000.0)))  # type: ignore[arg-type]

    refused(run, "size: asked for epsilon 1000, and 1 of 1 is left; the question was not answered")


def test_a_rogue_that_is_paid_for_a_little_and_asks_on_is_refused(refused: Any) -> None:
    def run(asked: GraphDesk, request: Request) -> Outcome:
        degrees = [asked(statistics.Degrees(epsilon=0.3)) for _ in range(4)]
        return outcome(request, degree=int(np.mean(degrees)))

    refused(run, "degrees: asked for epsilon 0.3, and 0.1")


def test_a_rogue_that_does_not_take_no_for_an_answer_gets_no_other(refused: Any) -> None:
    def run(asked: GraphDesk, request: Request) -> Outcome:
        with pytest.raises(PrivacyError):
            asked(statistics.Size(epsilon=1.1))
        return outcome(request, edges_of_the_graph=asked(statistics.Size(epsilon=0.1)))

    refused(run, "0 of 1 is left")


def test_a_rogue_that_draws_in_its_own_way_is_refused(refused: Any) -> None:
    def run(asked: GraphDesk, request: Request) -> Outcome:
        size = statistics.Size(epsilon=0.01)
        object.__setattr__(size, "draw", lambda graph, *_: graph)
        return outcome(request, edges=asked(size))  # type: ignore[arg-type]

    refused(run, "Size: expected plain values of what it declares; draw is none")


def test_a_rogue_that_counts_in_its_own_way_is_refused(refused: Any) -> None:
    def run(asked: GraphDesk, request: Request) -> Outcome:
        size = statistics.Size(epsilon=0.01)
        object.__setattr__(size, "answer", lambda noisy: noisy)
        return outcome(request, edges=asked(size))  # type: ignore[arg-type]

    refused(run, "answer is none")


def test_a_rogue_that_says_how_little_an_edge_moves_is_refused(refused: Any) -> None:
    def run(asked: GraphDesk, request: Request) -> Outcome:
        degrees = statistics.Degrees(epsilon=1.0)
        object.__setattr__(degrees, "stability", {Unit.EDGE: 0.001})
        return outcome(request, edges=asked(degrees))

    refused(run, "stability is none")


def test_a_rogue_that_forges_a_statistic_is_refused(refused: Any) -> None:
    def run(asked: GraphDesk, request: Request) -> Outcome:
        home = statistics.Size.__module__
        forged = type(
            "Size", (statistics.Size,), {"__module__": home, "draw": lambda _self, graph, *_: graph}
        )
        return outcome(request, edges=asked(forged(epsilon=0.01)))

    refused(run, "Size: no module of statistics defines it")


def test_a_rogue_whose_arrays_look_back_is_refused(refused: Any) -> None:
    class Spy(np.ndarray):
        def __getitem__(self, place: Any) -> Any:
            raise AssertionError("it was shown where an edge ends")

    def run(asked: GraphDesk, request: Request) -> Outcome:
        community = np.zeros(request.n, np.int64).view(Spy)
        counts = asked(statistics.CommunityCounts(community, 0.1))
        return outcome(request, counts=counts)

    refused(run, "community is none")


def test_a_rogue_that_asks_a_function_is_refused(refused: Any) -> None:
    def run(asked: GraphDesk, request: Request) -> Outcome:
        return outcome(request, edges=asked(lambda graph: graph.edges()))  # type: ignore[arg-type]

    refused(run, "expected a statistic; got function")


@pytest.mark.parametrize("method", MECHANISMS)
def test_a_plan_that_spends_twice_is_refused(method: str) -> None:
    """The same request, taken for one of twice the epsilon. It is refused with what is left, at the latest."""
    mechanism, epsilon = MECHANISMS[method], 7.3
    steps = {"steps": 100, "short_chain": True} if mechanism.chain else {}
    request = check_request(KARATE, mechanism, epsilon=epsilon, **steps)  # type: ignore[arg-type]
    asked = desk(KARATE, unit="edge", epsilon=epsilon, rng=1)
    with pytest.raises(PrivacyError, match=f"of {epsilon:g} is left; the question was not answered"):
        mechanism.run(asked, replace(request, epsilon=2 * epsilon))
    assert asked.spent.epsilon <= epsilon
    mechanism.run(
        desk(KARATE, unit="edge", epsilon=2 * epsilon, rng=1), replace(request, epsilon=2 * epsilon)
    )


def test_a_rogue_cannot_define_a_question_of_its_own() -> None:
    with pytest.raises(TypeError, match="must live in a folder called statistics"):

        @dataclass(frozen=True)
        class Everything(Statistic[Graph, Any]):
            name = "everything"

            def price(self, unit: Unit) -> Price:
                return Price(epsilon=1e-9)

            def draw(self, data: Graph, unit: Unit, noise: Any) -> Any:
                return data

    with pytest.raises(TypeError, match="must live in a folder called statistics"):
        type("Cheap", (statistics.Size,), {"price": lambda self, unit: Price(epsilon=1e-9)})


# No way leads from what a mechanism gets to the graph.


def reachable(value: Any, seen: set[int]) -> Iterator[Any]:
    """Yield all that can be reached by attributes, items and closures."""
    if id(value) in seen or isinstance(value, type | str | bytes | np.ndarray) or inspect.ismodule(value):
        return
    seen.add(id(value))
    yield value
    inside: list[Any] = [*getattr(value, "__dict__", {}).values()]
    inside += [getattr(value, slot, None) for slot in getattr(type(value), "__slots__", ())]
    inside += [cell.cell_contents for cell in getattr(value, "__closure__", None) or ()]
    inside += [value.__self__] if inspect.ismethod(value) else []
    inside += [*value.values()] if isinstance(value, dict) else []
    inside += [*value] if isinstance(value, list | tuple | set | frozenset) else []
    for each in inside:
        yield from reachable(each, seen)


def graphs_in(*values: Any) -> list[Graph]:
    return [each for each in reachable(values, set()) if isinstance(each, Graph)]


def test_the_search_finds_a_graph_wherever_it_is() -> None:
    class Holder:
        __slots__ = ("inside",)

    def keep(graph: Graph) -> Any:
        return lambda: graph

    holder: Any = Holder()
    holder.inside = {"a": [keep(KARATE)]}
    assert graphs_in(holder) == [KARATE]
    kept = Desk(KARATE, unit=Unit.EDGE, ceiling=Price(mu=1.0), noise=None)  # type: ignore[arg-type]
    assert graphs_in(kept) == [KARATE]  # a desk of normal noise has no queryable to hide behind


@pytest.mark.parametrize("method", MECHANISMS)
def test_a_mechanism_gets_no_graph(method: str) -> None:
    """Neither before nor after its questions, nor from what they were."""
    mechanism = MECHANISMS[method]
    hints = get_type_hints(mechanism.run)
    assert list(hints.values()) == [GraphDesk, Request, Outcome]
    steps = {"steps": 100, "short_chain": True} if mechanism.chain else {}
    request = check_request(KARATE, mechanism, epsilon=1.0, **steps)  # type: ignore[arg-type]
    asked = desk(KARATE, unit="edge", epsilon=1.0, rng=1)
    assert graphs_in(asked, request) == []
    made = mechanism.run(asked, request)
    assert graphs_in(asked, request, made) == []


def test_a_refused_question_leaves_no_graph_behind() -> None:
    asked = desk(KARATE, unit="edge", epsilon=1.0, rng=1)
    with pytest.raises(PrivacyError) as caught:
        asked(statistics.Size(epsilon=2.0))
    assert graphs_in(asked, caught.value.args) == []
