"""Planted leaks are noticed by what does not depend on a machine, and nothing is accused that does the same work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice

import numpy as np
import pytest

from entrenous import datasets, words
from entrenous.attack import allowed_auc, side_channels
from entrenous.attack.canaries.canary_edges import book
from entrenous.attack.side_channels.auc_interval import AucInterval
from entrenous.attack.side_channels.observing import counting
from entrenous.attack.side_channels.page import COLUMNS, side_channels_report
from entrenous.attack.side_channels.telling_apart import compare
from entrenous.attack.side_channels.worlds_compared import (
    WORDS,
    Compared,
    most_telling,
    network_worlds,
    words_worlds,
)
from entrenous.attack.tools.findings import Finding
from entrenous.card import Provenance
from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.network import MECHANISMS
from entrenous.network.statistics import PassingPairs, passing_pairs
from entrenous.network.statistics.triangles import decay_for, ladder
from entrenous.noise import Noise
from entrenous.release import Release
from entrenous.unit import Unit
from entrenous.words.counting.table import Table

Rng = np.random.Generator | None


def planted(work: Callable[[bool, Noise], int]) -> Compared:
    """A mechanism that publishes a path of some length, and works as it is told."""

    def release(canary: bool, rng: Rng) -> Release[Graph]:
        length = work(canary, Noise(rng))
        path = Graph.from_edges([(node, node + 1) for node in range(length)], n=200)
        return Release(path, None, Provenance("network: planted", rehearsal=rng is not None))

    return Compared("network: planted", "edge", "a fault", 1.0, release)


def told(found: list[Finding]) -> Mapping[str, Finding]:
    return {each.quantity.removeprefix("AUC of "): each for each in found}


def redraws(canary: bool, noise: Noise) -> int:
    """Rejection that goes on twice as long in one world."""
    chance, tries = (0.04 if canary else 0.4), 1
    while noise.words(1)[0] >= np.uint64(chance * 2**64):
        tries += 1
    return 10


def draws_once_more(canary: bool, noise: Noise) -> int:
    noise.geometric(np.zeros(100 + canary, np.int64), sensitivity=1, epsilon=1.0)
    return 10


def publishes_more(canary: bool, noise: Noise) -> int:
    noise.words(5)
    return 100 + 40 * canary


def works_the_same(canary: bool, noise: Noise) -> int:
    del canary
    return 100 + int(noise.geometric(np.zeros(1, np.int64), sensitivity=1, epsilon=1.0)[0]) % 7


@pytest.mark.parametrize(
    ("work", "quantity"),
    [
        (redraws, "random words drawn"),
        (draws_once_more, "noisy numbers drawn"),
        (publishes_more, "size of all files"),
    ],
)
def test_a_planted_leak_is_noticed_where_it_is(work: Callable[[bool, Noise], int], quantity: str) -> None:
    found = told(compare(planted(work), runs=60, rng=1))
    assert found[quantity].measured > 0.75
    assert found[quantity].details["epsilon"] > 1
    for other in {"random words drawn", "noisy numbers drawn", "size of all files"} - {quantity}:
        assert found[other].details["constant"]
        assert found[other].measured == 0.5


def test_what_works_the_same_is_not_accused() -> None:
    found = told(compare(planted(works_the_same), runs=60, rng=1))
    assert found["random words drawn"].details["constant"]
    assert found["noisy numbers drawn"].details["constant"]
    assert found["size of all files"].measured == 0.5
    assert not any(each.broken for each in found.values())


def test_sizes_are_promised_and_time_is_not() -> None:
    found = told(compare(planted(publishes_more), runs=60, rng=1))
    for quantity in ("CPU time", "CPU time at the desk", "peak memory", "random words drawn"):
        assert found[quantity].verdict == "nothing promised"
    for quantity in ("size of all files", "size of graph.edges"):
        assert found[quantity].stated == allowed_auc(1.0)
        assert found[quantity].verdict == "BROKEN"
    assert found["size of card.md"].verdict == "holds"
    assert (found["epsilon"].stated, found["epsilon"].verdict) == (1.0, "BROKEN")


def test_a_rehearsal_repeats_itself_whatever_the_clock_says() -> None:
    first, second = (told(compare(planted(redraws), runs=10, rng=5)) for _ in range(2))
    for quantity in ("random words drawn", "size of all files"):
        assert first[quantity] == second[quantity]
    assert (
        first["random words drawn"] != told(compare(planted(redraws), runs=10, rng=6))["random words drawn"]
    )


def words_of(graph: Graph) -> int:
    asked = PassingPairs(graph.n * (graph.n - 1) // 2, 60, epsilon=1.0)
    with counting() as spent:
        asked.draw(graph, Unit.EDGE, Noise())
    return spent.words


def test_the_number_of_random_words_does_not_tell_the_number_of_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, canary = book(30)
    assert words_of(plain) == words_of(canary)
    monkeypatch.setattr(passing_pairs, "_BLOCK", 1)
    assert words_of(plain) != words_of(canary)


def candidates(leverage: int, epsilon: float, times: int) -> np.ndarray:
    """How many random words each of some ladders takes: four for each candidate."""
    counts = []
    for seed in range(times):
        with counting() as spent:
            ladder(0, leverage, epsilon=epsilon, noise=Noise(seed))
        counts.append(spent.words)
    return np.array(counts)


def ladder_auc(leverage: int, epsilon: float) -> float:
    """The exact AUC of the number of candidates, which is geometric, for a leverage and one more."""
    fall = np.exp(-decay_for(epsilon))
    wide, wider = (1 - fall + fall / width for width in (leverage, leverage + 1))
    return float((wide - wide * wider / 2) / (wide + wider - wide * wider))


@pytest.mark.parametrize(("leverage", "epsilon", "auc"), [(1, 1.0, 0.634), (50, 0.02, 0.503)])
def test_a_ladder_tells_its_leverage_by_its_candidates_as_known_gaps_say(
    leverage: int, epsilon: float, auc: float
) -> None:
    assert ladder_auc(leverage, epsilon) == pytest.approx(auc, abs=0.001)
    if leverage == 1:
        found = AucInterval.of(candidates(2, epsilon, 700), candidates(1, epsilon, 700), confidence=0.999)
        assert found.low < ladder_auc(1, epsilon) < found.high
        assert found.low > 0.55


def vocabulary_of(table: Table, rng: Rng) -> Release[words.Vocabulary]:
    return words.vocabulary(table, epsilon=4.0, delta=0.01, n=1, rng=rng)


def test_a_vocabulary_tells_how_many_words_occur_and_a_histogram_does_not() -> None:
    """The gap that docs/known-gaps.md tells: noise goes to what occurs."""
    own = {f"own{chr(97 + place)}": 1 for place in range(20)}
    tables = [
        Table.from_counts(
            [mine, *[{"budget": 1}] * 60], ends=[(i, i + 1) for i in range(61)], n=1, listed=True
        )
        for mine in ({}, own)
    ]
    named = Compared(
        "words: v", "edge-content", "words", 1.0, lambda c, rng: vocabulary_of(tables[c], rng), 0.01
    )
    listed = Compared(
        "words: h", "edge-content", "words", 1.0,
        lambda c, rng: words.histogram(tables[c], vocabulary=["budget"], epsilon=1.0, useless=True, rng=rng),
    )  # fmt: skip
    assert told(compare(named, runs=10, rng=1))["noisy numbers drawn"].details["auc"] == 1.0
    assert told(compare(listed, runs=10, rng=1))["noisy numbers drawn"].details["constant"]


def test_the_tie_that_tells_most_closes_most_triangles() -> None:
    rng = np.random.default_rng(2)
    pairs = [pair for pair in zip(*np.triu_indices(30, 1), strict=True) if rng.random() < 0.2]
    graph = Graph.from_edges(np.array(pairs), n=30)
    matrix = np.zeros((30, 30), int)
    for u, v in pairs:
        matrix[u, v] = matrix[v, u] = 1
    common = np.triu(matrix @ matrix, 1)
    assert common[most_telling(graph)] == common.max()


def test_every_mechanism_and_unit_has_its_worlds() -> None:
    for method in MECHANISMS:
        assert len(list(network_worlds(method, epsilon=1.0))) == 2
    units = {each.unit for kind in ("histogram", "vocabulary") for each in words_worlds(kind, epsilon=1.0)}
    assert units == {"edge-content", "edge-and-message", "message", "thread", "sender", "all-of-mail"}
    (plain, canary) = (
        next(islice(network_worlds("chung-lu", epsilon=1.0), 1, None)).release(
            with_it, np.random.default_rng(1)
        )
        for with_it in (False, True)
    )
    assert plain.artifact.n == canary.artifact.n == 250


def test_a_graph_of_ones_own_makes_a_private_page() -> None:
    steps: list[tuple[int, int]] = []
    club = datasets.karate_club()
    found = side_channels(
        ["dgg", "chung-lu"], epsilon=1.0, graph=club, runs=10, rng=1, progress=lambda *at: steps.append(at)
    )
    assert steps == [(1, 2), (2, 2)]
    assert {each.mechanism for each in found} == {"network: dgg, this graph", "network: chung-lu, this graph"}
    for method in ("dgg", "chung-lu"):
        mine = told([each for each in found if method in each.mechanism])
        assert mine["noisy numbers drawn"].details["constant"]
    assert side_channels_report(found, private=True).private


def test_the_page_has_room_for_every_release_there_is() -> None:
    """A picture whose labels leave no room for itself warns, which is an error here."""
    compared = [
        *(each for method in MECHANISMS for each in network_worlds(method, epsilon=1.0)),
        *(each for kind in WORDS for each in words_worlds(kind, epsilon=1.0)),
    ]
    found = [
        Finding(
            each.name, each.unit, each.change, 0.73 if quantity.startswith("size") else None, 0.6,
            quantity=f"AUC of {quantity}", details={"auc": 0.3, "constant": 0.0, "surely": 0.55},
        )
        for each in compared
        for quantity in COLUMNS.values()
    ]  # fmt: skip
    page = side_channels_report(found)
    assert not page.private
    assert all(each.name in page.html for each in compared)
    assert "0.70 (0.60)" in page.html


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"methods": ["guess"]}, "methods"),
        ({"methods": ["vocabulary"], "graph": datasets.karate_club()}, "methods"),
        ({"runs": 3}, "runs"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"graph": 3}, "graph"),
    ],
)
def test_wrong_calls_are_refused(wrong: dict[str, object], match: str) -> None:
    with pytest.raises(ArgumentError, match=match):
        side_channels(**{"methods": ["dgg"], "epsilon": 1.0} | wrong)  # type: ignore[arg-type]
