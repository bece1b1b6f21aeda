"""Classes of node pairs along a dendrogram, and the model that counts of their edges give."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from entrenous.hrg import Dendrogram
from entrenous.hrg.sampling import pair_counts

__all__ = ["HRGModel", "LinkClasses", "link_classes"]

_THRESHOLD_LINK, _THRESHOLD_INSIDE = 0.05, 0.01  # tau1 and tau2 of the paper
_SMOOTHING = 0.01  # of the overall density, mixed into every class


@dataclass(frozen=True)
class LinkClasses:
    """A partition of all node pairs along a dendrogram: every pair is in exactly one class.

    Attributes
    ----------
    tree
        The dendrogram.
    node
        The internal node (from 0) of each class.
    whole
        Whether a class holds all pairs inside its node, or only those that meet there.
    """

    tree: Dendrogram
    node: NDArray[np.int64]
    whole: NDArray[np.bool_]

    @cached_property
    def rectangles(self) -> NDArray[np.int64]:
        """The pairs of each class, as for `draw`."""
        start = self.tree.starts[self.tree.n + self.node]
        stop = start + self.tree.sizes[self.tree.n + self.node]
        inside = np.column_stack([start, stop, start, stop])
        return np.where(self.whole[:, None], inside, self.tree.rectangles[self.node])

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """The number of node pairs of each class."""
        return pair_counts(self.rectangles)

    def count(self, edges: NDArray[np.integer]) -> NDArray[np.int64]:
        """Count the edges of each class; one edge changes exactly one count."""
        meeting = np.bincount(self.tree.meeting(edges), minlength=self.tree.n - 1)
        below = np.concatenate([np.zeros(self.tree.n, dtype=np.int64), meeting])
        for node, (left, right) in enumerate(self.tree.children.tolist(), start=self.tree.n):
            below[node] += below[left] + below[right]
        return np.where(self.whole, below[self.tree.n + self.node], meeting[self.node])


@dataclass(frozen=True)
class HRGModel:
    """Link classes with their released numbers of edges."""

    classes: LinkClasses
    edges: NDArray[np.float64]

    @property
    def probability(self) -> NDArray[np.float64]:
        """The link probability of each class."""
        return self.edges / self.classes.pairs

    def cross_entropy(self, edges: NDArray[np.integer]) -> float:
        """Return -(1/n) log-likelihood of the edges of a graph, in nats per node.

        A class released as empty would make any edge in it infinitely surprising, so every probability is mixed
        with one percent of the overall density.
        """
        pairs, present = self.classes.pairs, self.classes.count(edges)
        density = max(self.edges.sum(), 1.0) / max(pairs.sum(), 1)
        p = np.minimum((1 - _SMOOTHING) * self.probability + _SMOOTHING * density, 1 - 1e-9)
        return float(-(present * np.log(p) + (pairs - present) * np.log1p(-p)).sum() / self.classes.tree.n)


def link_classes(tree: Dendrogram, epsilon: float) -> LinkClasses:
    """Choose the classes that are counted: top-down, until noise would drown a class and all below it.

    An internal node whose own class and whose whole inside are both too small for the noise ends the descent: the
    pairs inside it become one class. Sizes and epsilon decide, never the edges.
    """
    sizes = tree.sizes[tree.n :]
    inside = sizes * (sizes - 1) // 2
    drowned = (1 / (epsilon * tree.pairs) >= _THRESHOLD_LINK) & (1 / (epsilon * inside) >= _THRESHOLD_INSIDE)
    counted = np.zeros(len(sizes), dtype=np.bool_)
    if len(counted):
        counted[-1] = True
    for node in range(len(sizes) - 1, -1, -1):  # parents before children
        if counted[node] and not drowned[node]:
            for child in tree.children[node]:
                if child >= tree.n:
                    counted[child - tree.n] = True
    chosen = np.flatnonzero(counted)
    return LinkClasses(tree, chosen, drowned[chosen])
