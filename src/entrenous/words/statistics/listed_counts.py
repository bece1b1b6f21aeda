"""How many holders carry each n-gram of a public list: every count with noise, also of what nobody says.

A holder with many listed n-grams is bounded. Either it counts for those it says most often, so that a count does not
depend on the other n-grams of a list; or, in the *ball*, for all of them with the weight sqrt(c / how many it has).
"""

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
from entrenous.words.counting.holder import ALL, HOLDERS
from entrenous.words.counting.table import Table
from entrenous.words.statistics.weights import GRID, Rows, check_holders, holder_counts

__all__ = ["BALL", "FREQUENT", "ListedCounts", "holder_weights", "kept_counts", "true_counts"]

FREQUENT = "most frequent"
"""A holder counts fully for the n-grams of the list that it says most often, and not at all for the others."""
BALL = "ball"
"""A holder counts for all its n-grams of the list: its bits are projected onto the ball of radius sqrt(c)."""


@dataclass(frozen=True)
class ListedCounts(Statistic[Table, NDArray[np.int64]]):
    """Noisy numbers of holders for each n-gram of a public list.

    Attributes
    ----------
    names
        The public n-grams.
    contribution
        How many of them a holder counts for fully.
    mechanism, scale
        The noise on each count: "geometric" or "gaussian".
    bounding
        What becomes of a holder with more: see `FREQUENT` and `BALL`; a ball has no proof with geometric noise.
    """

    name: ClassVar[str] = "counts"
    proof: ClassVar[str] = "listed-counts"
    kind: ClassVar[type] = Table
    #: How many contents a unit changes: one that is replaced is removed and another one added. Whatever turns a holder
    #: into another one, by however little, counts as a replacement: 2 under both rules.
    contents: ClassVar[Mapping[Unit, int]] = {  # proof: listed-counts
        Unit.EDGE_CONTENT: 1,
        Unit.SENDER: 1,
        Unit.REPLACED_CONTENT: 2,
        Unit.REPLACED_SENDER: 2,
        **{
            holder.unit: holder.changes for holder in HOLDERS.values() if holder.messages
        },  # proof: counted-once
    }
    #: The same in L2, squared: two holders that change may move the same counts.
    squares: ClassVar[Mapping[Unit, int]] = {**contents, ALL.unit: ALL.squares}  # proof: listed-counts

    names: tuple[str, ...]
    contribution: int
    mechanism: str
    scale: float
    bounding: str = FREQUENT

    def __post_init__(self) -> None:
        if self.bounding != FREQUENT and (self.bounding != BALL or self.mechanism != "gaussian"):
            raise PrivacyError("counts: a ball needs Gaussian noise")
        if len(set(self.names)) < len(self.names):  # one n-gram of a holder would move several counts
            raise PrivacyError("counts: expected each n-gram once")

    def event(self, unit: Unit) -> NoiseEvent:
        """Return the noise: one unit moves so many counts by 1 each, or more counts by no more in L2."""
        if unit not in self.contents:
            raise self.unproved(unit)
        moved = self.squares if self.mechanism == "gaussian" else self.contents
        return NoiseEvent(self.mechanism, scale=self.scale, repeats=self.contribution * moved[unit])

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
        if self.bounding == BALL:
            noisy = self._in_ball(data, noise)
        elif self.mechanism == "geometric":
            noisy = noise.geometric(counts, sensitivity=1, epsilon=1 / self.scale)  # proof: listed-counts
        else:
            steps = 2 ** max(0, math.ceil(math.log2(FINE / self.scale)))
            drawn = noise.gaussian(counts * steps, scale=self.scale * steps)  # proof: listed-counts
            noisy = np.asarray(np.rint(drawn / steps), dtype=np.int64)
        return Noted(noisy, {"counts": counts})

    def _in_ball(self, data: Table, noise: Noise) -> NDArray[np.int64]:
        """Return noisy sums of holders' bits in the ball; weights are rounded down, so norms never grow."""
        kept = kept_counts(data, self.names, contribution=self.contribution, bounding=BALL)
        drawn = noise.gaussian(kept, scale=self.scale * GRID)  # proof: counts-in-a-ball
        return np.asarray(np.rint(drawn / GRID), dtype=np.int64)


def true_counts(table: Table, names: tuple[str, ...], *, contribution: int) -> NDArray[np.int64]:
    """Return how many holders carry each n-gram after bounding. Confidential.

    Whatever is not in the public list is left out first, so that it takes no place among the n-grams kept.
    """
    support = holder_counts(Rows.listed(table, names, contribution), table.ngrams)
    return _by_name(support, table, names)


def kept_counts(
    table: Table, names: tuple[str, ...], *, contribution: int, bounding: str
) -> NDArray[np.int64]:
    """Return how much of the holders that carry each n-gram counts, in steps of `GRID`. Confidential.

    >>> table = Table.from_counts([{"a": 2, "b": 1, "c": 1, "d": 1}], ends=[(0, 1)])
    >>> (kept_counts(table, ("a", "b", "c", "d"), contribution=1, bounding=BALL) / GRID).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    if bounding == FREQUENT:
        return true_counts(table, names, contribution=contribution) * GRID
    rows = Rows.listed(table, names, len(names))
    sizes = np.diff(rows.offsets)
    total = np.zeros(table.ngrams, np.int64)
    np.add.at(total, rows.ngram, np.repeat(holder_weights(sizes, contribution), sizes))
    return _by_name(total, table, names)


def holder_weights(sizes: NDArray[np.int64], contribution: int) -> NDArray[np.int64]:
    """Return the weight in steps of `GRID` of holders with so many n-grams: the floor of min(1, sqrt(c / size)).

    It is computed in whole numbers, so that weight^2 * size never exceeds c.

    >>> (holder_weights(np.array([0, 4, 9, 36]), 9) / GRID).tolist()
    [1.0, 1.0, 1.0, 0.5]
    """
    known, place = np.unique(sizes, return_inverse=True)
    squares = contribution * GRID * GRID
    weights = [GRID if size <= contribution else math.isqrt(squares // size) for size in known.tolist()]
    return np.array(weights, np.int64)[place]


def _by_name(values: NDArray[np.int64], table: Table, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Return the value of each name, 0 for one that nobody says."""
    ids = table.names.look_up(names)
    return np.asarray(np.where(ids >= 0, np.append(values, 0)[ids], 0), dtype=np.int64)
