"""What every network mechanism shares: what it is asked for, what it makes, and questions that several ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from entrenous.desk import Desk
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.network import statistics
from entrenous.network.drawing.deconvolution import DegreeEstimate, NoisyTails, estimate

__all__ = ["SIZE_SHARE", "GraphDesk", "Mechanism", "Model", "Outcome", "Request", "ask_degrees"]

SIZE_SHARE = 0.01  # of epsilon, for the noisy number of edges by which the other shares are chosen

GraphDesk: TypeAlias = Desk[Graph]


class Model(Protocol):
    """What a mechanism learned: it can tell how well it describes a graph. For the curator."""

    def cross_entropy(self, edges: NDArray[np.integer]) -> float:
        """Return -(1/n) log-likelihood of the edges of a graph, in nats per node."""
        ...


@dataclass(frozen=True)
class Request:
    """What a caller asked for, checked, and what is public about the graph.

    Attributes
    ----------
    epsilon
        What may be spent.
    n
        The number of nodes, which are public.
    seen
        Whether every node is publicly known to have an edge.
    hierarchy
        A public dendrogram, or a block number per node.
    shares, steps, utility, progress
        As handed to `release`.
    """

    epsilon: float
    n: int
    seen: bool = False
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


@dataclass(frozen=True)
class Mechanism:
    """A way to publish a graph.

    Parameters
    ----------
    name
        What it is called on the command line and on cards.
    summary
        What it does, in a few words.
    run
        Asks a desk and makes edges of the answers; it never sees the graph.
    shares
        What a caller may divide epsilon between.
    needed
        Which of these must be above 0.
    takes_partition, takes_tree
        Whether a public hierarchy may be a partition, and whether it may be a tree.
    chain
        Whether it runs a Markov chain, which has steps and a utility.
    least_steps
        Steps per node below which a chain is refused unless the caller insists.
    """

    name: str
    summary: str
    run: Callable[[GraphDesk, Request], Outcome]
    shares: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    takes_partition: bool = False
    takes_tree: bool = False
    chain: bool = False
    least_steps: int = 0


def ask_degrees(
    asked: GraphDesk, request: Request, *, epsilon: float, tails_epsilon: float = 0.0
) -> DegreeEstimate:
    """Return what noisy degrees tell, and tails if they get a share of their own."""
    noisy = asked(statistics.Degrees(epsilon=epsilon))
    lowest = 1 if request.seen else 0
    tails = None
    if tails_epsilon:
        highest = int(np.clip(noisy.max(), lowest, max(request.n - 1, lowest)))
        counts = asked(statistics.Tails(lowest, highest, epsilon=tails_epsilon))
        tails = NoisyTails(counts, tails_epsilon)
    return estimate(noisy, epsilon=epsilon, lowest=lowest, tails=tails)
