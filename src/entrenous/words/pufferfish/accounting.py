"""What noise costs under a belief, and what all charges of a ledger cost together, exactly.

Under the Binomial model the privacy loss of the two distributions an attacker must tell apart is composed over all
n-grams of an edge (`binomial_epsilon`), which calibrates Gaussian noise (`binomial_gaussian_scale`). `compose` says
what all charges of a ledger cost together.

References
----------
Doroshenko, Ghazi, Kamath, Kumar, Manurangsi: Connect the dots. PoPETs 2022 (discretized privacy losses).
Zhu, Dong, Wang: Optimal accounting of differential privacy via characteristic function. AISTATS 2022 (pairs that
dominate others compose).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from entrenous.budget import Entry
from entrenous.guarantee import exact
from entrenous.price import dp_accounting, gaussian_mu, gaussian_scale
from entrenous.words.pufferfish.noisy_distributions import Pair, brackets, gaussian_pair, geometric_pair
from entrenous.words.pufferfish.wasserstein import LogPmf

if TYPE_CHECKING:
    from entrenous.words.beliefs.correlation import Binomial

__all__ = ["LEAST_DELTA", "binomial_epsilon", "binomial_gaussian_scale", "compose"]

LEAST_DELTA = 1e-12  # below, the transforms that compose losses have no digits left
_EVALUATED = 1 - 1e-5  # of delta: ten times what cells and interpolation are estimated to leave out
_HAIR = 2e-4  # scales are found by search to this and rounded up


# Two distributions


def binomial_epsilon(
    model: Binomial, mechanism: str, scale: float, *, ngrams: int, delta: float, replaced: bool = False
) -> float:
    """Return the epsilon, at this delta, of the noisy counts of all n-grams of an edge under the Binomial model.

    The privacy losses of `ngrams` independent pairs of distributions are composed, for the worst neighbourhood up to
    the model's largest. `replaced`: as many n-grams more are moved the other way.

    Examples
    --------
    >>> from entrenous.words import Binomial
    >>> paper = Binomial(p0=0.0277, p1=0.2739, neighbours=1883)
    >>> round(binomial_epsilon(paper, "geometric", 5580, ngrams=1000, delta=1e-5), 1)
    13.8
    """
    blur = {"gaussian": gaussian_pair, "geometric": geometric_pair}[mechanism]
    return max(
        _pair_epsilon(blur, absent, present, scale, ngrams, delta, replaced)
        for absent, present in brackets(model.neighbours, model.p0, model.p1)
    )


def _pair_epsilon(
    blur: Callable[[LogPmf, LogPmf, float], Pair],
    absent: LogPmf,
    present: LogPmf,
    scale: float,
    ngrams: int,
    delta: float,
    replaced: bool,
) -> float:
    pair = blur(absent, present, scale)
    removing = _loss(pair.present, pair.absent).self_compose(ngrams)
    adding = _loss(pair.absent[::-1], pair.present[::-1]).self_compose(ngrams)
    if not replaced:
        return float(max(loss.get_epsilon_for_delta(delta * _EVALUATED) for loss in (adding, removing)))
    step = _loss_step(pair.present, pair.present - pair.absent)
    adding = _loss(pair.absent[::-1], pair.present[::-1], step).self_compose(ngrams)
    return float(removing.compose(adding).get_epsilon_for_delta(delta * _EVALUATED))


def _loss(upper: LogPmf, lower: LogPmf, step: float | None = None) -> Any:
    """Return the privacy loss of two distributions whose ratio never falls, on a grid and never understated.

    Losses so large that only 1e-20 lies beyond count as infinite, losses as small as smallest.
    """
    ratio = np.maximum.accumulate(upper - lower)
    step = _loss_step(upper, ratio) if step is None else step
    tail = np.append(np.cumsum(np.exp(upper[::-1]))[::-1], 0.0)
    log_other = np.append(np.logaddexp.accumulate(lower[::-1])[::-1], -math.inf)
    least = ratio[max(np.searchsorted(-tail, 1e-20 - tail[0]) - 1, 0)]
    most = ratio[np.searchsorted(-tail, -1e-20) - 1]
    rounded = np.arange(math.floor(least / step), math.ceil(most / step) + 1)
    first = np.searchsorted(ratio, rounded * step, side="right")
    deltas = np.clip(tail[first] - np.exp(rounded * step + log_other[first]), 0.0, 1.0)
    return dp_accounting().pld.pld_pmf.create_pmf_pessimistic_connect_dots(
        step, rounded, np.minimum.accumulate(deltas)
    )


def _loss_step(upper: LogPmf, ratio: LogPmf) -> float:
    """Return a fortieth of the deviation of a loss: the grid then adds less than a thousandth to its variance."""
    weights = np.exp(upper)
    mean = weights @ ratio / weights.sum()
    return float(math.sqrt(weights @ (ratio - mean) ** 2 / weights.sum())) / 40


@lru_cache(maxsize=64)
def binomial_gaussian_scale(
    model: Binomial, epsilon: float, delta: float, contribution: int, replaced: bool
) -> float:
    """Return the least Gaussian scale that keeps epsilon for every neighbourhood.

    It is sought for the most telling pair of distributions alone and then tried on all others.
    """
    pairs = list(brackets(model.neighbours, model.p0, model.p1))

    def cost(pair: tuple[LogPmf, LogPmf], scale: float) -> float:
        return _pair_epsilon(gaussian_pair, *pair, scale, contribution, delta, replaced)

    low = gaussian_scale(epsilon, delta, math.sqrt(contribution * (2 if replaced else 1)))  # one edge alone
    scale = low * (1 + model.neighbours * (model.p1 - model.p0))
    while True:
        costs = [cost(pair, scale) for pair in pairs]
        if low == scale and max(costs) <= epsilon:
            return scale
        worst = pairs[int(np.argmax(costs))]
        low = scale = _least_scale(partial(cost, worst), epsilon, delta, low, scale)


def _least_scale(
    cost: Callable[[float], float], epsilon: float, delta: float, low: float, scale: float
) -> float:
    """Return the least scale, rounded up, whose cost is epsilon at most; more noise never costs more.

    Composed losses are nearly normal, so that the next scale is found as if they were.
    """
    high = math.inf
    while high > low * (1 + _HAIR):
        here = cost(scale)
        low, high = (low, scale) if here <= epsilon else (scale, high)
        guess = scale * 2
        if 0 < here < math.inf:
            guess = scale * gaussian_mu(here, delta) / gaussian_mu(epsilon, delta)
        guess *= 1 + _HAIR / 4 if here > epsilon else 1 - _HAIR / 4
        scale = guess if low < guess < high else math.sqrt(low * min(high, 2 * low))
    return high


# Composition


def compose(entries: Iterable[Entry], *, delta: float) -> float:
    """Return the epsilon of all charges together at a delta, by exact composition of their noise.

    Entries whose noise is not known enter with the epsilon and delta they were charged. Where delta covers what was
    charged of it, the result is never more than the sum of the charges; where it covers too little, it is infinite.

    Parameters
    ----------
    entries
        The charges, from `Ledger.entries`.
    delta
        What may be spent of delta for all of them.

    Examples
    --------
    >>> from decimal import Decimal
    >>> from entrenous.price import NoiseEvent
    >>> noise = NoiseEvent("geometric", scale=100.0, repeats=100)
    >>> charge = Entry(1, "", Decimal(1), Decimal(0), "words histogram", False, noise)
    >>> round(compose([charge], delta=1e-6), 3), compose([charge], delta=0)
    (0.392, 1.0)
    """
    entries = tuple(entries)
    covered = exact(delta) >= sum(Fraction(entry.delta) for entry in entries)
    total = float(sum(entry.epsilon for entry in entries))
    paid = sum(entry.event.delta for entry in entries if entry.event is not None)
    if delta <= paid or not any(entry.event for entry in entries):
        return total if covered else math.inf
    step = _composition_step(entries, total)
    losses = [_entry_loss(entry, step) for entry in entries]
    together = losses[0]
    for loss in losses[1:]:
        together = together.compose(loss)
    epsilon = float(together.get_epsilon_for_delta(delta - paid))
    return min(total, epsilon) if covered else epsilon


def _composition_step(entries: Iterable[Entry], total: float) -> float:
    """Return a grid as fine as the smallest loss asks for and as coarse as memory does."""
    smallest = min(
        entry.event.sensitivity / entry.event.scale if entry.event else float(entry.epsilon)
        for entry in entries
    )
    return max(min(smallest / 4, 1e-3), total / 200_000)


def _entry_loss(entry: Entry, step: float) -> Any:
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
    coin = _loss(np.array([wrong, right]), np.array([right, wrong]), step)
    return distribution.PrivacyLossDistribution(coin.self_compose(1 if event is None else event.repeats))
