"""Degrees. One edge changes two of them by one, and the largest by at most one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph
from entrenous.statistic import Counts
from entrenous.unit import Unit

__all__ = ["Degrees", "LargestDegree"]


@dataclass(frozen=True)
class Degrees(Counts[Graph, NDArray[np.int64]]):
    """The degree of every node with noise; some are negative."""

    name: ClassVar[str] = "degrees"
    proof: ClassVar[str] = "degrees"
    kind: ClassVar[type] = Graph
    stability: ClassVar[Mapping[Unit, int]] = {Unit.EDGE: 2}  # proof: degrees
    epsilon: float

    def count(self, data: Graph) -> NDArray[np.int64]:
        """Return the true degrees."""
        return data.degrees

    def answer(self, noisy: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return them as they were drawn."""
        return noisy


@dataclass(frozen=True)
class LargestDegree(Counts[Graph, int]):
    """The largest degree with noise."""

    name: ClassVar[str] = "the largest degree"
    proof: ClassVar[str] = "largest-degree"
    kind: ClassVar[type] = Graph
    stability: ClassVar[Mapping[Unit, int]] = {Unit.EDGE: 1}  # proof: largest-degree
    epsilon: float

    def count(self, data: Graph) -> NDArray[np.int64]:
        """Return the true largest degree."""
        return np.array([data.degrees.max(initial=0)])

    def answer(self, noisy: NDArray[np.int64]) -> int:
        """Return it as it was drawn."""
        return int(noisy[0])
