"""From raw pairs to a simple graph: what is dropped, and where the first offence is.

Pairs are packed into single 64-bit keys, so that one sort of plain integers orders the edges: ten million
edges take about two seconds and no Python object per edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DIRECTED",
    "DUPLICATE",
    "MAX_NODES",
    "SELF_LOOP",
    "Dropped",
    "adjacency",
    "arcs",
    "chunks",
    "first_offence",
    "packed",
    "simplify",
]

MAX_NODES = 2**31 - 1  # node numbers are stored in 32 bits

SELF_LOOP = "self-loops"
DUPLICATE = "duplicates"
DIRECTED = "directed duplicates"

Dropped = dict[str, int]
Pairs = NDArray[np.signedinteger[Any]]

_LOW = 0xFFFFFFFF
_CHUNK = 1 << 20  # keys, arcs or rows worked on at once


def simplify(pairs: Pairs) -> tuple[NDArray[np.int64], Dropped]:
    """Return the distinct edges as sorted packed keys, and how many pairs of each kind were in excess.

    A pair seen again the same way round is a duplicate; seen the other way round, a directed duplicate.

    >>> keys, dropped = simplify(np.array([(0, 1), (0, 1), (1, 0), (2, 2)]))
    >>> len(keys), dropped
    (1, {'self-loops': 1, 'duplicates': 1, 'directed duplicates': 1})
    """
    loops = pairs[:, 0] == pairs[:, 1]
    looping = int(np.count_nonzero(loops))
    proper = pairs[~loops] if looping else pairs
    keys = packed(proper, undirected=True)
    keys.sort()
    again = keys[1:] == keys[:-1]
    excess = int(np.count_nonzero(again))
    dropped = {SELF_LOOP: looping} if looping else {}
    if excess:
        # Only files with something in excess pay for the second sort, which tells the two kinds apart.
        arcs = packed(proper, undirected=False)
        arcs.sort()
        duplicates = int(np.count_nonzero(arcs[1:] == arcs[:-1]))
        counts = {DUPLICATE: duplicates, DIRECTED: excess - duplicates}
        dropped |= {kind: count for kind, count in counts.items() if count}
        keys = keys[np.concatenate(([True], ~again))]
    return keys, dropped


def adjacency(keys: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the compressed sparse rows of the edges that `simplify` packed.

    A row holds first the lower neighbours, then the higher ones. The higher ones of all rows stand in `keys` one
    after another, the lower ones in the same keys turned round and sorted, so both are only moved apart.
    """
    rows = np.arange(n + 1, dtype=np.int64) << 32
    turned = np.empty_like(keys)
    for part in chunks(len(keys)):
        turned[part] = ((keys[part] & _LOW) << 32) | (keys[part] >> 32)
    turned.sort()
    higher, lower = np.searchsorted(keys, rows), np.searchsorted(turned, rows)
    indices = np.empty(2 * len(keys), np.int32)
    for part in chunks(len(keys)):
        place = np.arange(part.start, part.stop)
        # The k-th lower neighbour of all comes after all higher ones of the rows before its own.
        indices[place + higher[turned[part] >> 32]] = turned[part] & _LOW
        indices[place + lower[(keys[part] >> 32) + 1]] = keys[part] & _LOW
    return higher + lower, indices


def arcs(
    indptr: NDArray[np.int64], indices: NDArray[np.int32]
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Yield both ends of all arcs in the order of the rows, some whole rows at a time: the nodes, their neighbours.

    >>> [(node.tolist(), row.tolist()) for node, row in arcs(np.array([0, 1, 2]), np.array([1, 0]))]
    [([0, 1], [1, 0])]
    """
    first, n = 0, len(indptr) - 1
    while first < n:
        # At least one whole row, even one longer than a chunk; and not too many empty ones.
        full = int(np.searchsorted(indptr, indptr[first] + _CHUNK, side="right")) - 1
        last = min(max(full, first + 1), first + _CHUNK, n)
        degrees = np.diff(indptr[first : last + 1])
        node = np.repeat(np.arange(first, last, dtype=np.int32), degrees)
        yield node, indices[indptr[first] : indptr[last]]
        first = last


def first_offence(pairs: Pairs) -> tuple[int, str]:
    """Return the first row that keeps the pairs from being a simple graph, and what it is.

    >>> first_offence(np.array([(0, 1), (1, 2), (1, 0)]))
    (2, 'directed duplicates')
    """
    keys = packed(pairs, undirected=True)
    # Stable: of equal edges the first in the file stays first, and the second is the offence.
    order = np.argsort(keys, kind="stable")
    again = order[1:][keys[order[1:]] == keys[order[:-1]]]
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    row = int(min(np.min(again, initial=len(pairs)), np.min(loops, initial=len(pairs))))
    if pairs[row, 0] == pairs[row, 1]:
        return row, SELF_LOOP
    before = np.all(pairs[:row] == pairs[row], axis=1)
    return row, DUPLICATE if before.any() else DIRECTED


def packed(pairs: Pairs, *, undirected: bool) -> NDArray[np.int64]:
    """Pack each pair, smaller number first if it has no direction, into one integer.

    >>> packed(np.array([(5, 1)]), undirected=True).item() == (1 << 32) + 5
    True
    """
    keys = np.empty(len(pairs), np.int64)
    for part in chunks(len(pairs)):
        first, second = pairs[part, 0].astype(np.int64), pairs[part, 1].astype(np.int64)
        if undirected:
            first, second = np.minimum(first, second), np.maximum(first, second)
        keys[part] = (first << 32) | second
    return keys


def chunks(count: int) -> Iterator[slice]:
    """Cut a long array into parts, so that what is worked out on the way stays small.

    >>> list(chunks(3))
    [slice(0, 3, None)]
    """
    for start in range(0, count, _CHUNK):
        yield slice(start, min(start + _CHUNK, count))
