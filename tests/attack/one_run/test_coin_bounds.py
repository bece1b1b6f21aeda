"""Bounds from guesses about many coins: exact on small numbers, never too high, and high enough to accuse."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import expit, ndtr
from tests import naive

from entrenous.attack.one_run import coin_bounds
from entrenous.attack.one_run._kernels import least_mass
from entrenous.attack.one_run.coin_bounds import (
    Guesses,
    best_count,
    curve_epsilon,
    delta_epsilon,
    gaussian_mu_bound,
    guess,
    guess_ends,
    most_telling,
    pure_epsilon,
    refuted,
)
from entrenous.errors import ArgumentError

SMALL = [(canaries, made, right) for canaries in (5, 9) for made in (3, 5) for right in range(1, made + 1)]


def at_least(right: int, made: int, chance: float) -> float:
    return sum(math.comb(made, k) * chance**k * (1 - chance) ** (made - k) for k in range(right, made + 1))


def test_the_pure_bound_is_where_so_many_right_guesses_reach_the_risk() -> None:
    for made in range(1, 13):
        for right in range(made + 1):
            for confidence in (0.95, 0.999):
                epsilon = pure_epsilon(Guesses(20, made, right), confidence=confidence)
                if epsilon:
                    assert at_least(right, made, expit(epsilon)) == pytest.approx(1 - confidence)
                else:
                    assert at_least(right, made, 0.5) >= 1 - confidence


def test_the_chance_with_a_delta_is_that_of_the_theorem() -> None:
    for canaries, made, right in SMALL:
        for epsilon, delta in ((0.5, 1e-3), (2.0, 0.02)):
            tail = [at_least(k, made, expit(epsilon)) for k in range(made + 1)]
            slack = max((tail[right - i] - tail[right]) / i for i in range(1, right + 1))
            expected = tail[right] + 2 * canaries * delta * slack
            assert coin_bounds._delta_chance(Guesses(canaries, made, right), epsilon, delta) == pytest.approx(
                expected
            )


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("delta", [1e-4, 0.05])
def test_a_mechanism_that_tells_all_with_probability_delta_is_not_accused(
    epsilon: float, delta: float
) -> None:
    """Randomized response, and now and then all coins: (epsilon, delta) exactly."""
    for made in (4, 30):
        for right in range(1, made + 1):
            chance = (1 - delta) * at_least(right, made, expit(epsilon)) + delta
            found = Guesses(made, made, right)
            assert coin_bounds._delta_chance(found, epsilon, delta) >= chance * (1 - 1e-9)
            assert not refuted(found, *coin_bounds._pure_lines(epsilon, delta), risk=chance * (1 - 1e-9))


def test_masses_are_those_of_the_slow_twin() -> None:
    lines = coin_bounds._gaussian_lines(1.0)
    for canaries, made, right in SMALL:
        for slopes, intercepts in (lines, coin_bounds._pure_lines(1.0, 0.01)):
            slow = naive.least_mass(0.05, right, made, canaries, slopes.tolist(), intercepts.tolist())
            fast = least_mass(0.05, right, made, canaries, slopes, intercepts)
            assert (fast > 1) == (slow > 1)
            if slow <= 1:
                assert fast == pytest.approx(slow)


def most_likely(found: Guesses, lines: tuple[np.ndarray, np.ndarray]) -> float:
    """Return the largest probability of so many right guesses that the inequalities leave, by linear programming."""
    c, m = found.made, found.canaries
    rows = []
    bounds = []
    for j in range(1, c + 1):
        wrong = np.array([(c - k) / m if k >= j - 1 else 0.0 for k in range(c + 1)])
        correct = np.array([k / m if k >= j else 0.0 for k in range(c + 1)])
        for slope, start in zip(*lines, strict=True):
            rows.append(slope * correct - wrong)
            bounds.append(-start)
    goal = np.array([-1.0 if k >= found.right else 0.0 for k in range(c + 1)])
    best = linprog(goal, rows, bounds, np.ones((1, c + 1)), [1.0])
    return float(-best.fun)


def test_tails_are_refuted_exactly_where_no_distribution_reaches_them() -> None:
    coarse = tuple(part[::400] for part in coin_bounds._gaussian_lines(0.8))
    for lines in (coin_bounds._pure_lines(0.7, 0.0), coin_bounds._pure_lines(0.7, 0.03), coarse):
        for canaries, made, right in SMALL:
            found = Guesses(canaries, made, right)
            likeliest = most_likely(found, lines)
            assert not refuted(found, *lines, risk=likeliest * 0.999)
            if likeliest < 0.999:
                assert refuted(found, *lines, risk=likeliest * 1.001)


def test_tangents_are_never_above_the_curve_of_normal_noise() -> None:
    at = np.linspace(-9, 3.9, 999)
    for mu in (0.1, 1.0, 4.0):
        slopes, intercepts = coin_bounds._gaussian_lines(mu)
        highest = (np.outer(ndtr(at), slopes) + intercepts).max(axis=1)
        assert np.all(highest <= ndtr(at - mu) + 1e-12)
        assert np.all(highest >= ndtr(at - mu) - 1e-4)


def test_normal_noise_is_not_accused_of_more_than_it_gives_away() -> None:
    for mu in (0.5, 1.5):
        for right in range(1, 21):  # every coin guessed by the sign of its own number
            chance = at_least(right, 20, float(ndtr(mu / 2)))
            assert not refuted(Guesses(20, 20, right), *coin_bounds._gaussian_lines(mu), risk=chance * 0.999)


def geometric(epsilon: float, coins: np.ndarray, rng: np.random.Generator, width: float = 1.0) -> np.ndarray:
    """Return scores of coins that two noisy counts hold, for noise `width` times what epsilon asks for."""
    success = -np.expm1(-epsilon / 2 / width)
    noise = rng.geometric(success, (2, 2, len(coins)))
    counts = coins + noise[0] - noise[1]
    return np.asarray((epsilon / 2 * (np.abs(counts) - np.abs(counts - 1))).sum(axis=0))


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_bounds_hold_as_often_as_they_say_and_half_the_noise_is_accused(epsilon: float) -> None:
    rng = np.random.default_rng(11)
    runs, over, doubtless, accused, shares = 400, 0, 0, 0, []
    for _ in range(runs):
        coins = rng.random(600) < 0.5
        scores = geometric(epsilon, coins, rng)
        found = guess(scores, coins, most_telling(scores))
        shares.append(pure_epsilon(found) / epsilon)
        over += shares[-1] > 1
        doubtless += pure_epsilon(found, confidence=0.999) > epsilon
        scores = geometric(epsilon, coins, rng, width=0.5)
        accused += pure_epsilon(guess(scores, coins, most_telling(scores)), confidence=0.999) > epsilon
    assert over <= 0.05 * runs + 3 * math.sqrt(0.05 * runs)
    assert doubtless <= 3
    assert np.mean(shares) > 0.75
    assert accused > 0.6 * runs


@pytest.mark.parametrize(
    ("bound", "truth"),
    [
        (lambda found, sure: delta_epsilon(found, delta=1e-6, confidence=sure), 1.0),
        (lambda found, sure: curve_epsilon(found, confidence=sure), 1.0),
        (lambda found, sure: pure_epsilon(found, confidence=sure), 1.0),
    ],
    ids=["delta", "curve", "pure"],
)
def test_the_best_of_several_numbers_of_guesses_still_holds(
    bound: Callable[[Guesses, float], float], truth: float
) -> None:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(30):
        coins = rng.random(400) < 0.5
        found.append(best_count(geometric(truth, coins, rng), coins, bound)[0])
    assert np.mean(np.array(found) > truth) < 0.2
    assert np.mean(found) > 0.3


def test_normal_noise_is_bounded_from_one_run() -> None:
    rng = np.random.default_rng(8)
    coins = rng.random(20_000) < 0.5
    scores = 2.0 * (coins - 0.5) + rng.normal(size=len(coins))
    value, found = best_count(
        scores, coins, lambda each, sure: gaussian_mu_bound(each, confidence=sure), both=False
    )
    assert 1.2 < value < 2.0
    assert found.made in {round(share * 20_000) for share in coin_bounds.COUNTS}


def test_nobody_looks_at_the_coins_before_guessing() -> None:
    rng = np.random.default_rng(2)
    scores, coins = rng.normal(size=500), rng.random(500) < 0.5
    first, second = guess(scores, coins, 80), guess(scores, ~coins, 80)
    assert (first.made, first.right) == (80, 80 - second.right)
    ties = guess(np.ones(10), np.arange(10) < 5, 5)  # equal scores are taken as they come
    assert ties.right == 5
    ends = guess_ends(scores, coins, 30, 50)
    assert (ends.made, ends.right) == (80, 80 - guess_ends(scores, ~coins, 30, 50).right)


def test_a_bound_stops_at_the_first_value_that_is_possible() -> None:
    assert coin_bounds._first(lambda value: value < 1 or 2 < value < 3) == pytest.approx(1.0)
    assert coin_bounds._first(lambda value: False) == pytest.approx(0.0, abs=1e-9)


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ArgumentError, match="right"):
        Guesses(3, 2, 3)
    with pytest.raises(ArgumentError, match="coins"):
        guess([1.0, 2.0], [1, 0], 1)
    with pytest.raises(ArgumentError, match="count"):
        guess([1.0, 2.0], [True, False], 3)
    with pytest.raises(ArgumentError, match="scores"):
        most_telling([math.nan])
    with pytest.raises(ArgumentError, match="delta"):
        delta_epsilon(Guesses(3, 2, 2), delta=-0.1)
