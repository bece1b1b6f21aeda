"""Recorded noise, handed out again: what moved is measured exactly, and what depends on the data is noticed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from entrenous.attack.replay.aligned import Aligned, DifferentError
from entrenous.attack.tools.recorder import Draw

NUMBERS = np.array([3, 0, 7])


def drawn(kind: str = "geometric", scale: float = 2.0, of: np.ndarray | None = None) -> Draw:
    return Draw(kind, NUMBERS, NUMBERS + np.array([1, -4, 2]), scale, of)


def test_geometric_noise_moves_by_its_distance() -> None:
    noise = Aligned([drawn()])
    handed = noise.geometric(NUMBERS + np.array([0, 2, -1]), sensitivity=1, epsilon=0.5)
    assert np.array_equal(handed, drawn().noisy)
    assert noise.moved.epsilon == pytest.approx(3 / 2)
    before, after = (
        -np.abs(drawn().noisy - true).sum() / 2 for true in (NUMBERS, NUMBERS + np.array([0, 2, -1]))
    )
    assert noise.loss == pytest.approx(before - after)
    assert noise.finished


def test_normal_noise_moves_by_its_norm() -> None:
    noise = Aligned([drawn("gaussian", 5.0)])
    other = NUMBERS + np.array([3, 0, 4])
    noise.gaussian(other, scale=5.0)
    assert noise.moved.mu == pytest.approx(1.0)
    before, after = (-(((drawn().noisy - true) / 5.0) ** 2).sum() / 2 for true in (NUMBERS, other))
    assert noise.loss == pytest.approx(before - after)


def test_several_draws_add_up() -> None:
    noise = Aligned([drawn("gaussian", 1.0), drawn("gaussian", 1.0)])
    for _ in range(2):
        noise.gaussian(NUMBERS + np.array([3, 0, 0]), scale=1.0)
    assert noise.moved.mu == pytest.approx(math.sqrt(18))


def test_numbers_are_laid_side_by_side_by_their_labels() -> None:
    """What only the recorded data have has vanished: it moved all of its way to 0."""
    noise = Aligned([drawn("gaussian", 1.0, of=np.array([5, 8, 9]))])
    handed = noise.gaussian(np.array([7, 3]), scale=1.0, of=np.array([9, 5]))
    assert handed.tolist() == [9, 4]
    assert noise.moved.mu == 0  # n-gram 8 had a weight of 0
    assert [gone.tolist() for gone in noise.missing] == [[8]]


def test_what_only_the_other_data_have_moves_too_and_is_never_named() -> None:
    noise = Aligned([drawn("gaussian", 2.0, of=np.array([5, 8, 9]))])
    handed = noise.gaussian(np.array([3, 0, 6, 7]), scale=2.0, of=np.array([5, 8, 6, 9]))
    assert noise.moved.mu == pytest.approx(3.0)
    assert handed[2] < -(2**50)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda noise: noise.geometric(NUMBERS[:2], sensitivity=1, epsilon=0.5), "how many"),
        (lambda noise: noise.geometric(NUMBERS, sensitivity=1, epsilon=0.25), "the scale"),
        (lambda noise: noise.gaussian(NUMBERS, scale=2.0), "the kind"),
    ],
)
def test_noise_that_depends_on_the_data_is_noticed(call, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DifferentError, match=said):
        call(Aligned([drawn()]))


def test_more_draws_than_were_recorded_are_noticed() -> None:
    noise = Aligned([])
    with pytest.raises(DifferentError, match="more noise"):
        noise.geometric(NUMBERS, sensitivity=1, epsilon=1.0)
