"""Attempts to break the promise of the default mechanism as a whole, and to get past the desk of any."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests import naive
from tests.network import tiny
from tests.network.statistics.scripts import Scripted

from entrenous.desk import Desk
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.network import MECHANISMS, release, statistics
from entrenous.network.drawing.deconvolution import estimate
from entrenous.network.drawing.pairs import NamedPairs
from entrenous.network.mechanism import Mechanism, Outcome, Request
from entrenous.network.mechanisms.owner import Plan
from entrenous.network.release import check_request
from entrenous.network.statistics import Cells, Degrees, Size, Slots, Tails
from entrenous.network.statistics._kernels import slot_weights
from entrenous.network.statistics.slots import RESOLUTION, ROUNDING
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.unit import Unit

# One release of owner is a noisy size, noisy degrees and tails, slots and noisy cells: exact probabilities of all of
# these, on every graph of four nodes. Triangles draw by themselves and are tried in statistics/test_triangles.py.

PLAN = Plan(structure=4.0, counts=1.0, degrees=2.0, triangles=0.0, distribution=0.6, size=0.5)
EPSILON = 8.1

Count = Callable[[Graph], np.ndarray]
CountCells = Callable[[Graph, Sequence[int], int], np.ndarray]


def weigh(counts: list[int], expected: list[float], epsilon: float) -> np.ndarray:
    weights = np.zeros(len(counts), np.uint64)
    slot_weights(np.array(counts, float), np.array(expected), epsilon, weights)
    return weights


def noisy_vectors() -> list[np.ndarray]:
    """Noisy degrees on the way: equal ones, hubs, values no graph has, and far out on every side."""
    rng = np.random.default_rng(8)
    fixed = [
        (0, 0, 0, 0),
        (3, 3, 3, 3),
        (9, 9, -9, -9),
        (-9, 9, -9, 9),
        (-9, -9, -9, -9),
        (9, 9, 9, 9),
        (3, 1, 1, 1),
    ]
    return [np.array(vector) for vector in fixed] + list(rng.integers(-4, 8, size=(9, 4)))


def counted_once(graph: Graph, slot: Sequence[int], slots: int) -> np.ndarray:
    return Cells(np.array(slot), slots, PLAN.counts).count(graph)


def counted_twice(graph: Graph, slot: Sequence[int], slots: int) -> np.ndarray:
    return 2 * counted_once(graph, slot, slots)


def tails_of(graph: Graph) -> np.ndarray:
    return Tails(0, 3, PLAN.distribution).count(graph)


def histogram_of(graph: Graph) -> np.ndarray:
    return np.bincount(graph.degrees, minlength=4)


def slots_of(graph: Graph, noisy: np.ndarray, slots: int, provisional: Sequence[int] | None) -> np.ndarray:
    """The exact distribution of the slots, given the noisy degrees, from the weights of the compiled kernel."""
    degrees = estimate(noisy, epsilon=PLAN.degrees, lowest=0)
    return naive.slot_distribution(
        np.argsort(-degrees.noisy, kind="stable").tolist(),
        {frozenset(edge) for edge in graph.edges().tolist()},
        degrees.expected.tolist(),
        epsilon=PLAN.structure - ROUNDING,
        resolution=RESOLUTION,
        slots=slots,
        weigh=weigh,
        provisional=provisional,
    )


def largest_loss(
    slots: int,
    vectors: list[np.ndarray],
    *,
    cells: CountCells = counted_once,
    tails: Count = tails_of,
    sensitivity: int = Degrees(PLAN.degrees).sensitivity(Unit.EDGE),
    provisional: Sequence[int] | None = None,
) -> float:
    """The largest |log ratio| of the probability of any output on two neighbouring graphs.

    It is a sum, and the parts for size, tails and cells can take either sign whatever the others are.
    """
    graphs, (one, other) = tiny.graphs(4), np.array(tiny.neighbours(4)).T
    assignments = list(itertools.product(range(slots), repeat=4))

    def scale(asked: Any, epsilon: float) -> float:
        return float(epsilon / asked.sensitivity(Unit.EDGE))

    def moved(counts: Sequence[np.ndarray]) -> np.ndarray:
        found = np.array(counts)
        return np.asarray(np.abs(found[one] - found[other]).sum(axis=-1))

    size = scale(Size(1.0), PLAN.size) * moved([np.array([graph.m]) for graph in graphs])
    tail = scale(Tails(0, 3, 1.0), PLAN.distribution) * moved([tails(graph) for graph in graphs])
    tables = [[cells(graph, slot, slots).ravel() for slot in assignments] for graph in graphs]
    cell = scale(Cells(np.zeros(4, int), 1, 1.0), PLAN.counts) * moved(tables)  # type: ignore[arg-type]
    largest = 0.0
    for noisy in vectors:
        drawn = np.array([np.log(slots_of(graph, noisy, slots, provisional)).ravel() for graph in graphs])
        distance = np.array([np.abs(noisy - graph.degrees).sum() for graph in graphs])
        degrees = PLAN.degrees / sensitivity * (distance[other] - distance[one])
        ratio = np.abs(drawn[one] - drawn[other] + degrees[:, None]) + cell + (tail + size)[:, None]
        largest = max(largest, float(ratio.max()))
    return largest


@pytest.mark.parametrize("slots", [2, 3])
def test_owner_keeps_its_promise_on_every_graph_of_four_nodes(slots: int) -> None:
    loss = largest_loss(slots, noisy_vectors())
    assert loss <= EPSILON
    assert loss > EPSILON - 0.05  # nearly attained: a check with room to spare would prove little


def test_the_check_notices_an_edge_owned_twice() -> None:
    assert largest_loss(2, noisy_vectors()[:3], provisional=(0, 1, 0, 1)) > EPSILON + 1


def test_the_check_notices_cells_counted_twice() -> None:
    assert largest_loss(2, noisy_vectors()[:4], cells=counted_twice) > EPSILON + 0.5


def test_the_check_notices_a_histogram_in_the_place_of_tails() -> None:
    assert largest_loss(2, noisy_vectors()[:4], tails=histogram_of) > EPSILON + 0.3


def test_the_check_notices_degree_noise_for_half_the_sensitivity() -> None:
    assert largest_loss(2, noisy_vectors()[:6], sensitivity=1) > EPSILON + 1


# Mechanisms ask a desk. With answers written beforehand, no mechanism can tell two graphs apart.

N = 40
TREE = Dendrogram.random(N, 9)
BLOCKS = np.arange(N) % 3
#: How many edges a desk tells of, below and above what makes slots worth having, and where nodes come from.
FEW, MANY = (20, "list"), (700, "seen")
# Neither cells nor triangles of so little are worth asking for, and nothing else may have the share of cells.
DROWNED = ("owner", {"epsilon": 1e-3, "shares": (0.0, 0.4, 0.6)})
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    *((method, {"epsilon": epsilon}) for method in MECHANISMS for epsilon in (0.05, 1.0, 7.3)),
    ("owner", {"epsilon": 40.0}),
    ("owner", {"epsilon": 1.0, "shares": (0.5, 0.1, 0.4)}),
    ("owner", {"epsilon": 1.0, "shares": (0.5, 0.0, 0.5)}),
    DROWNED,
    ("owner", {"epsilon": 1.0, "hierarchy": BLOCKS}),
    ("owner", {"epsilon": 0.05, "hierarchy": BLOCKS}),
    ("owner", {"epsilon": 1.0, "hierarchy": TREE}),
    ("owner", {"epsilon": 7.3, "hierarchy": TREE, "shares": (0.0, 0.3, 0.7)}),
    ("privhrg", {"epsilon": 1.0, "shares": (0.2, 0.8), "utility": "published"}),
    ("privhrg", {"epsilon": 1.0, "steps": 5000}),
    ("privhrg", {"epsilon": 1.0, "hierarchy": TREE}),
]


#: What each mechanism says besides what it spent.
WORDS: dict[str, set[str]] = {
    "owner": {"slots", "degree strata"},
    "privhrg": {"steps", "utility", "link classes"},
    "chung-lu": set(),
    "dk2": {"largest degree", "nodes"},
    "spectral": {"eigenpairs"},
    "tmf": set(),
    "privgraph": {"communities"},
    "dgg": {"density of blocks", "decay of the density"},
}
NOBODY = NamedPairs(N, np.zeros((0, 2), np.int32), 0.5, 0.5)


class ScriptedDesk(Desk[Graph]):
    """Charges for every question, and answers what was written beforehand."""

    def __init__(self, data: Graph, *, epsilon: float, edges: int) -> None:
        super().__init__(data, unit=Unit.EDGE, ceiling=Price(epsilon=epsilon), noise=Noise(1))
        self._edges = edges

    def __call__(self, statistic: Any) -> Any:
        return super().__call__(Scripted(statistic, self._edges))

    @property
    def questions(self) -> list[Any]:
        return [asked.statistic.real for asked in self.asked]  # type: ignore[attr-defined]


def a_graph(seed: int, m: int, source: Any = "list") -> Graph:
    edges = np.random.default_rng(seed).integers(0, N, size=(m, 2))
    return Graph.from_edges(edges, n=N, clean=True, nodes_from=source)


def run(method: str, wishes: Mapping[str, Any], graph: Graph, edges: int) -> tuple[ScriptedDesk, Outcome]:
    request = check_request(graph, MECHANISMS[method], **wishes)
    asked = ScriptedDesk(graph, epsilon=request.epsilon, edges=edges)
    return asked, MECHANISMS[method].run(asked, request)


@cache
def ran(number: int, told: tuple[int, str], edges: int) -> tuple[ScriptedDesk, Outcome]:
    """Answer one of the requests, about a graph that has so many edges at most."""
    return run(*REQUESTS[number], a_graph(3, edges, told[1]), told[0])


def flat(value: Any) -> Iterator[Any]:
    """Yield the values that something is made of, so that two things can be compared to the last bit."""
    if isinstance(value, np.ndarray):
        yield value.shape, value.dtype.str, value.tobytes()
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield key
            yield from flat(each)
    elif isinstance(value, list | tuple):
        yield len(value)
        for each in value:
            yield from flat(each)
    elif is_dataclass(value) and not isinstance(value, Dendrogram):
        yield type(value)
        yield from flat(vars(value))
    else:
        yield value


def identity(number: int) -> str:
    method, wishes = REQUESTS[number]
    said = (f"{key}={value if np.isscalar(value) else type(value).__name__}" for key, value in wishes.items())
    return "-".join([method, *said])


NUMBER = pytest.mark.parametrize("number", range(len(REQUESTS)), ids=identity)
TOLD = pytest.mark.parametrize("told", [FEW, MANY], ids=["few", "many"])


@NUMBER
@TOLD
def test_nothing_leaves_a_graph_but_through_the_desk(number: int, told: tuple[int, str]) -> None:
    seen = []
    for edges in (2, 1500):
        asked, outcome = ran(number, told, edges)
        seen.append(list(flat([outcome, asked.questions, asked.parts, asked.conditions])))
    assert seen[0] == seen[1]


@NUMBER
@TOLD
def test_nearly_all_is_spent_and_no_more(number: int, told: tuple[int, str]) -> None:
    asked, epsilon = ran(number, told, 2)[0], REQUESTS[number][1]["epsilon"]
    assert asked.spent.epsilon <= epsilon
    assert (asked.spent.epsilon > (1 - 1e-9) * epsilon) == (REQUESTS[number] is not DROWNED)


def test_the_requests_reach_every_branch() -> None:
    found: dict[str, set[str]] = {method: set() for method in MECHANISMS}
    for number, told in itertools.product(range(len(REQUESTS)), (FEW, MANY)):
        found[REQUESTS[number][0]] |= {
            type(question).__name__ for question in ran(number, told, 2)[0].questions
        }
    assert set().union(*found.values()) == set(statistics.__all__)
    assert found["owner"] == {"Size", "Degrees", "Tails", "Slots", "Cells", "Triangles"}
    by_default = ran(REQUESTS.index(("owner", {"epsilon": 1.0})), MANY, 2)[0]
    assert any(isinstance(question, Slots) for question in by_default.questions)


def test_shares_that_add_up_to_a_little_more_do_not_buy_more() -> None:
    asked, _ = run("owner", {"epsilon": 1.0, "shares": (0.5, 0.1, 0.4 + 9e-10)}, a_graph(5, 200), MANY[0])
    assert asked.spent.epsilon <= 1


# What `release` itself says must not come from edges either.


def test_a_release_that_asked_nothing_says_the_same_of_all_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(asked: Any, request: Request) -> Outcome:
        edges = asked.generator.integers(0, request.n, size=(9, 2)).astype(np.int32)
        return Outcome(Graph.from_edges(edges, n=request.n, clean=True).edges(), {"slots": 1}, NOBODY)

    monkeypatch.setitem(MECHANISMS, "silent", Mechanism("silent", "asks nothing", silent))
    made = [
        release(a_graph(seed, m), epsilon=1.0, method="silent", rng=1)
        for seed, m in ((1, 200), (2, 2), (3, 700))
    ]
    for each in made[1:]:
        assert each.artifact == made[0].artifact
        assert (each.guarantee, each.provenance) == (made[0].guarantee, made[0].provenance)
        assert list(flat(each.private)) == list(flat(made[0].private))


@pytest.mark.parametrize("method", MECHANISMS)
def test_a_card_holds_words_that_were_written_beforehand(method: str) -> None:
    """Which of them depends on noisy answers alone; none is made of data or gives the seed away."""
    chain = {"steps": 100, "short_chain": True} if MECHANISMS[method].chain else {}
    asked = {f"epsilon for {getattr(statistics, name).name}" for name in statistics.__all__}
    for seed, m in ((1, 30), (2, 300), (3, 700)):
        made = release(a_graph(seed, m), epsilon=1.0, method=method, rng=1, **chain)  # type: ignore[arg-type]
        assert set(made.provenance.parameters) - asked <= WORDS.get(method, set())
