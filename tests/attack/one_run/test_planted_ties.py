"""One release with many canaries: right noise is not accused, too little is, and real graphs leave little open."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.real_data import DATA

from entrenous import datasets, desk
from entrenous.attack import planted_ties
from entrenous.attack.one_run.canary_ties import place
from entrenous.attack.one_run.planted_ties import judged, run_once, usual_canaries
from entrenous.attack.one_run.published_evidence import learn
from entrenous.attack.one_run.tie_evidence import all_evidence
from entrenous.errors import ArgumentError, PrivacyError
from entrenous.graph import Graph
from entrenous.network import MECHANISMS, statistics
from entrenous.network.mechanism import GraphDesk, Mechanism, Outcome, Request
from entrenous.noise import Noise

CLUB = datasets.karate_club()


@pytest.mark.parametrize("method", ["chung-lu", "dgg", "tmf", "owner", "privgraph", "dk2"])
def test_every_method_is_run_and_none_is_accused(method: str) -> None:
    found = planted_ties(CLUB, epsilon=2.0, method=method, canaries=1000, added=1500, rng=5)
    assert [each.attack.rsplit(", ", 1)[1] for each in found] == ["all answers", "published graph"]
    assert not any(each.broken for each in found)
    assert all(each.beyond_doubt <= each.measured for each in found if each.beyond_doubt)
    assert {each.details["canaries"] for each in found} == {1000}
    if method in {"chung-lu", "dgg"}:
        assert found[0].measured > 1.4


def half_the_noise(self: Noise, counts: Any, *, sensitivity: int, epsilon: float, **_: Any) -> Any:
    success = -np.expm1(-2 * epsilon / sensitivity)
    up, down = self.generator.geometric(success, size=(2, *np.shape(counts)))
    return np.asarray(counts + (up - down), dtype=np.int64)


def test_half_the_noise_is_caught_in_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = planted_ties(CLUB, epsilon=1.0, method="chung-lu", added=4000, published=False, rng=1)
    assert not honest[0].broken
    monkeypatch.setattr(Noise, "geometric", half_the_noise)
    caught = planted_ties(CLUB, epsilon=1.0, method="chung-lu", added=4000, published=False, rng=1)
    assert caught[0].broken
    assert caught[0].beyond_doubt is not None
    assert caught[0].beyond_doubt > 1.3


def test_degrees_that_are_asked_twice_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(asked: GraphDesk, request: Request) -> Outcome:
        asked(statistics.Degrees(epsilon=request.epsilon))
        return MECHANISMS["chung-lu"].run(asked, request)

    greedy = Mechanism("greedy", "spends twice", twice)
    rng = np.random.default_rng(3)
    ties = place(CLUB, 2000, added=4000, rng=rng)
    coins = ties.toss(rng)
    monkeypatch.setattr(desk._PureMeter, "charge", lambda self, *_: self._queryable_data)
    monkeypatch.setattr(desk._PureMeter, "_queryable_data", ties.planted(coins), raising=False)
    outcome = run_once(ties, coins, greedy, epsilon=1.0, rng=rng)
    found = judged(all_evidence(outcome.recorder.said, ties), coins, ties, greedy, 1.0, "all answers")
    assert found.broken


def test_an_answer_without_noise_is_no_matter_of_coins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics.Size, "draw", lambda _self, data, _unit, _noise: data.m)
    with pytest.raises(PrivacyError, match="size: answered without any noise"):
        planted_ties(CLUB, epsilon=1.0, method="tmf", published=False, rng=1)


def test_scores_are_made_without_the_coins() -> None:
    rng = np.random.default_rng(3)
    ties = place(CLUB, 300, added=600, rng=rng)
    coins, mechanism = ties.toss(rng), MECHANISMS["chung-lu"]
    outcome = run_once(ties, coins, mechanism, epsilon=2.0, rng=rng)
    before = all_evidence(outcome.recorder.said, ties)
    other = rng.permutation(coins)
    told, blind = (judged(before, each, ties, mechanism, 2.0, "all answers") for each in (coins, other))
    assert told.details["guesses"] == blind.details["guesses"]
    assert told.measured > 1.0 > blind.measured
    # Nor does it help to know true numbers: without them nothing changes.
    for said in outcome.recorder.said:
        object.__setattr__(said, "data", None)
        for draw in said.draws:
            object.__setattr__(draw, "true", None)
    assert np.array_equal(before, all_evidence(outcome.recorder.said, ties))


def test_the_weaker_attacker_learns_from_coins_of_their_own() -> None:
    rng = np.random.default_rng(3)
    ties = place(CLUB, 1500, added=3000, rng=rng)
    own, coins = ties.toss(rng), ties.toss(rng)
    taught = learn(ties, own, ties.planted(own))  # as if epsilon were infinite
    scores = taught.evidence(ties, ties.planted(coins))
    assert np.array_equal(scores > 0, coins)
    nothing = learn(ties, own, ties.graph)
    assert abs(nothing.evidence(ties, ties.graph)).max() < 0.01


def test_canaries_are_as_many_as_a_method_needs() -> None:
    sparse = Graph.from_edges([(0, 1)], n=5000)
    assert usual_canaries(sparse, epsilon=4.0, method="dgg") == 2500
    assert usual_canaries(sparse, epsilon=1.0, method="dgg") == 5000
    assert usual_canaries(sparse, epsilon=1.0, method="owner") == 80_000
    assert usual_canaries(sparse, epsilon=4.0, method="owner") == 5000
    assert usual_canaries(sparse, epsilon=1.0, method="tmf") > usual_canaries(
        sparse, epsilon=4.0, method="tmf"
    )
    assert usual_canaries(CLUB, epsilon=1.0, method="tmf") == 241


def test_what_cannot_be_attacked_is_refused() -> None:
    for wrong, problem in (
        ({"canaries": 5}, "canaries: expected 20 or more"),
        ({"canaries": 400}, "half of the 483"),
        ({"method": "nothing"}, "method"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"added": -1}, "added"),
    ):
        with pytest.raises(ArgumentError, match=problem):
            planted_ties(CLUB, **{"epsilon": 1.0, "rng": 1, **wrong})  # type: ignore[arg-type]


@pytest.mark.data
@pytest.mark.long
@pytest.mark.skipif(not DATA.is_dir(), reason="needs the real graphs")
def test_little_is_left_open_on_a_real_graph() -> None:
    votes = Graph.read(DATA / "graphs" / "wiki-Vote.edges.gz")
    for method, share in (("chung-lu", 0.85), ("owner", 0.5)):
        found = planted_ties(votes, epsilon=2.0, method=method, published=False, rng=1)[0]
        assert found.measured > share * 2.0
        assert not found.broken
