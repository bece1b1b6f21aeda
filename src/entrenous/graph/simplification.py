"""From raw pairs to a simple graph: what is dropped, and where the first offence is.

Pairs are packed into single 64-bit keys, so that one sort of plain integers orders the edges: ten million
edges take about two seconds and no Python object per edge.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DIRECTED",
    "DUPLICATE",
    "MAX_NODES",
    "SELF_LOOP",
    "Dropped",
    "adjacency",
    "first_offence",
    "simplify",
]

MAX_NODES = 2**31 - 1  # node numbers are stored in 32 bits

SELF_LOOP = "self-loops"
DUPLICATE = "duplicates"
DIRECTED = "directed duplicates"

Dropped = dict[str, int]


def simplify(pairs: NDArray[np.int64]) -> tuple[NDArray[np.int64], Dropped]:
    """Return the distinct edges as sorted packed keys, and how many pairs of each kind were in excess.

    A pair seen again the same way round is a duplicate; seen the other way round, a directed duplicate.

    >>> keys, dropped = simplify(np.array([(0, 1), (0, 1), (1, 0), (2, 2)]))
    >>> len(keys), dropped
    (1, {'self-loops': 1, 'duplicates': 1, 'directed duplicates': 1})
    """
    loops = pairs[:, 0] == pairs[:, 1]
    looping = int(np.count_nonzero(loops))
    proper = pairs[~loops] if looping else pairs
    keys = _keys(proper)
    keys.sort()
    again = keys[1:] == keys[:-1]
    excess = int(np.count_nonzero(again))
    dropped = {SELF_LOOP: looping} if looping else {}
    if excess:
        arcs = (proper[:, 0] << 32) | proper[:, 1]
        arcs.sort()
        duplicates = int(np.count_nonzero(arcs[1:] == arcs[:-1]))
        counts = {DUPLICATE: duplicates, DIRECTED: excess - duplicates}
        dropped |= {kind: count for kind, count in counts.items() if count}
        keys = keys[np.concatenate(([True], ~again))]
    return keys, dropped


def adjacency(keys: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the compressed sparse rows of the edges that `simplify` packed."""
    low, high = keys >> 32, keys & 0xFFFFFFFF
    degrees = np.bincount(low, minlength=n) + np.bincount(high, minlength=n)
    indptr = np.concatenate((np.zeros(1, np.int64), np.cumsum(degrees)))
    arcs = np.concatenate((keys, (high << 32) | low))
    arcs.sort()
    return indptr, (arcs & 0xFFFFFFFF).astype(np.int32)


def first_offence(pairs: NDArray[np.int64]) -> tuple[int, str]:
    """Return the first row that keeps the pairs from being a simple graph, and what it is.

    >>> first_offence(np.array([(0, 1), (1, 2), (1, 0)]))
    (2, 'directed duplicates')
    """
    keys = _keys(pairs)
    order = np.argsort(keys, kind="stable")
    again = order[1:][keys[order[1:]] == keys[order[:-1]]]
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    row = int(min(np.min(again, initial=len(pairs)), np.min(loops, initial=len(pairs))))
    if pairs[row, 0] == pairs[row, 1]:
        return row, SELF_LOOP
    before = np.all(pairs[:row] == pairs[row], axis=1)
    return row, DUPLICATE if before.any() else DIRECTED


def _keys(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pack each pair, smaller number first, into one integer."""
    return (np.minimum(pairs[:, 0], pairs[:, 1]) << 32) | np.maximum(pairs[:, 0], pairs[:, 1])
