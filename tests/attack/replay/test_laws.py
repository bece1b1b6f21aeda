"""Laws that a replay writes down by itself agree with the code that draws, and with its likelihoods."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from entrenous.attack.replay.questions import compared, followed
from entrenous.attack.tools.likelihood import likelihood
from entrenous.attack.tools.recorder import Recorder, Said
from entrenous.graph import Graph
from entrenous.hrg.utility import Clipped, Published
from entrenous.network.statistics import Communities, PassingPairs, Slots, Tree, Triangles
from entrenous.statistic import Statistic
from entrenous.unit import Unit

RNG = np.random.default_rng(5)
N = 30
PAIRS = np.array([(u, v) for u in range(N) for v in range(u + 1, N)])
BEFORE = Graph.from_edges(PAIRS[RNG.random(len(PAIRS)) < 0.3], n=N)
LABEL = (BEFORE.degrees > np.median(BEFORE.degrees)).astype(np.int64)
STATISTICS: dict[str, Statistic[Graph, object]] = {
    "slots": Slots(np.argsort(-BEFORE.degrees, kind="stable"), BEFORE.degrees + 1.0, 4, epsilon=1.5),
    "communities": Communities(np.arange(N) % 3, epsilon=1.0),
    "pairs": PassingPairs(len(PAIRS), BEFORE.m, epsilon=1.0),
    "triangles": Triangles(LABEL, (0.3, 0.5)),
    "tree": Tree(steps=300, utility=Clipped(1e-3, 0.5), moves="mixture", epsilon=2.0),
    "published tree": Tree(steps=300, utility=Published(), moves="local", epsilon=2.0),
}


def said(statistic: Statistic[Graph, object], seed: int) -> Said:
    noise = Recorder(seed)
    noise.answer(statistic, BEFORE, Unit.EDGE)
    return noise.said[0]


def neighbours(count: int) -> list[Graph]:
    chosen = RNG.choice(len(PAIRS), size=count, replace=False)
    edges = {tuple(edge) for edge in BEFORE.edges().tolist()}
    return [Graph.from_edges(sorted(edges ^ {tuple(pair)}), n=N) for pair in PAIRS[chosen].tolist()]


@pytest.mark.parametrize("name", STATISTICS)
def test_the_loss_is_the_difference_of_likelihoods_and_never_more_than_the_most(name: str) -> None:
    statistic = STATISTICS[name]
    for seed, other in enumerate(neighbours(25)):
        seen = said(statistic, seed)
        part = compared(seen, other)
        here, there = (likelihood(statistic, graph, Unit.EDGE) for graph in (BEFORE, other))
        exact = here(seen.answer, seen.numbers) - there(seen.answer, seen.numbers)
        if name == "communities" and len(np.unique(seen.answer)) < 3:
            continue  # a likelihood also sums over which communities are empty
        assert part.loss == pytest.approx(exact, abs=1e-6)
        assert abs(part.loss) <= part.moved.epsilon + 1e-9
        assert part.problem is None
        assert not part.exceeded


@pytest.mark.parametrize("name", ["slots", "communities", "pairs", "triangles"])
def test_some_neighbour_uses_most_of_what_is_paid(name: str) -> None:
    statistic = STATISTICS[name]
    shares = []
    for seed, other in enumerate(neighbours(60)):
        part = compared(said(statistic, seed), other)
        shares.append(part.moved.epsilon / part.stated.epsilon)
    assert 0.55 < max(shares) <= 1 + 1e-9


@pytest.mark.parametrize("name", STATISTICS)
def test_answers_follow_from_their_random_words(name: str) -> None:
    for seed in range(5):
        assert followed(said(STATISTICS[name], seed)) is None


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("slots", Slots(STATISTICS["slots"].order, STATISTICS["slots"].expected, 4, epsilon=3.0)),  # type: ignore[attr-defined]
        ("communities", Communities(np.arange(N) % 3, epsilon=2.0)),
        ("pairs", PassingPairs(len(PAIRS), 2 * BEFORE.m, epsilon=1.0)),
    ],
)
def test_answers_drawn_for_more_epsilon_are_noticed(name: str, other: Statistic[Graph, object]) -> None:
    wrong = [
        followed(Said(STATISTICS[name], seen.unit, seen.data, seen.answer, seen.draws))
        for seen in (said(other, seed) for seed in range(5))
    ]
    assert any(problem is not None for problem in wrong)


def answered(statistic: Statistic[Graph, object], seed: int) -> str | None:
    """What is wrong with an answer."""
    return followed(said(statistic, seed))


def test_a_ladder_that_falls_too_fast_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from entrenous.network.statistics import triangles

    plain = triangles.ladder
    monkeypatch.setattr(
        triangles,
        "ladder",
        lambda count, width, *, epsilon, noise: plain(count, width, epsilon=2 * epsilon, noise=noise),
    )
    assert (
        answered(STATISTICS["triangles"], 1)
        == "triangles do not follow from their noise and words by the stated law"
    )


def test_a_ladder_that_forgets_its_leverage_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from entrenous.network.statistics import triangles

    plain = triangles.ladder
    least = [triangles.least_leverage(part) for part in STATISTICS["triangles"].parts]  # type: ignore[attr-defined]
    monkeypatch.setattr(
        triangles,
        "ladder",
        lambda count, _, *, epsilon, noise: plain(count, max(least), epsilon=epsilon, noise=noise),
    )
    assert any(answered(STATISTICS["triangles"], seed) is not None for seed in range(5))


def test_a_filter_that_invents_nothing_is_noticed() -> None:
    """Whatever passes is then an edge for certain."""
    seen = said(STATISTICS["pairs"], 2)
    own = {tuple(edge) for edge in BEFORE.edges().tolist()}
    edges = np.array([pair for pair in seen.answer.tolist() if tuple(pair) in own], np.int32)
    assert 0 < len(edges) < len(seen.answer)
    assert "do not pass" in str(followed(dataclasses.replace(seen, answer=edges)))


def test_gaps_of_another_rate_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from entrenous.network.statistics import passing_pairs

    plain = passing_pairs._passing
    monkeypatch.setattr(passing_pairs, "_passing", lambda pairs, rate, noise: plain(pairs, rate / 2, noise))
    assert "another rate" in str(answered(STATISTICS["pairs"], 3))


@pytest.mark.parametrize("epsilon", [0.01, 3.0, 60.0, 1000.0])
def test_answers_follow_for_little_and_for_much_epsilon(epsilon: float) -> None:
    asked: list[Statistic[Graph, Any]] = [
        Triangles(LABEL, (epsilon / 2, epsilon)),
        PassingPairs(len(PAIRS), BEFORE.m, epsilon=epsilon),
    ]
    for statistic in asked:
        for seed in range(5):
            seen = said(statistic, seed)
            assert followed(seen) is None
            part = compared(seen, neighbours(1)[0])
            assert part.moved.epsilon <= epsilon * 1.5 + 1e-9
            assert not part.exceeded
