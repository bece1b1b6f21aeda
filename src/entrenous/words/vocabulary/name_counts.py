"""How many holders carry each published n-gram: counts that were bought together with the names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import ArgumentError
from entrenous.words.histogram import CONFIDENCE, Histogram
from entrenous.words.prediction import Noisy

__all__ = ["NameCounts"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NameCounts:
    """Estimated numbers of holders for n-grams that are published, in their order.

    The names were chosen by other noise than that on their counts, so a name that is published favours no count.

    Attributes
    ----------
    estimates
        How many holders carry each, with noise, what bounding leaves out included; 0 where noise made it negative.
    deviations
        The standard deviation of the error of each.
    covered
        Whether there are intervals for the true numbers: noise is the larger part of the error.
    meaning
        What a count counts, in words.

    Examples
    --------
    >>> made = NameCounts(np.array([50.0, 3.0]), np.array([10.0, 10.0]), True, "edges")
    >>> made.intervals().round(1).tolist()
    [[30.4, 69.6], [0.0, 22.6]]
    """

    estimates: FloatArray
    deviations: FloatArray
    covered: bool
    meaning: str

    @classmethod
    def of(cls, histogram: Histogram, names: tuple[str, ...], meaning: str) -> NameCounts:
        """Return the counts of a histogram in the order of names, rounded as they are published."""
        place = {name: i for i, name in enumerate(histogram.names)}
        order = np.array([place[name] for name in names], dtype=np.int64)
        return cls(
            np.maximum(histogram.estimates[order].round(1), 0.0) + 0.0,
            histogram.deviations[order].round(2),
            histogram.covered,
            meaning,
        )

    @classmethod
    def none(cls, meaning: str) -> NameCounts:
        """Return the counts of no names at all."""
        return cls(np.zeros(0), np.zeros(0), covered=True, meaning=meaning)

    def first(self, count: int) -> NameCounts:
        """Return the counts of the first so many names."""
        return NameCounts(self.estimates[:count], self.deviations[:count], self.covered, self.meaning)

    def intervals(self, confidence: float = CONFIDENCE) -> FloatArray:
        """Return for each n-gram the least and the largest number of holders that truly may carry it.

        Each by itself covers its true number with about this probability; cut off at 0.
        """
        if not self.covered:
            raise ArgumentError(
                "intervals",
                "these counts have none: they leave out more than their noise; band() is noise alone",
            )
        return self.band(confidence)

    def band(self, confidence: float = CONFIDENCE) -> FloatArray:
        """Return how far the known error reaches, cut off at 0."""
        width = Noisy("gaussian", 1.0).half_width(confidence) * self.deviations
        return np.maximum(np.column_stack([self.estimates - width, self.estimates + width]), 0.0)
