"""Whether noise is what it should be: drawn anew for every number, as wide as was asked for, and to both sides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.tools.recorder import Draw, Said

__all__ = ["noise_problems"]

#: How likely sound noise looks wrong: so unlikely that one replay in a hundred million is accused.
RISK = 1e-10
_LEAST_RISK = 1e-12  # of one of many tests: 64 bits of the words of each question, and the width of each draw
_COARSE = 100.0  # steps in a deviation


def noise_problems(said: Iterable[Said]) -> tuple[str, ...]:
    """Return what is wrong with all noise of a run, each fault once.

    Examples
    --------
    >>> import numpy as np
    >>> from entrenous.unit import Unit
    >>> from entrenous.network.statistics import Degrees
    >>> noise = np.random.default_rng(1).geometric(0.3, size=400) - np.random.default_rng(2).geometric(0.3, size=400)
    >>> zeros = np.zeros(800, np.int64)
    >>> draw = Draw("geometric", zeros, np.concatenate([noise, noise]), -1 / np.log(0.7))
    >>> noise_problems([Said(Degrees(epsilon=1.0), Unit.EDGE, None, None, [draw])])
    ('degrees: the same noise is used twice',)
    """
    asked = list(said)
    return tuple(
        dict.fromkeys([*_reused(asked), *_of_other_width(asked), *_to_one_side(asked), *_uneven_words(asked)])
    )


def _residuals(draw: Draw) -> NDArray[np.int64]:
    return (draw.noisy - draw.true).ravel()


def _reused(asked: list[Said]) -> Iterator[str]:
    """Look for long runs of noise that occur again, anywhere in noise of the same kind and scale."""
    kept: dict[tuple[str, float], list[tuple[str, NDArray[np.int64]]]] = {}
    for each in asked:
        for draw in each.draws:
            numbers = draw.noisy if draw.kind == "words" else _residuals(draw)
            kept.setdefault((draw.kind, draw.scale), []).append((each.statistic.name, numbers))
    for (kind, scale), parts in kept.items():
        numbers = np.concatenate([part for _, part in parts])
        length = _telling_length(len(numbers), kind, scale)
        if len(numbers) >= 2 * length:
            repeated = _first_repeat(numbers, length)
            if repeated is not None:
                ends = np.cumsum([len(part) for _, part in parts])
                yield f"{parts[int(np.searchsorted(ends, repeated, side='right'))][0]}: the same noise is used twice"


def _telling_length(count: int, kind: str, scale: float) -> int:
    """Return the length of a run that sound noise hardly ever repeats: pairs of places times the chance of equality."""
    if kind == "words":
        agree = 2.0**-64
    elif kind == "geometric":
        fall = math.exp(-1 / scale)
        # The chance that two draws agree: the sum of the squares of all probabilities.
        agree = ((1 - fall) / (1 + fall)) ** 2 * (1 + fall**2) / (1 - fall**2)
    else:
        agree = 1 / (2 * math.sqrt(math.pi) * scale)
        if scale <= _COARSE:
            agree = float((_discrete_gaussian(scale)[1] ** 2).sum())
    if agree > 1 - 1e-9:
        return count  # noise so weak that it is nearly always 0
    return max(2, math.ceil((2 * math.log(max(count, 2)) - math.log(RISK)) / -math.log(agree)))


def _first_repeat(numbers: NDArray[np.int64], length: int) -> int | None:
    """Return where a run of this length begins that occurred before without overlapping, or None."""
    keys = np.zeros(len(numbers) - length + 1, np.uint64)
    with np.errstate(over="ignore"):
        for place in range(length):
            part = numbers[place : len(numbers) - length + 1 + place].astype(np.uint64)
            keys = (keys ^ part) * np.uint64(0x9E3779B97F4A7C15)
            keys ^= keys >> np.uint64(29)
    order = np.argsort(keys, kind="stable")
    equal = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    for place in equal.tolist():
        one, other = sorted((int(order[place]), int(order[place + 1])))
        if (
            np.array_equal(numbers[one : one + length], numbers[other : other + length])
            and other - one >= length
        ):
            return other
    return None


def _of_other_width(asked: list[Said]) -> Iterator[str]:
    """Compare the sizes of noise with what its scale says: half the noise is told from some dozens of numbers."""
    for each in asked:
        for draw in each.draws:
            if draw.kind == "words" or not draw.noisy.size:
                continue
            size = float(np.abs(_residuals(draw)).astype(np.float64).mean())
            if _log_risk(draw.kind, draw.scale, draw.noisy.size, size) < math.log(_LEAST_RISK):
                wide = size / _mean_size(draw.kind, draw.scale)
                yield f"{each.statistic.name}: noise is {wide:.3g} times as wide as was asked for"


def _log_risk(kind: str, scale: float, count: int, mean: float) -> float:
    """Return the logarithm of how likely sound noise has sizes whose mean is as far off: Chernoff's bound, either side.

    Every tilt u bounds the chance by E[exp(u size / scale)]^count exp(-u count mean / scale).
    """
    tilt = np.concatenate([-np.geomspace(1e-4, 1e4, 400), 1 - np.geomspace(1e-4, 1, 200)])
    if kind == "geometric":
        step = 1 / scale
        moment = np.log1p(np.exp((tilt - 1) * step)) - np.log(-np.expm1((tilt - 1) * step))
        moment += math.log(-math.expm1(-step)) - math.log1p(math.exp(-step))
    elif scale > _COARSE:  # on so fine a grid a discrete Gaussian is as good as normal
        from scipy.special import log_ndtr

        moment = math.log(2) + tilt**2 / 2 + log_ndtr(tilt)
    else:
        steps, chance = _discrete_gaussian(scale)
        moment = np.log((chance * np.exp(np.outer(tilt, np.abs(steps)) / scale)).sum(axis=1))
    return float((count * (moment - tilt * (mean / scale))).min())


def _to_one_side(asked: list[Said]) -> Iterator[str]:
    """Compare how often noise adds and takes away: as if coins were tossed."""
    for each in asked:
        for draw in each.draws:
            if draw.kind == "words":
                continue
            signs = np.sign(_residuals(draw))
            if _unlikely(int(signs.sum()), int(np.abs(signs).sum())):
                yield f"{each.statistic.name}: noise goes to one side"


def _uneven_words(asked: list[Said]) -> Iterator[str]:
    """Look at each bit of random words: as if coins were tossed."""
    for each in asked:
        words = each.words
        for bit in range(64):
            ones = int(np.count_nonzero(words & (np.uint64(1) << np.uint64(bit))))
            if _unlikely(2 * ones - len(words), len(words)):
                yield f"{each.statistic.name}: random words are uneven"
                break


def _unlikely(surplus: int, tosses: int) -> bool:
    """Tell whether so many more heads than tails are rarer than the risk (Hoeffding's inequality)."""
    return surplus * surplus > -2 * tosses * math.log(_LEAST_RISK / 2)


def _mean_size(kind: str, scale: float) -> float:
    """Return the mean of the absolute value of noise."""
    if kind == "geometric":
        return 1 / math.sinh(1 / scale) if scale > 1 / 700 else 2 * math.exp(-1 / scale)
    if scale > _COARSE:
        return scale * math.sqrt(2 / math.pi)
    steps, chance = _discrete_gaussian(scale)
    return float((np.abs(steps) * chance).sum())


def _discrete_gaussian(scale: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the steps that noise takes and their chances, on a coarse grid."""
    steps = np.arange(-math.ceil(12 * scale) - 1, math.ceil(12 * scale) + 2)
    weight = np.exp(-((steps / scale) ** 2) / 2)
    return steps, weight / weight.sum()
