"""Noisy degrees, and what they tell about the true ones.

One edge changes two degrees by one, so the degree sequence has L1 sensitivity 2. Everything after the noise is
post-processing: the law of the true degrees is estimated from the noisy ones (deconvolution by expectation
maximization, the noise law being known), then each node gets the mean of its posterior. A released graph must *look*
like a graph, not like an average, so for drawing each node gets a quantile of the estimated law instead.

The law can also be measured by itself: how many nodes have degree k or more, for every k. These *tails* have L1
sensitivity 2 as well, for an edge moves each of its two nodes across one k, and noise that drowns the degree of a node
is nothing to the count of thousands.

References
----------
Hay, Li, Miklau & Jensen (2009), Accurate estimation of the degree distribution of private networks, ICDM (tails are
the sorted degrees they measure, seen from the other axis).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph
from entrenous.noise import Noise, geometric_scale

__all__ = [
    "DEGREE_SENSITIVITY",
    "LOWEST_MEAN",
    "DegreeEstimate",
    "Tails",
    "estimate",
    "measured_degrees",
    "noisy_degrees",
    "noisy_tails",
    "rounds_for",
]

DEGREE_SENSITIVITY = 2
LOWEST_MEAN = 0.05  # expected degree of a node that is believed to have no tie
_SMOOTH = 0.25  # degrees this close, relative to their size, are about equally likely
_REACH = 2.0  # scales of its noise that a noisy degree leads astray, at most
_MOST_CHANGE = 20.0  # of one probability, by what tails say in one round


def noisy_degrees(graph: Graph, *, epsilon: float, noise: Noise) -> NDArray[np.int64]:
    """Return all degrees with two-sided geometric noise, epsilon-edge-DP as a whole."""
    return noise.geometric(graph.degrees, sensitivity=DEGREE_SENSITIVITY, epsilon=epsilon)


def noisy_tails(
    graph: Graph, lowest: int, highest: int, *, epsilon: float, noise: Noise
) -> NDArray[np.int64]:
    """Return with noise how many nodes have degree k or more, k in (lowest, highest]; epsilon-edge-DP as a whole."""
    nodes = np.bincount(np.clip(graph.degrees, lowest, highest) - lowest, minlength=highest - lowest + 1)
    tails = np.cumsum(nodes[::-1])[::-1]
    return noise.geometric(tails[1:], sensitivity=DEGREE_SENSITIVITY, epsilon=epsilon)


@dataclass(frozen=True)
class Tails:
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
    support, law
        The possible degrees and their estimated probabilities over all nodes.
    """

    noisy: NDArray[np.int64]
    mean: NDArray[np.float64]
    support: NDArray[np.float64]
    law: NDArray[np.float64]

    @property
    def expected(self) -> NDArray[np.float64]:
        """The posterior means, none of them 0: a model that excludes a tie would be infinitely surprised by it."""
        return np.maximum(self.mean, LOWEST_MEAN)

    def draw(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return a degree for each node: the estimated law, handed out in the order of the noisy degrees."""
        n = len(self.noisy)
        degrees = np.empty(n, dtype=np.int64)
        order = np.lexsort((rng.random(n), self.noisy))
        levels = (np.arange(n) + rng.random()) / n
        places = np.searchsorted(np.cumsum(self.law), levels)
        wished = self.support[np.minimum(places, len(self.support) - 1)]
        degrees[order] = np.floor(wished + rng.random(n))  # whole degrees with the wished mean
        return degrees


def measured_degrees(
    graph: Graph, *, epsilon: float, noise: Noise, tails_epsilon: float = 0.0
) -> DegreeEstimate:
    """Return what degrees with noise tell, and tails if they get a share of their own.

    (epsilon + tails_epsilon)-edge-DP; nodes seen in the edges are known to have a tie.
    """
    noisy = noisy_degrees(graph, epsilon=epsilon, noise=noise)
    lowest = 1 if graph.nodes_from == "seen" else 0
    tails = None
    if tails_epsilon:
        highest = int(np.clip(noisy.max(), lowest, max(graph.n - 1, lowest)))
        counts = noisy_tails(graph, lowest, highest, epsilon=tails_epsilon, noise=noise)
        tails = Tails(counts, tails_epsilon)
    return estimate(noisy, epsilon=epsilon, lowest=lowest, tails=tails)


def estimate(
    noisy: NDArray[np.int64], *, epsilon: float, lowest: int, tails: Tails | None = None
) -> DegreeEstimate:
    """Estimate the true degrees from noisy ones.

    Parameters
    ----------
    noisy
        Degrees with two-sided geometric noise of `noisy_degrees`.
    epsilon
        What they cost.
    lowest
        The smallest degree that is publicly possible: 1 if every node is known to have a tie, else 0.
    tails
        What else is known about the law of degrees.

    Examples
    --------
    >>> true = np.repeat([1, 2, 50], [600, 300, 100])
    >>> noisy = Noise(1).geometric(true, sensitivity=2, epsilon=0.5)
    >>> found = estimate(noisy, epsilon=0.5, lowest=1)
    >>> bool(np.abs(found.mean - true).mean() < 0.4 * np.abs(noisy - true).mean())
    True

    References
    ----------
    Efron (2016), Empirical Bayes deconvolution estimates, Biometrika 103 (the problem; here solved by plain EM).
    """
    from entrenous.network._kernels import blur

    n, scale = len(noisy), geometric_scale(DEGREE_SENSITIVITY, epsilon)
    total = float(noisy.sum())
    reach = min(n, int(600 * scale))  # noise further out has a probability below e^-600, or only costs time
    noisy = np.clip(noisy, lowest - reach, max(n - 1, lowest) + reach)
    ratio = math.exp(-1 / scale)
    first = min(int(noisy.min()), lowest)
    support = np.arange(first, max(int(noisy.max()), lowest) + 1)
    possible = (support >= lowest) & (support <= max(n - 1, lowest))
    seen = np.bincount(noisy - first, minlength=len(support)).astype(np.float64)
    law = possible * (blur(seen, ratio) + 1e-9)
    law /= law.sum()
    for _ in range(rounds_for(n)):
        law = law * blur(seen / np.maximum(blur(law, ratio), 1e-300), ratio)
        law /= law.sum()
        if tails is not None:
            law[possible] = _in_line(law[possible], tails, n, lowest, scale)
    posterior = blur(law * support, ratio) / np.maximum(blur(law, ratio), 1e-300)
    shrink = _shrinkage(float(law @ support) - lowest, total / n - lowest)
    mean = lowest + shrink * (np.maximum(posterior[noisy - first], lowest) - lowest)
    levels = lowest + shrink * (support[possible] - lowest).astype(np.float64)
    return DegreeEstimate(noisy, mean, levels, law[possible])


def _in_line(
    law: NDArray[np.float64], tails: Tails, n: int, lowest: int, widest: float
) -> NDArray[np.float64]:
    """Smooth a law, but where degrees are low, and bring it in line with tails: the maximization of a round.

    Smoothing keeps the noise of single tails out; it reaches no further than the noise of a degree, `widest`.

    References
    ----------
    Silverman, Jones, Wilson & Nychka (1990), A smoothed EM approach to indirect estimation problems, JRSS B 52.
    """
    from entrenous.network._kernels import tail_factors

    place = np.arange(len(law))
    reach = np.minimum(_SMOOTH * (place + lowest), widest).astype(np.int64)
    low, high = np.maximum(place - reach, 0), np.minimum(place + reach + 1, len(law))
    total = np.concatenate([[0.0], np.cumsum(law)])
    smooth = (total[high] - total[low]) / (high - low)
    smooth /= smooth.sum()
    variance = 2 * geometric_scale(DEGREE_SENSITIVITY, tails.epsilon) ** 2
    known = min(len(tails.noisy) + 1, len(law))
    factor = tail_factors(
        np.maximum(n * smooth[:known], 1e-6), tails.noisy.astype(np.float64), variance, _REACH * widest
    )
    smooth[:known] *= np.clip(factor, 1 / _MOST_CHANGE, _MOST_CHANGE)
    return np.asarray(smooth / smooth.sum())


def rounds_for(n: int) -> int:
    """Return how many rounds of expectation maximization to make: one per forty nodes, from 20 to 150.

    Stopping early keeps the law smooth where there are few nodes to learn it from; with many nodes, more rounds bring
    out the spike of nodes with a single tie. Fitted on the graphs of docs/network.md.

    >>> rounds_for(1224), rounds_for(18_771)
    (30, 150)
    """
    return min(max(n // 40, 20), 150)


def _shrinkage(estimated: float, measured: float) -> float:
    """Return the factor that keeps the estimate from having more ties in all than the noisy degrees add up to.

    The sum of all noisy degrees has far less noise for its size than each of them; where noise drowns single degrees,
    the estimated law spreads over all that is possible, and its mean grows.
    """
    return min(max(measured, 0.0) / estimated, 1.0) if estimated > 0 else 1.0
