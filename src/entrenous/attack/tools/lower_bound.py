"""How much privacy a mechanism certainly gives away: a lower bound on epsilon from runs on two neighbouring inputs.

A mechanism is run many times with a canary (a tie, a message) and as often without; an attacker turns each output
into one number, a *score*. If some event, a score above or below a threshold, has probability p in one world and q in
the other, then every (epsilon, delta) that holds has p <= e^epsilon q + delta.

Three events are chosen on the first eighth of the runs and judged on the other seven eighths: given the first part
they are fixed, so the hits are binomial. The best choice gets half of the risk, the second and the third a quarter
each (Bonferroni), so that the largest of the three bounds holds.

One event gets its bound from p and q together. Let x of n runs of one world hit it and y of m of the other, and let
P(p) = P[Bin(n, p) >= x] and Q(q) = P[Bin(m, q) <= y] be the exact one-sided p-values. At the true p and q both are
at most u with probability at most u, and they are independent. So their product is at most c with probability at most
c (1 - ln c), as the sum of two standard exponentials is at least -ln c (Fisher's combination). With c such that this is
the risk, the set of all (p, q) with P(p) Q(q) > c contains the truth but for the risk, and the smallest ln((p - delta)
/ q) in it is the bound. P and Q are monotone, so the set is the union over r in [c, 1] of boxes p >= L(r) and
q <= U(c / r), the limits of Clopper and Pearson at risks whose product is c. Between two points r of a grid the bound
is at least L at the smaller and U at the larger one, so a grid errs on the safe side. Sharing the risk once, half for p
and half for q, is a single such box with a smaller product, and that product is what is lost.

References
----------
Jagielski, Ullman, Oprea: Auditing differentially private machine learning: how private is private SGD? NeurIPS 2020.
Nasr, Songi, Thakurta, Papernot, Carlini: Adversary instantiation: lower bounds for differentially private machine
learning. IEEE S&P 2021.
Fisher: Statistical methods for research workers. Oliver and Boyd 1932 (the product of p-values).
Lokna, Paradis, Dimitrov, Vechev: Group and attack: auditing differential privacy. CCS 2023.
Clopper, Pearson: The use of confidence or fiducial limits illustrated in the case of the binomial. Biometrika 1934.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous import _check
from entrenous.attack.tools.events import Event, Events
from entrenous.errors import ArgumentError

__all__ = ["BEYOND_DOUBT", "CONFIDENCE", "LowerBound", "clopper_pearson", "epsilon_lower_bound", "power"]

#: Of the bounds that are shown, and of those that a verdict rests on.
CONFIDENCE, BEYOND_DOUBT = 0.95, 0.999
_MOST_THRESHOLDS = 400  # tried on the first part; more would only be slower
#: One run in so many chooses, the others judge.
_CHOOSING = 8
#: The shares of the risk that the best events get, in the order of the choice.
_SHARES = (0.5, 0.25, 0.25)
#: The risk at which events are compared when they are chosen, whatever the confidence of the bound. So all confidences
#: judge the same events; and rare events, which look better than they are on the runs they were chosen on, come last.
_CHOICE = 0.1
_FEWEST = 10  # runs of each world: fewer prove nothing
_BOXES = 32  # in which the joint limits of p and q are cut; more are slower and hardly sharper

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
        How often it happened in the runs that judge: in the world where it is likelier, and in the other.
    trials
        How many runs of each world judge, in the same order.
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
    (1.063, (3500, 3500))
    """
    worlds = [_scores("canary", canary), _scores("plain", plain)]
    delta = _check.probability("delta", delta)
    risk = 1 - _check.probability("confidence", confidence, positive=True)
    first = [_choosing(len(world)) for world in worlds]
    canary_first, plain_first = (world[:part] for world, part in zip(worlds, first, strict=True))
    chosen = _best_events(canary_first, plain_first, delta)
    canary_judges, plain_judges = (world[part:] for world, part in zip(worlds, first, strict=True))
    shown = [
        _judge(canary_judges, plain_judges, event, delta, share * risk)
        for event, share in zip(chosen, _SHARES, strict=False)
    ]
    return max(shown, key=lambda bound: bound.epsilon)


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

    It counts on the event being chosen first; further events can only add to this.

    Parameters
    ----------
    likelier, other
        The probability of the event in either world.
    trials
        The runs of each world.

    Examples
    --------
    Half the noise, so that epsilon is 2 where 1 is stated, is caught; the right noise is not accused:

    >>> def half_line(epsilon): return 1 / (1 + math.exp(-epsilon))
    >>> power(half_line(2), 1 - half_line(2), 250, epsilon=1.0) > 0.999
    True
    >>> power(half_line(1), 1 - half_line(1), 250, epsilon=1.0) < 0.025
    True
    """
    from scipy.stats import binom

    trials = _check.at_least("trials", trials, 2)
    judging = trials - _choosing(trials)
    risk = (1 - _check.probability("confidence", confidence, positive=True)) * _SHARES[0]
    count = np.arange(judging + 1)
    # For each number of hits in one world: the largest number in the other that still shows more than epsilon.
    most = np.full(judging + 1, judging)
    for p_risk, q_risk in zip(*_boxes(risk), strict=True):
        low, high = _lower(count, judging, p_risk), _upper(count, judging, q_risk)
        most = np.minimum(most, np.searchsorted(high, (low - delta) * math.exp(-epsilon), side="left") - 1)
    chance = binom.pmf(count, judging, likelier) * np.where(most >= 0, binom.cdf(most, judging, other), 0.0)
    return float(chance.sum())


def _choosing(runs: int) -> int:
    """Return how many of so many runs choose the events."""
    return max(runs // _CHOOSING, min(_FEWEST, runs // 2))


def _scores(argument: str, values: ArrayLike) -> Floats:
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1 or len(scores) < _FEWEST or np.isnan(scores).any():
        raise ArgumentError(
            argument, f"expected {_FEWEST} numbers or more, one per run; got shape {scores.shape}"
        )
    return scores


def _best_events(canary: Floats, plain: Floats, delta: float) -> list[Event]:
    """Return the events with the best bounds on the choosing runs."""
    events = Events.of_runs(canary, plain, _MOST_THRESHOLDS)
    sizes = np.tile(np.repeat([len(canary), len(plain)], len(events.thresholds)), 2)
    bounds = _bound(events.likelier, sizes, events.other, sizes[::-1], delta, _CHOICE, _CHOICE)
    return [events[place] for place in events.best(np.maximum(bounds, -1e300), len(_SHARES))]


def _judge(canary: Floats, plain: Floats, event: Event, delta: float, risk: float) -> LowerBound:
    """Return the bound that one event shows on the judging runs, at this risk."""
    likelier, other = event.seen(canary, plain)
    hits, trials = (int(likelier.sum()), int(other.sum())), (len(likelier), len(other))
    shown = _bound(hits[0], trials[0], hits[1], trials[1], delta, *_boxes(risk))
    return LowerBound(
        max(float(shown.min()), 0.0), event.threshold, event.above, event.canary_likelier, hits, trials
    )


@cache
def _boxes(risk: float) -> tuple[Floats, Floats]:
    """Return risks for p and for q; limits at all of them together hold but for this risk."""
    from scipy.optimize import brentq

    total = float(brentq(lambda s: (1 + s) * math.exp(-s) - risk, 0.0, 800.0))  # minus the logarithm of c
    spent = np.linspace(0.0, total, _BOXES + 1)
    return np.exp(-spent[1:]), np.exp(spent[:-1] - total)


def _bound(
    p_hits: ArrayLike,
    p_trials: ArrayLike,
    q_hits: ArrayLike,
    q_trials: ArrayLike,
    delta: float,
    p_risk: ArrayLike,
    q_risk: ArrayLike,
) -> Floats:
    """Return ln((p - delta) / q) at the lower limit of p and the upper limit of q; minus infinity if p <= delta."""
    p, q = _lower(p_hits, p_trials, p_risk) - delta, _upper(q_hits, q_trials, q_risk)
    return np.where(p > 0, np.log(np.maximum(p, 1e-300)), -np.inf) - np.log(q)


def _lower(successes: ArrayLike, trials: ArrayLike, risk: ArrayLike) -> Floats:
    """Return the limit that a probability is below with at most this risk."""
    from scipy.special import betaincinv

    k = np.asarray(successes, dtype=np.float64)
    return np.where(k <= 0, 0.0, betaincinv(np.maximum(k, 1), np.asarray(trials) - k + 1, risk))


def _upper(successes: ArrayLike, trials: ArrayLike, risk: ArrayLike) -> Floats:
    """Return the limit that a probability is above with at most this risk."""
    return np.asarray(1 - _lower(np.asarray(trials) - np.asarray(successes, dtype=np.float64), trials, risk))
