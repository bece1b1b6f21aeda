"""How much bounding leaves out of counts: sizes of holders, and by classes of n-grams what is missing, with noise.

All numbers here are bounded by nature. A holder is in one class of sizes; and of the n-grams of a class it can be left
out at most of all, so that the mean over the class moves by 1 at most, whatever the holder says.
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
from entrenous.price import Price
from entrenous.statistic import Statistic
from entrenous.unit import Unit
from entrenous.words.counting.holder import HOLDERS
from entrenous.words.counting.table import Table
from entrenous.words.statistics.listed_counts import ListedCounts, kept_counts, true_counts
from entrenous.words.statistics.weights import GRID, Rows, check_holders

__all__ = ["HolderSizes", "LeftOut", "LeftOutSpread", "left_out"]

_STEPS = 2**10  # in 1, of means that get geometric noise

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class HolderSizes(Statistic[Table, FloatArray]):
    """How many holders have so many n-grams of a public list, by classes; those with none are not counted.

    Attributes
    ----------
    names
        The public n-grams.
    bounds
        The largest number of n-grams in each class, growing; the first class begins at 1.
    mechanism, scale
        The noise on each number: "geometric" or "gaussian".
    """

    name: ClassVar[str] = "sizes"
    proof: ClassVar[str] = "holder-sizes"
    kind: ClassVar[type] = Table
    #: How many classes a unit moves by 1, as many as it changes contents: a content leaves one class or enters one.
    moves: ClassVar[Mapping[Unit, int]] = ListedCounts.contents  # proof: holder-sizes
    #: The same in L2, squared.
    squares: ClassVar[Mapping[Unit, int]] = ListedCounts.squares  # proof: holder-sizes

    names: tuple[str, ...]
    bounds: tuple[int, ...]
    mechanism: str
    scale: float

    def price(self, unit: Unit) -> Price:
        """Return what the noise on all moved numbers costs."""
        if unit not in self.moves:
            raise self.unproved(unit)
        moved = self.squares if self.mechanism == "gaussian" else self.moves
        return _price(self.mechanism, self.scale, moved[unit], 1)

    def draw(self, data: Table, unit: Unit, noise: Noise) -> FloatArray:
        """Count holders by size, and add noise."""
        check_holders(data, unit)
        sizes = np.diff(Rows.listed(data, self.names, len(self.names)).offsets)
        place = np.searchsorted(np.array(self.bounds), sizes[sizes > 0])
        counts = np.bincount(place, minlength=len(self.bounds))[: len(self.bounds)].astype(np.int64)
        if self.mechanism == "geometric":
            noisy = noise.geometric(counts, sensitivity=1, epsilon=1 / self.scale)  # proof: holder-sizes
            return noisy.astype(np.float64)
        steps = _fine(self.scale)
        return noise.gaussian(counts * steps, scale=self.scale * steps) / steps  # proof: holder-sizes


@dataclass(frozen=True, eq=False)
class LeftOut(Statistic[Table, FloatArray]):
    """For each class of n-grams: how many holders their counts leave out, in the mean over the class.

    Attributes
    ----------
    names
        The public n-grams.
    contribution, bounding
        How holders are bounded where they are counted.
    classes
        The class of each n-gram, from 0 on, by what was published of it; no class is empty.
    mechanism, scale
        The noise on each mean.
    """

    name: ClassVar[str] = "what is left out"
    proof: ClassVar[str] = "left-out"
    kind: ClassVar[type] = Table
    #: By how much a unit moves the mean of one class at most: whatever it changes, 0 to 1 of a holder is left out.
    moves: ClassVar[Mapping[Unit, int]] = {  # proof: left-out
        Unit.EDGE_CONTENT: 1,
        Unit.SENDER: 1,
        Unit.REPLACED_CONTENT: 1,
        Unit.REPLACED_SENDER: 1,
        **{holder.unit: max(holder.changes // 2, 1) for holder in HOLDERS.values() if holder.messages},
    }

    names: tuple[str, ...]
    contribution: int
    bounding: str
    classes: NDArray[np.int64]
    mechanism: str
    scale: float

    def __post_init__(self) -> None:
        if len(set(self.names)) < len(self.names) or len(self.classes) != len(self.names):
            raise PrivacyError(f"{self.name}: expected each n-gram once, and its class")
        if not np.bincount(self.classes, minlength=1).all():
            raise PrivacyError(f"{self.name}: expected no empty class")

    @property
    def count(self) -> int:
        """How many classes there are."""
        return int(self.classes.max()) + 1

    def price(self, unit: Unit) -> Price:
        """Return what the noise on the means of all classes costs."""
        if unit not in self.moves:
            raise self.unproved(unit)
        return _price(self.mechanism, self.scale, self.count, self.moves[unit])

    def draw(self, data: Table, unit: Unit, noise: Noise) -> FloatArray:
        """Return the mean of each class with noise; sums and means are whole numbers of steps."""
        check_holders(data, unit)
        missing = self.measured(
            left_out(data, self.names, contribution=self.contribution, bounding=self.bounding)
        )
        steps = _STEPS if self.mechanism == "geometric" else _fine(self.scale)
        means = np.zeros(self.count, np.int64)
        for number in range(self.count):
            members = missing[self.classes == number].tolist()  # Python's numbers, which do not overflow
            means[number] = steps * sum(members) // (GRID * len(members))
        if self.mechanism == "geometric":
            moved = self.count * self.moves[unit]
            noisy = noise.geometric(
                means, sensitivity=moved * steps, epsilon=moved / self.scale
            )  # proof: left-out
        else:
            noisy = noise.gaussian(means, scale=self.scale * steps)  # proof: left-out
        return noisy / steps

    def measured(self, missing: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers whose means are asked for, in steps of the grid; each as near another as `missing` is."""
        return missing


@dataclass(frozen=True, eq=False)
class LeftOutSpread(LeftOut):
    """For each class of n-grams: how far what counts leave out is from what was expected, in the mean.

    Attributes
    ----------
    expected
        For each n-gram, from what was published: how many holders its count is expected to leave out.
    """

    name: ClassVar[str] = "how what is left out varies"

    expected: FloatArray

    def measured(self, missing: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return absolute differences, which move no further than what they are of."""
        return np.abs(missing - np.rint(self.expected * GRID).astype(np.int64))


def left_out(table: Table, names: tuple[str, ...], *, contribution: int, bounding: str) -> NDArray[np.int64]:
    """Return how many holders the count of each n-gram leaves out, in steps of `GRID`. Confidential."""
    kept = kept_counts(table, names, contribution=contribution, bounding=bounding)
    return true_counts(table, names, contribution=len(names)) * GRID - kept


def _fine(scale: float) -> int:
    """Return into how many steps 1 is cut, so that Gaussian noise of this scale is as good as normal."""
    return int(2 ** max(0, math.ceil(math.log2(FINE / scale))))


def _price(mechanism: str, scale: float, numbers: int, moved: int) -> Price:
    """Return what noise of this scale costs on so many numbers, each of which moves by so much."""
    if mechanism == "gaussian":
        return Price(mu=math.sqrt(numbers) * moved / scale)
    return Price(epsilon=numbers * moved * max(1 / scale, geometric_cost(1, 1 / scale)))
