"""Which n-grams may be named: weights of all holders with normal noise, and a threshold. One round, or two.

Noise goes to n-grams that occur; so what is named must exceed a threshold, which costs a delta. See
`entrenous.words.statistics.weights` for the rules by which holders divide their weight, and
`entrenous.words.statistics.threshold` for the threshold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.noise import Noise
from entrenous.price import NoiseEvent, Price
from entrenous.statistic import Statistic
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.statistics.found import Found
from entrenous.words.statistics.threshold import uniform_threshold
from entrenous.words.statistics.weights import GRID, Rows, check_holders, policy_weights, uniform_weights

__all__ = ["AdaptiveWeights", "NamedWeights", "PolicyWeights"]

_FIRST_SHARE = 0.5  # of the budget of adaptive weights, for the first round; chosen on enron-core
_HOPELESS = 0.4  # of the threshold: adaptive weights drop what stands lower then; chosen on enron-core
_CUTOFF = 5.0  # standard deviations above the threshold at which a policy stops giving

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class NamedWeights(Statistic[Table, Found]):
    """N-grams above a threshold, each holder giving all its n-grams the same weight: 1 / sqrt(how many it has).

    Attributes
    ----------
    mu
        By how many standard deviations of the noise one holder may move the weights.
    delta
        What may be lost at the threshold.
    contribution
        How many n-grams of a holder take part at most, its own most frequent ones.
    group
        How many holders are to be hidden together.
    """

    name: ClassVar[str] = "names of n-grams"
    proof: ClassVar[str] = "named-words"
    kind: ClassVar[type] = Table

    mu: float
    delta: float
    contribution: int
    group: int = 1

    @property
    def scale(self) -> float:
        """The standard deviation of the noise on a weight."""
        return 1 / self.mu

    @property
    def threshold(self) -> float:
        """The noisy weight that n-grams must exceed."""
        return uniform_threshold(self.scale, self.delta, self.contribution, group=self.group)

    def event(self, unit: Unit) -> NoiseEvent:
        """Return the noise: one holder moves all weights by a norm of 1 at most."""
        if unit not in (Unit.EDGE_CONTENT, Unit.SENDER):
            raise self.unproved(unit)
        return NoiseEvent("gaussian", scale=self.scale, delta=self.delta)

    def price(self, unit: Unit) -> Price:
        """Return the mu of the noise, and the delta of the threshold."""
        return self.event(unit).price

    def draw(self, data: Table, unit: Unit, noise: Noise) -> Found:
        """Return the n-grams whose noisy weight exceeds the threshold."""
        check_holders(data, unit)
        table = data.within(self.contribution)
        ids = np.unique(table.ngram)
        score = noisy_scores(self.weights(table), ids, self.scale, noise)
        high = score * self.scale > self.threshold
        return Found.of(table, ids[high], score[high])

    def weights(self, table: Table) -> NDArray[np.int64]:
        """Return all weights, in steps of the grid. Confidential."""
        return uniform_weights(Rows.of(table), table.ngrams)


@dataclass(frozen=True)
class PolicyWeights(NamedWeights):
    """N-grams above a threshold, holders, one after another, lifting theirs towards a cutoff."""

    def weights(self, table: Table) -> NDArray[np.int64]:
        """Return all weights, in steps of the grid. Confidential."""
        cutoff = self.threshold + _CUTOFF * self.scale
        return policy_weights(Rows.of(table), table.ngrams, cutoff=cutoff)


@dataclass(frozen=True)
class AdaptiveWeights(NamedWeights):
    """N-grams above the threshold of either of two rounds; the second leaves out what is named, or hopeless."""

    @property
    def threshold(self) -> float:
        """The noisy weight that n-grams must exceed in the second round."""
        return self._round(1 - _FIRST_SHARE).threshold

    def _round(self, share: float) -> NamedWeights:
        """Return one round: a share of the squares of mu, and half of delta."""
        return NamedWeights(self.mu * math.sqrt(share), self.delta / 2, self.contribution, self.group)

    def draw(self, data: Table, unit: Unit, noise: Noise) -> Found:
        """Return the n-grams that exceed the threshold of either round."""
        check_holders(data, unit)
        table = data.within(self.contribution)
        first, second = self._round(_FIRST_SHARE), self._round(1 - _FIRST_SHARE)
        ids = np.unique(table.ngram)
        score = noisy_scores(uniform_weights(Rows.of(table), table.ngrams), ids, first.scale, noise)
        level = score * first.scale / first.threshold
        named, named_score = ids[level > 1], score[level > 1]
        kept = np.zeros(table.ngrams, np.bool_)
        kept[ids[(level <= 1) & (level > _HOPELESS)]] = True
        rows = Rows.of(table, kept)
        weights = uniform_weights(rows, table.ngrams)
        ids = np.unique(rows.ngram)
        score = noisy_scores(weights, ids, second.scale, noise)
        high = score * second.scale > second.threshold
        return Found.of(table, np.concatenate([named, ids[high]]), np.concatenate([named_score, score[high]]))


def noisy_scores(
    weights: NDArray[np.int64], ids: NDArray[np.integer], scale: float, noise: Noise
) -> FloatArray:
    """Return the weights of some n-grams with noise, in standard deviations."""
    steps = scale * GRID
    return noise.gaussian(weights[ids], scale=steps, of=ids) / steps  # proof: named-words
