"""What an obfuscated graph is drawn from: a dendrogram and the number of edges in each of its link classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.hrg.sampling import draw
from entrenous.release import Release

__all__ = ["Obfuscated", "Obfuscation", "as_obfuscation"]


@dataclass(frozen=True, eq=False)
class Obfuscation:
    """What is known about every link once a graph is obfuscated: T and the edges e_r of its link classes.

    The pairs of nodes that meet at one internal node of the dendrogram are a *link class*. A class keeps its number
    of edges, placed anywhere in the class with equal probability, independently of other classes. Everything about
    a single link follows: it is there with probability e_r / N_r.

    Parameters
    ----------
    tree
        The dendrogram.
    edges
        The number of edges in each link class, entry k for the tree's internal node n + k.

    Examples
    --------
    >>> two_triangles = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], n=6)
    >>> tree = Dendrogram.from_nested((((0, 1), 2), (3, (4, 5))))
    >>> blurred = Obfuscation.of(two_triangles, tree)
    >>> blurred.edges.tolist(), blurred.pairs.tolist()
    ([1, 2, 1, 2, 1], [1, 2, 1, 2, 9])

    References
    ----------
    Xiao, Wang & Tan (2011), LORA: link obfuscation by randomization in graphs, Secure Data Management, LNCS 6933.
    """

    tree: Dendrogram
    edges: NDArray[np.int64]

    def __post_init__(self) -> None:
        edges = np.array(self.edges, dtype=np.int64)
        if edges.shape != (self.tree.n - 1,) or ((edges < 0) | (edges > self.tree.pairs)).any():
            raise ArgumentError(
                "edges",
                f"expected {self.tree.n - 1} counts between 0 and the pairs of their class; got others",
            )
        edges.flags.writeable = False
        object.__setattr__(self, "edges", edges)

    @classmethod
    def of(cls, graph: Graph, tree: Dendrogram) -> Obfuscation:
        """Count the edges of a graph in the link classes of a dendrogram."""
        return cls(tree, tree.counts(graph))

    @property
    def pairs(self) -> NDArray[np.int64]:
        """The number of node pairs N_r of each class."""
        return self.tree.pairs

    @property
    def m(self) -> int:
        """The number of edges in all."""
        return int(self.edges.sum())

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """The probability e_r / N_r of a link of each class."""
        return np.asarray(self.edges / self.pairs)

    def class_of(self, links: ArrayLike) -> NDArray[np.int64]:
        """Return the class of each link, a row of two nodes."""
        return self.tree.meeting(checked_links(links, self.tree.n))

    def draw(self, *, rng: np.random.Generator | int | None = None) -> NDArray[np.int32]:
        """Draw the edges of an obfuscated graph, in O(n + m)."""
        return draw(self.tree.order, self.tree.rectangles, count=self.edges, rng=rng)


Obfuscated = Obfuscation | Release[Graph]


def as_obfuscation(released: Obfuscated) -> Obfuscation:
    """Return the distribution behind a release of `obfuscate`, which keeps it in its private half."""
    if isinstance(released, Obfuscation):
        return released
    distribution = released.private.get("obfuscation") if isinstance(released, Release) else None
    if not isinstance(distribution, Obfuscation):
        raise ArgumentError(
            "released",
            "expected a release of links.obfuscate with its private half; got one without. "
            "Use Obfuscation.of(graph, tree) with the curator's dendrogram",
        )
    return distribution


def checked_links(links: ArrayLike, n: int) -> NDArray[np.int64]:
    """Return links as rows of two different nodes below n."""
    rows = np.asarray(links)
    if rows.size == 0:
        return np.empty((0, 2), np.int64)
    if rows.ndim == 1 and len(rows) == 2:
        rows = rows[None]
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu":
        raise ArgumentError("links", f"expected rows of two node numbers; got shape {rows.shape}")
    if rows.min() < 0 or rows.max() >= n or (rows[:, 0] == rows[:, 1]).any():
        raise ArgumentError("links", f"expected two different nodes below {n} in each row; got others")
    return rows.astype(np.int64)
