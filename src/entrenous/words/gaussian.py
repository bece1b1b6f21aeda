"""What normal noise promises: exactly how far it may be moved within (epsilon, delta).

References
----------
Balle, Wang: Improving the Gaussian mechanism for differential privacy. ICML 2018.
"""

from __future__ import annotations

import math

from entrenous import _check

__all__ = ["gaussian_epsilon", "gaussian_mu", "gaussian_scale"]


def gaussian_mu(epsilon: float, delta: float) -> float:
    """Return how far, in standard deviations, normal noise may be moved within (epsilon, delta).

    >>> round(gaussian_mu(1.0, 1e-5), 4)
    0.2681
    """
    epsilon, delta = _check.epsilon("epsilon", epsilon), _check.probability("delta", delta, positive=True)
    low, high = 0.0, math.sqrt(2 * epsilon) + 40.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _gaussian_delta(middle, epsilon) <= delta else (low, middle)
    return low


def gaussian_scale(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return the least standard deviation of normal noise for (epsilon, delta) and an L2 sensitivity.

    >>> round(gaussian_scale(1.0, 1e-5), 3)
    3.731
    """
    return _check.epsilon("sensitivity", sensitivity) / gaussian_mu(epsilon, delta)


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Return the epsilon of normal noise that is moved by `mu` standard deviations, 0 where delta alone hides it.

    >>> round(gaussian_epsilon(gaussian_mu(3.0, 1e-6), 1e-6), 9)
    3.0
    """
    _check.epsilon("mu", mu)
    _check.probability("delta", delta, positive=True)
    high = mu * mu / 2 + 40 * mu  # there the normal tail is below 1e-340
    low = 0.0
    if _gaussian_delta(mu, 0.0) <= delta:
        return 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if _gaussian_delta(mu, middle) <= delta else (middle, high)
    return high


def _gaussian_delta(mu: float, epsilon: float) -> float:
    """Return the least delta at an epsilon, by the formula of Balle and Wang in logarithms."""
    from scipy.special import log_ndtr

    if mu == 0:
        return 0.0
    inside, outside = log_ndtr(mu / 2 - epsilon / mu), epsilon + log_ndtr(-mu / 2 - epsilon / mu)
    return float(math.exp(inside) * -math.expm1(min(outside - inside, 0.0)))
