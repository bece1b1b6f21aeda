"""What questions to private data cost, and how costs add up.

A `Price` has three coordinates: a pure *epsilon*; *mu*, how many standard deviations one unit moves normal noise; and a
*delta* that is paid beside the noise, at thresholds for instance. Pure epsilons add up, deltas add up, and mu adds up
as squares do. A `NoiseEvent` says the same in more detail: it names the noise, so that vaults can compose releases
exactly afterwards.

References
----------
Balle, Wang: Improving the Gaussian mechanism for differential privacy. ICML 2018 (epsilon and delta of normal noise).
Dong, Roth, Su: Gaussian differential privacy. JRSS B 2022 (squares of mu add up).
Smith, Thakurta: Fully adaptive composition for Gaussian differential privacy. 2022 (also where later questions depend
on earlier answers, as long as the ceiling is fixed beforehand).
Doroshenko, Ghazi, Kamath, Kumar, Manurangsi: Connect the dots. PoPETs 2022 (discretized privacy losses).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from entrenous import _check
from entrenous.errors import MissingExtraError

if TYPE_CHECKING:
    from decimal import Decimal

    from numpy.typing import NDArray

__all__ = [
    "NOISES",
    "NoiseEvent",
    "Price",
    "coins_mu",
    "compose",
    "dp_accounting",
    "gaussian_accountant",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_mu",
    "gaussian_scale",
    "geometric_scale",
    "privacy_loss",
]

NOISES = ("geometric", "gaussian")


@dataclass(frozen=True)
class NoiseEvent:
    """The noise of a release in public numbers, from which composition can be computed exactly.

    Parameters
    ----------
    mechanism
        "geometric" (two-sided, probabilities fall by e per `scale` steps) or "gaussian" (standard deviation `scale`).
    scale, sensitivity
        The noise on each number, and how far one unit of the vault moves it, in the same steps.
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
        _check.one_of("mechanism", self.mechanism, NOISES)
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

    @property
    def mu(self) -> float:
        """How far normal noise that hides no better would be moved: the noise's own mu, or one that dominates it."""
        price = self.price
        return price.mu or coins_mu(self.sensitivity / self.scale, self.repeats)


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


@lru_cache(4096)
def coins_mu(epsilon: float, repeats: int = 1) -> float:
    """Return the least mu such that normal noise moved by it tells at least as much as so many pure answers together.

    Whatever is epsilon-DP tells no more than a coin that shows a bit truly with odds of e^epsilon (Kairouz, Oh &
    Viswanath 2015). The trade-off curve of `repeats` coins is a chain of straight lines between its corners, and that
    of normal noise is convex: it lies below if it does at the corners. Corners with a probability below 1e-30 are left
    out; whoever converts a mu keeps a billionth of delta back, which covers them.

    >>> round(coins_mu(1.0), 4), round(coins_mu(0.01, 10_000), 4)
    (1.232, 1.0)
    """
    from scipy.special import bdtrc, expit, ndtri

    _check.epsilon("epsilon", epsilon)
    truth, lie = float(expit(epsilon)), float(expit(-epsilon))
    beyond = repeats * truth + 12 * math.sqrt(repeats * truth * lie) + 12  # with less than 1e-30
    heads = np.arange((repeats + 1) // 2, min(repeats, math.ceil(beyond)) + 1)  # the curve is symmetric
    alarms, hits = bdtrc(heads - 1, repeats, lie), bdtrc(heads - 1, repeats, truth)
    mu = float(np.max(ndtri(hits) - ndtri(alarms)))
    return mu * (1 + 1e-9) if mu < math.inf else math.inf  # proof: coins-below-normal-noise


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


class Charge(Protocol):
    """What a vault remembers of a charge: its numbers, and its noise where that is known."""

    @property
    def epsilon(self) -> Decimal:
        """What was charged of epsilon."""

    @property
    def delta(self) -> Decimal:
        """What was charged of delta."""

    @property
    def event(self) -> NoiseEvent | None:
        """The noise."""


def compose(entries: Iterable[Charge], *, delta: float) -> float:
    """Return the epsilon of all charges together at a delta, by exact composition of their noise.

    Entries whose noise is not known enter with the epsilon and delta they were charged. Where delta covers what was
    charged of it, the result is never more than the sum of the charges; where it covers too little, it is infinite.

    Parameters
    ----------
    entries
        The promises of a vault's entries.
    delta
        What may be spent of delta for all of them.

    Examples
    --------
    >>> from decimal import Decimal
    >>> from entrenous.unit import Unit
    >>> from entrenous.vault.chain.entry import Promise
    >>> noise = NoiseEvent("geometric", scale=100.0, repeats=100)
    >>> charge = Promise(Unit.EDGE_CONTENT, Decimal(1), Decimal(0), noise)
    >>> round(compose([charge], delta=1e-6), 3), compose([charge], delta=0)
    (0.392, 1.0)
    """
    entries = tuple(entries)
    covered = Fraction(str(delta)) >= sum(Fraction(entry.delta) for entry in entries)
    total = float(sum(entry.epsilon for entry in entries))
    paid = sum(entry.event.delta for entry in entries if entry.event is not None)
    if delta <= paid or not any(entry.event for entry in entries):
        return total if covered else math.inf
    step = _composition_step(entries, total)
    losses = [_charge_loss(entry, step) for entry in entries]
    together = losses[0]
    for loss in losses[1:]:
        together = together.compose(loss)
    epsilon = float(together.get_epsilon_for_delta(delta - paid))
    return min(total, epsilon) if covered else epsilon


def _composition_step(entries: Iterable[Charge], total: float) -> float:
    """Return a grid as fine as the smallest loss asks for and as coarse as memory does."""
    smallest = min(
        entry.event.sensitivity / entry.event.scale if entry.event else float(entry.epsilon)
        for entry in entries
    )
    return max(min(smallest / 4, 1e-3), total / 200_000)


def _charge_loss(entry: Charge, step: float) -> Any:
    """Return the privacy loss of a charge. Whatever is eta-DP is dominated by a coin that tells the bit with eta."""
    distribution = dp_accounting().pld.privacy_loss_distribution
    event = entry.event
    if event is not None and event.mechanism == "gaussian":
        return distribution.from_gaussian_mechanism(
            event.scale,
            sensitivity=event.sensitivity * math.sqrt(event.repeats),
            value_discretization_interval=step,
        )
    if event is None and entry.delta:
        parameters = dp_accounting().pld.common.DifferentialPrivacyParameters(
            float(entry.epsilon), float(entry.delta)
        )
        return distribution.from_privacy_parameters(parameters, value_discretization_interval=step)
    eta = float(entry.epsilon) if event is None else event.sensitivity / event.scale
    wrong, right = -math.log1p(math.exp(eta)), -math.log1p(math.exp(-eta))
    coin = privacy_loss(np.array([wrong, right]), np.array([right, wrong]), step)
    return distribution.PrivacyLossDistribution(coin.self_compose(1 if event is None else event.repeats))


def privacy_loss(upper: NDArray[np.float64], lower: NDArray[np.float64], step: float) -> Any:
    """Return the privacy loss of two distributions whose ratio never falls, on a grid and never understated.

    Both are given by the logarithms of their probabilities. Losses so large that only 1e-20 lies beyond count as
    infinite, losses as small as smallest.
    """
    ratio = np.maximum.accumulate(upper - lower)
    tail = np.append(np.cumsum(np.exp(upper[::-1]))[::-1], 0.0)
    log_other = np.append(np.logaddexp.accumulate(lower[::-1])[::-1], -math.inf)
    least = ratio[max(np.searchsorted(-tail, 1e-20 - tail[0]) - 1, 0)]
    most = ratio[np.searchsorted(-tail, -1e-20) - 1]
    rounded = np.arange(math.floor(least / step), math.ceil(most / step) + 1)
    first = np.searchsorted(ratio, rounded * step, side="right")
    deltas = np.clip(tail[first] - np.exp(rounded * step + log_other[first]), 0.0, 1.0)
    return profile_loss(rounded, deltas, step)


def profile_loss(rounded: NDArray[np.int64], deltas: NDArray[np.float64], step: float) -> Any:
    """Return the privacy loss of the deltas that hold at whole multiples of a step; never understated between them."""
    return dp_accounting().pld.pld_pmf.create_pmf_pessimistic_connect_dots(
        step, rounded, np.minimum.accumulate(deltas)
    )
