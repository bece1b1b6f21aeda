"""What noisy degrees tell about the true ones. All of this is post-processing.

The distribution of the true degrees is estimated from the noisy ones (deconvolution by expectation maximization, the
distribution of the noise being known), then each node gets the mean of its posterior. A released graph must *look* like
a graph, not like an average, so for drawing each node gets a quantile of the estimated distribution instead. Where the
tails of the distribution were measured by themselves, every round is brought in line with them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous.price import geometric_scale

__all__ = [
    "DEGREE_SENSITIVITY",
    "LOWEST_MEAN",
    "DegreeEstimate",
    "NoisyTails",
    "estimate",
    "rounds_for",
]

DEGREE_SENSITIVITY = 2  # of the noise that is undone: as in `statistics.Degrees` and `statistics.Tails`
LOWEST_MEAN = 0.05  # expected degree of a node that is believed to have no tie
_SMOOTH = 0.25  # degrees this close, relative to their size, are about equally likely
_REACH = 2.0  # scales of its noise that a noisy degree leads astray, at most
_MOST_CHANGE = 20.0  # of one probability, by what tails say in one round


@dataclass(frozen=True)
class NoisyTails:
    """Noisy numbers of nodes with degree k or more, from the degree after the lowest on, and what they cost."""

    noisy: NDArray[np.int64]
    epsilon: float


@dataclass(frozen=True)
class DegreeEstimate:
    """What noisy degrees tell about the true ones.

    Attributes
    ----------
    noisy
        The noisy degree of each node.
    mean
        The posterior mean of each node's degree.
    support, distribution
        The possible degrees and their estimated probabilities over all nodes.
    """

    noisy: NDArray[np.int64]
    mean: NDArray[np.float64]
    support: NDArray[np.float64]
    distribution: NDArray[np.float64]

    @property
    def expected(self) -> NDArray[np.float64]:
        """The posterior means, none of them 0: a model that excludes a tie would be infinitely surprised by it."""
        return np.maximum(self.mean, LOWEST_MEAN)

    def draw(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return a degree for each node: the estimated distribution, handed out in the order of the noisy degrees."""
        n = len(self.noisy)
        degrees = np.empty(n, dtype=np.int64)
        order = np.lexsort((rng.random(n), self.noisy))
        levels = (np.arange(n) + rng.random()) / n
        places = np.searchsorted(np.cumsum(self.distribution), levels)
        target = self.support[np.minimum(places, len(self.support) - 1)]
        degrees[order] = np.floor(target + rng.random(n))  # whole degrees with the target mean
        return degrees


def estimate(
    noisy: NDArray[np.int64], *, epsilon: float, lowest: int, tails: NoisyTails | None = None
) -> DegreeEstimate:
    """Estimate the true degrees from noisy ones.

    Parameters
    ----------
    noisy
        Degrees with two-sided geometric noise.
    epsilon
        What they cost.
    lowest
        The smallest degree that is publicly possible: 1 if every node is known to have a tie, else 0.
    tails
        What else is known about the distribution of degrees.

    Examples
    --------
    >>> true = np.repeat([1, 2, 50], [600, 300, 100])
    >>> noisy = true + np.random.default_rng(1).laplace(0, 4, 1000).round().astype(int)
    >>> found = estimate(noisy, epsilon=0.5, lowest=1)
    >>> bool(np.abs(found.mean - true).mean() < 0.4 * np.abs(noisy - true).mean())
    True

    References
    ----------
    Efron (2016), Empirical Bayes deconvolution estimates, Biometrika 103 (the problem; here solved by plain EM).
    """
    from entrenous.network.drawing._model_kernels import blur

    n, scale = len(noisy), geometric_scale(DEGREE_SENSITIVITY, epsilon)
    total = float(noisy.sum())
    reach = min(n, int(600 * scale))  # noise further out has a probability below e^-600, or only costs time
    noisy = np.clip(noisy, lowest - reach, max(n - 1, lowest) + reach)
    ratio = math.exp(-1 / scale)
    first = min(int(noisy.min()), lowest)
    support = np.arange(first, max(int(noisy.max()), lowest) + 1)
    possible = (support >= lowest) & (support <= max(n - 1, lowest))
    seen = np.bincount(noisy - first, minlength=len(support)).astype(np.float64)
    distribution = possible * (blur(seen, ratio) + 1e-9)
    distribution /= distribution.sum()
    for _ in range(rounds_for(n)):
        distribution = distribution * blur(seen / np.maximum(blur(distribution, ratio), 1e-300), ratio)
        distribution /= distribution.sum()
        if tails is not None:
            distribution[possible] = _in_line(distribution[possible], tails, n, lowest, scale)
    posterior = blur(distribution * support, ratio) / np.maximum(blur(distribution, ratio), 1e-300)
    shrink = _shrinkage(float(distribution @ support) - lowest, total / n - lowest)
    mean = lowest + shrink * (np.maximum(posterior[noisy - first], lowest) - lowest)
    levels = lowest + shrink * (support[possible] - lowest).astype(np.float64)
    return DegreeEstimate(noisy, mean, levels, distribution[possible])


def _in_line(
    distribution: NDArray[np.float64], tails: NoisyTails, n: int, lowest: int, widest: float
) -> NDArray[np.float64]:
    """Smooth a distribution, but where degrees are low, and bring it in line with tails: the maximization of a round.

    Smoothing keeps the noise of single tails out; it reaches no further than the noise of a degree, `widest`.

    References
    ----------
    Silverman, Jones, Wilson & Nychka (1990), A smoothed EM approach to indirect estimation problems, JRSS B 52.
    """
    from entrenous.network.drawing._model_kernels import tail_factors

    place = np.arange(len(distribution))
    reach = np.minimum(_SMOOTH * (place + lowest), widest).astype(np.int64)
    low, high = np.maximum(place - reach, 0), np.minimum(place + reach + 1, len(distribution))
    total = np.concatenate([[0.0], np.cumsum(distribution)])
    smooth = (total[high] - total[low]) / (high - low)
    smooth /= smooth.sum()
    variance = 2 * geometric_scale(DEGREE_SENSITIVITY, tails.epsilon) ** 2
    known = min(len(tails.noisy) + 1, len(distribution))
    factor = tail_factors(
        np.maximum(n * smooth[:known], 1e-6), tails.noisy.astype(np.float64), variance, _REACH * widest
    )
    smooth[:known] *= np.clip(factor, 1 / _MOST_CHANGE, _MOST_CHANGE)
    return np.asarray(smooth / smooth.sum())


def rounds_for(n: int) -> int:
    """Return how many rounds of expectation maximization to make: one per forty nodes, from 20 to 150.

    Stopping early keeps the distribution smooth where there are few nodes to learn it from; with many nodes, more
    rounds bring out the spike of nodes with a single edge. Fitted on the graphs of docs/network.md.

    >>> rounds_for(1224), rounds_for(18_771)
    (30, 150)
    """
    return min(max(n // 40, 20), 150)


def _shrinkage(estimated: float, measured: float) -> float:
    """Return the factor that keeps the estimate from having more ties in all than the noisy degrees add up to.

    The sum of all noisy degrees has far less noise for its size than each of them; where noise drowns single degrees,
    the estimated distribution spreads over all that is possible, and its mean grows.
    """
    return min(max(measured, 0.0) / estimated, 1.0) if estimated > 0 else 1.0
