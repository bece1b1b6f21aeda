"""How much an obfuscated graph leaves open about links, in bits.

All of it is exact for an attacker who holds the dendrogram and the edge counts of its classes and nothing else. It
describes a distribution and promises nothing: whoever knows some links of a class has fewer bits left about the others.

References
----------
Xiao, Wang & Tan (2011), LORA: link obfuscation by randomization in graphs.
Loader (2000), Fast and accurate computation of binomial probabilities (how logs of binomials stay exact).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous.errors import ArgumentError
from entrenous.links.obfuscation import Obfuscated, as_obfuscation, checked_links

__all__ = [
    "added_down",
    "class_entropy",
    "ego_entropy",
    "joint_entropy",
    "link_entropy",
    "shannon_entropy",
    "side_entropies",
]


def shannon_entropy(probabilities: ArrayLike) -> float:
    """Return the entropy of a distribution in bits.

    >>> shannon_entropy([1 / 2, 1 / 2, 0, 0])
    1.0
    >>> round(shannon_entropy([1 / 2, 1 / 6, 1 / 6, 1 / 6]), 6)
    1.792481
    """
    p: NDArray[np.float64] = np.asarray(probabilities, np.float64).ravel()
    if not (p >= 0).all() or abs(float(p.sum()) - 1) > 1e-9:
        raise ArgumentError("probabilities", "expected numbers of 0 or more that sum to 1; got others")
    p = p[p > 0]
    return math.fsum(-p * np.log2(p)) + 0.0  # the sum of nothing but zeros may carry a sign


def class_entropy(pairs: ArrayLike, edges: ArrayLike, links: ArrayLike) -> NDArray[np.float64]:
    """Return the joint entropy in bits of some links of one class, exactly, element by element.

    Parameters
    ----------
    pairs
        N, the number of pairs in the class.
    edges
        e, how many of them are edges; all sets of e pairs are equally likely.
    links
        K, how many links of the class are asked about.

    Notes
    -----
    A pattern with l edges among the K links has probability C(N - K, e - l) / C(N, e). The number of terms grows
    with the standard deviation of l, not with N.

    Examples
    --------
    >>> round(float(class_entropy(9, 1, 3)), 6)
    1.446617
    >>> [round(bits, 6) for bits in class_entropy(88_096_996, 198_050, [1, 9386]).tolist()]
    [0.023016, 216.030992]
    """
    from entrenous.links import _kernels

    parts = np.broadcast_arrays(pairs, edges, links)
    if not all(
        part.dtype.kind in "iuf" and (np.isfinite(part) & (part == np.floor(part))).all() for part in parts
    ):
        raise ArgumentError("pairs, edges, links", "expected whole numbers; got others")
    # Numbers of pairs fit into 64 bits: 2^31 nodes have fewer than 2^61.
    N, e, K = (np.array(part, np.int64).ravel() for part in parts)
    if ((e < 0) | (e > N) | (K < 0) | (K > N)).any():
        raise ArgumentError("edges, links", "expected 0 up to the number of pairs; got more or less")
    bits: NDArray[np.float64] = _kernels.class_entropies(N, e, K) / math.log(2)
    return bits.reshape(parts[0].shape)


def link_entropy(released: Obfuscated, links: ArrayLike) -> NDArray[np.float64]:
    """Return the entropy of each single link, a row of two nodes.

    >>> from entrenous.graph import Graph
    >>> from entrenous.hrg import Dendrogram
    >>> from entrenous.links import Obfuscation
    >>> two_triangles = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], n=6)
    >>> tree = Dendrogram.from_nested((((0, 1), 2), (3, (4, 5))))
    >>> link_entropy(Obfuscation.of(two_triangles, tree), [(0, 1), (2, 3)]).round(6)
    array([0.      , 0.503258])
    """
    distribution = as_obfuscation(released)
    classes = distribution.class_of(links)
    return class_entropy(distribution.pairs[classes], distribution.edges[classes], 1)


def joint_entropy(released: Obfuscated, links: ArrayLike) -> float:
    """Return the joint entropy of a set of links: within classes jointly, over classes added.

    >>> from entrenous.graph import Graph
    >>> from entrenous.hrg import Dendrogram
    >>> from entrenous.links import Obfuscation
    >>> two_triangles = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], n=6)
    >>> tree = Dendrogram.from_nested((((0, 1), 2), (3, (4, 5))))
    >>> round(joint_entropy(Obfuscation.of(two_triangles, tree), [(0, 3), (1, 3), (2, 3)]), 6)
    1.446617
    """
    distribution = as_obfuscation(released)
    distinct = np.unique(np.sort(checked_links(links, distribution.tree.n), axis=1), axis=0)
    # Classes are drawn independently, so their entropies add up.
    classes, times = np.unique(distribution.class_of(distinct), return_counts=True)
    return math.fsum(class_entropy(distribution.pairs[classes], distribution.edges[classes], times))


def ego_entropy(released: Obfuscated) -> NDArray[np.float64]:
    """Return for every node the joint entropy of its links to all others.

    A node on one side of an internal node has as many links in its class as the other side has leaves. So each
    class needs two entropies, which add up along the way from the root to the leaf: O(n) entropies for all nodes.

    >>> from entrenous.graph import Graph
    >>> from entrenous.hrg import Dendrogram
    >>> from entrenous.links import Obfuscation
    >>> two_triangles = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], n=6)
    >>> tree = Dendrogram.from_nested((((0, 1), 2), (3, (4, 5))))
    >>> ego_entropy(Obfuscation.of(two_triangles, tree)).round(6)
    array([1.446617, 1.446617, 1.446617, 1.446617, 1.446617, 1.446617])
    """
    distribution = as_obfuscation(released)
    return added_down(distribution.tree.children, side_entropies(released))[: distribution.tree.n]


def side_entropies(released: Obfuscated) -> NDArray[np.float64]:
    """Return per class what a node of its left side, and one of its right side, has open in it."""
    distribution = as_obfuscation(released)
    # Children swapped: a leaf on one side is linked to all leaves of the other.
    opposite = distribution.tree.sizes[distribution.tree.children[:, ::-1]]
    return class_entropy(distribution.pairs[:, None], distribution.edges[:, None], opposite)


def added_down(children: NDArray[np.int32], gains: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each node of a tree the sum along its way from the root; `gains` has an entry per child.

    >>> added_down(np.array([[0, 1], [2, 3]]), np.array([[1.0, 2.0], [10.0, 20.0]]))
    array([21., 22., 10., 20.,  0.])
    """
    n = len(children) + 1
    totals = [0.0] * (2 * n - 1)
    # Parents have larger numbers than their children: downwards is from the end.
    for node, sides, added in zip(
        range(2 * n - 2, n - 1, -1), children[::-1].tolist(), gains[::-1].tolist(), strict=True
    ):
        for child, gain in zip(sides, added, strict=True):
            totals[child] = totals[node] + gain
    return np.array(totals)
