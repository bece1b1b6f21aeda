"""Betting against a promise of privacy: evidence that may be looked at after every run, and a bound that holds then.

Pairs of runs are shown one after the other, one with the canary and one without. Before each a gambler names an event
and a stake, from what came before, and bets at prices that no mechanism lets them profit from which keeps its
promise. If the capital nevertheless grows a thousandfold, the promise is broken, but for one chance in a thousand,
however often somebody looked and whenever they stopped.

The bet. An event has probability p in the world that it is bet on and q in the other; the promise says
p <= c q + delta with c = e^epsilon. The gambler picks a point of that border, p0 = c q0 + delta, and a stake s >= 0
so small that both factors of

    (1 + s (a - p0)) (1 - c s (b - q0))

stay positive, where a and b are 1 if the event happens in the one and in the other run, and 0 if not. The capital is
multiplied by this. The runs of a pair are independent, so the expectation is (1 + u) (1 + v) with u = s (p - p0)
and v = -c s (q - q0). Where the promise holds u + v = s (p - c q - delta) <= 0, and a product of two positive numbers
is at most the square of their mean: (1 + u) (1 + v) <= (1 + (u + v) / 2)^2 <= 1. So the capital is a nonnegative
supermartingale whatever event, point and stake are picked from the past, and exceeds 1 / level ever with
probability at most level (Ville). Half of the capital on each of two events is such a bet, too.

The choice. From the runs so far p and q are estimated; the best point is the one of the border that is nearest in
Kullback-Leibler divergence, the best stake is (p - p0) / (p0 (1 - p0)), and the divergence is the growth to expect of
the logarithm of capital. Events with the largest growth are bet on. A mistake here costs growth, never validity.

Whoever bets against several epsilons at once has a lower bound that holds at all times:
the largest one that is refuted together with all smaller ones.

References
----------
Ville: Étude critique de la notion de collectif. 1939.
Waudby-Smith, Ramdas: Estimating means of bounded random variables by betting. J. Royal Statistical Society B 2024.
Turner, Ly, Grünwald: Generic E-variables for exact sequential k-sample tests that allow for optional stopping. J. of
Statistical Planning and Inference 2024 (the bet, as a ratio of likelihoods).
González, Dulce-Rubio, Ramdas, Ribero: Sequentially auditing differential privacy. NeurIPS 2025.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous import _check
from entrenous.attack.tools.events import Events
from entrenous.errors import ArgumentError

__all__ = ["anytime_lower_bound", "log_capital"]

_FIRST = 5  # pairs that are only watched
_GROWTH = 1.2  # by which the runs grow between two choices
_EVENTS = 2  # that share the capital
_MOST_THRESHOLDS = 32
_BOLD = 0.9  # of the largest stake that leaves anything after the worst pair
_HALVINGS = 8  # of the interval that the best point is in: more gain nothing
_NEARLY = 1 - 1e-12
_STEP = 0.1  # of epsilon, in which an anytime bound is told

Floats = NDArray[np.float64]


def log_capital(canary: ArrayLike, plain: ArrayLike, *, epsilon: float, delta: float = 0.0) -> Floats:
    """Return the logarithm of a gambler's capital after each pair of runs; it starts at 0.

    Parameters
    ----------
    canary, plain
        The attacker's scores, one per run, with the canary and without; in the order of the runs. Pairs beyond the
        shorter one are not bet on.
    epsilon, delta
        The promise that is bet against.

    Examples
    --------
    A coin that costs epsilon 2 where 1 is stated makes a thousandfold capital:

    >>> rng = np.random.default_rng(1)
    >>> heads = rng.random((2, 200)) < np.array([[0.88], [0.12]])
    >>> bool(log_capital(*heads, epsilon=1.0).max() > math.log(1000))
    True
    >>> bool(log_capital(*heads, epsilon=2.0).max() > math.log(1000))
    False
    """
    # An epsilon beyond 700 allows everything that floating point can tell.
    factor = math.exp(min(_check.epsilon("epsilon", epsilon), 700.0))
    delta = _check.probability("delta", delta)
    worlds = _paired(canary, plain)
    pairs = worlds.shape[1]
    capital = np.zeros(pairs)
    before, start = 0.0, _FIRST
    while start < pairs:
        stop = min(pairs, max(start + 1, int(start * _GROWTH)))
        capital[start:stop] = before + _bets(worlds, start, stop, factor, delta)
        before, start = float(capital[stop - 1]), stop
    return capital


def anytime_lower_bound(
    canary: ArrayLike, plain: ArrayLike, *, delta: float = 0.0, confidence: float, above: float = 0.0
) -> float:
    """Return an epsilon that the mechanism exceeds, with this confidence at all numbers of runs together.

    Parameters
    ----------
    canary, plain, delta
        As for `log_capital`.
    confidence
        With which probability no such bound, after however many runs, is too high.
    above
        The smallest epsilon to bet against; 0 is returned where that is not refuted, otherwise this or some steps more.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> heads = rng.random((2, 2000)) < np.array([[0.88], [0.12]])
    >>> 1.5 < anytime_lower_bound(*heads, confidence=0.95) < 2.0
    True
    """
    needed = -math.log(1 - _check.probability("confidence", confidence, positive=True))
    if len(_paired(canary, plain)[0]) <= _FIRST:
        return 0.0
    refuted, step = 0.0, 0
    while True:
        # Betting against epsilon 0 itself would need two worlds that do not differ at all.
        epsilon = max(above, 1e-9) + step * _STEP
        if epsilon > 700 or not log_capital(canary, plain, epsilon=epsilon, delta=delta).max() >= needed:
            return refuted
        refuted, step = epsilon, step + 1


def _paired(canary: ArrayLike, plain: ArrayLike) -> Floats:
    worlds = [np.asarray(world, dtype=np.float64) for world in (canary, plain)]
    for argument, world in zip(("canary", "plain"), worlds, strict=True):
        if world.ndim != 1 or np.isnan(world).any():
            raise ArgumentError(argument, f"expected numbers, one per run; got shape {world.shape}")
    pairs = min(len(world) for world in worlds)
    return np.array([world[:pairs] for world in worlds])


def _bets(worlds: Floats, start: int, stop: int, factor: float, delta: float) -> Floats:
    """Return the growth of the logarithm of capital in these pairs, by bets that only the pairs before them shape."""
    events = Events.of_runs(worlds[0, :start], worlds[1, :start], _MOST_THRESHOLDS)
    p, q = ((hits + 0.5) / (start + 1) for hits in (events.likelier, events.other))
    p_fair, q_fair, growth = _nearest_fair(p, q, factor, delta)
    chosen = events.best(growth, _EVENTS)
    if not chosen:
        return np.zeros(stop - start)
    changes = []
    for place in chosen:
        p0, q0 = p_fair[place], q_fair[place]
        stake = _stake(p[place], p0, q0, factor)
        likelier, other = events[place].seen(*worlds[:, start:stop])
        changes.append(np.log1p(stake * (likelier - p0)) + np.log1p(-factor * stake * (other - q0)))
    return np.asarray(np.logaddexp.reduce(np.cumsum(changes, axis=1), axis=0) - math.log(len(changes)))


def _stake(p: float, p0: float, q0: float, factor: float) -> float:
    """Return the stake of the largest growth, but no larger than what leaves something after the worst pair."""
    return float(min(max(p - p0, 0.0) / (p0 * (1 - p0)), _BOLD / p0, _BOLD / (factor * (1 - q0))))


def _nearest_fair(p: Floats, q: Floats, factor: float, delta: float) -> tuple[Floats, Floats, Floats]:
    """Return the points p0 = c q0 + delta nearest to (p, q), and the divergence; minus infinity where all is fair."""
    unfair = p > factor * q + delta
    # The divergence is convex along the border: its slope is negative at q, positive at (p - delta) / c.
    low, high = q.copy(), np.where(unfair, (p - delta) / factor, q)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        p0 = np.minimum(factor * middle + delta, _NEARLY)
        slope = factor * (p0 - p) / (p0 * (1 - p0)) + (middle - q) / (middle * (1 - middle))
        low, high = np.where(slope < 0, middle, low), np.where(slope < 0, high, middle)
    q0 = (low + high) / 2
    p0 = factor * q0 + delta
    sure = np.clip(p0, None, _NEARLY)
    return p0, q0, np.where(unfair & (p0 < 1), _divergence(p, sure) + _divergence(q, q0), -np.inf)


def _divergence(p: Floats, q: Floats) -> Floats:
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
