"""Joint degrees: how many edges join nodes of degrees k and l, degrees capped at a public bound.

References
----------
Wang & Wu (2013), Preserving differential privacy in degree-correlation based graph generation, Transactions on Data
Privacy 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph
from entrenous.statistic import Counts
from entrenous.unit import Unit

__all__ = ["JointDegrees"]


@dataclass(frozen=True)
class JointDegrees(Counts[Graph, NDArray[np.int64]]):
    """The edges between nodes of capped degrees k and l, 1 <= k <= l <= bound, as a flat upper triangle, with noise.

    >>> JointDegrees(bound=9, epsilon=1.0).sensitivity(Unit.EDGE), 4 * 10 - 7
    (33, 33)
    """

    name: ClassVar[str] = "joint degrees"
    proof: ClassVar[str] = "joint-degrees"
    kind: ClassVar[type] = Graph
    bound: int
    epsilon: float

    def sensitivity(self, unit: Unit) -> int:
        """Return 4 bound - 3: all edges at both ends of an edge may change their cell, and the edge itself is one."""
        if unit != Unit.EDGE:
            raise self.unproved(unit)
        return 4 * self.bound - 3  # proof: joint-degrees

    def count(self, data: Graph) -> NDArray[np.int64]:
        """Count each cell; nodes without an edge are in none."""
        from entrenous.network.statistics._kernels import cell_counts

        capped = np.clip(data.degrees, 1, self.bound) - 1
        counts = cell_counts(data.indptr, data.indices, capped, self.bound)
        return np.asarray(counts[np.triu_indices(self.bound)], dtype=np.int64)

    def answer(self, noisy: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return them as they were drawn."""
        return noisy
