from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from entrenous import _check
from entrenous.errors import ArgumentError


@pytest.mark.parametrize("value", [1, 0.5, np.float32(2), np.int64(3), Fraction(1, 4), 1e-300, 1e300])
def test_epsilon_accepts_any_finite_positive_number(value: Any) -> None:
    checked = _check.epsilon("epsilon", value)
    assert type(checked) is float
    assert checked == value


@pytest.mark.parametrize(
    "value",
    [
        0,
        -1,
        math.inf,
        math.nan,
        True,
        np.True_,
        "1",
        None,
        1j,
        np.array(1.0),
        pytest.param(10**400, id="10^400"),
        Fraction(1, 10**400),
    ],
)
def test_epsilon_refuses_the_rest(value: Any) -> None:
    with pytest.raises(ArgumentError, match="epsilon: expected a finite number above 0; got") as caught:
        _check.epsilon("epsilon", value)
    assert caught.value.argument == "epsilon"


def test_probability_is_from_zero_to_below_one() -> None:
    assert _check.probability("delta", 0) == 0.0
    assert _check.probability("delta", np.float64(0.25), positive=True) == 0.25


@pytest.mark.parametrize(
    "value", [-1e-9, 1, 1.5, math.nan, math.inf, True, "0.5", None, pytest.param(10**400, id="10^400")]
)
def test_probability_refuses_the_rest(value: Any) -> None:
    with pytest.raises(ArgumentError, match="delta: expected a number from 0 and below 1"):
        _check.probability("delta", value)


def test_a_positive_probability_is_not_zero() -> None:
    with pytest.raises(ArgumentError, match="above 0 and below 1; got 0"):
        _check.probability("delta", 0.0, positive=True)


def test_at_least_takes_whole_numbers_only() -> None:
    checked = _check.at_least("steps", np.int64(3), 3)
    assert type(checked) is int
    assert checked == 3


@pytest.mark.parametrize("value", [2, True, 3.0, "3", None, math.nan, np.array([3, 4]), np.array([3])])
def test_at_least_refuses_the_rest(value: Any) -> None:
    with pytest.raises(ArgumentError, match="steps: expected a whole number, 3 or more"):
        _check.at_least("steps", value, 3)


def test_one_of() -> None:
    assert _check.one_of("method", "owner", ("privhrg", "owner")) == "owner"
    for wrong in ("Owner", 3, None, ["owner"]):
        with pytest.raises(ArgumentError, match="method: expected one of owner, privhrg; got"):
            _check.one_of("method", wrong, ("owner", "privhrg"))


NAMES = ("structure", "counts")


@pytest.mark.parametrize("value", [(1, 0), [0.25, 0.75], np.array([0.1, 0.9]), (1 / 3, 2 / 3)])
def test_shares_are_kept(value: Any) -> None:
    assert _check.shares("shares", value, NAMES) == pytest.approx(tuple(value), rel=1e-12)


def test_shares_never_hand_out_more_than_there_is() -> None:
    """A sum a little above 1 is a slip of the pen, not more budget."""
    for value in ((0.5, 0.5 + 9e-10), (0.1 + 0.2, 0.7 + 2e-10), (1 / 3, 2 / 3 + 1e-12)):
        assert sum(Fraction(share) for share in _check.shares("shares", value, NAMES)) <= 1 + Fraction(
            1, 10**15
        )


@pytest.mark.parametrize(
    "value",
    [
        (1,),
        (0.5, 0.25, 0.25),
        (0.5, 0.6),
        (0.5, 0.4),
        (-0.1, 1.1),
        (math.nan, 1),
        (True, 0),
        ("a", "b"),
        0.5,
        None,
    ],
)
def test_shares_refuse_the_rest(value: Any) -> None:
    with pytest.raises(ArgumentError, match=r"shares: expected 2 shares \(structure, counts\)"):
        _check.shares("shares", value, NAMES)
