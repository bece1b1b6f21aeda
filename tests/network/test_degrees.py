from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import naive

from entrenous.graph import Graph
from entrenous.network import degrees as module
from entrenous.network._kernels import blur
from entrenous.network.degrees import DegreeEstimate, estimate, noisy_degrees
from entrenous.noise import Noise

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
    support, law, mean = naive.degree_law(
        noisy, math.exp(-epsilon / 2), lowest, module.rounds_for(len(noisy))
    )
    np.testing.assert_allclose(found.support, support)
    np.testing.assert_allclose(found.law, law, atol=1e-9)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_estimate_is_nearer_to_the_truth_than_the_noise_is(seed: int) -> None:
    noisy = Noise(seed).geometric(HEAVY, sensitivity=2, epsilon=0.5)
    found = estimate(noisy, epsilon=0.5, lowest=1)
    assert np.abs(found.mean - HEAVY).mean() < 0.5 * np.abs(noisy - HEAVY).mean()
    assert found.mean.sum() == pytest.approx(max(noisy.sum(), len(noisy)), rel=0.02)
    assert found.law.sum() == pytest.approx(1)


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


def test_drawn_degrees_follow_the_law_in_the_order_of_the_noise() -> None:
    noisy = np.array([5, 1, 9, 1, 5, 0, 2, 3])
    law = np.array([0.25, 0.5, 0.25])
    found = DegreeEstimate(noisy, np.ones(8), np.array([1, 2, 7]), law)
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


def test_noise_is_for_a_sensitivity_of_two() -> None:
    """The spread of noisy degrees is that of scale 2 / epsilon; 30 % less or more would be noticed."""
    graph = Graph.from_edges([], n=20_000)
    noisy = noisy_degrees(graph, epsilon=0.5, noise=Noise(6))
    ratio = math.exp(-0.25)
    assert np.var(noisy) == pytest.approx(2 * ratio / (1 - ratio) ** 2, rel=0.1)
