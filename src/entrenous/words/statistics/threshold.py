"""How high a noisy weight must be before its n-gram may be named.

Noise goes to n-grams that occur; one that occurs at a single holder would not be there without it. So the threshold
is so high that such an n-gram crosses it with a probability of delta only, for the worst number of them. N-grams
built from published ones need no such threshold: noise goes to all of them, also to those that never occur.
Proofs are in docs/guarantees.md.
"""

from __future__ import annotations

import math

import numpy as np

__all__ = [
    "coupled_laplace_threshold",
    "coupled_threshold",
    "laplace_threshold",
    "normal_excess",
    "uniform_threshold",
]


def normal_excess(delta: float, ngrams: int) -> float:
    """Return the height that the largest of so many standard normal draws exceeds with probability delta.

    >>> round(normal_excess(1e-5, 1), 4), round(normal_excess(1e-5, 1000), 4)
    (4.2649, 5.612)
    """
    from scipy.special import ndtri

    return float(-ndtri(-math.expm1(math.log1p(-delta) / ngrams)))


def uniform_threshold(scale: float, delta: float, contribution: int, *, group: int = 1) -> float:
    """Return the threshold for weights of 1 / sqrt(t) each, t up to `contribution`, with normal noise.

    A group of k holders may have k t such n-grams of their own, or t that all of them have: by convexity of
    -ln Phi nothing between is worse.

    >>> round(uniform_threshold(1.39, 5e-6, 300), 3)
    7.735
    """
    from scipy.special import ndtri

    t = np.arange(1, contribution + 1)
    alone = 1 / np.sqrt(t) - scale * ndtri(-np.expm1(math.log1p(-delta) / (group * t)))
    shared = group / np.sqrt(t) - scale * ndtri(-np.expm1(math.log1p(-delta) / t))
    return float(max(alone.max(), shared.max()))


def coupled_threshold(scale: float, delta: float, contribution: int, coupling: int) -> float:
    """Return the threshold for counts, if a secret content may move each of its counts by up to `coupling`.

    Parameters
    ----------
    scale
        The standard deviation of the noise on each count.
    delta
        What may be lost at the threshold.
    contribution
        How many n-grams the content has at most.
    coupling
        How many edges a coupling of both worlds changes at most, the edge itself counted.

    Examples
    --------
    >>> round(coupled_threshold(1400.0, 1e-6, 1000, 533), 1)
    8946.4
    """
    tilt = (coupling / scale) ** 2 / 2  # what knowing the correlation adds to the odds of a crossing
    return coupling + scale * normal_excess(delta * math.exp(-tilt), contribution)


def laplace_threshold(scale: float, delta: float, contribution: int) -> float:
    """Return the threshold for weights of 1 / t each, t up to `contribution`, with Laplace noise.

    Scaling only its noise to the correlation is how it was published, and promises nothing:

    >>> round(laplace_threshold(558 / 100, math.exp(-10), 1000), 1)
    90.5
    """
    t = np.arange(1, contribution + 1)
    return float((1 / t - scale * np.log(-2 * np.expm1(math.log1p(-delta) / t))).max())


def coupled_laplace_threshold(epsilon: float, delta: float, contribution: int, coupling: int) -> float:
    """Return the threshold for counts with Laplace noise of scale coupling / epsilon that keeps (epsilon, delta).

    >>> round(coupled_laplace_threshold(100.0, math.exp(-10), 1000, 558), 1)
    609.9
    """
    odds = np.logaddexp(epsilon, math.log(contribution * coupling))
    return float(coupling / epsilon * (odds - math.log(2 * delta)))
