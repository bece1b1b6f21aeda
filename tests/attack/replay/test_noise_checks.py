"""Noise that is used twice, or is narrower than was asked for, is noticed; sound noise never is."""

from __future__ import annotations

import numpy as np
import pytest

from entrenous.attack.replay.noise_checks import _log_risk, noise_problems
from entrenous.attack.tools.recorder import Draw, Said
from entrenous.network.statistics import Degrees
from entrenous.noise import Noise
from entrenous.unit import Unit

ZEROS = np.zeros(2000, np.int64)


def said(*draws: Draw) -> list[Said]:
    return [Said(Degrees(epsilon=1.0), Unit.EDGE, None, None, [draw]) for draw in draws]


def geometric(epsilon: float, seed: int, size: int = 2000, stated: float | None = None) -> Draw:
    noisy = Noise(seed).geometric(ZEROS[:size], sensitivity=1, epsilon=epsilon)
    return Draw("geometric", ZEROS[:size], noisy, 1 / (stated or epsilon))


def gaussian(scale: float, seed: int, stated: float | None = None) -> Draw:
    return Draw("gaussian", ZEROS, Noise(seed).gaussian(ZEROS, scale=scale), stated or scale)


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 4.0, 20.0, 60.0])
def test_sound_geometric_noise_is_never_accused(epsilon: float) -> None:
    for seed in range(40):
        assert noise_problems(said(geometric(epsilon, seed), geometric(epsilon, seed + 1000))) == ()


@pytest.mark.parametrize("scale", [0.4, 3.0, 2.0**20])
def test_sound_normal_noise_is_never_accused(scale: float) -> None:
    for seed in range(20):
        assert noise_problems(said(gaussian(scale, seed))) == ()


def test_noise_of_one_part_in_another_is_noticed() -> None:
    first = geometric(0.5, 1)
    mixed = geometric(0.5, 2)
    mixed.noisy[700:900] = first.noisy[100:300]
    assert noise_problems(said(mixed, first)) == ("degrees: the same noise is used twice",)


def test_noise_of_one_question_in_the_next_is_noticed() -> None:
    normal = gaussian(2.0**20, 3)
    again = Draw("gaussian", ZEROS + 5, normal.noisy + 5, normal.scale)
    assert "degrees: the same noise is used twice" in noise_problems(said(normal, again))


def test_half_the_noise_is_noticed() -> None:
    (found,) = noise_problems(said(geometric(1.0, 1, stated=0.5)))
    assert "times as wide" in found
    assert noise_problems(said(gaussian(1.0, 1, stated=2.0))) != ()


def test_no_noise_is_noticed() -> None:
    assert noise_problems(said(Draw("geometric", ZEROS, ZEROS, 2.0))) != ()


def test_noise_to_one_side_is_noticed() -> None:
    """It is as wide as was asked for, and tells for certain which data it did not come from."""
    for draw in (geometric(0.5, 1), gaussian(3.0, 2)):
        above = Draw(draw.kind, draw.true, np.abs(draw.noisy), draw.scale)
        assert "degrees: noise goes to one side" in noise_problems(said(above))


def words(seed: int, count: int = 3000) -> np.ndarray:
    return Noise(seed).words(count).view(np.int64)


def test_sound_words_are_never_accused() -> None:
    for seed in range(20):
        assert noise_problems(said(Draw("words", words(seed), words(seed)))) == ()
    for seed in range(200):
        assert noise_problems(said(Draw("words", words(seed, 4), words(seed, 4)))) == ()


def test_words_that_are_used_again_or_lack_a_bit_are_noticed() -> None:
    again = np.append(words(2), words(1)[7:20])
    twice = said(Draw("words", words(1), words(1)), Draw("words", again, again))
    assert noise_problems(twice) == ("degrees: the same noise is used twice",)
    short = words(3) & np.int64(2**62 - 1)
    assert noise_problems(said(Draw("words", short, short))) == ("degrees: random words are uneven",)


def test_noise_that_is_a_third_too_narrow_is_noticed_among_hundreds_of_numbers() -> None:
    for seed in range(10):
        (found,) = noise_problems(said(geometric(1.5, seed, size=600, stated=1.0)))
        assert "times as wide" in found


@pytest.mark.parametrize("size", [1, 20, 100])
def test_a_few_numbers_are_never_accused(size: int) -> None:
    for seed in range(100):
        for epsilon in (0.001, 0.5, 5.0):
            assert noise_problems(said(geometric(epsilon, seed, size=size))) == ()
    if size == 100:
        assert noise_problems(said(Draw("geometric", ZEROS[:size], ZEROS[:size], 2.0))) != ()


@pytest.mark.parametrize(("kind", "scale"), [("geometric", 3.0), ("gaussian", 2.0)])
def test_the_risk_of_accusing_sound_noise_is_no_less_than_it_is(kind: str, scale: float) -> None:
    """Compared with the exact law of the sum of a dozen sizes."""
    steps = np.arange(400)
    weight = np.exp(-steps / scale if kind == "geometric" else -((steps / scale) ** 2) / 2) * np.where(
        steps, 2, 1
    )
    law = np.ones(1)
    for _ in range(12):
        law = np.convolve(law, weight / weight.sum())
    below, above = np.cumsum(law), np.cumsum(law[::-1])[::-1]
    for total in (0, 5, 12, 90, 150, 250):
        tail = below[total] if total < 30 else above[total]
        assert _log_risk(kind, scale, 12, total / 12) >= np.log(tail) - 1e-6
