from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import naive

from entrenous.network.drawing._model_kernels import blur, tail_factors
from entrenous.network.drawing.deconvolution import (
    DEGREE_SENSITIVITY,
    DegreeEstimate,
    NoisyTails,
    estimate,
    rounds_for,
)
from entrenous.network.statistics import Degrees, Tails
from entrenous.noise import Noise
from entrenous.unit import Unit

HEAVY = np.repeat([1, 2, 3, 10, 60], [400, 200, 100, 50, 5])


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.floats(0.0, 0.999))
def test_blur_is_a_convolution_with_the_noise(values: list[float], ratio: float) -> None:
    n = len(values)
    kernel = naive.geometric_pmf(np.arange(-n + 1, n), ratio)
    np.testing.assert_allclose(
        blur(np.array(values), ratio), np.convolve(values, kernel)[n - 1 : 2 * n - 1], rtol=1e-9, atol=1e-6
    )


@pytest.mark.parametrize("lowest", [0, 1])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 6.0])
def test_the_estimate_agrees_with_its_dense_twin(epsilon: float, lowest: int) -> None:
    noisy = Noise(2).geometric(HEAVY, sensitivity=2, epsilon=epsilon)
    found = estimate(noisy, epsilon=epsilon, lowest=lowest)
    support, distribution, mean = naive.degree_distribution(
        noisy, math.exp(-epsilon / 2), lowest, rounds_for(len(noisy))
    )
    np.testing.assert_allclose(found.support, support)
    np.testing.assert_allclose(found.distribution, distribution, atol=1e-9)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_estimate_is_nearer_to_the_truth_than_the_noise_is(seed: int) -> None:
    noisy = Noise(seed).geometric(HEAVY, sensitivity=2, epsilon=0.5)
    found = estimate(noisy, epsilon=0.5, lowest=1)
    assert np.abs(found.mean - HEAVY).mean() < 0.5 * np.abs(noisy - HEAVY).mean()
    assert found.mean.sum() == pytest.approx(max(noisy.sum(), len(noisy)), rel=0.02)
    assert found.distribution.sum() == pytest.approx(1)


@given(
    st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=20),
    st.sampled_from([1e-9, 1e-3, 1.0, 50.0, 1e6]),
    st.integers(0, 1),
)
def test_any_noisy_degrees_give_degrees_a_graph_can_have(
    noisy: list[int], epsilon: float, lowest: int
) -> None:
    found = estimate(np.array(noisy), epsilon=epsilon, lowest=lowest)
    most = max(len(noisy) - 1, lowest)
    assert np.isfinite(found.mean).all()
    assert (found.mean >= lowest - 1e-9).all()
    assert (found.mean <= most + 1e-9).all()
    drawn = found.draw(np.random.default_rng(1))
    assert ((drawn >= lowest) & (drawn <= most)).all()


def test_drawn_degrees_follow_the_distribution_in_the_order_of_the_noise() -> None:
    noisy = np.array([5, 1, 9, 1, 5, 0, 2, 3])
    found = DegreeEstimate(noisy, np.ones(8), np.array([1, 2, 7]), np.array([0.25, 0.5, 0.25]))
    drawn = found.draw(np.random.default_rng(3))
    assert sorted(drawn.tolist()) == [1, 1, 2, 2, 2, 2, 7, 7]
    assert (np.diff(drawn[np.argsort(noisy, kind="stable")][[0, 3, 4, 7]]) >= 0).all()
    assert drawn[2] == 7
    assert drawn[5] == 1


def test_equal_noisy_degrees_are_told_apart_by_chance_alone() -> None:
    found = DegreeEstimate(np.zeros(10, np.int64), np.ones(10), np.array([0, 5]), np.array([0.5, 0.5]))
    rng = np.random.default_rng(4)
    drawn = np.array([found.draw(rng) for _ in range(2000)])
    assert np.abs(drawn.mean(axis=0) - 2.5).max() < 6 * 2.5 / math.sqrt(2000)


@pytest.mark.parametrize("epsilon", [1e-4, 1e-2, 1.0])
def test_there_are_no_more_ties_in_all_than_the_noisy_degrees_add_up_to(epsilon: float) -> None:
    noisy = Noise(7).geometric(np.full(2000, 2), sensitivity=2, epsilon=epsilon)
    found = estimate(noisy, epsilon=epsilon, lowest=0)
    assert found.mean.sum() <= max(noisy.sum(), 0) * 1.01 + 1
    assert found.draw(np.random.default_rng(1)).sum() <= max(noisy.sum(), 0) * 1.05 + 20


def test_the_noise_that_is_undone_is_the_noise_that_was_drawn() -> None:
    drawn = {asked.sensitivity(Unit.EDGE) for asked in (Degrees(1.0), Tails(0, 9, 1.0))}
    assert drawn == {DEGREE_SENSITIVITY}


def test_factors_of_tails_solve_the_least_squares_they_stand_for() -> None:
    """Against a dense solution: what is minimized is written out, term by term."""
    rng = np.random.default_rng(3)
    nodes, variance, reach = rng.random(7) * 40 + 1, 30.0, 2.5
    noisy = np.cumsum(nodes[::-1])[::-1][1:] + 5 * rng.standard_normal(6)
    expected = np.cumsum(nodes[::-1])[::-1]
    rows, target = [], []
    for k in range(7):  # the nodes of each degree, differences of tails
        row = np.zeros(8)
        row[k], row[k + 1] = 1, -1
        rows.append(row / math.sqrt(nodes[k]))
        target.append(math.sqrt(nodes[k]))
    for k in range(1, 7):
        astray = (1 / nodes[k - 1] + 1 / nodes[k]) / (2 * reach**2)
        rows += [np.eye(8)[k] * math.sqrt(astray), np.eye(8)[k] / math.sqrt(variance)]
        target += [expected[k] * math.sqrt(astray), noisy[k - 1] / math.sqrt(variance)]
    matrix, ends = np.array(rows), np.array([expected[0], 0.0])
    free = np.linalg.lstsq(matrix[:, 1:7], np.array(target) - matrix[:, [0, 7]] @ ends, rcond=None)[0]
    tails = np.concatenate([ends[:1], free, ends[1:]])
    factors = tail_factors(nodes, noisy, variance, reach)
    np.testing.assert_allclose(factors, (tails[:-1] - tails[1:]) / nodes, rtol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_tails_bring_the_distribution_of_degrees_nearer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    degrees = np.minimum(np.floor(1 / rng.random(4000)), 400).astype(np.int64)
    cumulated = np.cumsum(np.bincount(degrees, minlength=402)) / len(degrees)
    noise = Noise(seed)
    noisy = noise.geometric(degrees, sensitivity=2, epsilon=0.3)
    counts = (degrees[:, None] >= np.arange(2, min(noisy.max(), 401) + 1)).sum(axis=0)
    tails = NoisyTails(noise.geometric(counts, sensitivity=2, epsilon=0.05), 0.05)

    def distance(found: DegreeEstimate) -> float:
        chances = np.zeros(402)
        chances[np.round(found.support).astype(int)[: 402 - 1]] = found.distribution[: 402 - 1]
        return float(np.abs(np.cumsum(chances) - cumulated).max())

    without, with_tails = (
        distance(estimate(noisy, epsilon=0.3, lowest=1, tails=known)) for known in (None, tails)
    )
    assert with_tails < 0.02
    assert with_tails < without / 2
