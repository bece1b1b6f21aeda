"""Lower bounds on epsilon hold as often as they say, and have the power they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from entrenous.attack.tools import lower_bound
from entrenous.attack.tools.lower_bound import clopper_pearson, epsilon_lower_bound, power
from entrenous.errors import ArgumentError


def coins(rng: np.random.Generator, p: float, q: float, trials: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.random(trials) < p, rng.random(trials) < q


@pytest.mark.parametrize(("hits", "trials"), [(0, 50), (7, 50), (50, 50), (499, 1000)])
def test_limits_are_those_of_clopper_and_pearson(hits: int, trials: int) -> None:
    expected = binomtest(hits, trials).proportion_ci(0.95, method="exact")
    assert clopper_pearson(hits, trials) == pytest.approx((expected.low, expected.high))


def test_a_bound_seldom_exceeds_the_truth() -> None:
    """Of 1000 bounds of 50 % confidence on a tight mechanism few exceed it, though the event is chosen."""
    rng, truth = np.random.default_rng(3), math.log(3)
    bounds = [epsilon_lower_bound(*coins(rng, 0.75, 0.25, 200), confidence=0.5).epsilon for _ in range(1000)]
    exceeding = np.mean(np.array(bounds) > truth)
    assert 0.05 < exceeding < 0.5 / 2
    assert np.mean(bounds) > 0.7 * truth


@pytest.mark.long
@pytest.mark.parametrize("kind", ["coin", "counts", "uneven"])
@pytest.mark.parametrize("trials", [20, 80, 300, 1200])
def test_bounds_exceed_the_truth_no_more_often_than_the_risk(kind: str, trials: int) -> None:
    """Mechanisms that reach epsilon 1 exactly, at many numbers of runs; many thresholds, and few."""
    rng, bounds = np.random.default_rng(trials), 200
    heads = 1 / (1 + math.exp(-1))
    drawn = {
        "coin": lambda: coins(rng, heads, 1 - heads, trials),
        "counts": lambda: (1 + noise(rng, trials), noise(rng, trials)),
        "uneven": lambda: (1 + noise(rng, trials), noise(rng, 3 * trials)),
    }[kind]
    for confidence in (0.5, 0.8):
        found = [epsilon_lower_bound(*drawn(), confidence=confidence).epsilon for _ in range(bounds)]
        assert np.mean(np.array(found) > 1.0) <= 1 - confidence


def noise(rng: np.random.Generator, runs: int) -> np.ndarray:
    """Two-sided geometric noise that hides one at epsilon 1."""
    drawn = rng.geometric(1 - math.exp(-1), (2, runs))
    return np.asarray(drawn[0] - drawn[1])


def test_judging_on_the_runs_that_chose_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault of all such bounds: equal worlds then seem to differ."""
    rng, judge = np.random.default_rng(8), lower_bound._judge
    found = []
    for _ in range(100):
        canary, plain = rng.random((2, 80))
        chosen_on = canary[:10], plain[:10]
        monkeypatch.setattr(lower_bound, "_judge", lambda *given, seen=chosen_on: judge(*seen, *given[2:]))
        found.append(epsilon_lower_bound(canary, plain, confidence=0.7).epsilon > 0)
    assert np.mean(found) > 0.3


def test_all_runs_but_an_eighth_judge_and_show_more_than_half_of_them_did() -> None:
    """At 400 runs of a mechanism that reaches epsilon 1 the split showed .69 of it on average, at 2,000 runs .86."""
    rng = np.random.default_rng(9)
    for trials, least in ((400, 0.74), (2000, 0.89)):
        found = [epsilon_lower_bound(1 + noise(rng, trials), noise(rng, trials)) for _ in range(60)]
        assert found[0].trials == (trials - trials // 8,) * 2
        assert np.mean([bound.epsilon for bound in found]) > least


def test_equal_worlds_show_nothing() -> None:
    """Among hundreds of thresholds one always looks good on the runs it was chosen on, but not on the others."""
    rng = np.random.default_rng(4)
    found = [epsilon_lower_bound(*rng.random((2, 400))).epsilon for _ in range(100)]
    assert np.mean(np.array(found) > 0) < 0.05


def test_power_is_what_simulation_finds() -> None:
    rng = np.random.default_rng(5)
    p, q, trials, stated = 0.6, 0.2, 300, 0.7
    shown = [epsilon_lower_bound(*coins(rng, p, q, trials)).epsilon > stated for _ in range(600)]
    # The choice may now and then miss the best event, or put another one first.
    assert np.mean(shown) == pytest.approx(power(p, q, trials, epsilon=stated), abs=0.06)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("swapped", [False, True])
def test_events_are_found_on_either_side_and_in_either_direction(sign: int, swapped: bool) -> None:
    rng = np.random.default_rng(6)
    rare = np.where(rng.random(2000) < 0.2, 5.0, rng.normal(size=2000))
    never = rng.normal(size=2000)
    worlds = (sign * rare, sign * never)
    found = epsilon_lower_bound(*(worlds[::-1] if swapped else worlds))
    assert found.epsilon > 3
    assert (found.above, found.canary_likelier) == (sign > 0, not swapped)


def test_delta_excuses_rare_events_and_no_others() -> None:
    rng = np.random.default_rng(7)
    seen, never = rng.random(4000) < 0.05, np.zeros(4000)
    assert epsilon_lower_bound(seen, never, delta=0.05).epsilon == 0
    assert epsilon_lower_bound(seen, never, delta=0.01).epsilon > 2


def test_infinite_scores_are_scores() -> None:
    assert epsilon_lower_bound([math.inf] * 400, [0.0] * 400).epsilon > 3


@pytest.mark.parametrize("scores", [[], [1.0] * 5, [math.nan] * 20, [[1.0] * 20]])
def test_too_few_or_unclear_scores_are_refused(scores: list[float]) -> None:
    with pytest.raises(ArgumentError, match="canary"):
        epsilon_lower_bound(scores, [0.0] * 20)


def test_more_hits_than_trials_are_refused() -> None:
    with pytest.raises(ArgumentError, match="successes"):
        clopper_pearson(11, 10)
