"""The least noise on one count that hides a bit, given the distribution of the count for each value of the bit.

Between two neighbouring atoms of the distributions a Laplace mixture is a e^(-w/scale) + b e^(w/scale), so the ratio of
two of them is monotone there: the worst ratio over all outputs is found at an atom. Atoms are whole numbers, and there
the two-sided geometric mixture has the same ratios as the Laplace mixture of the same scale, so that the loss is the
same for the whole-number noise that is drawn. More noise never costs more: the larger scale is the smaller one plus
further noise, drawn independently. So a bisection finds the least scale.
"""

from __future__ import annotations

import math

import numpy as np

from entrenous import _check
from entrenous.words.pufferfish.wasserstein import LogPmf, w_infinity_log

__all__ = ["closed", "geometric_mixture", "laplace_loss", "laplace_scale"]


def closed(absent: LogPmf, present: LogPmf) -> tuple[LogPmf, LogPmf]:
    """Return the distributions of the count with the centre itself counted: it adds nothing if absent, 1 if present.

    >>> [np.exp(distribution).tolist() for distribution in closed(np.log([0.5, 0.5]), np.log([0.25, 0.75]))]
    [[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]]
    """
    return np.append(absent, -math.inf), np.append(-math.inf, present)


def laplace_loss(first: LogPmf, second: LogPmf, scale: float) -> float:
    """Return the largest log-ratio between two distributions on 0, 1, ..., n after Laplace, or geometric, noise.

    Parameters
    ----------
    first, second
        Logarithms of the probabilities of 0, 1, ..., n under each value of the secret.
    scale
        The scale of the noise: its probabilities fall by e per `scale` steps.

    Examples
    --------
    >>> zero, one = np.array([0.0, -np.inf]), np.array([-np.inf, 0.0])
    >>> laplace_loss(zero, one, 2.0)
    0.5
    """
    _check.epsilon("scale", scale)
    difference = geometric_mixture(np.asarray(first), scale) - geometric_mixture(np.asarray(second), scale)
    return float(np.abs(difference).max())


def laplace_scale(first: LogPmf, second: LogPmf, epsilon: float) -> float:
    """Return the least scale of Laplace, or geometric, noise that keeps the loss within epsilon, 1/epsilon at least.

    Never below 1/epsilon: whatever the distributions say, a single bit stays protected by epsilon without any
    assumption.

    Examples
    --------
    >>> from entrenous.words.pufferfish.wasserstein import binomial_log_pmf
    >>> absent, present = (binomial_log_pmf(1883, p) for p in (0.0277, 0.2739))
    >>> round(laplace_scale(*closed(absent, present), epsilon=1.0), 4)
    464.9429
    """
    low = 1 / _check.epsilon("epsilon", epsilon)
    if laplace_loss(first, second, low) <= epsilon:
        return low
    high = max(1, w_infinity_log(first, second)) / epsilon
    while high / low > 1 + 1e-13:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if laplace_loss(first, second, middle) <= epsilon else (middle, high)
    return high


def geometric_mixture(distribution: LogPmf, scale: float) -> LogPmf:
    """Return ln of sum_k P[k] e^(-|w - k| / scale) at every atom w, in one pass from each side.

    >>> geometric_mixture(np.array([0.0, -np.inf]), 2.0).tolist()
    [0.0, -0.5]
    """
    step = np.arange(len(distribution)) / scale
    below = np.logaddexp.accumulate(distribution + step) - step
    above = np.logaddexp.accumulate((distribution - step)[::-1])[::-1] + step
    return np.asarray(np.logaddexp(below, np.append(above[1:] - 1 / scale, -math.inf)))
