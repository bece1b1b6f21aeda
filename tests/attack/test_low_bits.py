"""Low bits betray naive noise, and no released number."""

from __future__ import annotations

import numpy as np
import pytest

from entrenous.attack.low_bits import low_bits, naive_laplace, off_grid, possible


@pytest.mark.parametrize(("value", "scale"), [(0.0, 1.0), (1.0, 1.0), (-3.0, 0.5), (7.0, 20.0)])
def test_what_naive_noise_made_is_always_possible(value: float, scale: float) -> None:
    rng = np.random.default_rng(1)
    assert all(possible(naive_laplace(value, scale, rng), value, scale) for _ in range(300))


def test_naive_noise_excludes_the_other_input_in_most_cases() -> None:
    rng = np.random.default_rng(2)
    excluded = [not possible(naive_laplace(0.0, 1.0, rng), 1.0, 1.0) for _ in range(400)]
    assert np.mean(excluded) > 0.5


def test_numbers_off_the_grid_are_counted() -> None:
    assert off_grid([1.0, 2.5, 0.1234], digits=0) == 2
    assert off_grid([0.1, 0.123, 0.1 + 0.2], digits=3) == 1


def test_no_released_number_is_told_apart_and_the_control_is() -> None:
    naive, *ours = low_bits(trials=120, rng=3)
    assert naive.measured > 0.4
    assert naive.stated is None
    assert len(ours) >= 4
    assert all(found.details["share"] == 0 and not found.broken and found.trials >= 120 for found in ours)


def test_real_noise_is_on_the_grid_too() -> None:
    assert all(found.details["share"] == 0 for found in low_bits(trials=4)[1:])
