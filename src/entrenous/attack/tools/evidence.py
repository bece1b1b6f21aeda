"""What runs say about one promise: looked at as they come, ended early once it is refuted, and a bound at the end.

Two statements share each risk, so that both together err with it at most. While runs come a gambler bets against the
promise (`entrenous.attack.tools.betting`); their bound holds whenever the runs end. If all planned runs were made, the
bound for that number (`entrenous.attack.tools.lower_bound`) is told as well, which is sharper. Whichever is
larger counts.

The level is the risk that a promise that holds is called broken: one in two thousand, so that of a hundred promises
that all hold any is accused in one audit of twenty at most, whatever the mechanisms do and however they depend on each
other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous.attack.tools.betting import anytime_lower_bound, log_capital
from entrenous.attack.tools.lower_bound import CONFIDENCE, epsilon_lower_bound

__all__ = ["DECIDING", "LEVEL", "REFUTED", "Bounds", "Evidence"]

#: The risk that a promise is called broken though it holds.
LEVEL = 5e-4
#: The shares of the risk that the gambler has, of what is shown and of what decides; the other bound has the rest.
_SHARE_SHOWN, _SHARE_DECIDING = 0.1, 0.8
#: The confidence of the bound that decides once all planned runs were made.
DECIDING = 1 - (1 - _SHARE_DECIDING) * LEVEL
#: The logarithm of the capital with which a gambler refutes a promise.
REFUTED = -math.log(_SHARE_DECIDING * LEVEL)
#: What is bet against exceeds what is stated by so much, so that a refutation proves more than what is stated.
_MORE = 1e-3


@dataclass(frozen=True)
class Bounds:
    """What is shown.

    Attributes
    ----------
    shown, beyond_doubt
        Lower bounds of epsilon: of 95 %, and of the confidence that decides.
    likelier, other
        How often the event happens that tells most, in the world where it is likelier and in the other.
    """

    shown: float
    beyond_doubt: float
    likelier: float
    other: float


@dataclass(eq=False)
class Evidence:
    """Scores of runs with the canary and without, and what they say about a promise.

    Attributes
    ----------
    epsilon, delta
        What is stated.
    level
        The risk that the promise is called broken though it holds.
    risk
        The risk that the bound that is shown is too high.
    canary, plain
        The scores so far.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> evidence = Evidence(epsilon=1.0)
    >>> while not evidence.refuted:  # a coin that costs epsilon 2
    ...     evidence.add(rng.random(50) < 0.88, rng.random(50) < 0.12)
    >>> bounds = evidence.bounds(complete=False)
    >>> len(evidence.canary) < 500, 1.0 < bounds.beyond_doubt < 2.0
    (True, True)
    """

    epsilon: float
    delta: float = 0.0
    level: float = LEVEL
    risk: float = 1 - CONFIDENCE
    canary: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    plain: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def shared(self, pieces: int) -> Evidence:
        """Return the same with an equal part of the risks, where a promise is judged by several of them."""
        return replace(self, level=self.level / pieces, risk=self.risk / pieces)

    def add(self, canary: ArrayLike, plain: ArrayLike) -> None:
        """Take further scores, in the order of the runs."""
        self.canary = np.concatenate([self.canary, np.asarray(canary, dtype=np.float64)])
        self.plain = np.concatenate([self.plain, np.asarray(plain, dtype=np.float64)])

    @property
    def refuted(self) -> bool:
        """Whether the promise is refuted at its level, looked at as often as one likes."""
        capital = log_capital(self.canary, self.plain, epsilon=self.epsilon + _MORE, delta=self.delta)
        return bool(capital.max(initial=0.0) >= -math.log(_SHARE_DECIDING * self.level))

    def bounds(self, *, complete: bool) -> Bounds:
        """Return what the runs show; `complete` if they are as many as were planned before the first."""
        shown = self._bound(self.risk, _SHARE_SHOWN, complete)
        beyond_doubt = self._bound(self.level, _SHARE_DECIDING, complete)
        event = epsilon_lower_bound(self.canary, self.plain, delta=self.delta)
        likelier, other = (hits / trials for hits, trials in zip(event.hits, event.trials, strict=True))
        return Bounds(shown, beyond_doubt, likelier, other)

    def _bound(self, risk: float, share: float, complete: bool) -> float:
        """Return what the gambler shows with their share of the risk, or the runs with the rest."""
        worlds, delta = (self.canary, self.plain), self.delta
        at_any_time = anytime_lower_bound(
            *worlds, delta=delta, confidence=1 - share * risk, above=self.epsilon + _MORE
        )
        if not complete:
            return at_any_time
        return max(
            at_any_time, epsilon_lower_bound(*worlds, delta=delta, confidence=1 - (1 - share) * risk).epsilon
        )
