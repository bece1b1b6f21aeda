"""A transcript's likelihood ratio is exact, and a question that the other world would not ask gives it away."""

from __future__ import annotations

import math

import numpy as np
import pytest

from entrenous.attack.tools.transcript import Run, Transcript, log_ratio, record
from entrenous.noise import Noise


def degrees(*values: int) -> Run:
    return lambda noise: noise.geometric(np.array(values), sensitivity=2, epsilon=1.0)


def test_geometric_noise_counts_by_its_distance() -> None:
    seen = Transcript((np.array([5, -2]),), public=0)
    assert log_ratio(seen, degrees(1, 1), degrees(0, 0)) == pytest.approx(0.5 - 0.5)
    assert log_ratio(Transcript((np.array([5, 1]),), 0), degrees(1, 1), degrees(0, 0)) == pytest.approx(1.0)


def test_scales_that_differ_count_as_well() -> None:
    seen = Transcript((np.array([3]),), public=0)

    def count(epsilon: float) -> Run:
        return lambda noise: noise.geometric(np.array([0]), sensitivity=1, epsilon=epsilon)

    def law(epsilon: float) -> float:
        return math.log((1 - math.exp(-epsilon)) / (1 + math.exp(-epsilon))) - 3 * epsilon

    assert log_ratio(seen, count(2.0), count(1.0)) == pytest.approx(law(2.0) - law(1.0))


def test_gaussian_noise_counts_by_its_square() -> None:
    def value(mean: int) -> Run:
        return lambda noise: noise.gaussian(np.array([mean]), scale=2.0)

    assert log_ratio(Transcript((np.array([4]),), 0), value(1), value(0)) == pytest.approx((16 - 9) / 8)


def test_later_questions_may_depend_on_earlier_answers() -> None:
    def adaptive(size: int) -> Run:
        def run(noise: Noise) -> None:
            first = int(noise.geometric(np.array([size]), sensitivity=1, epsilon=1.0)[0])
            noise.geometric(np.full(abs(first) + 1, size), sensitivity=1, epsilon=0.5)

        return run

    seen = record(adaptive(3), np.random.default_rng(1))
    assert [answer.size for answer in seen.answers] == [1, abs(int(seen.answers[0][0])) + 1]
    assert log_ratio(seen, adaptive(3), adaptive(3)) == 0.0
    assert math.isfinite(log_ratio(seen, adaptive(4), adaptive(3)))


def test_a_question_that_depends_on_the_data_is_infinitely_telling() -> None:
    seen = record(degrees(1, 1, 1), np.random.default_rng(1))
    assert log_ratio(seen, degrees(1, 1, 1), degrees(0, 0)) == math.inf
    assert log_ratio(seen, degrees(0, 0), degrees(1, 1, 1)) == -math.inf


def test_post_processing_is_left_out_and_its_seed_is_known() -> None:
    def run(noise: Noise) -> None:
        noise.geometric(noise.generator.integers(0, 100, size=3), sensitivity=1, epsilon=5.0)
        raise AssertionError("post-processing was run")

    seen = record(run, np.random.default_rng(2), draws=1)
    assert log_ratio(seen, run, run) == 0.0
    known = np.random.default_rng(seen.public).integers(0, 100, size=3)
    assert np.abs(seen.answers[0] - known).max() < 6


def test_real_noise_is_recorded_too() -> None:
    seen = record(degrees(1000, 2000), None)
    assert np.abs(seen.answers[0] - [1000, 2000]).max() < 200
