"""Slots: a community for every node, drawn in a public order so that one edge influences one draw.

Nodes draw one after the other, leaning towards the slots of neighbours that were placed before. An edge counts only for
its later endpoint, its *owner*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import PrivacyError
from entrenous.graph import Graph
from entrenous.network.statistics.communities import MOST_CHOICES
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.statistic import Statistic
from entrenous.unit import Unit

__all__ = ["RESOLUTION", "ROUNDING", "Slots"]

#: Subtracted from epsilon in the draw: pays for the rounding of weights to whole numbers.
ROUNDING = 1e-8
RESOLUTION = 0.8  # how strongly full slots push away; below 1 leaves room for communities of unequal size


@dataclass(frozen=True, eq=False)
class Slots(Statistic[Graph, NDArray[np.int64]]):
    """The slot of every node.

    Attributes
    ----------
    order
        The nodes in the public order in which they draw, hubs first.
    expected
        The expected degree of each node, from noisy degrees.
    count
        How many slots there are.
    """

    name: ClassVar[str] = "slots"
    proof: ClassVar[str] = "slots"
    kind: ClassVar[type] = Graph
    order: NDArray[np.int64]
    expected: NDArray[np.float64]
    count: int
    epsilon: float

    def price(self, unit: Unit) -> Price:
        """Return epsilon: an edge adds one to one exponent of one draw, whose weights are exp(epsilon times it)."""
        if unit != Unit.EDGE:
            raise self.unproved(unit)
        return Price(epsilon=self.epsilon)

    def draw(self, data: Graph, unit: Unit, noise: Noise) -> NDArray[np.int64]:  # noqa: ARG002
        """Draw the slots one after the other, exactly."""
        from entrenous.network.statistics._kernels import assign_slots

        once = self.order.shape == (data.n,) and np.array_equal(np.sort(self.order), np.arange(data.n))
        if not once or self.expected.shape != (data.n,) or not 1 <= self.count <= MOST_CHOICES:
            raise PrivacyError(
                f"slots: expected every node once, and at most {MOST_CHOICES} slots; it was not answered"
            )
        slot, used = assign_slots(
            self.order,
            data.indptr,
            data.indices,
            self.expected,
            max(self.epsilon - ROUNDING, 0.0),  # proof: slots
            RESOLUTION,
            self.count,
            noise.words(2 * data.n + 1024),
        )
        if not used:
            raise RuntimeError(
                "random words ran out"
            )  # one in 64 is redrawn at most: twice the nodes never do
        return np.asarray(slot, dtype=np.int64)
