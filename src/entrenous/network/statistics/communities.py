"""Communities after the manner of PrivGraph: drawn by the exponential mechanism, then counted inside and between.

References
----------
Yuan, Zhang, Du, Chen, Cheng & Sun (2023), PrivGraph: differentially private graph data publication by exploiting
community information, USENIX Security.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph
from entrenous.noise import Noise, geometric_cost
from entrenous.price import Price
from entrenous.statistic import Statistic, check_labels
from entrenous.unit import Unit

__all__ = ["Communities", "CommunityCounts"]

#: Choices of one draw: the sum of so many weights of up to 2^52 is still a whole number of 64 bits.
MOST_CHOICES = 2**11
#: Subtracted from epsilon in the draw: pays for the rounding of weights to whole numbers, at both ends.
ROUNDING = 2e-8


@dataclass(frozen=True, eq=False)
class Communities(Statistic[Graph, NDArray[np.int64]]):
    """A better community for each node, numbered without holes.

    Attributes
    ----------
    first
        The community where each node was put at first: public by now.
    """

    name: ClassVar[str] = "the adjustment of communities"
    proof: ClassVar[str] = "privgraph"
    kind: ClassVar[type] = Graph
    first: NDArray[np.int64]
    epsilon: float

    def price(self, unit: Unit) -> Price:
        """Return epsilon: an edge adds one to one score of each of its two ends, and both draws are paid for."""
        if unit != Unit.EDGE:
            raise self.unproved(unit)
        return Price(epsilon=self.epsilon)

    def draw(self, data: Graph, unit: Unit, noise: Noise) -> NDArray[np.int64]:  # noqa: ARG002
        """Draw a community for each node, leaning towards those where its neighbours were put at first."""
        from entrenous.network.statistics._kernels import adjust_communities

        check_labels(self.name, self.first, nodes=data.n, count=MOST_CHOICES)
        adjusted, used = adjust_communities(
            data.indptr,
            data.indices,
            self.first,
            int(self.first.max()) + 1,
            max(self.epsilon - ROUNDING, 0.0) / 2,  # proof: privgraph
            noise.words(2 * data.n + 1024),
        )
        if not used:
            raise RuntimeError(
                "random words ran out"
            )  # one in four is redrawn at most: twice the nodes suffice
        return np.asarray(np.unique(adjusted, return_inverse=True)[1], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class CommunityCounts(Statistic[Graph, tuple[NDArray[np.int64], NDArray[np.int64]]]):
    """Degrees inside communities and edges between them, with noise.

    An edge is inside a community or between two, never both, so both parts may use the whole epsilon.
    """

    name: ClassVar[str] = "counts of communities"
    proof: ClassVar[str] = "privgraph"
    kind: ClassVar[type] = Graph
    community: NDArray[np.int64]
    epsilon: float

    _INNER: ClassVar[int] = 2  # an inner edge changes two inner degrees
    _OUTER: ClassVar[int] = 1  # an outer edge changes one count

    def price(self, unit: Unit) -> Price:
        """Return the larger of the two parts."""
        if unit != Unit.EDGE:
            raise self.unproved(unit)
        return Price(epsilon=max(geometric_cost(moved, self.epsilon) for moved in (self._INNER, self._OUTER)))

    def draw(self, data: Graph, unit: Unit, noise: Noise) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # noqa: ARG002
        """Count both parts and add noise."""
        inner = noise.geometric(
            self.inner(data), sensitivity=self._INNER, epsilon=self.epsilon
        )  # proof: privgraph
        outer = noise.geometric(
            self.outer(data), sensitivity=self._OUTER, epsilon=self.epsilon
        )  # proof: privgraph
        return inner, outer

    def inner(self, data: Graph) -> NDArray[np.int64]:
        """Return how many neighbours each node has in its own community."""
        u, v = data.edges().T
        inside = self.community[u] == self.community[v]
        return np.bincount(np.concatenate([u[inside], v[inside]]), minlength=data.n).astype(np.int64)

    def outer(self, data: Graph) -> NDArray[np.int64]:
        """Return the number of edges between every two communities c < d, as a flat upper triangle."""
        from entrenous.network.statistics._kernels import cell_counts

        communities = int(self.community.max()) + 1
        check_labels(self.name, self.community, nodes=data.n, count=communities)
        counts = cell_counts(data.indptr, data.indices, self.community, communities)
        return np.asarray(counts[np.triu_indices(communities, 1)], dtype=np.int64)
