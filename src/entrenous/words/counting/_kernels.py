"""Compiled loops over tables of n-grams: rows put in order, and what the neighbours of an edge carry."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Neighbourhoods", "holders_by_ngram", "neighbour_tally", "scatter", "spread"]


class Neighbourhoods(NamedTuple):
    """The edges between persons, as the kernel needs them.

    Attributes
    ----------
    u, v
        The persons of each edge.
    degree
        The edges of each person.
    place
        Where the counts of an edge begin in the tally: edges with as many neighbours share them.
    person
        Where the counts of a person begin: one for each number of edges from 0 to its degree.
    starts, heads, edges
        The arcs from each person to persons of a higher degree (ties by number), and the edge of each.
    """

    u: NDArray[np.int32]
    v: NDArray[np.int32]
    degree: NDArray[np.int64]
    place: NDArray[np.int64]
    person: NDArray[np.int64]
    starts: NDArray[np.int64]
    heads: NDArray[np.int32]
    edges: NDArray[np.int32]


@njit(cache=True, nogil=True)
def scatter(
    bundle: NDArray[np.int32], key: NDArray[np.int64], place: NDArray[np.int64], keys: NDArray[np.int64]
) -> None:
    """Put each key at the next free place of its bundle."""
    for i in range(len(bundle)):
        keys[place[bundle[i]]] = key[i]
        place[bundle[i]] += 1


@njit(cache=True, nogil=True)
def spread(
    keys: NDArray[np.int64],
    starts: NDArray[np.int64],
    holders: NDArray[np.int64],
    offsets: NDArray[np.int64],
    ngrams: int,
    ngram: NDArray[np.int32],
    frequency: NDArray[np.int32],
) -> None:
    """Give some holders the rows of their bundles, from keys gram - frequency * ngrams that begin at `starts`."""
    for i in range(len(holders)):
        first, last = offsets[holders[i]], offsets[holders[i] + 1]
        for row in range(first, last):
            key = keys[starts[i] + row - first]
            times = -(key // ngrams)
            frequency[row] = times
            ngram[row] = key + times * ngrams


@njit(cache=True, nogil=True)
def holders_by_ngram(
    offsets: NDArray[np.int64], ngram: NDArray[np.int32], starts: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return the holders of each n-gram, one n-gram after the other; `starts` says where each begins."""
    place = starts[:-1].copy()
    holders = np.empty(len(ngram), np.int32)
    for holder in range(len(offsets) - 1):
        for row in range(offsets[holder], offsets[holder + 1]):
            holders[place[ngram[row]]] = holder
            place[ngram[row]] += 1
    return holders


@njit(cache=True, nogil=True)
def neighbour_tally(
    graph: Neighbourhoods,
    ngrams: NDArray[np.int64],
    starts: NDArray[np.int64],
    holders: NDArray[np.int32],
    total: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count pairs of an edge and one of the n-grams by how many neighbours carry it: bit 0, and bit 1.

    With c[u] edges at u that carry the n-gram, c[u] + c[v] - 2 x neighbours of uv carry it. Edges with one end among
    the carriers see c of that end: noted per person, spread over all edges of the person in the end, and taken back
    for the edges whose ends both carry it. Those are found along the arcs to higher degrees, so that hubs, which
    carry everything, have few. Pairs with no neighbour and bit 0 are left to the caller.
    """
    zero, one = np.zeros(total, np.int64), np.zeros(total, np.int64)
    seen = np.zeros(graph.person[-1], np.int64)
    c = np.zeros(len(graph.degree), np.int64)
    carriers = np.empty(len(graph.degree), np.int32)
    stamp = np.full(len(graph.u), -1, np.int64)
    for a in ngrams:
        found = 0
        for row in range(starts[a], starts[a + 1]):
            edge = holders[row]
            stamp[edge] = a
            for p in (graph.u[edge], graph.v[edge]):
                if c[p] == 0:
                    carriers[found] = p
                    found += 1
                c[p] += 1
        for row in range(starts[a], starts[a + 1]):
            edge = holders[row]
            at_u, at_v, place = c[graph.u[edge]], c[graph.v[edge]], graph.place[edge]
            one[place + at_u + at_v - 2] += 1
            zero[place + at_u] -= 1
            zero[place + at_v] -= 1
        for i in range(found):
            p = carriers[i]
            at_p = c[p]
            seen[graph.person[p] + at_p] += 1
            for arc in range(graph.starts[p], graph.starts[p + 1]):
                at_q = c[graph.heads[arc]]
                if at_q > 0 and stamp[graph.edges[arc]] != a:
                    place = graph.place[graph.edges[arc]]
                    zero[place + at_p + at_q] += 1
                    zero[place + at_p] -= 1
                    zero[place + at_q] -= 1
        for i in range(found):
            c[carriers[i]] = 0
    for edge in range(len(graph.u)):
        for p in (graph.u[edge], graph.v[edge]):
            for k in range(1, graph.degree[p] + 1):
                zero[graph.place[edge] + k] += seen[graph.person[p] + k]
    return zero, one
