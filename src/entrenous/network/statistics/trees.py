"""A dendrogram, by the exponential mechanism as far as a finite Markov chain gets, and edges of its link classes.

Every pair of nodes is in exactly one class, so one edge changes one count.

References
----------
Xiao, Chen & Tan (2014), Differentially private network data release via structural inference, KDD.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import PrivacyError
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram, chain
from entrenous.hrg.utility import Clipped, Published, Utility, beta_for
from entrenous.network.drawing.link_classes import LinkClasses
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.statistic import Counts, Noted, Statistic
from entrenous.unit import Unit

__all__ = ["LinkCounts", "Tree"]


@dataclass(frozen=True)
class Tree(Statistic[Graph, Dendrogram]):
    """The last state of a chain over dendrograms.

    Attributes
    ----------
    steps
        How many steps the chain makes, fixed beforehand.
    utility, moves
        What the chain favours, and how it moves.
    progress
        Called with steps made and steps in all.
    """

    name: ClassVar[str] = "structure"
    proof: ClassVar[str] = "trees"
    kind: ClassVar[type] = Graph
    condition: ClassVar[str | None] = (
        "the Markov chain of its structure having reached its distribution, which nobody can check"
    )
    steps: int
    utility: Utility
    moves: Literal["local", "mixture"]
    epsilon: float
    progress: Callable[[int, int], object] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if type(self.utility) not in (Published, Clipped):
            raise PrivacyError("structure: expected a utility whose range is proved")

    def price(self, unit: Unit) -> Price:
        """Return epsilon, which holds for the distribution that the chain approaches."""
        if unit != Unit.EDGE:
            raise self.unproved(unit)
        return Price(epsilon=self.epsilon)

    def draw(self, data: Graph, unit: Unit, noise: Noise) -> Noted[Dendrogram]:  # noqa: ARG002
        """Run the chain; how it went depends on the edges and is noted for the curator alone."""
        sampled = chain.run(
            data,
            beta=beta_for(self.epsilon, data.n, self.utility),  # proof: trees
            steps=self.steps,
            rng=noise.chain_generator,
            utility=self.utility,
            moves=self.moves,
            progress=self.progress,
        )
        return Noted(sampled.dendrogram, {"trace": sampled.trace, "acceptance": sampled.acceptance})


@dataclass(frozen=True, eq=False)
class LinkCounts(Counts[Graph, NDArray[np.int64]]):
    """The edges of each class with noise: one edge moves as many counts as classes hold its pair, one as a rule."""

    name: ClassVar[str] = "counts"
    proof: ClassVar[str] = "link-counts"
    kind: ClassVar[type] = Graph
    classes: LinkClasses
    epsilon: float

    def __post_init__(self) -> None:
        if type(self.classes) is not LinkClasses:
            raise PrivacyError("counts: expected link classes")

    def sensitivity(self, unit: Unit) -> int:
        """Return the most classes that any pair is in."""
        if unit != Unit.EDGE:
            raise self.unproved(unit)
        tree, node, whole = self.classes.tree, self.classes.node, self.classes.whole
        above = np.bincount(node[whole], minlength=tree.n - 1)
        for parent in range(tree.n - 2, -1, -1):  # parents before children
            for child in tree.children[parent]:
                if child >= tree.n:
                    above[child - tree.n] += above[parent]
        own = np.bincount(node[~whole], minlength=tree.n - 1)
        return max(int((above + own).max(initial=0)), 1)  # proof: link-counts

    def count(self, data: Graph) -> NDArray[np.int64]:
        """Count each class."""
        return self.classes.count(data.edges())

    def answer(self, noisy: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return them as they were drawn."""
        return noisy
