"""Telling two worlds apart: exact curves, curves from runs, and what epsilon allows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrenous.attack import allowed_auc
from entrenous.attack.tools.roc import Roc, allowed_advantage, allowed_true_rate
from entrenous.errors import ArgumentError

WEIGHTS = st.lists(st.integers(1, 50), min_size=2, max_size=8)


@given(WEIGHTS, WEIGHTS)
def test_no_other_test_beats_the_likelihood_ratio(first: list[int], second: list[int]) -> None:
    size = min(len(first), len(second))
    absent, present = (np.array(part[:size]) / sum(part[:size]) for part in (first, second))
    best = Roc.of_distributions(np.log(absent), np.log(present))
    assert best.advantage == pytest.approx(np.maximum(present - absent, 0).sum())  # total variation
    assert best.auc >= Roc.of_masses(np.arange(size), absent, present).auc - 1e-12
    assert (np.diff(best.true) * best.false[1:] >= 0).all()


def test_auc_counts_pairs_in_the_right_order() -> None:
    rng = np.random.default_rng(1)
    without, with_it = rng.integers(0, 9, 50), rng.integers(2, 11, 60)
    right = (with_it[:, None] > without).mean() + (with_it[:, None] == without).mean() / 2
    assert Roc.of_runs(without, with_it).auc == pytest.approx(right)


def test_between_two_scores_a_coin_is_tossed() -> None:
    curve = Roc.of_runs([0, 0, 1, 1], [1, 1, 1, 0])
    assert curve.true_rate(0.0) == 0.0
    assert curve.true_rate(0.25) == pytest.approx(0.375)
    assert curve.true_rate(1.0) == 1.0


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_randomized_response_uses_all_that_epsilon_allows(epsilon: float) -> None:
    honest = math.exp(epsilon) / (1 + math.exp(epsilon))
    distribution = np.log([1 - honest, honest])
    curve = Roc.of_distributions(distribution[::-1], distribution)
    assert curve.auc == pytest.approx(allowed_auc(epsilon))
    assert curve.advantage == pytest.approx(allowed_advantage(epsilon))
    for rate in (0.001, 0.1, 0.5, 0.9):
        assert curve.true_rate(rate) == pytest.approx(float(allowed_true_rate(rate, epsilon)))


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (1.0, 0.1), (3.0, 0.01), (1000.0, 0.0)])
def test_the_allowed_region_has_the_allowed_area_and_advantage(epsilon: float, delta: float) -> None:
    rates = np.linspace(0, 1, 200_001)
    allowed = allowed_true_rate(rates, epsilon, delta)
    assert np.trapezoid(allowed, rates) == pytest.approx(allowed_auc(epsilon, delta), abs=1e-5)
    assert (allowed - rates).max() == pytest.approx(allowed_advantage(epsilon, delta), abs=1e-5)
    assert (np.diff(allowed) >= 0).all()


def test_a_world_nobody_saw_is_refused() -> None:
    with pytest.raises(ArgumentError, match="both worlds"):
        Roc.of_runs([1.0, 2.0], [])
