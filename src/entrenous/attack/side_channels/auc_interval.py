"""How well one quantity tells two worlds apart: the AUC of runs, between limits.

References
----------
DeLong, DeLong, Clarke-Pearson: Comparing the areas under two or more correlated receiver operating characteristic
curves. Biometrics 1988 (the variance).
Obuchowski, Lieber: Confidence bounds when the estimated ROC area is 1.0. Academic Radiology 2002 (limits near 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous import _check
from entrenous.attack.tools.lower_bound import CONFIDENCE
from entrenous.errors import ArgumentError

__all__ = ["AucInterval"]

_FEWEST = 10  # runs of each world: fewer prove nothing


@dataclass(frozen=True)
class AucInterval:
    """The AUC of a quantity, and limits that hold it.

    Attributes
    ----------
    auc
        The probability that the quantity is larger with the canary than without, ties counted as one half.
    low, high
        Its limits.
    constant
        Whether the quantity was the same in all runs of both worlds.

    Examples
    --------
    >>> told = AucInterval.of(canary=[3] * 50, plain=[2] * 50)
    >>> told.auc, round(told.low, 3), told.told == told.low
    (1.0, 0.929, True)
    >>> AucInterval.of(canary=[2] * 50, plain=[2] * 50).constant
    True
    """

    auc: float
    low: float
    high: float
    constant: bool = False

    @classmethod
    def of(cls, canary: ArrayLike, plain: ArrayLike, *, confidence: float = CONFIDENCE) -> AucInterval:
        """Return the AUC of runs with the canary and without, and two-sided limits of this confidence.

        The limits are Wilson's for a probability, with as many trials as have the variance of DeLong; so they stay
        apart where both worlds never overlap. They leave room for an event that happens in one world alone, so seldom
        that the runs may have missed it.

        Parameters
        ----------
        canary, plain
            The quantity in each run.
        confidence
            With which probability limits like these hold the AUC.
        """
        worlds = [_runs("canary", canary), _runs("plain", plain)]
        risk = 1 - _check.probability("confidence", confidence, positive=True)
        wins = [_wins(worlds[0], worlds[1]), 1 - _wins(worlds[1], worlds[0])]
        auc = float(wins[0].mean())
        fewest = min(map(len, worlds))
        unseen = (1 - (risk / 2) ** (1 / fewest)) / 2
        variance = sum(float(each.var(ddof=1)) / len(each) for each in wins)
        most = auc * (1 - auc)
        # Two worlds that do not overlap show no variance: there, each run of the smaller one is a trial.
        trials = fewest if variance <= 0 or most <= 0 else max(most / variance, 1.0)
        low, high = (auc, auc) if variance <= 0 < most else _wilson(auc, trials, risk)
        bounds = max(min(low, auc - unseen), 0.0), min(max(high, auc + unseen), 1.0)
        return cls(auc, *bounds, constant=len(np.unique(np.concatenate(worlds))) == 1)

    @property
    def told(self) -> float:
        """What an attacker certainly reaches who knows which way the quantity moves: 1/2 where nothing was shown."""
        return max(self.low, 1 - self.high, 0.5)

    @property
    def seen(self) -> float:
        """What the runs show of such an attacker: 1/2 or more."""
        return max(self.auc, 1 - self.auc)


def _runs(argument: str, values: ArrayLike) -> NDArray[np.float64]:
    runs = np.asarray(values, dtype=np.float64)
    if runs.ndim != 1 or len(runs) < _FEWEST or not np.isfinite(runs).all():
        raise ArgumentError(
            argument, f"expected {_FEWEST} finite numbers or more, one per run; got shape {runs.shape}"
        )
    return runs


def _wins(runs: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each run the share of the other world's runs that it exceeds, ties counted as one half."""
    ascending = np.sort(others)
    below = np.searchsorted(ascending, runs, side="left") + np.searchsorted(ascending, runs, side="right")
    return np.asarray(below / (2 * len(others)))


def _wilson(share: float, trials: float, risk: float) -> tuple[float, float]:
    from scipy.special import ndtri

    z = float(-ndtri(risk / 2))
    centre = share + z * z / (2 * trials)
    reach = z * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    whole = 1 + z * z / trials
    return (centre - reach) / whole, (centre + reach) / whole
