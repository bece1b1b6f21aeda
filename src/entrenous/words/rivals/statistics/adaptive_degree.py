"""MAD2R: holders with few n-grams reroute weight from n-grams that have enough, in two rounds.

References
----------
Chen, Cohen-Addad, Epasto, Zadimoghaddam: Scalable private partition selection via adaptive weighting. ICML 2025.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import ArgumentError
from entrenous.noise import Noise
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.rivals.statistics._kernels import reroute
from entrenous.words.rivals.statistics.taking_part import taking_part
from entrenous.words.statistics.found import Found
from entrenous.words.statistics.named_weights import NamedWeights, noisy_scores
from entrenous.words.statistics.weights import GRID, MOST_POLICY_ROWS, Rows, check_holders

__all__ = ["TwoAdaptiveRounds", "adaptive_weights", "discount"]

_SLACK = 1 - 2.0**-14  # what rounding the sums of all holders to the grid could add

FloatArray = NDArray[np.float64]


def discount(most: int, least_bias: float = 1.0) -> float:
    """Return the share of the excess that may be rerouted, so that one holder moves all weights by 1 at most.

    It solves a^2 + 2 a sqrt(most) = 2 b sqrt(most) - b^2, b being the least bias.

    >>> round(discount(50), 4), round(discount(50, 0.5), 4)
    (0.8751, 0.4669)
    """
    right = 2 * least_bias * math.sqrt(most) - least_bias**2
    return (math.sqrt(most + right) - math.sqrt(most)) * (1 - 1e-12)  # proof: adaptive-degree


def adaptive_weights(
    rows: Rows,
    ngrams: int,
    *,
    most: int,
    needed: float,
    bias: FloatArray | None = None,
    least_bias: float = 1.0,
    most_bias: float = 1.0,
) -> NDArray[np.int64]:
    """Return the weights if holders of few n-grams reroute what exceeds the need, in steps of the grid.

    Parameters
    ----------
    rows
        Who has what.
    ngrams
        How many n-grams there are.
    most
        How many n-grams a holder that reroutes has at most.
    needed
        The weight from which an n-gram needs no more; at least 1.
    bias
        By how much less each n-gram gets, from nothing but noisy weights of earlier rounds; 1 for no less.
    least_bias, most_bias
        What biases are at least, and how many times its equal share an n-gram without one may get.

    Examples
    --------
    >>> rows = Rows(np.array([0, 2, 3, 4]), np.array([0, 1, 0, 0], np.int32))
    >>> (adaptive_weights(rows, 2, most=2, needed=1.25) / GRID).round(3).tolist()
    [1.796, 0.775]
    """
    if len(rows.ngram) > MOST_POLICY_ROWS:
        raise ArgumentError("contribution", "expected fewer n-grams in all: rounding them would show")
    if not needed >= 1:
        raise ArgumentError("needed", f"expected 1 or more; got {needed!r}")
    biases = np.ones(ngrams) if bias is None else np.where(bias < 1, np.maximum(bias, least_bias), 1.0)
    total = np.zeros(ngrams, np.float64)
    share = discount(most, least_bias if bias is not None else 1.0)
    reroute(rows.offsets, rows.ngram, biases, most_bias, most, needed, share, total)
    return np.floor(total * (_SLACK * GRID)).astype(np.int64)


@dataclass(frozen=True)
class TwoAdaptiveRounds(NamedWeights):
    """N-grams above the threshold of either of two rounds; the second is biased by what the first showed.

    Attributes
    ----------
    degree
        How many n-grams a holder that reroutes has at most.
    above
        By how many deviations of the noise weights may exceed the threshold before they are rerouted.
    first
        The share of the first round: of the squares of mu, and of delta.
    low, high
        How many deviations of the first noise a weight is thought to be lower, or higher, than it was shown.
    least_bias, most_bias
        The least and the greatest factor on what a holder gives to an n-gram in the second round.
    """

    proof: ClassVar[str] = "adaptive-degree"

    degree: int = 50
    above: float = 2.0
    first: float = 0.1
    low: float = 1.0
    high: float = 3.0
    least_bias: float = 0.5
    most_bias: float = 2.0

    @property
    def rounds(self) -> tuple[NamedWeights, NamedWeights]:
        """Each round with its share of mu and delta; the second has two kinds of n-grams that may cross."""
        shares = ((self.first, 1.0), (1 - self.first, 0.5))
        first, second = (
            NamedWeights(self.mu * math.sqrt(share), self.delta * share * part, self.contribution)
            for share, part in shares
        )
        return first, second

    @property
    def threshold(self) -> float:
        """The noisy weight that n-grams must exceed in the second round."""
        return self.rounds[1].threshold

    def draw(self, data: Table, unit: Unit, noise: Noise) -> Found:
        """Return the n-grams that exceed the threshold of either round."""
        check_holders(data, unit)
        (first, second), ngrams = self.rounds, data.ngrams
        rows = Rows.of(data, most=self.contribution)
        ids = taking_part(rows, ngrams)
        weights = adaptive_weights(rows, ngrams, most=self.degree, needed=self._needed(first))
        score = noisy_scores(weights, ids, first.scale, noise)  # proof: adaptive-degree
        high = score * first.scale > first.threshold
        named, named_score = ids[high], score[high]
        left, shown = ids[~high], score[~high] * first.scale
        hopeful = shown + self.high * first.scale > second.threshold
        kept = np.zeros(ngrams, np.bool_)
        kept[left[hopeful]] = True
        bias = np.ones(ngrams)
        likely = np.maximum(shown - self.low * first.scale, 1e-9)
        bias[left] = np.minimum(second.threshold / likely, 1.0)
        # N-grams that took no part in the first round showed nothing there: they take none in the second.
        rows = Rows.of(data, kept, self.contribution)
        ids = taking_part(rows, ngrams)
        weights = adaptive_weights(
            rows,
            ngrams,
            most=self.degree,
            needed=self._needed(second),
            bias=bias,
            least_bias=self.least_bias,
            most_bias=self.most_bias,
        )
        score = noisy_scores(weights, ids, second.scale, noise)  # proof: adaptive-degree
        high = score * second.scale > second.threshold
        return Found.of(data, np.concatenate([named, ids[high]]), np.concatenate([named_score, score[high]]))

    def _needed(self, one: NamedWeights) -> float:
        return one.threshold + self.above * one.scale
