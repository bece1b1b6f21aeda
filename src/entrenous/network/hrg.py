"""PrivHRG: sample a hierarchical random graph by a privacy-calibrated chain, count with noise, draw.

After Xiao, Chen & Tan, with three repairs: the chain starts from a uniformly random dendrogram and makes a number of
steps fixed in advance; counts are whole numbers with geometric noise, clipped without the bias that clipping brings;
and the promise says that stationarity is assumed.

References
----------
Xiao, Chen & Tan (2014), Differentially private network data release via structural inference, KDD.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph
from entrenous.hrg import Clipped, Dendrogram, Published, beta_for, chain, draw, pair_counts
from entrenous.hrg.utility import Utility
from entrenous.network.mechanism import SIZE_SHARE, Order, Outcome, noisy_size
from entrenous.noise import Noise

__all__ = [
    "CONDITION",
    "SHARES",
    "STEPS_PER_NODE",
    "HRGModel",
    "LinkClasses",
    "clip_without_bias",
    "link_classes",
    "run",
]

SHARES = ("structure", "counts")
CONDITION = "the Markov chain having reached its distribution, which nobody can check"
STEPS_PER_NODE = 1000
_THRESHOLD_LINK, _THRESHOLD_INSIDE = 0.05, 0.01  # tau1 and tau2 of the paper
_SMOOTHING = 0.01


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

    def count(self, graph: Graph) -> NDArray[np.int64]:
        """Count the edges of each class; one edge changes exactly one count."""
        meeting = self.tree.counts(graph)
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

    def cross_entropy(self, graph: Graph) -> float:
        """Return -(1/n) log-likelihood of a graph, in nats per node. It touches the graph: for the curator only.

        A class released as empty would make any edge in it infinitely surprising, so every probability is mixed
        with one percent of the overall density.
        """
        pairs, present = self.classes.pairs, self.classes.count(graph)
        density = max(self.edges.sum(), 1.0) / max(pairs.sum(), 1)
        p = np.minimum((1 - _SMOOTHING) * self.probability + _SMOOTHING * density, 1 - 1e-9)
        return float(-(present * np.log(p) + (pairs - present) * np.log1p(-p)).sum() / graph.n)


def run(graph: Graph, order: Order, noise: Noise) -> Outcome:
    """Carry out the mechanism. Pure for a public dendrogram; else it targets a private law by a finite chain."""
    size, structure, counts = _spend(order)
    private: dict[str, Any] = {}
    parameters: dict[str, str | int | float] = {"epsilon for size": round(size, 6)} if size else {}
    if isinstance(order.hierarchy, Dendrogram):
        tree = order.hierarchy
    else:
        utility = _utility(graph, order, size, noise)
        steps = STEPS_PER_NODE * graph.n if order.steps is None else order.steps
        sampled = chain.run(
            graph,
            beta=beta_for(structure, graph.n, utility),
            steps=steps,
            rng=noise.chain_generator,
            utility=utility,
            moves="local" if order.utility == "published" else "mixture",
            progress=order.progress,
        )
        tree, private = sampled.dendrogram, {"trace": sampled.trace, "acceptance": sampled.acceptance}
        parameters |= {"epsilon for structure": round(structure, 6), "steps": steps, "utility": order.utility}
    classes = link_classes(tree, counts)
    noisy = noise.geometric(classes.count(graph), sensitivity=1, epsilon=counts)
    model = HRGModel(classes, clip_without_bias(noisy, classes.pairs))
    drawn = draw(tree.order, classes.rectangles, probability=model.probability, rng=noise.generator)
    parameters |= {"epsilon for counts": round(counts, 6), "link classes": len(classes.node)}
    return Outcome(drawn, parameters, model, private | {"dendrogram": tree})


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


def clip_without_bias(noisy: NDArray[np.int64], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Bring noisy counts into 0..N keeping their sum: x = clip(y - t, 0, N), t found by bisection.

    Clipping alone would add half a noise scale of phantom edges to every empty class.

    >>> clip_without_bias(np.array([-3, 2, 9]), np.array([5, 5, 20])).round(6).tolist()
    [0.0, 0.5, 7.5]
    """
    wished = min(max(float(noisy.sum()), 0.0), float(pairs.sum()))
    low, high = float((noisy - pairs).min(initial=0)), float(noisy.max(initial=0))
    for _ in range(100):
        middle = (low + high) / 2
        if np.clip(noisy - middle, 0, pairs).sum() > wished:
            low = middle
        else:
            high = middle
    return np.asarray(np.clip(noisy - high, 0, pairs), dtype=np.float64)


def _spend(order: Order) -> tuple[float, float, float]:
    """Return the parts of epsilon for the size, the structure and the counts."""
    if isinstance(order.hierarchy, Dendrogram):
        return 0.0, 0.0, order.epsilon
    size = order.spendable * SIZE_SHARE if order.utility == "clipped" else 0.0
    structure, counts = order.shares if order.shares is not None else (0.5, 0.5)
    return size, structure * (order.spendable - size), counts * (order.spendable - size)


def _utility(graph: Graph, order: Order, epsilon: float, noise: Noise) -> Utility:
    """Return what the chain favours; the clipped utility needs a noisy density."""
    if order.utility == "published":
        return Published()
    density = 2 * noisy_size(graph, epsilon=epsilon, noise=noise) / max(graph.n * (graph.n - 1), 1)
    return Clipped(min(1e-3, density / 4), 0.5)
