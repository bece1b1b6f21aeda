"""What questions to private data cost, and how costs add up.

A `Price` has three coordinates: a pure *epsilon*; *mu*, how many standard deviations one unit moves normal noise; and a
*delta* that is paid beside the noise, at thresholds for instance. Pure epsilons add up, deltas add up, and mu adds up
as squares do. A `NoiseEvent` says the same in more detail: it names the noise, so that ledgers can compose releases
exactly afterwards.

References
----------
Balle, Wang: Improving the Gaussian mechanism for differential privacy. ICML 2018 (epsilon and delta of normal noise).
Dong, Roth, Su: Gaussian differential privacy. JRSS B 2022 (squares of mu add up).
Smith, Thakurta: Fully adaptive composition for Gaussian differential privacy. 2022 (also where later questions depend
on earlier answers, as long as the ceiling is fixed beforehand).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from entrenous import _check
from entrenous.errors import MissingExtraError

__all__ = [
    "MECHANISMS",
    "NoiseEvent",
    "Price",
    "dp_accounting",
    "gaussian_accountant",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_mu",
    "gaussian_scale",
    "geometric_scale",
]

MECHANISMS = ("geometric", "gaussian")


@dataclass(frozen=True)
class NoiseEvent:
    """The noise of a release in public numbers, from which composition can be computed exactly.

    Parameters
    ----------
    mechanism
        "geometric" (two-sided, probabilities fall by e per `scale` steps) or "gaussian" (standard deviation `scale`).
    scale, sensitivity
        The noise on each number, and how far one unit of the ledger moves it, in the same steps.
    repeats
        How many numbers one unit moves at most.
    delta
        What is paid besides the noise: thresholds, couplings that may fail.
    """

    mechanism: str
    scale: float
    sensitivity: float = 1.0
    repeats: int = 1
    delta: float = 0.0

    def __post_init__(self) -> None:
        _check.one_of("mechanism", self.mechanism, MECHANISMS)
        _check.epsilon("scale", self.scale)
        _check.epsilon("sensitivity", self.sensitivity)
        _check.at_least("repeats", self.repeats, 1)
        _check.probability("delta", self.delta)

    @property
    def price(self) -> Price:
        """What this noise costs."""
        if self.mechanism == "geometric":
            return Price(epsilon=self.sensitivity * self.repeats / self.scale, delta=self.delta)
        return Price(mu=self.sensitivity * math.sqrt(self.repeats) / self.scale, delta=self.delta)


@dataclass(frozen=True)
class Price:
    """What a question costs, or the most that several questions may cost together.

    >>> Price(epsilon=0.25) + Price(epsilon=0.5)
    Price(epsilon=0.75, mu=0.0, delta=0.0)
    >>> Price(mu=3.0) + Price(mu=4.0, delta=1e-6)
    Price(epsilon=0.0, mu=5.0, delta=1e-06)
    """

    epsilon: float = 0.0
    mu: float = 0.0
    delta: float = 0.0

    def __post_init__(self) -> None:
        for name in ("epsilon", "mu", "delta"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(
                    f"{name}: expected a finite number of 0 or more"
                )  # a mechanism's fault, no caller's

    def __add__(self, other: Price) -> Price:
        return Price.total((self, other))

    @classmethod
    def total(cls, prices: Iterable[Price]) -> Price:
        """Return what several questions cost together, also if later ones depend on earlier answers."""
        prices = tuple(prices)
        return cls(
            epsilon=math.fsum(price.epsilon for price in prices),
            mu=math.sqrt(math.fsum(price.mu**2 for price in prices)),
            delta=math.fsum(price.delta for price in prices),
        )


def geometric_scale(sensitivity: int, epsilon: float) -> float:
    """Return the scale of two-sided geometric noise: its probabilities fall by e per `scale` steps."""
    return sensitivity / epsilon


def gaussian_mu(epsilon: float, delta: float) -> float:
    """Return how far, in standard deviations, normal noise may be moved within (epsilon, delta).

    >>> round(gaussian_mu(1.0, 1e-5), 4)
    0.2681
    """
    epsilon, delta = _check.epsilon("epsilon", epsilon), _check.probability("delta", delta, positive=True)
    low, high = 0.0, math.sqrt(2 * epsilon) + 40.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(middle, epsilon) <= delta else (low, middle)
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
    if gaussian_delta(mu, 0.0) <= delta:
        return 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if gaussian_delta(mu, middle) <= delta else (middle, high)
    return high


def gaussian_delta(mu: float, epsilon: float) -> float:
    """Return the least delta at an epsilon, by the formula of Balle and Wang in logarithms."""
    from scipy.special import log_ndtr

    if mu == 0:
        return 0.0
    inside, outside = log_ndtr(mu / 2 - epsilon / mu), epsilon + log_ndtr(-mu / 2 - epsilon / mu)
    return float(math.exp(inside) * -math.expm1(min(outside - inside, 0.0)))


def dp_accounting() -> Any:
    """Return dp-accounting, or say which extra brings it: the only door it enters by."""
    try:
        import dp_accounting as library
        from dp_accounting.pld import common, pld_pmf, privacy_loss_distribution  # noqa: F401
    except ImportError:
        raise MissingExtraError("words", "exact accounting") from None
    return library


def gaussian_accountant() -> Any:
    """Return an accountant of dp-accounting that composes normal noise exactly, by squares of mu.

    The library's own accountants round privacy losses to a grid or bound them by moments; both overstate normal noise,
    which needs neither.

    >>> accountant = gaussian_accountant().compose(dp_accounting().GaussianDpEvent(noise_multiplier=4.0), 16)
    >>> accountant.mu, round(accountant.get_epsilon(1e-5), 4) == round(gaussian_epsilon(1.0, 1e-5), 4)
    (1.0, True)
    """
    return _accountant_class()()


@lru_cache(1)
def _accountant_class() -> Any:
    library = dp_accounting()
    base = library.PrivacyAccountant

    class GaussianAccountant(base):  # type: ignore[misc, valid-type]
        """Squares of mu, added up."""

        def __init__(self) -> None:
            super().__init__(library.NeighboringRelation.ADD_OR_REMOVE_ONE)
            self._squares: list[float] = []

        @property
        def mu(self) -> float:
            return math.sqrt(math.fsum(self._squares))

        def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
            if not isinstance(event, library.GaussianDpEvent) or not event.noise_multiplier > 0:
                return self.CompositionErrorDetails(event, "only normal noise is composed here")
            if do_compose:
                self._squares.append(count / event.noise_multiplier**2)
            return None

        def get_epsilon(self, target_delta: float) -> float:
            return gaussian_epsilon(self.mu, target_delta) if self._squares else 0.0

        def get_delta(self, target_epsilon: float) -> float:
            return gaussian_delta(self.mu, target_epsilon)

    return GaussianAccountant
