"""Functions of others are audited: what is broken is caught whatever it returns, and what is sound is not."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest

from entrenous import Graph, attack
from entrenous.attack.tools.lower_bound import epsilon_lower_bound
from entrenous.attack.tools.scoring import features, learn_score
from entrenous.errors import ArgumentError

Rng = np.random.Generator
TIE = ([0, 0, 2], [1, 1, 2])  # degrees without a tie and with it


def degrees(scale: float) -> Callable[..., Any]:
    """Degrees with Laplace noise: a scale of 2 is right for epsilon 1, as a tie changes two of them."""

    def mechanism(data: list[int], rng: Rng) -> np.ndarray:
        return np.asarray(np.array(data) + rng.laplace(scale=scale, size=len(data)))

    return mechanism


def answered(epsilon: float, wrap: Callable[[bool], Any]) -> Callable[..., Any]:
    """A yes or no that is told rightly with the probability of randomized response, in whatever form."""
    truth = 1 / (1 + math.exp(-epsilon))
    return lambda data, rng: wrap(bool(data) == (rng.random() < truth))


def linked(answer: bool) -> nx.Graph:
    graph = nx.path_graph(4)
    graph.add_edge(0, 3) if answer else None
    return graph


SHAPES: dict[str, Callable[[bool], Any]] = {
    "number": lambda answer: 3.0 * answer,
    "truth value": lambda answer: answer,
    "text": lambda answer: "yes" if answer else "no",
    "array": lambda answer: np.array([[1.0, 2.0], [0.0, float(answer)]]),
    "array of text": lambda answer: np.array(["a", "yes" if answer else "no"]),
    "words": lambda answer: ["the", "gold"] if answer else ["the", "oil"],
    "set": lambda answer: {1, 2} if answer else {1},
    "mapping": lambda answer: {"noise": 1.0, "answer": [{"deep": answer}]},
    "nothing": lambda answer: None if answer else 0.0,
    "not a number": lambda answer: math.nan if answer else 0.0,
    "infinity": lambda answer: [math.inf, 1.0] if answer else [0.0, 1.0],
    "networkx": linked,
    "graph": lambda answer: Graph.from_edges([(0, 1), (1, 2)] + [(0, 2)] * answer, n=3),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_outputs_of_any_shape_are_told_apart_and_no_more_than_they_differ(shape: str) -> None:
    broken = attack.audit(
        answered(3.0, SHAPES[shape]), neighbours=(False, True), epsilon=1.0, runs=1000, rng=1
    )
    assert broken.verdict == "BROKEN"
    assert broken.beyond_doubt is not None
    assert 1.0 < broken.beyond_doubt <= 3.0
    assert broken.trials < broken.details["planned"] == 2000


@pytest.mark.parametrize("shape", ["number", "words"])
def test_a_mechanism_that_reaches_its_epsilon_exactly_is_not_accused(shape: str) -> None:
    sound = attack.audit(
        answered(1.0, SHAPES[shape]), neighbours=(False, True), epsilon=1.0, runs=1500, rng=2
    )
    assert sound.verdict == "holds"
    assert 0.7 < sound.measured <= 1.0
    assert sound.trials == sound.details["planned"]


def test_noise_for_one_end_of_a_tie_is_caught_and_noise_for_both_is_not() -> None:
    wrong = attack.audit(degrees(1.0), neighbours=TIE, epsilon=1.0, rng=3)
    right = attack.audit(degrees(2.0), neighbours=TIE, epsilon=1.0, rng=3)
    assert (wrong.broken, right.broken) == (True, False)
    assert 1.0 < wrong.measured <= 2.0
    assert 0.3 < right.measured <= 1.0
    assert (wrong.mechanism, wrong.unit) == ("mechanism", "neighbouring inputs")


def test_delta_excuses_what_it_excuses() -> None:
    def leaking(data: int, rng: Rng) -> object:
        return data if rng.random() < 0.1 else "nothing"

    assert attack.audit(leaking, neighbours=(0, 1), epsilon=1.0, rng=4).broken
    assert not attack.audit(leaking, neighbours=(0, 1), epsilon=1.0, delta=0.1, rng=4).broken


def test_a_score_of_ones_own_is_taken_and_all_runs_judge() -> None:
    found = attack.audit(
        degrees(1.0), neighbours=TIE, epsilon=1.0, score=lambda seen: seen[0] + seen[1], name="degrees", rng=5
    )
    assert found.broken
    assert (found.mechanism, found.attack) == ("degrees", "a score of its own")
    poor = attack.audit(degrees(1.0), neighbours=TIE, epsilon=1.0, score=lambda seen: seen[2], rng=5)
    assert not poor.broken
    assert poor.measured < 0.2


def test_of_several_pairs_the_worst_is_told_and_the_risk_is_divided() -> None:
    same = ([1, 1, 2], [1, 1, 2])
    found = attack.audit(degrees(1.0), neighbours=[same, TIE], epsilon=1.0, rng=6)
    assert found.broken
    assert found.details["pair"] == 1
    alone, often = (
        attack.audit(
            answered(1.0, bool), neighbours=pairs, epsilon=1.0, score=float, runs=400, rng=7
        ).measured
        for pairs in ([(False, True)], [(False, True)] + [(True, True)] * 4)
    )
    assert often < alone


def test_runs_with_a_seed_repeat_and_others_do_not() -> None:
    def once(rng: int | None) -> attack.Finding:
        return attack.audit(degrees(2.0), neighbours=TIE, epsilon=1.0, runs=200, rng=rng)

    assert once(8) == once(8)
    assert once(8) != once(9)
    assert len({once(None).details["likelier"] for _ in range(6)}) > 1


def test_a_mechanism_draws_its_own_noise_if_it_takes_no_generator() -> None:
    noise = np.random.default_rng(10)
    found = attack.audit(
        lambda data: data + noise.laplace(scale=0.3), neighbours=(0.0, 1.0), epsilon=1.0, runs=500
    )
    assert found.broken


def test_a_score_is_not_judged_by_the_runs_that_taught_it() -> None:
    """With so many features chance alone makes the runs that taught a score look apart, and no others."""
    rng = np.random.default_rng(11)
    worlds = rng.random((2, 60, 200))
    score = learn_score(*worlds)
    taught = epsilon_lower_bound(*([score(output) for output in world] for world in worlds))
    fresh = epsilon_lower_bound(*([score(output) for output in world] for world in rng.random((2, 60, 200))))
    assert taught.epsilon > 0.3
    assert fresh.epsilon == 0.0
    found = attack.audit(lambda data, rng: rng.random(200), neighbours=(0, 1), epsilon=0.1, runs=300, rng=12)
    assert found.measured == 0.0


def test_what_cannot_be_read_asks_for_a_score() -> None:
    with pytest.raises(ArgumentError, match="score"):
        features(bytearray(b"no"))
    with pytest.raises(ArgumentError, match="score"):
        attack.audit(degrees(1.0), neighbours=TIE, epsilon=1.0, score=lambda seen: math.nan)


@pytest.mark.parametrize(
    ("argument", "wrong"),
    [
        ("neighbours", {"neighbours": []}),
        ("neighbours", {"neighbours": [[0, 1]]}),
        ("neighbours", {"neighbours": (0, 1, 2)}),
        ("epsilon", {"epsilon": 0.0}),
        ("delta", {"delta": 1.0}),
        ("runs", {"runs": 50}),
    ],
)
def test_wrong_arguments_are_named(argument: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match=argument):
        attack.audit(degrees(1.0), **{"neighbours": TIE, "epsilon": 1.0} | wrong)
