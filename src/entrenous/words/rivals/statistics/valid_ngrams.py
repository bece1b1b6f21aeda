"""DPNE: words by uniform weights, then longer n-grams among those that released ones form.

References
----------
Kim, Gopi, Kulkarni, Yekhanin: Differentially private n-gram extraction. NeurIPS 2021.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from entrenous.noise import Noise
from entrenous.price import NoiseEvent, Price
from entrenous.statistic import Statistic
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.rivals.statistics.taking_part import taking_part
from entrenous.words.statistics.candidates import Candidates, occurring, scored
from entrenous.words.statistics.found import Found, Scored
from entrenous.words.statistics.named_weights import NamedWeights, noisy_scores
from entrenous.words.statistics.weights import GRID, Rows, check_holders, uniform_weights

__all__ = ["SingleWords", "ValidNgrams"]


@dataclass(frozen=True)
class SingleWords(NamedWeights):
    """Words above a threshold, each holder giving all its words the same weight."""

    def draw(self, data: Table, unit: Unit, noise: Noise) -> Found:
        """Return the words whose noisy weight exceeds the threshold."""
        check_holders(data, unit)
        rows = Rows.of(data, data.length == 1, self.contribution)
        ids = taking_part(rows, data.ngrams)
        score = noisy_scores(uniform_weights(rows, data.ngrams), ids, self.scale, noise)
        high = score * self.scale > self.threshold  # proof: named-words
        return Found.of(data, ids[high], score[high])


@dataclass(frozen=True, eq=False)
class ValidNgrams(Statistic[Table, Scored]):
    """Noisy weights of valid n-grams: those whose two parts, one word shorter, were released.

    All of them get noise, also those that never occur, so no threshold is needed for privacy.

    Attributes
    ----------
    mu
        By how many standard deviations of the noise one holder may move the weights.
    contribution
        How many valid n-grams of a holder take part at most, its own most frequent ones.
    candidates
        The valid n-grams.
    words
        The released words that they consist of.
    least
        The score, in standard deviations, that is to be exceeded.
    """

    name: ClassVar[str] = "longer n-grams"
    proof: ClassVar[str] = "longer-ngrams"
    kind: ClassVar[type] = Table

    mu: float
    contribution: int
    candidates: Candidates
    words: tuple[str, ...]
    least: float

    @property
    def scale(self) -> float:
        """The standard deviation of the noise on a weight."""
        return 1 / self.mu

    def event(self, unit: Unit) -> NoiseEvent:
        """Return the noise: one holder moves all weights by a norm of 1 at most."""
        return NamedWeights(self.mu, 0.0, self.contribution).event(unit)

    def price(self, unit: Unit) -> Price:
        """Return the mu of the noise."""
        return self.event(unit).price

    def draw(self, data: Table, unit: Unit, noise: Noise) -> Scored:
        """Return the valid n-grams that stand high enough, whether they occur or not."""
        check_holders(data, unit)
        ids, numbers = occurring(self.candidates, self.words, data)
        kept = np.zeros(data.ngrams, np.bool_)
        kept[ids] = True
        weights = uniform_weights(Rows.of(data, kept, self.contribution), data.ngrams)
        score = noisy_scores(weights, ids, self.scale, noise)
        found = scored(self.candidates, numbers, score, noise, grid=self.scale * GRID)  # proof: longer-ngrams
        high = found.score > self.least
        return Scored(found.places[high], found.score[high], found.chance[high])
