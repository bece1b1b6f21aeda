"""Low bits betray naive noise, and no released number."""

from __future__ import annotations

import numpy as np
import pytest

from entrenous.attack.canaries.canary_messages import Mailbox
from entrenous.attack.inference.low_bits import low_bits, naive_laplace, off_grid, possible
from entrenous.noise import Noise
from entrenous.words.beliefs.estimation import estimate_range


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


@pytest.mark.long
def test_no_released_number_is_told_apart_and_the_control_is() -> None:
    naive, naive_grid, *ours = low_bits(trials=40, rng=3)
    assert naive.measured > 0.4
    assert naive_grid.details["share"] == 1
    assert naive.stated is None
    assert {found.mechanism.split(", ")[1] for found in ours} == {
        "geometric", "Gaussian", "guided", "adaptive", "policy", "uniform", "fixed",
    }  # fmt: skip
    assert all(found.details["share"] == 0 and not found.broken and found.trials >= 40 for found in ours)


def test_real_noise_is_on_the_grid_too() -> None:
    assert all(found.details["share"] == 0 for found in low_bits(trials=2)[2:])


def test_a_private_estimate_is_made_of_noisy_whole_numbers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same noisy counts the published range is the same to the last bit, whatever the mail was."""
    answers = np.array([14, 40, 21])
    monkeypatch.setattr(Noise, "geometric", lambda *_, **__: answers)
    mails = [Mailbox([{"gold": 1}] * k + [{}] * (20 - k)) for k in (0, 7, 20)]
    ranges = {
        estimate_range(mail, epsilon=1.0, contribution=1, vocabulary=["gold", "oil", "gas"]) for mail in mails
    }
    assert len(ranges) == 1
