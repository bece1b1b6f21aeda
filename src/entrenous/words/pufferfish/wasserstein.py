"""How far apart two distributions are in the worst case: the infinity-Wasserstein distance, exactly.

What an attacker believes about a count depends on a secret bit: one distribution if it is 0, another if it is 1. The
largest distance that the best coupling of the two has to bridge says how much noise hides the bit. It is decided by the
far tails, where a cumulative distribution in floating point is 1 long before the distribution ends: so distributions
are compared in whole numbers (`Distribution`), or as logarithms of probabilities with lower tails below the median and
upper tails above it.

References
----------
Song, Wang, Chaudhuri: Pufferfish privacy mechanisms for correlated data. SIGMOD 2017 (Wasserstein mechanism).
Strassen: The existence of probability measures with given marginals. Annals of Mathematical Statistics 1965.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous import _check
from entrenous.errors import ArgumentError

__all__ = [
    "Distribution",
    "binomial_log_pmf",
    "coupling_defect",
    "coupling_defect_log",
    "quantile_distances",
    "w_infinity",
    "w_infinity_log",
]

Mass = TypeVar("Mass", int, float)
_ROUNDING = 1e-12  # by how much logarithms of equal tails may differ

LogPmf = NDArray[np.float64]


@dataclass(frozen=True)
class Distribution:
    """A distribution on the line, exactly: rising values, each with a whole number of cases.

    Examples
    --------
    >>> Distribution.from_counts([5, 0, 5], [1, 3, 1])
    Distribution(values=(0, 5), cases=(3, 2))
    >>> Distribution.from_counts([5, 0], [1, 3]).mean
    Fraction(5, 4)
    """

    values: tuple[int, ...] | tuple[float, ...]
    cases: tuple[int, ...]

    def __post_init__(self) -> None:
        rising = all(low < high for low, high in zip(self.values, self.values[1:], strict=False))
        if not self.values or len(self.values) != len(self.cases) or not rising or min(self.cases) < 1:
            raise ArgumentError(
                "distribution", "expected rising values, each with a number of cases of 1 or more; got others"
            )

    @classmethod
    def from_counts(cls, values: ArrayLike, cases: ArrayLike) -> Distribution:
        """Return the distribution of values that occur so often each; a value may be listed more than once."""
        distinct, where = np.unique(np.asarray(values), return_inverse=True)
        totals = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(totals, where, np.asarray(cases, dtype=np.int64))
        seen = totals > 0
        return cls(tuple(distinct[seen].tolist()), tuple(totals[seen].tolist()))

    @property
    def total(self) -> int:
        """The number of all cases."""
        return sum(self.cases)

    @property
    def mean(self) -> Fraction:
        """The mean, exactly."""
        weighted = sum(Fraction(value) * case for value, case in zip(self.values, self.cases, strict=True))
        return Fraction(weighted) / self.total

    def log_pmf(self, size: int) -> LogPmf:
        """Return the logarithms of the probabilities of 0 to `size`; every value must be one of these."""
        places = [value for value in self.values if isinstance(value, int) and 0 <= value <= size]
        if len(places) < len(self.values):
            raise ArgumentError(
                "size", "expected a distribution on whole numbers from 0 to the size; got another"
            )
        logs = np.full(size + 1, -math.inf)
        logs[places] = np.log(np.array(self.cases, dtype=np.float64)) - math.log(self.total)
        return logs


def binomial_log_pmf(n: int, p: float) -> LogPmf:
    """Return the logarithms of the probabilities of 0 to `n` successes.

    Summed up from the mode outwards, where ratios of neighbouring probabilities are near 1 and lose no digits.

    >>> np.exp(binomial_log_pmf(2, 0.5)).round(6)
    array([0.25, 0.5 , 0.25])
    """
    logs = np.full(n + 1, -math.inf)
    mode = min(n, math.floor((n + 1) * p))
    logs[mode] = 0.0
    if 0 < p < 1:
        k = np.arange(n, dtype=np.float64)
        ratios = np.log((n - k) * p / ((k + 1) * (1 - p)))  # of k + 1 to k
        logs[mode + 1 :] = np.cumsum(ratios[mode:])
        logs[:mode] = -np.cumsum(ratios[:mode][::-1])[::-1]
    return np.asarray(logs - np.logaddexp.reduce(np.sort(logs)))


def w_infinity(
    first: Distribution, second: Distribution, *, defect: float = 0, bin_width: float = 0
) -> float:
    """Return the least W within which some coupling of two distributions stays, but for a probability of `defect`.

    With no defect it is the infinity-Wasserstein distance, the largest horizontal distance of the two cumulative
    distributions, found with two pointers in whole numbers.

    Parameters
    ----------
    first, second
        The two distributions.
    defect
        How much probability the coupling may leave over.
    bin_width
        The width of the bins, if the values only name bins: each may hide that much.

    Examples
    --------
    >>> w_infinity(Distribution((0, 5), (1, 1)), Distribution((0, 9), (1, 1)))
    4
    >>> w_infinity(Distribution((0, 5), (3, 1)), Distribution((0, 9), (1, 1)))
    9
    >>> w_infinity(Distribution((0, 5), (3, 1)), Distribution((0, 9), (1, 1)), defect=0.25)
    4
    """
    widest = max(distance for _, distance in _walk(first, second))
    if _check.probability("defect", defect) == 0:
        return widest + bin_width
    allowed = Fraction(str(defect))
    if isinstance(widest, int):
        least: float = _least(lambda w: coupling_defect(first, second, w) <= allowed, widest)
    else:
        least = widest
        low = 0.0
        for _ in range(50):  # from above, so that what is returned suffices
            middle = (low + least) / 2
            low, least = (
                (low, middle) if coupling_defect(first, second, middle) <= allowed else (middle, least)
            )
    return least + bin_width


def quantile_distances(
    first: Distribution, second: Distribution
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far apart the quantiles of two distributions are, from the lowest: probabilities, and distances.

    >>> shares, distances = quantile_distances(Distribution((0, 5), (3, 1)), Distribution((0, 9), (1, 1)))
    >>> shares.tolist(), distances.tolist()
    ([0.5, 0.25, 0.25], [0.0, 9.0, 4.0])
    """
    masses, distances = zip(*_walk(first, second), strict=True)
    total = sum(masses)
    return np.array([mass / total for mass in masses]), np.array(distances, dtype=np.float64)


def _walk(first: Distribution, second: Distribution) -> Iterator[tuple[int, float]]:
    """Walk up both distributions, always by as much mass as the smaller piece has; yield mass and distance."""
    left, right = _on_one_total(first, second)
    i = j = 0
    while i < len(left):
        step = min(left[i], right[j])
        yield step, abs(first.values[i] - second.values[j])
        left[i] -= step
        right[j] -= step
        i, j = i + (left[i] == 0), j + (right[j] == 0)


def _on_one_total(first: Distribution, second: Distribution) -> tuple[list[int], list[int]]:
    """Return the cases of both distributions, multiplied so that both sum to the same."""
    total_first, total_second = first.total, second.total
    shared = math.gcd(total_first, total_second)
    left = [cases * (total_second // shared) for cases in first.cases]
    right = [cases * (total_first // shared) for cases in second.cases]
    return left, right


def w_infinity_log(first: LogPmf, second: LogPmf, *, defect: float = 0) -> int:
    """Return what `w_infinity` returns, for distributions on 0, 1, 2, ... given by logarithms of probabilities.

    >>> first, second = (binomial_log_pmf(1883, p) for p in (0.0277, 0.2739))
    >>> w_infinity_log(first, second), w_infinity_log(first, second, defect=1e-9)
    (887, 533)
    """
    first, second = _same_length(first, second)
    n = len(first)
    if _check.probability("defect", defect) > 0:
        return _least(lambda w: coupling_defect_log(first, second, w) <= defect, n)
    tails = [_tails(distribution) for distribution in (first, second)]
    return max(
        _least(lambda w: _quantiles_within(tails[0], tails[1], w), n),
        _least(lambda w: _quantiles_within(tails[1], tails[0], w), n),
    )


def _tails(distribution: LogPmf) -> tuple[LogPmf, LogPmf]:
    """Return the logarithms of P[X <= k] and of P[X > k]."""
    above = np.logaddexp.accumulate(distribution[::-1])[::-1]
    return np.logaddexp.accumulate(distribution), np.append(above[1:], -math.inf)


def _quantiles_within(of: tuple[LogPmf, LogPmf], other: tuple[LogPmf, LogPmf], w: int) -> bool:
    """Say whether no quantile of the other distribution lies more than w above the same quantile of this one."""
    n = len(of[0])
    k = np.arange(max(0, n - 1 - w))  # beyond these, k + w is the end of both distributions
    low, high = other[0][k + w] >= of[0][k] - _ROUNDING, other[1][k + w] <= of[1][k] + _ROUNDING
    return bool(np.where(of[0][k] <= math.log(0.5), low, high).all())


def coupling_defect(first: Distribution, second: Distribution, w: float) -> Fraction:
    """Return the least probability, over all couplings, that two distributions end up more than `w` apart; exactly.

    >>> coupling_defect(Distribution((0, 5), (3, 1)), Distribution((0, 9), (1, 1)), 4)
    Fraction(1, 4)
    """
    left, right = _on_one_total(first, second)
    total = sum(left)
    return 1 - Fraction(_match(first.values, left, second.values, right, w), total)


def coupling_defect_log(first: LogPmf, second: LogPmf, w: int) -> float:
    """Return what `coupling_defect` returns, in floating point: good to about 1e-14, no more.

    >>> halves = np.log([0.5, 0.5])
    >>> coupling_defect_log(halves, np.log([0.25, 0.75]), 0)
    0.25
    """
    first, second = _same_length(first, second)
    left, right = np.exp(first), np.exp(second)
    at_left, at_right = np.flatnonzero(left).tolist(), np.flatnonzero(right).tolist()
    remaining = left[at_left].tolist()
    _match(at_left, remaining, at_right, right[at_right].tolist(), w)
    return math.fsum(remaining)


def _match(
    at_left: Sequence[float], left: list[Mass], at_right: Sequence[float], right: list[Mass], w: float
) -> Mass:
    """Match masses at most w apart, from left to right, each to the leftmost in reach: the most there is.

    The lists of masses are emptied as far as they are matched. Reaches move to the right on both sides, so that
    giving away the leftmost never spoils a later match.
    """
    matched: Mass = left[0] - left[0]
    j = 0
    for i, place in enumerate(at_left):
        while j < len(right) and at_right[j] < place - w:
            j += 1
        while left[i] > 0 and j < len(right) and at_right[j] <= place + w:
            step = min(left[i], right[j])
            left[i] -= step
            right[j] -= step
            matched += step
            if right[j] == 0:
                j += 1
    return matched


def _least(suffices: Callable[[int], bool], most: int) -> int:
    """Return the least whole number that suffices, knowing that `most` does and that more is never worse."""
    low, high = -1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high


def _same_length(first: LogPmf, second: LogPmf) -> tuple[LogPmf, LogPmf]:
    """Return both distributions on the same values, none with anything but logarithms of probabilities."""
    n = max(len(first), len(second))
    distributions = []
    for distribution in (first, second):
        logs = np.asarray(distribution, dtype=np.float64)
        if not len(logs) or np.isnan(logs).any() or abs(np.logaddexp.reduce(logs)) > 1e-6:
            raise ArgumentError(
                "distribution", "expected logarithms of probabilities that sum to 1; got something else"
            )
        distributions.append(np.append(logs, np.full(n - len(logs), -math.inf)))
    return distributions[0], distributions[1]
