from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, kstest
from tests.naive import geometric_pmf

from entrenous.errors import ArgumentError
from entrenous.noise import _CHUNK, FINE, Noise
from entrenous.price import geometric_scale

SOURCES = pytest.mark.parametrize("seed", [None, 5], ids=["opendp", "rehearsal"])
DRAWS = 40_000


def statistic(noise: np.ndarray, scale: float) -> tuple[float, int]:
    """Chi-square of whole-number noise against the two-sided geometric law; cells far out are pooled."""
    ratio = math.exp(-1 / scale)
    edge = 0
    while noise.size * geometric_pmf(np.array(edge + 1), ratio) / (1 - ratio) > 20:
        edge += 1
    values = np.arange(-edge, edge + 1)
    law = geometric_pmf(values, ratio)
    law[[0, -1]] = (1 - law[1:-1].sum()) / 2  # everything beyond the edge as well
    seen = np.bincount(np.clip(noise, -edge, edge) + edge, minlength=len(values))
    expected = noise.size * law
    return float(((seen - expected) ** 2 / expected).sum()), len(values) - 1


@SOURCES
@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, 1.0), (2, 0.5), (1, 0.05), (2, 4.0)])
def test_noise_has_the_promised_scale_and_no_other(
    seed: int | None, sensitivity: int, epsilon: float
) -> None:
    counts = np.arange(DRAWS) % 100
    noise = Noise(seed).geometric(counts, sensitivity=sensitivity, epsilon=epsilon) - counts
    value, freedom = statistic(noise, sensitivity / epsilon)
    # OpenDP draws from the operating system: one run in a million may fail.
    assert value < chi2.ppf(1 - 1e-6, freedom)
    for wrong in (0.7, 1.3):
        value, freedom = statistic(noise, wrong * sensitivity / epsilon)
        assert value > chi2.ppf(1 - 1e-6, freedom)


@SOURCES
def test_noise_is_independent_between_values(seed: int | None) -> None:
    noise = Noise(seed).geometric(np.zeros(DRAWS, np.int64), sensitivity=1, epsilon=1.0)
    correlation = np.corrcoef(noise[:-1], noise[1:])[0, 1]
    assert abs(correlation) < 5 / math.sqrt(DRAWS)


@SOURCES
@pytest.mark.parametrize("shape", [(0,), (1,), (3, 4), (2, 0, 3)])
def test_the_shape_is_kept_and_numbers_are_whole(seed: int | None, shape: tuple[int, ...]) -> None:
    noisy = Noise(seed).geometric(np.zeros(shape, np.int64), sensitivity=1, epsilon=1.0)
    assert noisy.shape == shape
    assert noisy.dtype == np.int64


@pytest.mark.long
def test_long_arrays_are_drawn_in_parts_that_stay_in_order() -> None:
    counts = np.arange(120_001)[::-1]
    noisy = Noise().geometric(counts, sensitivity=1, epsilon=50.0)
    assert np.abs(noisy - counts).max() <= 1
    strided = Noise().geometric(counts[::7], sensitivity=1, epsilon=50.0)
    assert np.abs(strided - counts[::7]).max() <= 1


@pytest.mark.long
def test_every_part_of_a_long_array_has_noise_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """On one thread parts are as long as they get; two of them with the same noise would differ by nothing."""
    monkeypatch.setenv("ENTRENOUS_THREADS", "1")
    values = np.zeros(2 * _CHUNK, dtype=np.int64)
    first, second = Noise().geometric(values, sensitivity=1, epsilon=0.01).reshape(2, -1)
    assert (first == second).mean() < 0.05
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.03


def test_real_noise_ignores_every_seed() -> None:
    """Seeding numpy does not repeat real noise; forty values agree by chance less than once in 10^40."""
    drawn = []
    for _ in range(2):
        np.random.seed(1)
        drawn.append(Noise().geometric(np.zeros(40, np.int64), sensitivity=1, epsilon=0.01).tolist())
    assert drawn[0] != drawn[1]
    assert Noise().words(4).tolist() != Noise().words(4).tolist()
    assert Noise().generator.random() != Noise().generator.random()


@pytest.mark.parametrize(
    "draw",
    [
        lambda noise: noise.geometric(np.zeros(50, np.int64), sensitivity=1, epsilon=0.1),
        lambda noise: noise.words(50),
        lambda noise: noise.generator.random(50),
    ],
    ids=["geometric", "words", "generator"],
)
def test_a_rehearsal_repeats_itself(draw: Any) -> None:
    np.testing.assert_array_equal(draw(Noise(3)), draw(Noise(3)))
    np.testing.assert_array_equal(draw(Noise(3)), draw(Noise(np.random.default_rng(3))))
    assert draw(Noise(3)).tolist() != draw(Noise(4)).tolist()


def test_whatever_is_seeded_is_a_rehearsal() -> None:
    assert not Noise().rehearsal
    assert Noise(0).rehearsal
    assert Noise(np.random.default_rng()).rehearsal


@SOURCES
def test_words_are_uniform(seed: int | None) -> None:
    words = Noise(seed).words(20_000)
    assert words.dtype == np.uint64
    bits = (words[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)).sum(axis=0).astype(int)
    assert np.abs(bits - 10_000).max() < 6 * math.sqrt(5_000)
    seen = np.bincount((words >> np.uint64(56)).astype(np.int64), minlength=256)
    assert ((seen - words.size / 256) ** 2 / (words.size / 256)).sum() < chi2.ppf(1 - 1e-6, 255)
    assert len(np.unique(words)) == 20_000


@SOURCES
@pytest.mark.parametrize(
    "wrong",
    [{"epsilon": 0.0}, {"epsilon": -1.0}, {"epsilon": math.inf}, {"sensitivity": 0}, {"sensitivity": 1.5}],
    ids=str,
)
def test_noise_without_meaning_is_refused(seed: int | None, wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        Noise(seed).geometric(np.zeros(1, np.int64), **{"sensitivity": 1, "epsilon": 1.0} | wrong)


@pytest.mark.parametrize("wrong", [-1, 1.5, "7", True])
def test_a_seed_is_a_whole_number(wrong: Any) -> None:
    with pytest.raises(ArgumentError, match="rng"):
        Noise(wrong)


@pytest.mark.parametrize("epsilon", [0.1, 1 / 3, 0.7, 1e-3, 17.3])
def test_the_scale_is_confirmed_by_the_library(epsilon: float) -> None:
    """A rounded quotient may fall short of what OpenDP can vouch for; the scale then grows, hardly."""
    from entrenous.noise import _opendp_geometric

    measurement = _opendp_geometric(2, epsilon)
    assert epsilon * (1 - 1e-9) < float(measurement.map(2)) <= epsilon
    assert geometric_scale(2, epsilon) == 2 / epsilon


def gaussian_statistic(noise: np.ndarray, scale: float) -> tuple[float, int]:
    """Chi-square of whole-number noise against the discrete Gaussian law, in cells of equal width."""
    reach = math.ceil(12 * scale)
    values = np.arange(-reach, reach + 1)
    law = np.exp(-((values / scale) ** 2) / 2)
    law /= law.sum()
    width = max(1, round(scale / 8))
    inner = np.abs(values) <= 2.5 * scale
    cells = np.where(inner, (values + reach) // width, np.where(values < 0, -1, 10**6))
    names, cell = np.unique(cells, return_inverse=True)
    expected = noise.size * np.bincount(cell, weights=law)
    assert np.abs(noise).max() <= reach
    seen = np.bincount(cell[noise + reach], minlength=len(names))
    return float(((seen - expected) ** 2 / expected).sum()), len(names) - 1


@SOURCES
@pytest.mark.parametrize("scale", [0.6, 1.0, 3.7, 400.0])
def test_gaussian_noise_has_the_promised_scale_and_no_other(seed: int | None, scale: float) -> None:
    values = np.arange(DRAWS) % 100
    noise = Noise(seed).gaussian(values, scale=scale) - values
    value, freedom = gaussian_statistic(noise, scale)
    assert value < chi2.ppf(1 - 1e-6, freedom)
    for wrong in (0.7, 1.3):
        value, freedom = gaussian_statistic(noise, wrong * scale)
        assert value > chi2.ppf(1 - 1e-6, freedom)


@SOURCES
def test_fine_gaussian_noise_is_as_good_as_normal(seed: int | None) -> None:
    noise = Noise(seed).gaussian(np.zeros((2, 10_000), np.int64), scale=float(FINE))
    assert noise.shape == (2, 10_000)
    assert kstest(noise.ravel() / FINE, "norm").pvalue > 1e-6
    assert kstest(noise.ravel() / FINE / 1.3, "norm").pvalue < 1e-6
    assert abs(np.corrcoef(noise)[0, 1]) < 6 / math.sqrt(10_000)


def test_gaussian_rehearsals_repeat_and_real_noise_does_not() -> None:
    zeros = np.zeros(40, np.int64)
    np.testing.assert_array_equal(Noise(3).gaussian(zeros, scale=9.5), Noise(3).gaussian(zeros, scale=9.5))
    assert Noise().gaussian(zeros, scale=1e6).tolist() != Noise().gaussian(zeros, scale=1e6).tolist()


@SOURCES
@pytest.mark.parametrize("wrong", [0.0, -1.0, math.inf, math.nan, 1e17])
def test_gaussian_noise_without_meaning_is_refused(seed: int | None, wrong: float) -> None:
    with pytest.raises(ArgumentError, match="scale"):
        Noise(seed).gaussian(np.zeros(1, np.int64), scale=wrong)


@pytest.mark.parametrize("scale", [0.3, 1 / 3, 7.1, 1400.0, 1e6, 123456.789, 1e16])
def test_the_gaussian_scale_is_confirmed_by_the_library(scale: float) -> None:
    from entrenous.noise import _opendp_gaussian

    promised = 0.5 / scale**2
    assert promised * (1 - 1e-9) < float(_opendp_gaussian(scale).map(1.0)) <= promised


def test_whole_numbers_of_a_fine_scale_are_as_good_as_normal() -> None:
    """Tails agree with the normal law to one part in a hundred thousand, as far out as thresholds lie."""
    from scipy.special import log_ndtr

    def apart(scale: int) -> float:
        weight = np.exp(-((np.arange(9 * scale) / scale) ** 2) / 2)
        tails = np.cumsum(weight[::-1])[::-1] / (2 * weight.sum() - 1)
        deviations = np.arange(1, 8)
        return float(np.abs(np.log(tails[deviations * scale]) - log_ndtr(-deviations)).max())

    assert apart(FINE) < 1e-5 < apart(FINE // 16)


@pytest.mark.parametrize("rng", [None, 3], ids=["real", "rehearsal"])
def test_no_word_is_drawn_twice(rng: int | None) -> None:
    noise = Noise(rng)
    drawn = np.concatenate([noise.words(100), noise.words(50), noise.words(100)])
    assert len(np.unique(drawn)) == 250
