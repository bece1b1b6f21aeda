"""Rounds of noisy weights, each guided by what the rounds before it showed.

In every round each holder divides a weight of norm 1, noise is added, and the noisy weights of all rounds are added
up: nothing that was paid for is thrown away. What a round shows steers the next: weight is worth most for n-grams
that are about to reach the target, little for those that will reach it anyway or never. The steering uses noisy
weights only, and each holder looks at nothing but them and its own n-grams; so one holder moves every round by 1
at most, whatever the others do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.noise import Noise
from entrenous.price import NoiseEvent, Price
from entrenous.statistic import Answer, Statistic
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.statistics.weights import GRID

__all__ = ["InRounds", "Rounds", "Standing", "uniform_draws"]

_BREADTH = 1.5  # of the bell around the target, in standard deviations of the forecast; chosen on enron-core
# The least standing after the first round, and its growth with each; chosen on enron-core.
_LEAST, _PACE = 0.5, 0.4
_NEGLIGIBLE = 1e-60

Ids = NDArray[np.int32]
Numbers = NDArray[np.int64]
FloatArray = NDArray[np.float64]


#: How holders divide their weights, in steps of the grid, given what weight is worth for each n-gram.
Divide = Callable[[FloatArray], Numbers]


@dataclass(frozen=True)
class Standing:
    """Where n-grams stand after all rounds: noisy weights in standard deviations of their noise; -inf if given up.

    `first` are those of the first round alone, which nothing had steered yet.
    """

    ids: Ids
    score: FloatArray
    first: FloatArray


@dataclass(frozen=True, eq=False)
class Rounds:
    """A number of rounds with equal noise.

    Attributes
    ----------
    mu
        What all rounds together cost: a holder moves the sum by at most `mu` standard deviations.
    count
        How many rounds there are.
    target
        The score that n-grams are steered to, one for all or one for each.
    least, pace
        The least standing after the first round, and its growth with each.
    """

    mu: float
    count: int
    target: float | FloatArray
    least: float = _LEAST
    pace: float = _PACE

    @property
    def scale(self) -> float:
        """The standard deviation of the noise of one round, in steps of the grid."""
        return GRID * math.sqrt(self.count) / self.mu

    @property
    def grid(self) -> float:
        """How many steps of the grid a standard deviation of the sum of all rounds has."""
        return self.scale * math.sqrt(self.count)

    def run(
        self,
        divide: Divide,
        ids: Ids,
        ngrams: int,
        noise: Noise,
        progress: Callable[[], object] | None = None,
    ) -> Standing:
        """Return where the n-grams `ids` stand after all rounds; weight goes to no others."""
        total, first = np.zeros(ngrams, np.int64), np.zeros(len(ids))
        alive = np.zeros(ngrams, np.bool_)
        alive[ids] = True
        for number in range(self.count):
            value = self.values(total, number) * alive
            weights = divide(value)
            current = np.flatnonzero(alive)
            total[current] += noise.gaussian(weights[current], scale=self.scale, of=current)  # proof: weights
            first = first if number else total[ids] / self.scale
            alive[current] = self.stays(total[current] / self.scale, number + 1)
            if progress is not None:
                progress()
        score = np.where(alive[ids], total[ids] / self.grid, -np.inf)
        return Standing(ids, score, first)

    def values(self, total: Numbers, made: int) -> FloatArray:
        """Return what weight is worth for each n-gram, from the sums of the rounds made so far.

        If an n-gram gets on as before, its forecast is normal around `total` times all rounds over those made; a
        little more weight raises its chance to reach the target by the density there.
        """
        if made == 0:
            return np.ones(len(total))
        forecast = total * (math.sqrt(self.count) / (made * self.scale))
        breadth = _BREADTH * math.sqrt((self.count - made) / made)
        bell = np.exp(-(((self.target - forecast) / breadth) ** 2) / 2)
        return np.where(bell > _NEGLIGIBLE, bell, 0.0)

    def stays(self, sums: FloatArray, made: int) -> NDArray[np.bool_]:
        """Tell which n-grams stay in the race, from their sums in standard deviations of one round's noise."""
        if made == self.count:
            return np.ones(len(sums), np.bool_)
        return np.asarray(sums > (self.least + self.pace * (made - 1)) * math.sqrt(made))

    def surviving(self, score: FloatArray, noise: Noise) -> NDArray[np.bool_]:
        """Tell which n-grams that never occur, known to end with these scores, would have stayed in the race.

        Their sums are normal walks; walked backwards from where they ended.
        """
        from scipy.special import ndtri

        sums, survives = score * math.sqrt(self.count), np.ones(len(score), np.bool_)
        for made in range(self.count - 1, 0, -1):
            step = ndtri(uniform_draws(noise, len(score))) * math.sqrt(made / (made + 1))
            sums = sums * (made / (made + 1)) + step
            survives &= self.stays(sums, made)
        return survives


class InRounds(Statistic[Table, Answer]):
    """What is answered by the sum of such rounds.

    Attributes
    ----------
    units
        The names of the units that move a round by 1 at most.
    mu
        By how many standard deviations of their noise one unit may move the rounds together.
    """

    kind: ClassVar[type] = Table
    units: ClassVar[frozenset[str]]

    mu: float

    def event(self, unit: Unit) -> NoiseEvent:
        """Return the noise of all rounds together."""
        if unit.name not in self.units:
            raise self.unproved(unit)
        return NoiseEvent("gaussian", scale=1 / self.mu)

    def price(self, unit: Unit) -> Price:
        """Return what the noise of all rounds costs."""
        return self.event(unit).price


def uniform_draws(noise: Noise, count: int) -> NDArray[np.float64]:
    """Return uniform draws strictly between 0 and 1, from the source of privacy noise."""
    bits = noise.words(count) >> np.uint64(11)  # proof: longer-ngrams
    return (bits.astype(np.float64) + 0.5) * 2.0**-53
