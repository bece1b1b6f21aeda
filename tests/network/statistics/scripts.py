"""Questions whose answers are written beforehand: they say what mechanisms do once nothing leaves the graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.network.statistics import (
    Communities,
    CommunityCounts,
    PassingPairs,
    Size,
    Slots,
    Tree,
    Triangles,
)
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.statistic import Counts, Noted, Statistic
from entrenous.unit import Unit


@dataclass(frozen=True, eq=False)
class Scripted(Statistic[Graph, Any]):
    """A question that costs what the real one costs, and gets an answer that no edge has a part in.

    Attributes
    ----------
    real
        The question that a mechanism asked.
    edges
        How many edges it is told there are.
    """

    proof: ClassVar[str] = "none"
    kind: ClassVar[type] = Graph
    real: Statistic[Graph, Any]
    edges: int

    name = property(lambda self: self.real.name)  # type: ignore[assignment]
    condition = property(lambda self: self.real.condition)  # type: ignore[assignment]

    def price(self, unit: Unit) -> Price:
        return self.real.price(unit)

    def draw(self, data: Graph, unit: Unit, noise: Noise) -> Any:
        n, real = data.n, self.real
        if isinstance(real, Size):
            return self.edges
        if isinstance(real, Counts):
            shape = real.count(Graph.from_edges([], n=n)).shape
            return real.answer(numbers(shape))
        if isinstance(real, Slots):
            return np.arange(n) % real.count
        if isinstance(real, Communities):
            return np.arange(n) % 3
        if isinstance(real, CommunityCounts):
            nobody = Graph.from_edges([], n=n)
            return numbers(real.inner(nobody).shape), numbers(real.outer(nobody).shape)
        if isinstance(real, PassingPairs):
            return np.array([[0, 1], [2, 3]], dtype=np.int32)
        if isinstance(real, Triangles):
            return np.full(len(real.parts), 2000)
        assert isinstance(real, Tree)
        return Noted(Dendrogram.random(n, 5), {"trace": None, "acceptance": None})


def numbers(shape: tuple[int, ...]) -> np.ndarray:
    return np.arange(int(np.prod(shape))).reshape(shape) % 7 + 20
