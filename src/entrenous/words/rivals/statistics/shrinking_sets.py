"""DP-SIPS: uniform weights in rounds of growing budget, each without what earlier rounds named.

References
----------
Swanberg, Desfontaines, Haney: DP-SIPS, a simpler, more scalable mechanism for differentially private partition
selection. PoPETs 2023.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from entrenous.noise import Noise
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.rivals.statistics.taking_part import taking_part
from entrenous.words.statistics.found import Found
from entrenous.words.statistics.named_weights import NamedWeights, noisy_scores
from entrenous.words.statistics.weights import Rows, check_holders, uniform_weights

__all__ = ["ShrinkingSets"]


@dataclass(frozen=True)
class ShrinkingSets(NamedWeights):
    """N-grams above the threshold of any round; holders then divide among the rest.

    Attributes
    ----------
    count
        How many rounds there are.
    ratio
        What a round gets of the next one's squares of mu, and of its delta.
    """

    count: int = 3
    ratio: float = 1 / 3

    @property
    def rounds(self) -> tuple[NamedWeights, ...]:
        """Each round with its share of mu and delta."""
        parts = [self.ratio ** (self.count - 1 - number) for number in range(self.count)]
        return tuple(
            NamedWeights(
                self.mu * math.sqrt(part / sum(parts)), self.delta * part / sum(parts), self.contribution
            )
            for part in parts
        )

    @property
    def threshold(self) -> float:
        """The noisy weight that n-grams must exceed in the last round."""
        return self.rounds[-1].threshold

    def draw(self, data: Table, unit: Unit, noise: Noise) -> Found:
        """Return the n-grams that exceed the threshold of any round."""
        check_holders(data, unit)
        kept = np.ones(data.ngrams, np.bool_)
        named, scores = [np.zeros(0, np.int32)], [np.zeros(0)]
        for one in self.rounds:
            rows = Rows.of(data, kept, self.contribution)
            ids = taking_part(rows, data.ngrams)
            score = noisy_scores(uniform_weights(rows, data.ngrams), ids, one.scale, noise)
            high = score * one.scale > one.threshold  # proof: named-words
            named.append(ids[high])
            scores.append(score[high])
            kept[ids[high]] = False
        return Found.of(data, np.concatenate(named), np.concatenate(scores))
