"""How many people the widest messages went to: what a card of the unit edge-content warns of, counted privately."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from entrenous.errors import PrivacyError
from entrenous.noise import FINE, Noise, geometric_cost
from entrenous.price import NoiseEvent, Price
from entrenous.statistic import Statistic
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.statistics.weights import check_holders

__all__ = ["WIDEST", "WIDEST_SHARE", "WidestMessages"]

WIDEST = "recipients of the widest messages, at least, by noisy counts"
WIDEST_SHARE = 0.02
"""Of the budget (of the squares of mu), to count the widest messages."""
_CLASSES = 24  # of the number of recipients: 1, 2 to 3, 4 to 7, ...; whatever is wider is in the last one
_MISTAKEN = 0.01  # the chance that noise alone names a class wider than any message


@dataclass(frozen=True)
class WidestMessages(Statistic[Table, int]):
    """The least number of recipients of the widest class of messages that noise lets one see; 1 if there is none.

    Every edge counts for one class, that of the widest message on it: so one edge moves one count by 1.

    Attributes
    ----------
    mechanism, scale
        The noise on each count: "geometric" or "gaussian".

    Examples
    --------
    >>> from entrenous.price import Price
    >>> from entrenous.desk import Desk
    >>> table = Table.from_counts([{"a": 1}] * 80, ends=[(i, i + 1) for i in range(80)])
    >>> wide = Table(**vars(table) | {"widest": np.array([40] * 60 + [1] * 20, np.int32)})
    >>> question = WidestMessages("gaussian", 1.0)
    >>> Desk(wide, unit=Unit.EDGE_CONTENT, ceiling=Price(mu=1.0), noise=Noise(1))(question)
    32
    """

    name: ClassVar[str] = "widest messages"
    proof: ClassVar[str] = "widest-messages"
    kind: ClassVar[type] = Table

    mechanism: str
    scale: float

    def event(self, unit: Unit) -> NoiseEvent:
        """Return the noise: one edge moves one count by 1."""
        if unit != Unit.EDGE_CONTENT:
            raise self.unproved(unit)
        return NoiseEvent(self.mechanism, scale=self.scale)

    def price(self, unit: Unit) -> Price:
        """Return what the noise costs: for geometric noise no less than OpenDP's own map says."""
        price = self.event(unit).price
        return price if price.mu else Price(epsilon=max(price.epsilon, geometric_cost(1, 1 / self.scale)))

    def draw(self, data: Table, unit: Unit, noise: Noise) -> int:
        """Return where the widest class begins whose noisy count stands out."""
        check_holders(data, unit)
        if data.widest is None:
            raise PrivacyError(
                "widest messages: expected a table that was counted from mail; it was not answered"
            )
        # An edge of a public list on which nothing passed is in no class: its content moves one count, not two.
        sizes = np.floor(np.log2(data.widest[data.widest > 0])).astype(np.int64)
        counts = np.bincount(np.minimum(sizes, _CLASSES - 1), minlength=_CLASSES).astype(np.int64)
        if self.mechanism == "geometric":
            noisy = (
                noise.geometric(counts, sensitivity=1, epsilon=1 / self.scale) * 1.0
            )  # proof: widest-messages
        else:
            steps = 2 ** max(0, math.ceil(math.log2(FINE / self.scale)))
            drawn = noise.gaussian(counts * steps, scale=self.scale * steps)  # proof: widest-messages
            noisy = drawn / steps
        seen = np.flatnonzero(noisy > self.least)
        return int(2 ** seen[-1]) if len(seen) else 1

    @property
    def least(self) -> float:
        """The noisy count above which a class is named: noise alone lifts hardly any of them there."""
        from scipy.special import ndtri

        if self.mechanism == "geometric":
            return self.scale * math.log(_CLASSES / _MISTAKEN)
        return float(-ndtri(_MISTAKEN / _CLASSES)) * self.scale
