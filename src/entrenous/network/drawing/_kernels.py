"""Compiled loops of the drawn graph: edges looked up by hash, ends moved and paired, teams."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]
PAIRINGS = 20  # rounds of pairing missing ends; what is left then are ends that only fit together twice


@njit(cache=True)
def _place_of(table: Array, key: Any) -> Any:
    """Return where a key stands in an open-addressing table, or where it would go."""
    mask = np.uint64(len(table) - 1)
    place = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(17) & mask
    while table[place] != 0 and table[place] != key:
        place = (place + np.uint64(1)) & mask
    return place


@njit(cache=True)
def _key(u: int, v: int, n: int) -> Any:
    return np.uint64(min(u, v)) * np.uint64(n) + np.uint64(max(u, v)) + np.uint64(1)


@njit(cache=True)
def edge_table(edges: Array, n: int, room: int) -> Array:
    """Return a hash table of the edges that `room` edges in all fill to a quarter at most, so that it stays fast."""
    size = 16
    while size < 4 * room:
        size *= 2
    table = np.zeros(size, np.uint64)
    enter_edges(table, edges, n)
    return table


@njit(cache=True)
def enter_edges(table: Array, edges: Array, n: int) -> Array:
    """Put edges into a hash table, and return which of them were not there before."""
    new = np.empty(len(edges), np.bool_)
    for i in range(len(edges)):
        key = _key(edges[i, 0], edges[i, 1], n)
        place = _place_of(table, key)
        new[i] = table[place] != key
        table[place] = key
    return new


@njit(cache=True)
def settle_degrees(
    edges: Array,
    degree: Array,
    target: Array,
    group: Array,
    groups: int,
    table: Array,
    rng: np.random.Generator,
) -> int:
    """Move edge ends inside each group from nodes with too many edges to nodes with too few, in place.

    An edge that moves leaves its key in the table: it will not be drawn again, and the table has room for it. Edges
    of which neither node has too many now will not move later. Returns how many ends moved.
    """
    n = len(degree)
    start = np.zeros(groups + 1, np.int64)
    for v in range(n):
        start[group[v] + 1] += max(target[v] - degree[v], 0)
    start = np.cumsum(start)
    free = start[:-1].copy()  # the missing ends of group g are wanted[start[g]:free[g]]
    wanted = np.empty(start[groups], np.int32)
    for v in rng.permutation(n):
        for _ in range(target[v] - degree[v]):
            wanted[free[group[v]]] = v
            free[group[v]] += 1
    gives = np.empty(n, np.bool_)  # a byte for each node stays in the cache while all edges pass by
    for v in range(n):
        gives[v] = degree[v] > target[v] and free[group[v]] > start[group[v]]
    movable = np.empty(len(edges), np.int64)
    count = 0
    for i in range(len(edges)):
        if gives[edges[i, 0]] or gives[edges[i, 1]]:
            movable[count] = i
            count += 1
    moved = 0
    for i in rng.permutation(movable[:count]):
        for side in range(2):
            u, other = edges[i, side], edges[i, 1 - side]
            g = group[u]
            if degree[u] <= target[u] or free[g] == start[g] or 2 * moved >= len(edges):
                continue
            pick = start[g] + int(rng.random() * (free[g] - start[g]))
            x = wanted[pick]
            if x == other:
                continue
            key = _key(x, other, n)
            place = _place_of(table, key)
            if table[place] == key:
                continue
            table[place] = key
            edges[i, side] = x
            degree[u] -= 1
            degree[x] += 1
            free[g] -= 1
            wanted[pick] = wanted[free[g]]
            moved += 1
    return moved


@njit(cache=True)
def pair_up(missing: Array, table: Array, rng: np.random.Generator) -> Array:
    """Return new edges between nodes that miss some, as many as random pairing finds; their keys enter the table."""
    n = len(missing)
    ends = np.repeat(np.arange(n), missing)
    room = len(table) // 4  # the table stays sparse
    made = np.empty((min(len(ends) // 2, room), 2), np.int32)
    count = 0
    for _ in range(PAIRINGS):
        ends = rng.permutation(ends)
        left = 0
        for i in range(0, len(ends) - 1, 2):
            u, v = ends[i], ends[i + 1]
            key = _key(u, v, n)
            place = _place_of(table, key)
            if u == v or table[place] == key or count == len(made):
                ends[left], ends[left + 1] = u, v
                left += 2
            else:
                table[place] = key
                made[count, 0], made[count, 1] = u, v
                count += 1
        ends = ends[:left]
    return made[:count]


@njit(cache=True)
def adjacency(edges: Array, n: int) -> tuple[Array, Array]:
    """Return the neighbours of each node in compressed rows, unsorted."""
    indptr = np.zeros(n + 1, np.int64)
    for i in range(len(edges)):
        indptr[edges[i, 0] + 1] += 1
        indptr[edges[i, 1] + 1] += 1
    indptr = np.cumsum(indptr)
    free = indptr[:-1].copy()
    indices = np.empty(2 * len(edges), np.int32)
    for i in range(len(edges)):
        u, v = edges[i, 0], edges[i, 1]
        indices[free[u]], indices[free[v]] = v, u
        free[u] += 1
        free[v] += 1
    return indptr, indices


@njit(cache=True)
def team_bounds(slot: Array, size: Array) -> Array:
    """Cut a sorted list of members into teams of one slot, each about as large as its members wish on average."""
    bounds = [0]
    wished = 0.0
    for i in range(len(slot)):
        members = i - bounds[-1]
        if members and (slot[i] != slot[i - 1] or members >= wished / members + 0.5):
            bounds.append(i)
            wished = 0.0
        wished += size[i]
    bounds.append(len(slot))
    return np.array(bounds)


@njit(cache=True)
def team_ties(member: Array, bounds: Array, room: Array, rng: np.random.Generator) -> Array:
    """Tie all members of each team to each other; a node in several teams, or out of room, gets fewer ties.

    Takes from `room`. Pairs that meet twice are handed out twice: the caller drops one.
    """
    pairs = 0
    for t in range(len(bounds) - 1):
        pairs += (bounds[t + 1] - bounds[t]) * (bounds[t + 1] - bounds[t] - 1) // 2
    ties = np.empty((pairs, 2), np.int32)
    count = 0
    for t in rng.permutation(len(bounds) - 1):
        for i in range(bounds[t], bounds[t + 1]):
            for j in range(bounds[t], i):
                u, v = member[i], member[j]
                if u != v and room[u] > 0 and room[v] > 0:
                    room[u] -= 1
                    room[v] -= 1
                    ties[count, 0], ties[count, 1] = min(u, v), max(u, v)
                    count += 1
    return ties[:count]
