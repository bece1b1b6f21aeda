"""How well an attacker tells two worlds apart: true against false alarms, exact or from runs, and what is allowed.

References
----------
Neyman, Pearson: On the problem of the most efficient tests of statistical hypotheses. Phil. Trans. A 1933.
Kairouz, Oh, Viswanath: The composition theorem for differential privacy. ICML 2015 (what is allowed).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous import _check
from entrenous.errors import ArgumentError

__all__ = ["Roc", "allowed_advantage", "allowed_auc", "allowed_true_rate"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Roc:
    """The receiver operating characteristic of an attacker who says "it is there" from some score on.

    Attributes
    ----------
    false
        The rates of false alarms, rising from 0 to 1 as the attacker asks for less and less.
    true
        The rates of true alarms at the same scores. Between two points attackers toss a coin: lines are straight.

    Examples
    --------
    >>> Roc.of_runs(without=[0, 1, 1, 2], with_it=[1, 2, 2, 3]).auc
    0.8125
    """

    false: FloatArray
    true: FloatArray

    @classmethod
    def of_distributions(cls, without: ArrayLike, with_it: ArrayLike) -> Roc:
        """Return the best there is, by the likelihood ratio, from logarithms of the probabilities of outputs.

        >>> truth, lie = np.log([0.25, 0.75]), np.log([0.75, 0.25])  # an answer that is true three times in four
        >>> best = Roc.of_distributions(without=lie, with_it=truth)
        >>> best.auc, best.advantage
        (0.75, 0.5)
        """
        absent, present = np.asarray(without, np.float64), np.asarray(with_it, np.float64)
        some = np.isfinite(absent) | np.isfinite(present)  # what neither world shows has no ratio
        absent, present = absent[some], present[some]
        return cls.of_masses(present - absent, np.exp(absent), np.exp(present))

    @classmethod
    def of_runs(cls, without: ArrayLike, with_it: ArrayLike) -> Roc:
        """Return what scores of runs show, larger ones speaking for "it is there"."""
        scores = [np.asarray(part, np.float64).ravel() for part in (without, with_it)]
        return cls.of_masses(
            np.concatenate(scores),
            np.repeat([1.0, 0.0], [len(part) for part in scores]),
            np.repeat([0.0, 1.0], [len(part) for part in scores]),
        )

    @classmethod
    def of_masses(cls, scores: ArrayLike, without: ArrayLike, with_it: ArrayLike) -> Roc:
        """Return what scores show that occur with these weights in the two worlds; weights need not sum to 1."""
        values, place = np.unique(-np.asarray(scores, np.float64), return_inverse=True)  # the surest first
        sides = []
        for weights in (without, with_it):
            mass = np.bincount(place, np.asarray(weights, np.float64), minlength=len(values))
            if not mass.sum() > 0:
                raise ArgumentError(
                    "scores", "expected some of both worlds; got none of one. Take more runs or pairs"
                )
            sides.append(np.concatenate([[0.0], np.cumsum(mass)]) / mass.sum())
        return cls(sides[0], sides[1])

    @property
    def auc(self) -> float:
        """The probability that, of one case of each world, the attacker points at the right one; 1/2 is guessing."""
        return float(np.trapezoid(self.true, self.false))

    @property
    def advantage(self) -> float:
        """The most by which true alarms exceed false ones: 0 is guessing, 1 is knowing."""
        return float((self.true - self.false).max())

    def true_rate(self, false_rate: float) -> float:
        """Return the rate of true alarms of an attacker who allows this rate of false ones."""
        places = np.flatnonzero(self.false <= false_rate)
        last = int(places[-1])
        if last + 1 == len(self.false):
            return 1.0
        rest = (false_rate - self.false[last]) / (self.false[last + 1] - self.false[last])
        return float(self.true[last] + rest * (self.true[last + 1] - self.true[last]))


def allowed_true_rate(false_rate: ArrayLike, epsilon: float, delta: float = 0.0) -> FloatArray:
    """Return the largest rate of true alarms that epsilon and delta allow at a rate of false ones.

    >>> allowed_true_rate([0.0, 0.01, 0.5], epsilon=1.0).round(4).tolist()
    [0.0, 0.0272, 0.8161]
    """
    rate = np.asarray(false_rate, np.float64)
    factor, delta = _factor(epsilon), _check.probability("delta", delta)
    return np.asarray(np.clip(np.minimum(factor * rate + delta, 1 - (1 - delta - rate) / factor), 0.0, 1.0))


def allowed_advantage(epsilon: float, delta: float = 0.0) -> float:
    """Return the largest advantage that epsilon and delta allow.

    >>> round(allowed_advantage(1.0), 4)
    0.4621
    """
    factor, delta = _factor(epsilon), _check.probability("delta", delta)
    return 1 - 2 * (1 - delta) / (1 + factor)


def allowed_auc(epsilon: float, delta: float = 0.0) -> float:
    """Return the largest AUC that epsilon and delta allow: the area under `allowed_true_rate`.

    >>> round(allowed_auc(1.0), 4)
    0.7311
    """
    delta = _check.probability("delta", delta)
    corners = np.array([0.0, (1 - delta) / (1 + _factor(epsilon)), 1 - delta, 1.0])
    return float(np.trapezoid(allowed_true_rate(corners, epsilon, delta), corners))


def _factor(epsilon: float) -> float:
    """Return e^epsilon; beyond e^700 everything is allowed anyway."""
    return math.exp(min(_check.epsilon("epsilon", epsilon), 700.0))
