"""How many holders carry each n-gram of a public list: every count with noise, also of what nobody says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import PrivacyError
from entrenous.noise import FINE, Noise, geometric_cost
from entrenous.price import NoiseEvent, Price
from entrenous.statistic import Noted, Statistic
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.statistics.weights import Rows, check_holders, holder_counts

__all__ = ["ListedCounts", "true_counts"]


@dataclass(frozen=True)
class ListedCounts(Statistic[Table, NDArray[np.int64]]):
    """Noisy numbers of holders for each n-gram of a public list.

    Attributes
    ----------
    names
        The public n-grams.
    contribution
        How many of them a holder counts for at most: those it says most often.
    mechanism, scale
        The noise on each count: "geometric" or "gaussian".
    """

    name: ClassVar[str] = "counts"
    proof: ClassVar[str] = "listed-counts"
    kind: ClassVar[type] = Table
    #: How many contents a unit changes: one that is replaced is removed and another one added.
    contents: ClassVar[Mapping[Unit, int]] = {  # proof: listed-counts
        Unit.EDGE_CONTENT: 1,
        Unit.SENDER: 1,
        Unit.REPLACED_CONTENT: 2,
        Unit.REPLACED_SENDER: 2,
    }

    names: tuple[str, ...]
    contribution: int
    mechanism: str
    scale: float

    def __post_init__(self) -> None:
        if len(set(self.names)) < len(self.names):  # one n-gram of a holder would move several counts
            raise PrivacyError("counts: expected each n-gram once")

    def event(self, unit: Unit) -> NoiseEvent:
        """Return the noise: one unit moves so many counts by 1 each."""
        if unit not in self.contents:
            raise self.unproved(unit)
        return NoiseEvent(self.mechanism, scale=self.scale, repeats=self.contribution * self.contents[unit])

    def price(self, unit: Unit) -> Price:
        """Return what the noise on all moved counts costs: for geometric noise no less than OpenDP's own map says."""
        price = self.event(unit).price
        if self.mechanism == "gaussian":
            return price
        mapped = self.contribution * self.contents[unit] * geometric_cost(1, 1 / self.scale)
        return Price(epsilon=max(price.epsilon, mapped))

    def draw(self, data: Table, unit: Unit, noise: Noise) -> Noted[NDArray[np.int64]]:
        """Count, and add noise; the true counts are for the curator.

        Gaussian noise is drawn on a grid so fine that it is as good as normal, and rounded.
        """
        check_holders(data, unit)
        counts = true_counts(data, self.names, contribution=self.contribution)
        if self.mechanism == "geometric":
            noisy = noise.geometric(counts, sensitivity=1, epsilon=1 / self.scale)  # proof: listed-counts
        else:
            steps = 2 ** max(0, math.ceil(math.log2(FINE / self.scale)))
            drawn = noise.gaussian(counts * steps, scale=self.scale * steps)  # proof: listed-counts
            noisy = np.asarray(np.rint(drawn / steps), dtype=np.int64)
        return Noted(noisy, {"counts": counts})


def true_counts(table: Table, names: tuple[str, ...], *, contribution: int) -> NDArray[np.int64]:
    """Return how many holders carry each n-gram after bounding. Confidential.

    Whatever is not in the public list is left out first, so that it takes no place among the n-grams kept.
    """
    support = holder_counts(Rows.listed(table, names, contribution), table.ngrams)
    ids = table.names.look_up(names)
    return np.asarray(np.where(ids >= 0, np.append(support, 0)[ids], 0), dtype=np.int64)
