"""The model a release draws from: ties with odds t_i t_j w_cd, nodes in groups.

Nodes of one group and about one degree form a *class*; all computation is over pairs of classes, never over pairs of
nodes. Every function here sees noisy quantities only: it is post-processing and costs no privacy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["BlockModel", "fit"]

_ROUNDS = 30
_EXACT_UP_TO = 8.0  # degrees below are told apart in halves, above in steps of 8 percent
_STEP = 0.08


@dataclass(frozen=True)
class BlockModel:
    """Independent ties: nodes i and j are tied with odds t_i t_j w_cd, c and d being their groups.

    Attributes
    ----------
    node_class
        The class of each node.
    size, group
        How many nodes a class has, and the group they belong to.
    propensity
        t of each class.
    affinity
        w of each two groups, symmetric.
    """

    node_class: NDArray[np.int64]
    size: NDArray[np.float64]
    group: NDArray[np.int64]
    propensity: NDArray[np.float64]
    affinity: NDArray[np.float64]

    def cross_entropy(self, edges: NDArray[np.integer]) -> float:
        """Return -(1/n) log-likelihood of the edges of a graph, in nats per node."""
        from entrenous.network.drawing._model_kernels import log_no_edge

        a, b = self.node_class[edges.T]
        odds = self.propensity[a] * self.propensity[b] * self.affinity[self.group[a], self.group[b]]
        baseline = log_no_edge(self.propensity, self.size, self.group, self.affinity)
        return float((baseline - np.log(odds).sum()) / len(self.node_class))

    def draw(self, rng: np.random.Generator) -> NDArray[np.int32]:
        """Draw the edges of a graph, in time proportional to classes squared, nodes and edges."""
        from entrenous.hrg.sampling import draw

        order = np.argsort(self.node_class, kind="stable")
        start = np.concatenate([[0], np.cumsum(self.size)]).astype(np.int64)
        a, b = np.triu_indices(len(self.size))
        odds = self.propensity[a] * self.propensity[b] * self.affinity[self.group[a], self.group[b]]
        rectangles = np.column_stack([start[a], start[a + 1], start[b], start[b + 1]])
        return draw(order, rectangles, probability=odds / (1 + odds), rng=rng)


def classify(
    group: NDArray[np.int64], degrees: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Sort nodes into classes of one group and about one degree.

    Returns the class of each node and, per class, its size, group and mean degree.
    """
    large = np.round(np.log(np.maximum(degrees, _EXACT_UP_TO) / _EXACT_UP_TO) / _STEP)
    level = np.where(degrees < _EXACT_UP_TO, np.round(2 * degrees), 2 * _EXACT_UP_TO + large).astype(np.int64)
    keys, node_class, size = np.unique(
        group * (level.max() + 1) + level, return_inverse=True, return_counts=True
    )
    mean = np.bincount(node_class, degrees) / size
    return node_class, size.astype(np.float64), keys // (level.max() + 1), mean


def fit(
    group: NDArray[np.int64], degrees: NDArray[np.float64], cells: NDArray[np.float64] | None = None
) -> BlockModel:
    """Fit the model to target degrees and target edges per cell.

    Parameters
    ----------
    group
        The group of each node.
    degrees
        The target expected degree of each node, above 0.
    cells
        The target edges between every two groups (upper triangle); None leaves all affinities at 1.

    Examples
    --------
    >>> model = fit(np.array([0, 0, 1, 1]), np.full(4, 1.5), np.array([[0.9, 1.2], [0.0, 0.9]]))
    >>> bool(model.affinity[0, 0] > model.affinity[0, 1])
    True
    """
    from entrenous.network.drawing._model_kernels import expectations

    node_class, size, class_group, target = classify(group, degrees)
    propensity = target / np.sqrt(max((target * size).sum(), 1e-12))
    groups = int(class_group.max()) + 1 if cells is None else len(cells)
    affinity = np.ones((groups, groups))
    for _ in range(_ROUNDS):
        degree, cell = expectations(propensity, size, class_group, affinity)
        propensity = propensity * _step(target, degree)
        if cells is not None:
            factor = np.triu(_step(cells, cell))
            affinity = affinity * (factor + np.triu(factor, 1).T)
    return BlockModel(node_class, size, class_group, propensity, affinity)


def _step(target: NDArray[np.float64], reached: NDArray[np.float64]) -> NDArray[np.float64]:
    """Half a step (a square root) towards the wish, at most by a factor of two: both updates pull at once."""
    return np.clip(np.sqrt(target / np.maximum(reached, 1e-12)), 0.5, 2.0)
