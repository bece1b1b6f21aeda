"""The two distributions an attacker must tell apart: the noisy count of one n-gram if an edge carries it, and if not.

Given the edge's bit s, its neighbours carry the n-gram independently with probability p_s, so that the count is s +
Bin(size, p_s) plus what is known anyway, plus noise. If no neighbour is less likely to carry the n-gram with the edge
than without (the card says so), the likelihood ratio of the two counts is monotone. Both kinds of noise have
log-concave weights, which keeps the ratio of the two noisy distributions monotone in the output. The sets that tell
them apart best are therefore half-lines, and three comparisons follow: a larger p1, a smaller p0, and a larger
neighbourhood under s = 1 than under s = 0 only make telling apart easier, on every half-line and so at every epsilon.
`brackets` uses the last one to cover all neighbourhoods up to the largest by a few pairs of distributions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from entrenous.words.pufferfish.calibration import closed, geometric_mixture
from entrenous.words.pufferfish.wasserstein import LogPmf, binomial_log_pmf

__all__ = [
    "Pair",
    "brackets",
    "gaussian_cells",
    "gaussian_pair",
    "geometric_pair",
    "output_grids",
    "size_ranges",
]

REACH = 11.0  # standard deviations of Gaussian noise looked at; beyond lies less than 1e-27
COARSE, CELLS = 16, 256  # points per standard deviation: for densities, and for the cells of outputs
_LEAST_LOG = -70.0  # values of a count less likely than this do not widen what is looked at
_MOST_BRACKETS = 32


class Pair(NamedTuple):
    """Logarithms of the probabilities of outputs, in order, without and with the n-gram on the edge."""

    absent: LogPmf
    present: LogPmf


def brackets(neighbours: int, p0: float, p1: float) -> Iterator[tuple[LogPmf, LogPmf]]:
    """Yield pairs of distributions of the count, together at least as telling as any neighbourhood up to the largest.

    Few sizes are taken one by one. Of many, a pair takes the smallest size of its range without the n-gram and the
    largest one with it. Ranges are chosen so that all pairs are equally far apart in the mean, which exceeds the true
    distance by less than a thousandth where p0 is at most 0.8 p1.
    """
    for smallest, largest in size_ranges(neighbours, p0, p1):
        without = np.full(largest + 1, -math.inf)
        without[: smallest + 1] = binomial_log_pmf(smallest, p0)
        yield closed(without, binomial_log_pmf(largest, p1))


def size_ranges(neighbours: int, p0: float, p1: float) -> list[tuple[int, int]]:
    """Return ranges of sizes up to the largest neighbourhood, with worlds equally far apart in the mean."""
    if neighbours < _MOST_BRACKETS:
        return [(size, size) for size in range(neighbours + 1)]
    ratio = p0 / p1 if p1 else 1.0
    count = _MOST_BRACKETS if ratio else 1
    if 0 < ratio < 1:
        count = min(count, math.ceil(math.log(1e-3) / math.log(ratio)))
    # Equal distances in the mean make the sizes a geometric series.
    covered = [sum(ratio**i for i in range(k)) for k in range(count + 1)]
    sizes = sorted({math.ceil(neighbours * share / covered[-1]) for share in covered})
    return list(itertools.pairwise(sizes))


def geometric_pair(absent: LogPmf, present: LogPmf, scale: float) -> Pair:
    """Return the distributions of whole-number counts after two-sided geometric noise, exactly.

    Outputs are the atoms 0, ..., n and, before and after them, everything further out, where the ratio is constant.
    """
    return Pair(_with_geometric(absent, scale), _with_geometric(present, scale))


def _with_geometric(distribution: LogPmf, scale: float) -> LogPmf:
    atoms = geometric_mixture(distribution, scale) + math.log(math.tanh(0.5 / scale))
    # All further atoms on one side, against the last.
    outside = -1 / scale - math.log(-math.expm1(-1 / scale))
    return np.concatenate([[atoms[0] + outside], atoms, [atoms[-1] + outside]])


def gaussian_pair(absent: LogPmf, present: LogPmf, scale: float) -> Pair:
    """Return the distributions of whole-number counts after Gaussian noise, in cells far narrower than its deviation.

    Log-densities are smooth on the scale of the noise, so they are computed on a coarse grid and interpolated.
    """
    coarse, fine = output_grids((absent, present), scale)
    return Pair(*(gaussian_cells(distribution, scale, coarse, fine) for distribution in (absent, present)))


def output_grids(
    distributions: Sequence[LogPmf], scale: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the noisy counts looked at: a coarse grid for densities, and the middles of narrow cells."""
    likely = [np.flatnonzero(distribution > _LEAST_LOG) for distribution in distributions]
    least = min(values[0] for values in likely) - REACH * scale
    most = max(values[-1] for values in likely) + REACH * scale
    coarse = np.linspace(least, most, math.ceil((most - least) / scale * COARSE) + 2)
    fine = np.linspace(least, most, math.ceil((most - least) / scale * CELLS) + 2)
    return coarse, fine


def gaussian_cells(
    distribution: LogPmf, scale: float, coarse: NDArray[np.float64], fine: NDArray[np.float64]
) -> LogPmf:
    """Return the logarithms of the probabilities of all cells, for a count with Gaussian noise."""
    from scipy.interpolate import CubicSpline
    from scipy.special import logsumexp

    values = np.flatnonzero(distribution > -math.inf)
    density = np.concatenate(
        [
            logsumexp(distribution[values] - ((part[:, None] - values) / scale) ** 2 / 2, axis=1)
            for part in np.array_split(coarse, math.ceil(len(coarse) * len(values) / 2**20))
        ]
    )
    cells = CubicSpline(coarse, density)(fine)
    return np.asarray(cells - logsumexp(cells))
