"""What noise costs under the Binomial belief, exactly.

Under the Binomial model the privacy loss of the two distributions an attacker must tell apart is composed over all
n-grams of an edge (`binomial_epsilon`), which calibrates Gaussian noise (`binomial_gaussian_scale`).

References
----------
Doroshenko, Ghazi, Kamath, Kumar, Manurangsi: Connect the dots. PoPETs 2022 (discretized privacy losses).
Zhu, Dong, Wang: Optimal accounting of differential privacy via characteristic function. AISTATS 2022 (pairs that
dominate others compose).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from entrenous.price import gaussian_mu, gaussian_scale, privacy_loss
from entrenous.words.pufferfish.noisy_distributions import Pair, brackets, gaussian_pair, geometric_pair
from entrenous.words.pufferfish.wasserstein import LogPmf

if TYPE_CHECKING:
    from entrenous.words.beliefs import Binomial

__all__ = ["EVALUATED", "LEAST_DELTA", "binomial_epsilon", "binomial_gaussian_scale", "least_scale"]

LEAST_DELTA = 1e-12  # below, the transforms that compose losses have no digits left
EVALUATED = 1 - 1e-5  # of delta: ten times what cells and interpolation are estimated to leave out
_HAIR = 2e-4  # scales are found by search to this and rounded up


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
        return float(max(loss.get_epsilon_for_delta(delta * EVALUATED) for loss in (adding, removing)))
    step = _loss_step(pair.present, pair.present - pair.absent)
    adding = _loss(pair.absent[::-1], pair.present[::-1], step).self_compose(ngrams)
    return float(removing.compose(adding).get_epsilon_for_delta(delta * EVALUATED))


def _loss(upper: LogPmf, lower: LogPmf, step: float | None = None) -> Any:
    """Return the privacy loss of two distributions whose ratio never falls, on a grid that suits it."""
    if step is None:
        step = _loss_step(upper, np.maximum.accumulate(upper - lower))
    return privacy_loss(upper, lower, step)


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
        low = scale = least_scale(partial(cost, worst), epsilon, delta, low, scale)


def least_scale(
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
