"""Compiled passes over dendrograms stored as child arrays (children before parents, the root last)."""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Int32s = NDArray[np.int32]


@njit(cache=True)
def random_children(n: int, rng: np.random.Generator) -> Int32s:
    """Grow a tree leaf by leaf, each on a uniformly random edge: every dendrogram is equally likely."""
    children = np.empty((n - 1, 2), np.int32)
    parent = np.full(2 * n - 1, -1, np.int32)
    root = 0
    for leaf in range(1, n):
        # The edges of a tree with `leaf` leaves, counting the one above its root, are its 2 leaf - 1 nodes.
        pick = int(rng.random() * (2 * leaf - 1))
        below = pick if pick < leaf else n + pick - leaf
        fresh = n + leaf - 1
        above = parent[below]
        if above < 0:
            root = fresh
        else:
            side = 0 if children[above - n, 0] == below else 1
            children[above - n, side] = fresh
        children[fresh - n, 0] = below
        children[fresh - n, 1] = leaf
        parent[fresh] = above
        parent[below] = fresh
        parent[leaf] = fresh
    return renumbered(children, root)


@njit(cache=True)
def renumbered(children: Int32s, root: int) -> Int32s:
    """Return the same tree with its internal nodes numbered against depth-first order: root last."""
    n = len(children) + 1
    number = np.empty(n - 1, np.int32)
    # Trees may be as deep as they have leaves: a stack of our own instead of recursion.
    stack = np.empty(n, np.int32)
    height = 0
    if root >= n:
        stack[0] = root
        height = 1
    following = 2 * n - 2
    while height:
        height -= 1
        node = stack[height]
        number[node - n] = following
        following -= 1
        # Right before left, so that the left one is taken off first.
        for side in range(1, -1, -1):
            child = children[node - n, side]
            if child >= n:
                stack[height] = child
                height += 1
    result = np.empty_like(children)
    for old in range(n - 1):
        for side in range(2):
            child = children[old, side]
            result[number[old] - n, side] = child if child < n else number[child - n]
    return result


@njit(cache=True)
def canonical_children(children: Int32s) -> Int32s:
    """Order the two sides by their smallest leaf, then number: equal trees get equal arrays."""
    n = len(children) + 1
    smallest = np.arange(2 * n - 1).astype(np.int32)
    ordered = children.copy()
    for k in range(n - 1):
        left, right = children[k]
        if smallest[left] > smallest[right]:
            ordered[k, 0] = right
            ordered[k, 1] = left
        smallest[n + k] = min(smallest[left], smallest[right])
    return renumbered(ordered, 2 * n - 2)


@njit(cache=True)
def subtree_sizes(children: Int32s) -> NDArray[np.int64]:
    """Count the leaves below every node, leaves first."""
    n = len(children) + 1
    sizes = np.ones(2 * n - 1, np.int64)
    for k in range(n - 1):
        sizes[n + k] = sizes[children[k, 0]] + sizes[children[k, 1]]
    return sizes


@njit(cache=True)
def interval_starts(children: Int32s, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each node's leaves begin in the left-to-right leaf order."""
    n = len(children) + 1
    starts = np.zeros(2 * n - 1, np.int64)
    # From the root down: a parent's start must be known before its children's.
    for k in range(n - 2, -1, -1):
        left, right = children[k]
        starts[left] = starts[n + k]
        starts[right] = starts[n + k] + sizes[left]
    return starts
