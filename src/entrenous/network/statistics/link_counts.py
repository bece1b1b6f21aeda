"""Edges in each class of node pairs along a dendrogram. Every pair is in exactly one class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph
from entrenous.network.drawing.link_classes import LinkClasses
from entrenous.statistic import Counts
from entrenous.unit import Unit

__all__ = ["LinkCounts"]


@dataclass(frozen=True, eq=False)
class LinkCounts(Counts[Graph, NDArray[np.int64]]):
    """The edges of each class with noise."""

    name: ClassVar[str] = "counts"
    proof: ClassVar[str] = "link-counts"
    kind: ClassVar[type] = Graph
    stability: ClassVar[Mapping[Unit, int]] = {Unit.EDGE: 1}  # proof: link-counts
    classes: LinkClasses
    epsilon: float

    def count(self, data: Graph) -> NDArray[np.int64]:
        """Count each class."""
        return self.classes.count(data.edges())

    def answer(self, noisy: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return them as they were drawn."""
        return noisy
