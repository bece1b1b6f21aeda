"""The number of edges. One edge changes it by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph
from entrenous.statistic import Counts
from entrenous.unit import Unit

__all__ = ["Size"]


@dataclass(frozen=True)
class Size(Counts[Graph, int]):
    """The number of edges with noise, at least 1."""

    name: ClassVar[str] = "size"
    proof: ClassVar[str] = "size"
    kind: ClassVar[type] = Graph
    stability: ClassVar[Mapping[Unit, int]] = {Unit.EDGE: 1}  # proof: size
    epsilon: float

    def count(self, data: Graph) -> NDArray[np.int64]:
        """Count all edges."""
        return np.array([data.m])

    def answer(self, noisy: NDArray[np.int64]) -> int:
        """Return a number that plans can divide by."""
        return max(1, int(noisy[0]))
