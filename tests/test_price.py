"""Prices add up as proved, and normal noise is composed as dp-accounting's own accountants compose it."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrenous.price import (
    NoiseEvent,
    Price,
    compose,
    dp_accounting,
    gaussian_accountant,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_mu,
)
from entrenous.unit import Unit
from entrenous.vault.chain.entry import Promise

mus = st.floats(0.01, 3.0)


@given(st.lists(mus, min_size=1, max_size=6))
def test_the_accountant_agrees_with_the_sum_of_squares(parts: list[float]) -> None:
    accountant = gaussian_accountant()
    for mu in parts:
        accountant.compose(dp_accounting().GaussianDpEvent(noise_multiplier=1 / mu))
    total = Price.total(Price(mu=mu) for mu in parts)
    assert accountant.mu == pytest.approx(total.mu, rel=1e-12)
    assert accountant.get_epsilon(1e-6) == pytest.approx(gaussian_epsilon(total.mu, 1e-6), rel=1e-9)


@pytest.mark.parametrize("parts", [(0.5,), (0.3, 0.4), (0.2,) * 9])
def test_the_accountant_agrees_with_the_library(parts: tuple[float, ...]) -> None:
    """Its losses on a grid are never understated: a hair above ours, never below."""
    ours, theirs = gaussian_accountant(), dp_accounting().pld.PLDAccountant()
    for mu in parts:
        event = dp_accounting().GaussianDpEvent(noise_multiplier=1 / mu)
        ours.compose(event)
        theirs.compose(event)
    exact, above = ours.get_epsilon(1e-6), theirs.get_epsilon(1e-6)
    assert exact - 1e-6 <= above <= exact * 1.002
    assert ours.get_delta(exact) == pytest.approx(1e-6, rel=1e-6)


def test_the_accountant_takes_normal_noise_alone() -> None:
    with pytest.raises(dp_accounting().UnsupportedEventError, match="only normal noise"):
        gaussian_accountant().compose(dp_accounting().LaplaceDpEvent(1.0))


def test_an_event_has_its_price() -> None:
    assert NoiseEvent("geometric", scale=4.0, sensitivity=2.0, repeats=3).price == Price(epsilon=1.5)
    assert NoiseEvent("gaussian", scale=2.0, repeats=9, delta=1e-7).price == Price(mu=1.5, delta=1e-7)


@pytest.mark.parametrize("wrong", [{"epsilon": -1.0}, {"mu": math.nan}, {"delta": math.inf}])
def test_a_price_without_meaning_cannot_be_asked(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="expected a finite number"):
        Price(**wrong)


def test_pure_prices_and_deltas_are_added_up() -> None:
    total = Price.total((Price(epsilon=0.25), Price(epsilon=0.5), Price(delta=1e-6), Price(delta=2e-6)))
    assert (total.epsilon, total.delta) == (0.75, pytest.approx(3e-6))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-5, 0.01])
def test_the_largest_mu_within_a_promise_keeps_it_and_a_larger_one_does_not(
    epsilon: float, delta: float
) -> None:
    mu = gaussian_mu(epsilon, delta)
    assert gaussian_delta(mu, epsilon) <= delta < gaussian_delta(mu * (1 + 1e-9), epsilon)


def test_what_thresholds_cost_is_not_left_for_noise() -> None:
    event = NoiseEvent("gaussian", scale=1.0, delta=1e-6)
    charge = Promise(Unit.EDGE_CONTENT, Decimal(50), Decimal("2e-6"), event)
    assert compose([charge], delta=2e-6) == pytest.approx(gaussian_epsilon(1.0, 1e-6), rel=1e-3)
    assert gaussian_epsilon(1.0, 2e-6) < 0.99 * gaussian_epsilon(1.0, 1e-6)
