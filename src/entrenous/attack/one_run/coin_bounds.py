"""What guesses about fair coins prove, when all coins went into one run.

Each of many canaries is put in by a fair coin of its own. An attacker reads one output and guesses some of the coins,
leaving out those that the output says little about. Were the promise kept, so many right guesses would be unlikely:
whatever epsilon makes them more unlikely than a stated risk is ruled out.

*Pure epsilon.* Given the output and the other coins, each coin is guessed with a chance of e^epsilon / (1 + e^epsilon)
at best. So the right guesses are at most binomial *given the output*: how many guesses are made, and which, may depend
on the output in any way, as long as nobody looks at the coins.

*A delta, or a trade-off curve.* There the number of guesses must be fixed before. Where several numbers are
tried, they share the risk (`best_count`).

References
----------
Steinke, Nasr, Jagielski: Privacy auditing with one (1) training run. NeurIPS 2023 (pure epsilon and delta).
Mahloujifar, Melis, Chaudhuri: Auditing f-differential privacy in one run. ICML 2025 (trade-off curves).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous import _check
from entrenous.attack.tools.lower_bound import CONFIDENCE
from entrenous.errors import ArgumentError

__all__ = [
    "COUNTS",
    "Guesses",
    "best_count",
    "curve_epsilon",
    "delta_epsilon",
    "gaussian_mu_bound",
    "guess",
    "guess_ends",
    "most_telling",
    "pure_epsilon",
    "refuted",
]

Floats = NDArray[np.float64]

#: Shares of all canaries that are guessed, where the number of guesses has to be fixed before.
COUNTS = (0.5, 0.25, 0.1, 0.04, 0.015, 0.005)
_MOST_EPSILON = 50.0
_STEP = 0.05  # of the search for the first epsilon that is not ruled out
_CANDIDATES = 1000  # numbers of guesses that are compared
_TANGENTS = 4000  # lines that a curve of normal noise is drawn with
#: What floating point may add to a probability: sums of as many terms as there are canaries. Curves are moved by it.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Guesses:
    """How many canaries there were, how many coins were guessed, and how many of these rightly."""

    canaries: int
    made: int
    right: int

    def __post_init__(self) -> None:
        if not 0 <= self.right <= self.made <= self.canaries:
            raise ArgumentError(
                "right, made, canaries",
                f"expected 0 <= right <= made <= canaries; got {self.right}, {self.made}, {self.canaries}",
            )


def guess(scores: ArrayLike, coins: ArrayLike, count: int) -> Guesses:
    """Guess the coins of the scores furthest from 0, as many as `count`: heads above 0, tails below.

    Parameters
    ----------
    scores
        Of each canary: the higher, the likelier it is in; 0 says nothing. The logarithm of a ratio of likelihoods is
        the best score there is.
    coins
        Which canaries are in.
    count
        How many guesses are made. Equal scores are taken in the order of the canaries.

    Examples
    --------
    >>> guess([2.0, -1.5, 0.1, 0.0], [True, False, False, True], 2)
    Guesses(canaries=4, made=2, right=2)
    """
    values, heads = _both(scores, coins)
    chosen = np.argsort(-np.abs(values), kind="stable")[: _count(count, len(values))]
    return Guesses(len(values), len(chosen), int(((values[chosen] > 0) == heads[chosen]).sum()))


def guess_ends(scores: ArrayLike, coins: ArrayLike, highest: int, lowest: int) -> Guesses:
    """Guess heads for the highest scores and tails for the lowest, whatever the scores are measured in.

    >>> guess_ends([9.0, 7.0, 8.0, 5.0], [True, False, True, False], highest=2, lowest=1)
    Guesses(canaries=4, made=3, right=3)
    """
    values, heads = _both(scores, coins)
    highest, lowest = _count(highest, len(values)), _count(lowest, len(values))
    _count(highest + lowest, len(values))
    ascending = np.argsort(values, kind="stable")
    top, bottom = ascending[len(values) - highest :], ascending[:lowest]
    return Guesses(len(values), highest + lowest, int(heads[top].sum() + (~heads[bottom]).sum()))


def most_telling(scores: ArrayLike, *, confidence: float = CONFIDENCE) -> int:
    """Return how many guesses promise the best bound on a pure epsilon, from the scores alone.

    Scores are taken for logarithms of likelihood ratios, so that they say how often each guess will be right. No
    coin is looked at: for a pure epsilon the choice costs nothing.

    >>> most_telling([1.0] * 600 + [0.2] * 400)
    600
    """
    from scipy.special import betaincinv, expit

    sure = np.sort(np.abs(_check_scores(scores)))[::-1]
    made = np.unique(np.geomspace(1, len(sure), _CANDIDATES).astype(np.int64))
    # Where many scores are equal, the last of them is worth a look.
    ends = np.flatnonzero(np.diff(sure)) + 1
    made = np.union1d(made, ends[np.argsort(-np.diff(np.concatenate([[0], ends])))[:_CANDIDATES]])
    right = np.cumsum(expit(sure))[made - 1]
    return int(made[np.argmax(betaincinv(right, made - right + 1, 1 - confidence))])


def pure_epsilon(guesses: Guesses, *, confidence: float = CONFIDENCE) -> float:
    """Return the largest epsilon below which so many right guesses are ruled out.

    The chance of a binomial number of at least `right` has reached the risk there: the limit of Clopper and Pearson.

    >>> round(pure_epsilon(Guesses(9000, 4980, 3641)), 3)
    0.947
    """
    from scipy.special import betaincinv

    _check.probability("confidence", confidence, positive=True)
    if not guesses.right:
        return 0.0
    missed = float(betaincinv(guesses.made - guesses.right + 1, guesses.right, confidence))
    return max(math.log1p(-missed) - math.log(missed), 0.0)


def delta_epsilon(guesses: Guesses, *, delta: float, confidence: float = CONFIDENCE) -> float:
    """Return the epsilon below which (epsilon, delta) is ruled out; the number of guesses must have been fixed before.

    With W binomial, so many right guesses have a probability of at most P[W >= v] plus 2 m delta times the largest
    P[v > W >= v - i] / i, of all i from 1 on (Steinke, Nasr & Jagielski, Theorem 5.2).

    >>> found = Guesses(1000, 500, 400)
    >>> [round(delta_epsilon(found, delta=delta), 3) for delta in (0.0, 1e-5, 1e-3)]
    [1.199, 1.198, 1.082]
    """
    delta = _check.probability("delta", delta)
    risk = 1 - _check.probability("confidence", confidence, positive=True)
    if delta == 0:
        return pure_epsilon(guesses, confidence=confidence)
    return _first(lambda epsilon: _delta_chance(guesses, epsilon, delta) <= risk)


def _delta_chance(guesses: Guesses, epsilon: float, delta: float) -> float:
    from scipy.special import expit
    from scipy.stats import binom

    truth = float(expit(epsilon))
    below = binom.pmf(np.arange(guesses.right - 1, -1, -1), guesses.made, truth)
    slack = float((np.cumsum(below) / np.arange(1, guesses.right + 1)).max(initial=0.0))
    chance = float(binom.sf(guesses.right - 1, guesses.made, truth))
    return chance + 2 * guesses.canaries * delta * slack


def refuted(guesses: Guesses, slopes: ArrayLike, intercepts: ArrayLike, *, risk: float) -> bool:
    """Tell whether so many right guesses have a probability below `risk` under a trade-off curve.

    The number of guesses must have been fixed before. The curve says how likely an event is at least with one coin the
    other way, if it has a probability of y: g(y), the largest of straight lines and 0, is convex and increasing.

    *Why.* Let p_j be the probability of j right guesses, of c out of m. Take the event "coin i is guessed rightly and
    j or more are right in all". With coin i the other way it reads "coin i is guessed wrongly and j - 1 or more are
    right". Averaged over all coins (g is convex), for every j:

        sum over l >= j - 1 of (c - l) p_l / m  >=  g(sum over l >= j of l p_l / m).

    With tails P_j = p_j + p_(j+1) + ... both sides can be summed by parts:

        (c - j + 1) P_(j-1)  >=  P_j + P_(j+1) + ... + m g((j P_j + P_(j+1) + P_(j+2) + ...) / m).

    The right side grows with each tail. So, from P_v >= risk downwards, each tail is at least what this gives for
    the least values of those above; if P_0 comes out above 1, P_v was below the risk.

    >>> slopes, intercepts = _pure_lines(1.0, 0.0)
    >>> [refuted(Guesses(1000, 1000, right), slopes, intercepts, risk=0.05) for right in (740, 760)]
    [False, True]
    """
    from entrenous.attack.one_run._kernels import least_mass

    if not guesses.right:
        return False
    rising = np.asarray(slopes, dtype=np.float64)
    lowered = np.asarray(intercepts, dtype=np.float64) - _ROUNDING * rising
    mass = least_mass(risk, guesses.right, guesses.made, guesses.canaries, rising, lowered)
    return bool(mass > 1 + 1e-9)


def curve_epsilon(guesses: Guesses, *, delta: float = 0.0, confidence: float = CONFIDENCE) -> float:
    """Return the epsilon below which the trade-off curve of (epsilon, delta) is ruled out; see `refuted`.

    It often proves more than `delta_epsilon` where delta is large; the number of guesses must have been fixed before.

    >>> found = Guesses(1000, 500, 400)
    >>> [round(curve_epsilon(found, delta=delta), 3) for delta in (0.0, 1e-3)]
    [1.19, 1.176]
    """
    delta = _check.probability("delta", delta)
    risk = 1 - _check.probability("confidence", confidence, positive=True)
    return _first(lambda epsilon: refuted(guesses, *_pure_lines(epsilon, delta), risk=risk))


def gaussian_mu_bound(guesses: Guesses, *, confidence: float = CONFIDENCE) -> float:
    """Return the mu below which normal noise is ruled out; the number of guesses must have been fixed before.

    `entrenous.price.gaussian_epsilon` turns it into an epsilon at a delta.

    >>> from entrenous.price import gaussian_epsilon
    >>> found = gaussian_mu_bound(Guesses(100_000, 2_000, 1_950))
    >>> round(found, 2), round(gaussian_epsilon(found, 1e-5), 2)
    (0.96, 4.15)
    """
    risk = 1 - _check.probability("confidence", confidence, positive=True)
    return _first(lambda mu: refuted(guesses, *_gaussian_lines(mu), risk=risk))


def best_count(
    scores: ArrayLike,
    coins: ArrayLike,
    bound: Callable[[Guesses, float], float],
    *,
    counts: Sequence[float] = COUNTS,
    both: bool = True,
    confidence: float = CONFIDENCE,
) -> tuple[float, Guesses]:
    """Return the best bound of several numbers of guesses, fixed before, and the guesses that reach it.

    All numbers share the risk, so that the best of them holds with this confidence.

    Parameters
    ----------
    scores, coins
        As for `guess`.
    bound
        Takes guesses and a confidence, and returns a lower bound.
    counts
        Shares of all canaries; they must not have been chosen by looking at coins or scores.
    both
        Guess those furthest from 0, on both sides. Otherwise scores are measured in anything: the highest, the lowest,
        and both ends half and half are tried, which share the risk as well.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> coins = rng.random(4000) < 0.5
    >>> scores = np.where(coins, 1.0, -1.0) + rng.normal(size=4000)
    >>> value, found = best_count(scores, coins, lambda each, sure: gaussian_mu_bound(each, confidence=sure))
    >>> round(value, 2), found.made
    (1.21, 1000)
    """
    size = len(_check_scores(scores))
    numbers = sorted({max(round(share * size), 1) for share in counts})
    if both:
        tried = [guess(scores, coins, number) for number in numbers]
    else:
        ends = [pair for each in numbers for pair in {(each, 0), (0, each), (each - each // 2, each // 2)}]
        tried = [guess_ends(scores, coins, *each) for each in sorted(ends)]
    sure = 1 - (1 - _check.probability("confidence", confidence, positive=True)) / len(tried)
    return max(((bound(each, sure), each) for each in tried), key=lambda each: each[0])


def _first(ruled_out: Callable[[float], bool]) -> float:
    """Return where values stop being ruled out: nothing above the first that is not, even if some are again."""
    low, high = 0.0, _STEP
    while high < _MOST_EPSILON and ruled_out(high):
        low, high = high, high + _STEP
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if ruled_out(middle) else (low, middle)
    return low


def _pure_lines(epsilon: float, delta: float) -> tuple[Floats, Floats]:
    """Return the curve of (epsilon, delta): of e^-epsilon (y - delta) and 1 - delta - e^epsilon (1 - y) the larger."""
    slopes = np.array([math.exp(-epsilon), math.exp(epsilon)])
    return slopes, np.array([-slopes[0] * delta, 1 - delta - slopes[1]])


def _gaussian_lines(mu: float) -> tuple[Floats, Floats]:
    """Return tangents of Phi(Phi^-1(y) - mu), none of which is anywhere above it."""
    from scipy.special import ndtr

    at = np.linspace(-12.0, 4.0, _TANGENTS)
    slopes = np.exp(mu * at - mu * mu / 2)
    return slopes, ndtr(at - mu) - slopes * ndtr(at)


def _both(scores: ArrayLike, coins: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    values, heads = _check_scores(scores), np.asarray(coins)
    if heads.shape != values.shape or heads.dtype != np.bool_:
        raise ArgumentError(
            "coins", f"expected {len(values)} truth values, one per score; got {heads.dtype} {heads.shape}"
        )
    return values, heads


def _check_scores(scores: ArrayLike) -> Floats:
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not len(values) or np.isnan(values).any():
        raise ArgumentError("scores", f"expected a number for each canary; got shape {values.shape}")
    return values


def _count(count: int, canaries: int) -> int:
    count = _check.at_least("count", count, 0)
    if count > canaries:
        raise ArgumentError("count", f"expected at most {canaries}, one guess per canary; got {count}")
    return count
