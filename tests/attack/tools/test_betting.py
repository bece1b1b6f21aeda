"""A bet against a promise that holds seldom pays, whenever one stops; against one that is broken it pays soon."""

from __future__ import annotations

import math

import numpy as np
import pytest

from entrenous.attack.tools import betting
from entrenous.attack.tools.betting import anytime_lower_bound, log_capital
from entrenous.errors import ArgumentError

Scores = tuple[np.ndarray, np.ndarray]


def coins(rng: np.random.Generator, epsilon: float, pairs: int) -> Scores:
    heads = 1 / (1 + math.exp(-epsilon))
    return rng.random(pairs) < heads, rng.random(pairs) < 1 - heads


def noisy_counts(rng: np.random.Generator, epsilon: float, pairs: int, ends: int = 1) -> Scores:
    """The sum of likelihood ratios of counts, each one higher with the canary, in geometric noise."""
    chance = 1 - math.exp(-epsilon)

    def ratios(count: int) -> np.ndarray:
        noisy = count + rng.geometric(chance, (ends, pairs)) - rng.geometric(chance, (ends, pairs))
        return np.asarray((np.abs(noisy) - np.abs(noisy - 1)).sum(axis=0), dtype=float)

    return ratios(1), ratios(0)


def leaky(rng: np.random.Generator, epsilon: float, delta: float, pairs: int) -> Scores:
    """Reach epsilon and delta exactly: with probability delta tell the secret, otherwise toss the coin."""
    canary, plain = (world.astype(float) for world in coins(rng, epsilon, pairs))
    canary[rng.random(pairs) < delta] = 2.0
    plain[rng.random(pairs) < delta] = -1.0
    return canary, plain


@pytest.mark.long
@pytest.mark.parametrize("kind", ["coin", "counts", "leaky"])
def test_a_promise_that_holds_exactly_is_accused_no_more_often_than_the_level(kind: str) -> None:
    """The largest capital ever, looked at after every pair: that is optional stopping at its worst."""
    rng, audits, pairs = np.random.default_rng(1), 200, 200
    draw = {
        "coin": lambda: coins(rng, 1.0, pairs),
        "counts": lambda: noisy_counts(rng, 1.0, pairs),
        "leaky": lambda: leaky(rng, 1.0, 0.1, pairs),
    }[kind]
    delta = 0.1 if kind == "leaky" else 0.0
    largest = np.array([log_capital(*draw(), epsilon=1.0, delta=delta).max() for _ in range(audits)])
    for level in (0.3, 0.1, 0.03):
        assert (largest >= -math.log(level)).mean() <= level
    assert (largest >= -math.log(0.3)).any()  # it does bet


def test_the_expectation_of_a_bet_is_at_most_one_on_the_whole_border() -> None:
    """Whatever the estimate, the capital of the next pair is worth no more, for every p = c q + delta, exactly."""
    rng, factor, delta = np.random.default_rng(2), math.e, 0.05
    p, q = rng.uniform(0.01, 0.99, (2, 600))
    fair, other, growth = betting._nearest_fair(p, q, factor, delta)
    bets = np.flatnonzero(growth > 0)
    assert len(bets) > 50
    for place in bets:
        true_q = np.append(np.linspace(0.0, (1 - delta) / factor, 101), other[place])
        true_p = factor * true_q + delta
        stake = betting._stake(p[place], fair[place], other[place], factor)
        worth = np.zeros(102)
        for hit, p_chance in ((1, true_p), (0, 1 - true_p)):
            for other_hit, q_chance in ((1, true_q), (0, 1 - true_q)):
                change = (1 + stake * (hit - fair[place])) * (1 - factor * stake * (other_hit - other[place]))
                assert change > 0
                worth += p_chance * q_chance * change
        assert worth.max() <= 1 + 1e-12
        assert worth[-1] == pytest.approx(1.0)  # at the point that was picked the bet is fair


def runs_to_accuse(draw: list[Scores], level: float = 0.001) -> float:
    """The pairs after which 99 % of audits have accused."""
    first = []
    for worlds in draw:
        rich = np.flatnonzero(log_capital(*worlds, epsilon=1.0) >= -math.log(level))
        first.append(rich[0] + 1 if len(rich) else math.inf)
    return float(np.quantile(first, 0.99, method="higher"))


@pytest.mark.long
@pytest.mark.parametrize(("epsilon", "ends", "most"), [(2.0, 1, 200), (3.0, 1, 80), (1.0, 2, 400)])
def test_half_the_noise_is_caught_within_half_of_the_runs_of_before(
    epsilon: float, ends: int, most: int
) -> None:
    """The audit of before took 912, 380 and 1,296 runs of each world for these three, with the same power."""
    rng = np.random.default_rng(3)
    assert runs_to_accuse([noisy_counts(rng, epsilon, 500, ends) for _ in range(100)]) <= most


def test_capital_depends_on_the_past_alone() -> None:
    """What comes later changes nothing that was said before, so stopping early is what it seems to be."""
    worlds = noisy_counts(np.random.default_rng(4), 2.0, 400)
    whole = log_capital(*worlds, epsilon=1.0)
    changed = [np.concatenate([world[:150], -world[150:]]) for world in worlds]
    assert np.array_equal(log_capital(*changed, epsilon=1.0)[:150], whole[:150])
    assert not np.array_equal(log_capital(*changed, epsilon=1.0), whole)
    assert np.allclose(log_capital(*(world[:150] for world in worlds), epsilon=1.0), whole[:150])


def test_bets_on_pairs_that_were_seen_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: bets are shaped by the very pairs they are for. Then two equal worlds seem to differ."""
    bets = betting._bets

    def hindsight(worlds: np.ndarray, start: int, stop: int, factor: float, delta: float) -> np.ndarray:
        return bets(np.tile(worlds[:, start:stop], 2), stop - start, 2 * (stop - start), factor, delta)

    def accused() -> float:
        rng = np.random.default_rng(5)
        found = [log_capital(*rng.normal(size=(2, 80)), epsilon=0.1).max() for _ in range(50)]
        return float(np.mean(np.array(found) > math.log(20)))

    assert accused() <= 1 / 20
    monkeypatch.setattr(betting, "_bets", hindsight)
    assert accused() > 0.5


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_events_are_found_on_either_side_and_in_either_direction(sign: float, swapped: bool) -> None:
    worlds = [sign * world for world in noisy_counts(np.random.default_rng(6), 3.0, 200)]
    assert log_capital(*(worlds[::-1] if swapped else worlds), epsilon=1.0)[-1] > math.log(1000)


def test_an_anytime_bound_lies_below_the_truth_and_close() -> None:
    rng = np.random.default_rng(7)
    found = [anytime_lower_bound(*coins(rng, 2.0, 800), confidence=0.999) for _ in range(6)]
    assert max(found) <= 2.0
    assert np.mean(found) > 1.2
    assert anytime_lower_bound(*coins(rng, 2.0, 800), confidence=0.95, above=2.1) == 0.0
    assert anytime_lower_bound([1.0] * 5, [0.0] * 5, confidence=0.95) == 0.0


def test_unclear_scores_are_refused() -> None:
    with pytest.raises(ArgumentError, match="plain"):
        log_capital([1.0] * 20, [math.nan] * 20, epsilon=1.0)
