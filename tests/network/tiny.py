"""Tiny graphs: all of them, and all pairs that differ in one edge."""

from __future__ import annotations

import itertools
from functools import cache

from entrenous.graph import Graph


def pairs(n: int) -> list[tuple[int, int]]:
    """The pairs of n nodes, in the order of the bits by which graphs are numbered."""
    return list(itertools.combinations(range(n), 2))


@cache
def graphs(n: int) -> tuple[Graph, ...]:
    """All graphs on n nodes; bit k of a graph's number says whether it has the k-th pair."""
    chosen = (
        [pair for bit, pair in enumerate(pairs(n)) if number >> bit & 1]
        for number in range(2 ** len(pairs(n)))
    )
    return tuple(Graph.from_edges(edges, n=n) for edges in chosen)


@cache
def neighbours(n: int) -> tuple[tuple[int, int], ...]:
    """The numbers of all pairs of graphs that differ in one edge, the one without it first."""
    return tuple(
        (number, number | 1 << bit)
        for number in range(len(graphs(n)))
        for bit in range(len(pairs(n)))
        if not number >> bit & 1
    )
