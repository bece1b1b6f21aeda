"""Compiled loops over compressed sparse rows: searches, sums over neighbours, triangles and wedges."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "WORDS",
    "closed_wedges",
    "component_labels",
    "neighbour_sums",
    "path_counts",
    "rising_arcs",
    "triangle_counts",
]

WORDS = 8  # 64-bit words of sources per search: 512 sources share one pass over the edges
BLOCK = 256  # nodes in a row that one share of the triangles takes


@njit(cache=True, nogil=True)
def _ones(word: np.uint64) -> np.int64:
    """Return how many bits of a word are set."""
    # Sums of two, four and eight bits side by side; the product adds the eight bytes into the highest.
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, nogil=True)
def _start(
    sources: NDArray[np.int64],
    seen: NDArray[np.uint64],
    every: NDArray[np.uint64],
    fresh: NDArray[np.bool_],
    counts: NDArray[np.int64],
) -> None:
    """Give every source a bit of its group's word, and count it at distance 0 of itself."""
    for group in range(len(sources)):
        for place in range(sources.shape[1]):
            source = sources[group, place]
            if source >= 0:
                bit = np.uint64(1) << np.uint64(place)
                seen[source, group] |= bit
                every[group] |= bit
                counts[group, 0] += 1
                fresh[source] = True


@njit(cache=True, nogil=True)
def path_counts(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], sources: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the nodes at each distance from up to WORDS groups of up to 64 sources, group by group; -1 is no source.

    A bit of a node's words tells whether one source has reached it. A round gives each node the bits of its
    neighbours; those that are new are one step further away (Then et al., "The more the merrier: efficient
    multi-source graph traversal", VLDB 2014).
    """
    n = len(indptr) - 1
    seen = np.zeros((n, WORDS), np.uint64)
    every = np.zeros(WORDS, np.uint64)
    counts = np.zeros((WORDS, 64), np.int64)
    # Whether a node is on the frontier: a byte that stays in the cache saves a look at words that do not.
    fresh = np.zeros(n, np.bool_)
    fresher = np.zeros(n, np.bool_)
    _start(sources, seen, every, fresh, counts)
    frontier = seen.copy()
    following = np.zeros((n, WORDS), np.uint64)
    distance = 0
    found = True
    reached = np.zeros(WORDS, np.uint64)
    while found:
        found = False
        distance += 1
        if distance == counts.shape[1]:
            longer = np.zeros((WORDS, 2 * distance), np.int64)
            longer[:, :distance] = counts
            counts = longer
        for v in range(n):
            missing = np.uint64(0)
            for k in range(WORDS):
                reached[k] = np.uint64(0)
                missing |= every[k] & ~seen[v, k]
            fresher[v] = False
            # Every source has been here: in the last rounds that is most nodes.
            if missing == 0:
                continue
            for place in range(indptr[v], indptr[v + 1]):
                u = indices[place]
                if fresh[u]:
                    for k in range(WORDS):
                        reached[k] |= frontier[u, k]
            for k in range(WORDS):
                # `seen` may change at once: this round reads the frontier of the last one, not `seen`.
                new = reached[k] & ~seen[v, k]
                following[v, k] = new
                if new != 0:
                    fresher[v] = True
                    seen[v, k] |= new
                    counts[k, distance] += _ones(new)
            found |= fresher[v]
        # Neither is cleared: words left over at nodes that were passed over are never read, since they are not fresh.
        frontier, following = following, frontier
        fresh, fresher = fresher, fresh
    return counts[:, :distance]


@njit(cache=True, nogil=True)
def component_labels(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return for each node the number of its connected component, in the order of their first nodes."""
    n = len(indptr) - 1
    label = np.full(n, -1, np.int32)
    queue = np.empty(n, np.int32)
    components = 0
    for start in range(n):
        if label[start] >= 0:
            continue
        label[start] = components
        queue[0], head, tail = start, 0, 1
        while head < tail:
            node = queue[head]
            head += 1
            for place in range(indptr[node], indptr[node + 1]):
                other = indices[place]
                if label[other] < 0:
                    label[other] = components
                    queue[tail] = other
                    tail += 1
        components += 1
    return label


@njit(cache=True, nogil=True)
def neighbour_sums(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], values: NDArray[np.float64], first: int, last: int
) -> NDArray[np.float64]:
    """Add up the values of the neighbours of each node from the first to before the last: rows of a product."""
    sums = np.zeros(last - first)
    for node in range(first, last):
        # A row is summed within one share, in its own order: however rows are cut, the sum has the same bits.
        total = 0.0
        for place in range(indptr[node], indptr[node + 1]):
            total += values[indices[place]]
        sums[node - first] = total
    return sums


@njit(cache=True, nogil=True)
def rising_arcs(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], order: NDArray[np.int64], rank: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the rows of the edges, with nodes numbered by their rank, that point to the higher rank.

    With ranks by degree no node has more than sqrt(2m) arcs out, and each triangle has one lowest node (Chiba,
    Nishizeki 1985); the nodes that are looked at most stand together.
    """
    n = len(indptr) - 1
    starts = np.zeros(n + 1, np.int64)
    # Every edge points upwards exactly once.
    heads = np.empty(len(indices) // 2, np.int32)
    filled = 0
    for place in range(n):
        u = order[place]
        for arc in range(indptr[u], indptr[u + 1]):
            if rank[indices[arc]] > place:
                heads[filled] = rank[indices[arc]]
                filled += 1
        starts[place + 1] = filled
    return starts, heads


@njit(cache=True, nogil=True)
def triangle_counts(
    starts: NDArray[np.int64], heads: NDArray[np.int32], share: int, shares: int
) -> NDArray[np.int64]:
    """Count the triangles through each node whose lowest node is in one share of them: every so-many-th block."""
    n = len(starts) - 1
    triangles = np.zeros(n, np.int64)
    mark = np.full(n, -1, np.int32)
    # Nodes of high degree stand at the end: blocks dealt out in turn give every share as much work.
    for block in range(share * BLOCK, n, shares * BLOCK):
        for u in range(block, min(block + BLOCK, n)):
            for place in range(starts[u], starts[u + 1]):
                # Marked with u itself, so that nothing has to be wiped before the next node.
                mark[heads[place]] = u
            for place in range(starts[u], starts[u + 1]):
                v = heads[place]
                for step in range(starts[v], starts[v + 1]):
                    w = heads[step]
                    if mark[w] == u:
                        triangles[u] += 1
                        triangles[v] += 1
                        triangles[w] += 1
    return triangles


@njit(cache=True, nogil=True)
def closed_wedges(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    centers: NDArray[np.int64],
    rng: np.random.Generator,
) -> int:
    """Draw two neighbours of each center and count how often they are linked; below two there are none."""
    closed = 0
    for center in centers:
        start = indptr[center]
        degree = indptr[center + 1] - start
        if degree < 2:
            continue
        first = int(rng.random() * degree)
        second = int(rng.random() * (degree - 1))
        # Skipping the first makes all pairs of different neighbours equally likely.
        if second >= first:
            second += 1
        u, v = indices[start + first], indices[start + second]
        # The shorter of both rows is searched.
        if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
            u, v = v, u
        low, high = indptr[u], indptr[u + 1]
        while low < high:
            middle = (low + high) >> 1
            if indices[middle] < v:
                low = middle + 1
            else:
                high = middle
        if low < indptr[u + 1] and indices[low] == v:
            closed += 1
    return closed
