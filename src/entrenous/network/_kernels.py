"""Compiled loops of the network mechanisms: slots, expectations of the model, triangles, the drawn graph."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]

# The smallest weight a slot can have, relative to the largest: e^-14. Together with the scale below, every weight is
# a whole number above 3e9, so that rounding changes a ratio of two weights by less than a billionth.
LOWEST = -14.0
SCALE = 2.0**52
PAIRINGS = 20  # rounds of pairing missing ends; what is left then are ends that only fit together twice


@njit(cache=True)
def slot_weights(counts: Array, expected: Array, epsilon: float, weights: Array) -> Any:
    """Fill in whole-number weights proportional to exp(epsilon (count - expected)), and return their sum."""
    highest = -np.inf
    for c in range(len(counts)):
        highest = max(highest, epsilon * (counts[c] - expected[c]))
    total = np.uint64(0)
    for c in range(len(counts)):
        exponent = max(epsilon * (counts[c] - expected[c]) - highest, LOWEST)
        weights[c] = np.uint64(math.exp(exponent) * SCALE)
        total += weights[c]
    return total


@njit(cache=True)
def draw_by_words(weights: Array, total: int, words: Array, used: int) -> tuple[int, int]:
    """Draw an index in exact proportion to whole-number weights; return it, or -1 without words, and the words used."""
    top = np.uint64(0xFFFFFFFFFFFFFFFF)
    surplus = (top % total + np.uint64(1)) % total  # 2^64 modulo total: words above top - surplus are redrawn
    while used < len(words) and words[used] > top - surplus:
        used += 1
    if used == len(words):
        return -1, used
    remainder = words[used] % total
    c = 0
    while remainder >= weights[c]:
        remainder -= weights[c]
        c += 1
    return c, used + 1


@njit(cache=True)
def assign_slots(
    order: Array,
    indptr: Array,
    indices: Array,
    volume: Array,
    epsilon: float,
    resolution: float,
    slots: int,
    words: Array,
) -> tuple[Array, int]:
    """Draw the slot of every node in order, each edge counting for its later endpoint only.

    Exact: the probabilities are ratios of whole numbers, drawn by rejection from random 64-bit words.
    Returns the slots and how many words were used, or 0 when the words ran out.
    """
    n = len(order)
    slot = np.full(n, -1, np.int32)
    placed = np.zeros(slots)  # noisy volume in each slot so far
    counts = np.zeros(slots)
    expected = np.zeros(slots)
    weights = np.zeros(slots, np.uint64)
    total_volume = volume.sum()
    used = 0
    for v in order:
        counts[:] = 0.0
        for k in range(indptr[v], indptr[v + 1]):
            if slot[indices[k]] >= 0:
                counts[slot[indices[k]]] += 1.0
        for c in range(slots):
            expected[c] = resolution * volume[v] * placed[c] / total_volume
        total = slot_weights(counts, expected, epsilon, weights)
        c, used = draw_by_words(weights, total, words, used)
        if c < 0:
            return slot, 0
        slot[v] = c
        placed[c] += volume[v]
    return slot, used


@njit(cache=True)
def cell_counts(indptr: Array, indices: Array, group: Array, groups: int) -> Array:
    """Count the edges between every two groups: entry (c, d), c <= d, of an upper triangle."""
    counts = np.zeros((groups, groups), np.int64)
    for u in range(len(indptr) - 1):
        for k in range(indptr[u], indptr[u + 1]):
            if indices[k] > u:
                c = min(group[u], group[indices[k]])
                d = max(group[u], group[indices[k]])
                counts[c, d] += 1
    return counts


@njit(cache=True)
def expectations(propensity: Array, size: Array, group: Array, affinity: Array) -> tuple[Array, Array]:
    """Return the expected degree of a node of each class, and the expected edges of each cell (upper triangle)."""
    classes = len(size)
    degree = np.zeros(classes)
    cell = np.zeros(affinity.shape)
    for a in range(classes):
        for b in range(a, classes):
            odds = propensity[a] * propensity[b] * affinity[group[a], group[b]]
            p = odds / (1.0 + odds)
            if a == b:
                degree[a] += p * (size[a] - 1.0)
                pairs = size[a] * (size[a] - 1.0) / 2.0
            else:
                degree[a] += p * size[b]
                degree[b] += p * size[a]
                pairs = size[a] * size[b]
            cell[min(group[a], group[b]), max(group[a], group[b])] += p * pairs
    return degree, cell


@njit(cache=True)
def log_no_edge(propensity: Array, size: Array, group: Array, affinity: Array) -> float:
    """Return minus the log-probability that the model draws no edge at all: the sum of ln(1 + odds) over pairs."""
    total = 0.0
    for a in range(len(size)):
        for b in range(a, len(size)):
            odds = propensity[a] * propensity[b] * affinity[group[a], group[b]]
            pairs = size[a] * (size[a] - 1.0) / 2.0 if a == b else size[a] * size[b]
            total += pairs * math.log1p(odds)
    return total


@njit(cache=True)
def blur(values: Array, ratio: float) -> Array:
    """Convolve with the two-sided geometric law (1 - ratio) / (1 + ratio) ratio^|k|, in linear time."""
    n = len(values)
    out = np.empty(n)
    tail = 0.0
    for i in range(n):
        tail = tail * ratio + values[i]
        out[i] = tail
    tail = 0.0
    for i in range(n - 1, -1, -1):
        out[i] = (out[i] + tail) * (1.0 - ratio) / (1.0 + ratio)
        tail = (tail + values[i]) * ratio
    return out


@njit(cache=True)
def tail_factors(nodes: Array, tails: Array, variance: float, reach: float) -> Array:
    """Return by which factors to change the expected nodes of each degree, so that their tails agree with noisy ones.

    Least squares. Noisy tails scatter around true ones with the given variance. True counts scatter around `nodes`,
    with that variance (Poisson), but no further than `reach`: a tail is off by the nodes within reach of its degree,
    which is as far as a noisy degree leads astray. In the tails themselves, of which the first is all nodes and the
    one after the last none, the equations are tridiagonal (Thomas algorithm).
    """
    degrees = len(nodes)
    expected = np.cumsum(nodes[::-1])[::-1]
    slope, level = np.zeros(degrees + 1), np.zeros(degrees + 1)
    level[0] = expected[0]
    for k in range(1, degrees):
        below, above = 1.0 / nodes[k - 1], 1.0 / nodes[k]
        astray = (below + above) / (2.0 * reach**2)
        pivot = below + above + astray + 1.0 / variance - below * slope[k - 1]
        slope[k] = above / pivot
        level[k] = (tails[k - 1] / variance + expected[k] * astray + below * level[k - 1]) / pivot
    solved = np.zeros(degrees + 1)
    for k in range(degrees - 1, -1, -1):
        solved[k] = level[k] + slope[k] * solved[k + 1]
    return (solved[:-1] - solved[1:]) / nodes


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
def edge_table(edges: Array, n: int) -> Array:
    """Return a hash table of the edges with room for as many more."""
    size = 16
    while size < 4 * len(edges):
        size *= 2
    table = np.zeros(size, np.uint64)
    for i in range(len(edges)):
        key = _key(edges[i, 0], edges[i, 1], n)
        table[_place_of(table, key)] = key
    return table


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
    movable = np.empty(len(edges), np.int64)
    count = 0
    for i in range(len(edges)):
        u, v = edges[i, 0], edges[i, 1]
        if (degree[u] > target[u] and free[group[u]] > start[group[u]]) or (
            degree[v] > target[v] and free[group[v]] > start[group[v]]
        ):
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
def _towards_hubs(indptr: Array, indices: Array) -> tuple[Array, Array]:
    """Return, for each node, the neighbours of higher degree (ties by number): never more than sqrt(2 m)."""
    n = len(indptr) - 1
    start = np.zeros(n + 1, np.int64)
    kept = np.empty(len(indices) // 2, np.int32)
    count = 0
    for u in range(n):
        degree = indptr[u + 1] - indptr[u]
        for k in range(indptr[u], indptr[u + 1]):
            v = indices[k]
            other = indptr[v + 1] - indptr[v]
            if other > degree or (other == degree and v > u):
                kept[count] = v
                count += 1
        start[u + 1] = count
    return start, kept


@njit(cache=True)
def owned_triangles(indptr: Array, indices: Array, label: Array, classes: int) -> Array:
    """Count the triangles of each class: a triangle belongs to the lowest label among its corners."""
    counts = np.zeros(classes, np.int64)
    start, up = _towards_hubs(indptr, indices)
    n = len(indptr) - 1
    seen = np.full(n, -1, np.int32)
    for u in range(n):
        for k in range(start[u], start[u + 1]):
            seen[up[k]] = u
        for k in range(start[u], start[u + 1]):
            v = up[k]
            lower = min(label[u], label[v])
            for j in range(start[v], start[v + 1]):
                if seen[up[j]] == u:
                    counts[min(lower, label[up[j]])] += 1
    return counts


@njit(cache=True)
def _above(indptr: Array, indices: Array, floor: int) -> tuple[Array, Array]:
    """Return, for each node, the neighbours that have more neighbours than the floor."""
    n = len(indptr) - 1
    start = np.zeros(n + 1, np.int64)
    kept = np.empty(len(indices), np.int32)
    count = 0
    for u in range(n):
        for k in range(indptr[u], indptr[u + 1]):
            v = indices[k]
            if indptr[v + 1] - indptr[v] > floor:
                kept[count] = v
                count += 1
        start[u + 1] = count
    return start, kept[:count]


@njit(cache=True)
def triangle_leverage(indptr: Array, indices: Array, label: Array, least: Array) -> Array:
    """Return the most triangles of each class that any one tie, present or not, closes or would close.

    At least `least`: two nodes have no more common neighbours than either has neighbours, so only pairs of nodes with
    more neighbours than the smallest of `least` are looked at.
    """
    n, classes = len(indptr) - 1, len(least)
    leverage = least.copy()
    start, high = _above(indptr, indices, least.min())
    closed = np.zeros((n, classes), np.int32)  # by class, for pairs of u with any other node
    met, last = np.empty(n, np.int32), np.full(n, -1, np.int32)
    for u in range(n):
        if indptr[u + 1] - indptr[u] <= least.min():
            continue
        count = 0
        for k in range(indptr[u], indptr[u + 1]):
            w = indices[k]
            lower = min(label[u], label[w])
            for j in range(start[w], start[w + 1]):
                v = high[j]
                if v >= u:  # rows are sorted
                    break
                if last[v] != u:
                    last[v] = u
                    met[count] = v
                    count += 1
                closed[v, min(lower, label[v])] += 1
        for v in met[:count]:
            for c in range(classes):
                leverage[c] = max(leverage[c], closed[v, c])
                closed[v, c] = 0
    return leverage


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
