"""How much privacy a mechanism certainly gives away: a lower bound on epsilon from runs on two neighbouring inputs.

A mechanism is run many times with a canary (a tie, a message) and as often without; an attacker turns each output
into one number, a *score*. If some event, a score above or below a threshold, has probability p in one world and q in
the other, then every (epsilon, delta) that holds has p <= e^epsilon q + delta. The event is chosen on one half of the
runs and judged on the other, so that choosing among many events costs no confidence; the exact limits of Clopper and
Pearson for p and q share the risk. What comes out is certain up to that risk, whatever the mechanism does inside.

References
----------
Jagielski, Ullman, Oprea: Auditing differentially private machine learning: how private is private SGD? NeurIPS 2020.
Nasr, Songi, Thakurta, Papernot, Carlini: Adversary instantiation: lower bounds for differentially private machine
learning. IEEE S&P 2021.
Lokna, Paradis, Dimitrov, Vechev: Group and attack: auditing differential privacy. CCS 2023.
Clopper, Pearson: The use of confidence or fiducial limits illustrated in the case of the binomial. Biometrika 1934.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous import _check
from entrenous.errors import ArgumentError

__all__ = ["BEYOND_DOUBT", "CONFIDENCE", "LowerBound", "clopper_pearson", "epsilon_lower_bound", "power"]

#: Of the bounds that are shown, and of those that a verdict rests on.
CONFIDENCE, BEYOND_DOUBT = 0.95, 0.999
_MOST_THRESHOLDS = 400  # tried on the first half; more would only be slower
#: The risk at which events are compared when one is chosen, whatever the confidence of the bound. So all confidences
#: judge one event; and rare events, which look better than they are on the half they were chosen on, are passed over.
_CHOICE = 0.001
_FEWEST = 10  # runs of each world: fewer prove nothing

Floats = NDArray[np.float64]


def clopper_pearson(successes: int, trials: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return exact two-sided limits for a probability, from how often something happened.

    >>> [round(limit, 4) for limit in clopper_pearson(0, 100)]
    [0.0, 0.0362]
    """
    trials = _check.at_least("trials", trials, 1)
    if _check.at_least("successes", successes, 0) > trials:
        raise ArgumentError("successes", f"expected at most {trials}, all trials; got {successes}")
    risk = (1 - _check.probability("confidence", confidence)) / 2
    return float(_lower(successes, trials, risk)), float(_upper(successes, trials, risk))


@dataclass(frozen=True)
class LowerBound:
    """An epsilon that a mechanism certainly exceeds or reaches, and the event that shows it.

    Attributes
    ----------
    epsilon
        The bound; 0 where nothing was shown.
    threshold, above
        The event: a score of at least, or (not `above`) of at most the threshold.
    canary_likelier
        Whether the event is likelier with the canary.
    hits
        How often it happened on the judging half: in the world where it is likelier, and in the other.
    trials
        The runs of each world on the judging half, in the same order.
    """

    epsilon: float
    threshold: float
    above: bool
    canary_likelier: bool
    hits: tuple[int, int]
    trials: tuple[int, int]


def epsilon_lower_bound(
    canary: ArrayLike, plain: ArrayLike, *, delta: float = 0.0, confidence: float = CONFIDENCE
) -> LowerBound:
    """Return the largest epsilon that the scores of both worlds rule out values below of, with this confidence.

    Parameters
    ----------
    canary, plain
        The attacker's scores, one per run, with the canary and without; in the order of the runs.
    delta
        The slack of the promise.
    confidence
        With which probability a bound like this one holds.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> heads = rng.random((2, 4000)) < np.array([[0.75], [0.25]])  # a coin that costs epsilon ln 3 = 1.0986
    >>> found = epsilon_lower_bound(heads[0], heads[1])
    >>> round(found.epsilon, 3), found.trials
    (0.991, (2000, 2000))
    """
    worlds = [_scores("canary", canary), _scores("plain", plain)]
    delta = _check.probability("delta", delta)
    risk = (1 - _check.probability("confidence", confidence, positive=True)) / 2
    choosing, judging = [world[0::2] for world in worlds], [world[1::2] for world in worlds]
    ((_, threshold), above, canary_likelier) = max(
        (_best_threshold(choosing if canary else choosing[::-1], above, delta, _CHOICE), above, canary)
        for canary, above in product((True, False), (True, False))
    )
    likelier, other = judging if canary_likelier else judging[::-1]
    hits = tuple(
        int((world >= threshold if above else world <= threshold).sum()) for world in (likelier, other)
    )
    trials = (len(likelier), len(other))
    epsilon = float(_bound(hits[0], trials[0], hits[1], trials[1], delta, risk))
    return LowerBound(max(epsilon, 0.0), threshold, above, canary_likelier, (hits[0], hits[1]), trials)


def power(
    likelier: float,
    other: float,
    trials: int,
    *,
    epsilon: float,
    delta: float = 0.0,
    confidence: float = 0.95,
) -> float:
    """Return the exact probability that an event with these two probabilities shows more than epsilon.

    Parameters
    ----------
    likelier, other
        The probability of the event in either world.
    trials
        The runs of each world, half of which judge.

    Examples
    --------
    Half the noise, so that epsilon is 2 where 1 is stated, is caught; the right noise is not accused:

    >>> def half_line(epsilon): return 1 / (1 + math.exp(-epsilon))
    >>> power(half_line(2), 1 - half_line(2), 500, epsilon=1.0) > 0.999
    True
    >>> power(half_line(1), 1 - half_line(1), 500, epsilon=1.0) < 0.005
    True
    """
    from scipy.stats import binom

    half = _check.at_least("trials", trials, 2) // 2
    risk = (1 - _check.probability("confidence", confidence, positive=True)) / 2
    count = np.arange(half + 1)
    low, high = _lower(count, half, risk), _upper(count, half, risk)
    # For each number of hits in one world: the largest number in the other that still shows more than epsilon.
    most = np.searchsorted(high, (low - delta) * math.exp(-epsilon), side="left") - 1
    chance = binom.pmf(count, half, likelier) * np.where(most >= 0, binom.cdf(most, half, other), 0.0)
    return float(chance.sum())


def _scores(argument: str, values: ArrayLike) -> Floats:
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1 or len(scores) < _FEWEST or np.isnan(scores).any():
        raise ArgumentError(
            argument, f"expected {_FEWEST} numbers or more, one per run; got shape {scores.shape}"
        )
    return scores


def _best_threshold(worlds: list[Floats], above: bool, delta: float, risk: float) -> tuple[float, float]:
    """Return the best bound that a threshold reaches, and the threshold; the likelier world comes first."""
    likelier, other = worlds
    thresholds = np.unique(np.concatenate([likelier, other]))
    if len(thresholds) > _MOST_THRESHOLDS:
        thresholds = thresholds[np.linspace(0, len(thresholds) - 1, _MOST_THRESHOLDS).astype(np.int64)]
    p_hits, q_hits = (_hits(np.sort(world), thresholds, above) for world in (likelier, other))
    bounds = _bound(p_hits, len(likelier), q_hits, len(other), delta, risk)
    best = int(np.argmax(bounds))
    return float(bounds[best]), float(thresholds[best])


def _hits(ascending: Floats, thresholds: Floats, above: bool) -> NDArray[np.int64]:
    if above:
        return len(ascending) - np.searchsorted(ascending, thresholds, side="left")
    return np.searchsorted(ascending, thresholds, side="right")


def _bound(
    p_hits: ArrayLike, p_trials: int, q_hits: ArrayLike, q_trials: int, delta: float, risk: float
) -> Floats:
    """Return ln((p - delta) / q) at the lower limit of p and the upper limit of q; minus infinity if p <= delta."""
    p, q = _lower(p_hits, p_trials, risk) - delta, _upper(q_hits, q_trials, risk)
    return np.where(p > 0, np.log(np.maximum(p, 1e-300)), -np.inf) - np.log(q)


def _lower(successes: ArrayLike, trials: int, risk: float) -> Floats:
    """Return the limit that a probability is below with at most this risk."""
    from scipy.special import betaincinv

    k = np.asarray(successes, dtype=np.float64)
    return np.where(k <= 0, 0.0, betaincinv(np.maximum(k, 1), trials - k + 1, risk))


def _upper(successes: ArrayLike, trials: int, risk: float) -> Floats:
    """Return the limit that a probability is above with at most this risk."""
    return np.asarray(1 - _lower(trials - np.asarray(successes, dtype=np.float64), trials, risk))
