"""What every network mechanism shares: its order, its outcome, and the noisy size of a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.noise import Noise

__all__ = ["SIZE_SHARE", "Model", "Order", "Outcome", "noisy_size"]

SIZE_SHARE = 0.01  # of epsilon, for the noisy number of edges by which the other shares are chosen


class Model(Protocol):
    """What a mechanism learned: it can tell how well it describes a graph. For the curator."""

    def cross_entropy(self, graph: Graph) -> float:
        """Return -(1/n) log-likelihood of a graph, in nats per node."""
        ...


@dataclass(frozen=True)
class Order:
    """What a caller asked for, checked. `hierarchy` is public: a dendrogram, or a block number per node."""

    epsilon: float
    shares: Sequence[float] | None = None
    hierarchy: Dendrogram | NDArray[np.int64] | None = None
    steps: int | None = None
    utility: str = "clipped"
    progress: Callable[[int, int], object] | None = None

    @property
    def spendable(self) -> float:
        """A hair less than epsilon: parts of it, rounded, never add up to more than epsilon."""
        return self.epsilon * (1 - 1e-12)


@dataclass(frozen=True)
class Outcome:
    """What a mechanism made: edges and public parameters, and the curator's half."""

    edges: NDArray[np.int32]
    parameters: Mapping[str, str | int | float]
    model: Model
    private: Mapping[str, Any] = field(default_factory=dict)


def noisy_size(graph: Graph, *, epsilon: float, noise: Noise) -> int:
    """Return the number of edges with noise, at least 1. One edge changes it by one."""
    return max(1, int(noise.geometric(np.array([graph.m]), sensitivity=1, epsilon=epsilon)[0]))
