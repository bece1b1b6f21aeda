"""How many people the widest messages went to: what a card of the unit edge-content warns of, counted privately."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from entrenous.errors import PrivacyError
from entrenous.noise import FINE, Noise
from entrenous.price import NoiseEvent, Price
from entrenous.statistic import Statistic
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.statistics.weights import check_holders

__all__ = ["WidestMessages"]

_CLASSES = 24  # of the number of recipients: 1, 2 to 3, 4 to 7, ...; whatever is wider is in the last one
_MISTAKEN = 0.01  # the chance that noise alone names a class wider than any message


@dataclass(frozen=True)
class WidestMessages(Statistic[Table, int]):
    """The least number of recipients of the widest class of messages that noise lets one see; 1 if there is none.

    Every edge counts for one class, that of the widest message on it: so one edge moves one count by 1.

    Attributes
    ----------
    mu
        By how many standard deviations of the noise one edge may move the counts.

    Examples
    --------
    >>> from entrenous.price import Price
    >>> from entrenous.desk import Desk
    >>> table = Table.from_counts([{"a": 1}] * 80, ends=[(i, i + 1) for i in range(80)])
    >>> wide = Table(**vars(table) | {"widest": np.array([40] * 60 + [1] * 20, np.int32)})
    >>> question = WidestMessages(mu=1.0)
    >>> Desk(wide, unit=Unit.EDGE_CONTENT, ceiling=Price(mu=1.0), noise=Noise(1))(question)
    32
    """

    name: ClassVar[str] = "widest messages"
    proof: ClassVar[str] = "widest-messages"
    kind: ClassVar[type] = Table

    mu: float

    def event(self, unit: Unit) -> NoiseEvent:
        """Return the noise: one edge moves one count by 1."""
        if unit != Unit.EDGE_CONTENT:
            raise self.unproved(unit)
        return NoiseEvent("gaussian", scale=1 / self.mu)

    def price(self, unit: Unit) -> Price:
        """Return the mu of the noise."""
        return self.event(unit).price

    def draw(self, data: Table, unit: Unit, noise: Noise) -> int:
        """Return where the widest class begins whose noisy count stands out."""
        from scipy.special import ndtri

        check_holders(data, unit)
        if data.widest is None:
            raise PrivacyError(
                "widest messages: expected a table that was counted from mail; it was not answered"
            )
        sizes = np.floor(np.log2(np.maximum(data.widest, 1))).astype(np.int64)
        counts = np.bincount(np.minimum(sizes, _CLASSES - 1), minlength=_CLASSES).astype(np.int64)
        steps = 2 ** max(0, math.ceil(math.log2(FINE * self.mu)))
        noisy = noise.gaussian(counts * steps, scale=steps / self.mu) / steps  # proof: widest-messages
        seen = np.flatnonzero(noisy > -ndtri(_MISTAKEN / _CLASSES) / self.mu)
        return int(2 ** seen[-1]) if len(seen) else 1
