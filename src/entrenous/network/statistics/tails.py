"""The distribution of degrees by itself: how many nodes have degree k or more, for every k.

One edge moves each of its two nodes across one k. Noise that drowns the degree of a node is nothing to a count of
thousands.

References
----------
Hay, Li, Miklau & Jensen (2009), Accurate estimation of the degree distribution of private networks, ICDM (tails are
the sorted degrees they measure, seen from the other axis).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph
from entrenous.statistic import Counts
from entrenous.unit import Unit

__all__ = ["Tails"]


@dataclass(frozen=True)
class Tails(Counts[Graph, NDArray[np.int64]]):
    """How many nodes have degree k or more, for each k in (lowest, highest], with noise."""

    name: ClassVar[str] = "the degree distribution"
    proof: ClassVar[str] = "tails"
    kind: ClassVar[type] = Graph
    stability: ClassVar[Mapping[Unit, int]] = {Unit.EDGE: 2}  # proof: tails
    lowest: int
    highest: int
    epsilon: float

    def count(self, data: Graph) -> NDArray[np.int64]:
        """Count nodes by degree, then add up from the top; degrees outside the public range are cut off at its ends."""
        clipped = np.clip(data.degrees, self.lowest, self.highest) - self.lowest
        nodes = np.bincount(clipped, minlength=self.highest - self.lowest + 1)
        return np.asarray(np.cumsum(nodes[::-1])[::-1][1:], dtype=np.int64)

    def answer(self, noisy: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return them as they were drawn."""
        return noisy
