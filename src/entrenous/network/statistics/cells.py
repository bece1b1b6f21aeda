"""Edges between groups of nodes. Every edge lies between exactly one pair of groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph
from entrenous.statistic import Counts, check_labels
from entrenous.unit import Unit

__all__ = ["Cells"]


@dataclass(frozen=True, eq=False)
class Cells(Counts[Graph, NDArray[np.float64]]):
    """The edges between every two groups with noise, as an upper triangle.

    Attributes
    ----------
    group
        The group of each node: public, or drawn privately before.
    groups
        How many groups there are.
    """

    name: ClassVar[str] = "cells"
    proof: ClassVar[str] = "cells"
    kind: ClassVar[type] = Graph
    stability: ClassVar[Mapping[Unit, int]] = {Unit.EDGE: 1}  # proof: cells
    group: NDArray[np.int64]
    groups: int
    epsilon: float

    def count(self, data: Graph) -> NDArray[np.int64]:
        """Count each cell, row by row of the triangle."""
        from entrenous.network.statistics._kernels import cell_counts

        check_labels(self.name, self.group, nodes=data.n, count=self.groups)
        counts = cell_counts(data.indptr, data.indices, self.group, self.groups)
        return np.asarray(counts[np.triu_indices(self.groups)], dtype=np.int64)

    def answer(self, noisy: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the table, empty below its diagonal."""
        table = np.zeros((self.groups, self.groups))
        table[np.triu_indices(self.groups)] = noisy
        return table
