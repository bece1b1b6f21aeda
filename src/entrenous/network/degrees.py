"""Noisy degrees, and what they tell about the true ones.

One edge changes two degrees by one, so the degree sequence has L1 sensitivity 2. Everything after the noise is
post-processing: the law of the true degrees is estimated from the noisy ones (deconvolution by expectation
maximization, the noise law being known), then each node gets the mean of its posterior. A released graph must *look*
like a graph, not like an average, so for drawing each node gets a quantile of the estimated law instead.
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
    "estimate",
    "measured_degrees",
    "noisy_degrees",
    "rounds_for",
]

DEGREE_SENSITIVITY = 2
LOWEST_MEAN = 0.05  # expected degree of a node that is believed to have no tie


def noisy_degrees(graph: Graph, *, epsilon: float, noise: Noise) -> NDArray[np.int64]:
    """Return all degrees with two-sided geometric noise, epsilon-edge-DP as a whole."""
    return noise.geometric(graph.degrees, sensitivity=DEGREE_SENSITIVITY, epsilon=epsilon)


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


def measured_degrees(graph: Graph, *, epsilon: float, noise: Noise) -> DegreeEstimate:
    """Return what degrees with noise tell, epsilon-edge-DP; nodes seen in the edges are known to have a tie."""
    noisy = noisy_degrees(graph, epsilon=epsilon, noise=noise)
    return estimate(noisy, epsilon=epsilon, lowest=1 if graph.nodes_from == "seen" else 0)


def estimate(noisy: NDArray[np.int64], *, epsilon: float, lowest: int) -> DegreeEstimate:
    """Estimate the true degrees from noisy ones.

    Parameters
    ----------
    noisy
        Degrees with two-sided geometric noise of `noisy_degrees`.
    epsilon
        What they cost.
    lowest
        The smallest degree that is publicly possible: 1 if every node is known to have a tie, else 0.

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
    posterior = blur(law * support, ratio) / np.maximum(blur(law, ratio), 1e-300)
    shrink = _shrinkage(float(law @ support) - lowest, total / n - lowest)
    mean = lowest + shrink * (np.maximum(posterior[noisy - first], lowest) - lowest)
    levels = lowest + shrink * (support[possible] - lowest).astype(np.float64)
    return DegreeEstimate(noisy, mean, levels, law[possible])


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
