"""What an edge-level budget is worth against an attacker who believes in positive correlation, and back.

If the bits of an attacker's belief are positively affiliated, then among all mechanisms that are eta-differentially
private per bit the most telling ones publish something that grows, or falls, by e^eta with every bit that is set.
So the worst change of the odds of a secret bit is known in closed form, whatever the mechanism does. Turned round,
it says which ordinary edge-level budget eta gives a target Pufferfish epsilon.

References
----------
Ghosh, Kleinberg: Inferential privacy guarantees for differentially private mechanisms. ITCS 2017.
Fortuin, Kasteleyn, Ginibre: Belief inequalities on some partially ordered sets. CMP 1971.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from entrenous import _check
from entrenous.errors import ArgumentError

__all__ = [
    "chain_edge_epsilon",
    "chain_epsilon",
    "star_edge_epsilon",
    "star_epsilon",
    "topic_edge_epsilon",
    "topic_epsilon",
]


def star_epsilon(eta: float, neighbours: int, p0: float, p1: float) -> float:
    """Return the Pufferfish epsilon of any mechanism that is eta-DP per bit, neighbours independent given the centre.

    Parameters
    ----------
    eta
        The privacy per bit: changing one bit of one edge changes no probability by more than e^eta.
    neighbours
        How many neighbours the edge has, at most.
    p0, p1
        The least and the largest probability that a neighbour carries the n-gram, whatever the centre's bit is.

    Examples
    --------
    >>> round(star_epsilon(1 / 464.9429, 1883, 0.0277, 0.2739), 6)
    1.0
    >>> star_epsilon(0.5, 1883, 0.2, 0.2)
    0.5
    """
    p0, p1 = checked_range(p0, p1)
    neighbours = _check.at_least("neighbours", neighbours, 0)
    eta = _check.epsilon("eta", eta)
    raised = _log_mean_raised(eta, p1) - _log_mean_raised(eta, p0)
    lowered = _log_mean_lowered(eta, p0) - _log_mean_lowered(eta, p1)
    return eta + neighbours * max(raised, lowered)


def star_edge_epsilon(epsilon: float, neighbours: int, p0: float, p1: float) -> float:
    """Return the largest eta per bit that gives a Pufferfish epsilon, neighbours independent given the centre.

    >>> round(1 / star_edge_epsilon(1.0, 1883, 0.0277, 0.2739), 4)
    464.9429
    """
    least = _check.epsilon("epsilon", epsilon) / (1 + _check.at_least("neighbours", neighbours, 0))
    return _largest(lambda eta: star_epsilon(eta, neighbours, p0, p1) <= epsilon, least, epsilon)


def chain_epsilon(eta: float, length: int, flip: float) -> float:
    """Return the Pufferfish epsilon of any mechanism that is eta-DP per bit, for a chain of edges.

    Going away from the secret, in either direction, the next edge has the bit of the one before it with probability
    `flip` or more, and the other bit with probability `flip` or more. A product of 2 x 2 transfer matrices sums over
    all bits on one side of the secret; only the ratio of its two entries matters.

    Examples
    --------
    >>> [round(chain_epsilon(1 / 3, 201, flip), 3) for flip in (0.1, 0.2, 0.3, 0.4)]
    [2.397, 1.255, 0.763, 0.497]
    """
    eta = _check.epsilon("eta", eta)
    flip = checked_flip(flip)
    length = _check.at_least("length", length, 1)
    stay, change = math.log1p(-flip), math.log(flip)
    sides = [0.0]  # log ratio of what i bits on one side of a 1, and of a 0, sum up to
    for _ in range(length - 1):
        step = eta + sides[-1]
        sides.append(_log_sum(stay + step, change) - _log_sum(change + step, stay))
    worst = max(left + right for left, right in zip(sides, reversed(sides), strict=True))
    return eta + worst  # proof: chain


def chain_edge_epsilon(epsilon: float, length: int, flip: float) -> float:
    """Return the largest eta per bit that gives a Pufferfish epsilon, for a chain of edges.

    >>> [round(1 / chain_edge_epsilon(1.0, 201, flip), 3) for flip in (0.1, 0.2, 0.3, 0.4)]
    [8.64, 3.849, 2.257, 1.467]
    """
    least = _check.epsilon("epsilon", epsilon) / _check.at_least("length", length, 1)
    return _largest(lambda eta: chain_epsilon(eta, length, flip) <= epsilon, least, epsilon)


def topic_epsilon(eta: float, neighbours: int, b0: float, b1: float) -> float:
    """Return the Pufferfish epsilon of any mechanism that is eta-DP per bit, a hidden topic shared with neighbours.

    Given whether the topic is there, the edge and its neighbours carry an n-gram independently, with b1 or b0. The
    worst of all chances of the topic is known in closed form. However many neighbours there are, they tell no more
    than the topic: never more than eta and the logarithm of the odds ratio b1 (1 - b0) / (b0 (1 - b1)).

    Examples
    --------
    >>> round(topic_epsilon(1 / 464.9429, 1883, 0.0277, 0.2739), 4)
    0.5619
    >>> round(topic_epsilon(1.0, 10**9, 0.0277, 0.2739), 4)
    3.5833
    """
    b0, b1 = checked_range(b0, b1)
    neighbours = _check.at_least("neighbours", neighbours, 0)
    eta = _check.epsilon("eta", eta)
    if b0 == b1:
        return eta
    raised = _log_mean_raised(eta, b1) - _log_mean_raised(eta, b0)
    lowered = _log_mean_lowered(eta, b0) - _log_mean_lowered(eta, b1)
    told = neighbours * max(raised, lowered)  # by what a known topic would move the worst output
    odds = math.inf if b0 == 0 or b1 == 1 else math.log(b1) - math.log(b0) + math.log1p(-b0) - math.log1p(-b1)
    return eta + _log_cosh_ratio(odds / 4, told / 4)  # proof: latent


def topic_edge_epsilon(epsilon: float, neighbours: int, b0: float, b1: float) -> float:
    """Return the largest eta per bit that gives a Pufferfish epsilon, a hidden topic shared with neighbours.

    >>> round(1 / topic_edge_epsilon(1.0, 1883, 0.0277, 0.2739), 4)
    253.0903
    """
    least = _check.epsilon("epsilon", epsilon) / (1 + _check.at_least("neighbours", neighbours, 0))
    return _largest(lambda eta: topic_epsilon(eta, neighbours, b0, b1) <= epsilon, least, epsilon)


def checked_range(p0: float, p1: float) -> tuple[float, float]:
    """Return a range of probabilities, or say that it is none."""
    if not (0 <= p0 <= p1 <= 1):
        raise ArgumentError("p0, p1", f"expected 0 <= p0 <= p1 <= 1; got {p0!r} and {p1!r}")
    return float(p0), float(p1)


def checked_flip(flip: float) -> float:
    """Return a flip probability of a chain, or say that it is none."""
    if not 0 < flip <= 0.5:
        raise ArgumentError(
            "flip", f"expected a probability above 0 and at most 0.5; got {flip!r}; for a chain that flips more "
            "often than not, take 1 - flip: it is the same chain with every other bit renamed"
        )  # fmt: skip
    return float(flip)


def _log_mean_raised(eta: float, p: float) -> float:
    """Return ln E e^(eta B) for a coin B, for eta from tiny to hundreds."""
    if p == 0:
        return 0.0
    if eta < 700:  # e^709 is the largest there is
        return math.log1p(p * math.expm1(eta))
    return eta + math.log(p) + math.log1p((1 - p) / p * math.exp(-eta))


def _log_mean_lowered(eta: float, p: float) -> float:
    """Return ln E e^(-eta B) for a coin B, for eta from tiny to hundreds."""
    if p == 1:
        return -eta
    lost = -p * math.expm1(-eta)
    return math.log1p(-lost) if lost < 0.5 else math.log((1 - p) + p * math.exp(-eta))


def _log_sum(first: float, second: float) -> float:
    """Return ln(e^first + e^second)."""
    high, low = max(first, second), min(first, second)
    return high + math.log1p(math.exp(low - high))


def _log_cosh_ratio(one: float, other: float) -> float:
    """Return 2 ln of cosh(one + other) / cosh(one - other), neither negative."""
    less, more = sorted((one, other))
    if less < 1:
        return 4 * math.atanh(math.tanh(less) * math.tanh(more))
    if more == math.inf:
        return 4 * less
    return 4 * less + 2 * (math.log1p(math.exp(-2 * (less + more))) - math.log1p(math.exp(2 * (less - more))))


def _largest(suffices: Callable[[float], bool], least: float, most: float) -> float:
    """Return the largest number that suffices, to the last digit, knowing that `least` does but for rounding."""
    low, high = least, most
    if suffices(high):
        return high
    while not suffices(low):
        low = math.nextafter(low, 0)
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if suffices(middle) else (low, middle)
    return low
