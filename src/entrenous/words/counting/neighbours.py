"""What the neighbours of an edge carry, over all edges and n-grams, without ever listing the pairs.

Nearly all pairs of an edge and an n-gram are empty, with empty neighbours. The others are found from the rows of the
table alone; the rest follows by subtraction, so that the counts are exact where a sample of edges would miss the tails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from entrenous.words.counting.neighbourhood import neighbourhood_sizes
from entrenous.words.counting.table import NeighbourCounts, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from entrenous.words.counting._kernels import Neighbourhoods

__all__ = ["neighbour_counts"]


def neighbour_counts(table: Table) -> NeighbourCounts:
    """Count how many neighbours carry an n-gram, over all edges of a table and all n-grams that occur in it.

    Examples
    --------
    >>> table = Table.from_counts([{"a": 1}, {"a": 1}, {"b": 1}], ends=[(0, 1), (1, 2), (2, 3)])
    >>> counts = neighbour_counts(table)
    >>> int(counts.pairs.sum()), int((counts.pairs * counts.neighbours).sum())
    (6, 4)
    """
    from entrenous.words.counting._kernels import holders_by_ngram, neighbour_tally

    support = table.support()
    starts = np.concatenate([[0], np.cumsum(support)])
    holders = holders_by_ngram(table.offsets, table.ngram, starts)
    sizes, kind = np.unique(neighbourhood_sizes(table.ends), return_inverse=True)
    first = np.concatenate([[0], np.cumsum(sizes + 2)])  # one slot more, for what is added and taken back
    graph = _neighbourhoods(table.ends, first[kind])
    edges = np.bincount(kind, minlength=len(sizes))
    bucket = _log10(support)
    found = []
    for number in range(int(bucket.max(initial=-1)) + 1):
        ngrams = np.flatnonzero(bucket == number)
        zero, one = neighbour_tally(graph, ngrams, starts, holders, int(first[-1]))
        zero[first[:-1]] += edges * len(ngrams) - np.add.reduceat(zero + one, first[:-1])
        for carried, tally in enumerate((zero, one)):
            places = np.flatnonzero(tally)
            size = np.searchsorted(first, places, side="right") - 1
            found.append((sizes[size], number, carried, places - first[size], tally[places]))
    return _joined(found)


def _log10(support: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return floor(log10(support)), -1 for 0, from comparisons of whole numbers."""
    bounds = 10 ** np.arange(19, dtype=np.int64)
    return np.searchsorted(bounds, support, side="right") - 1


def _neighbourhoods(ends: NDArray[np.int32], place: NDArray[np.int64]) -> Neighbourhoods:
    from entrenous.words.counting._kernels import Neighbourhoods

    u, v = np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])
    degree = np.bincount(ends.ravel())
    upward = (degree[u] < degree[v]) | ((degree[u] == degree[v]) & (u < v))
    tails, heads = np.where(upward, u, v), np.where(upward, v, u)
    order = np.argsort(tails, kind="stable").astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=len(degree)))])
    person = np.concatenate([[0], np.cumsum(degree + 1)])
    return Neighbourhoods(u, v, degree, place, person, starts, heads[order], order)


def _joined(
    found: list[tuple[NDArray[np.int64], int, int, NDArray[np.int64], NDArray[np.int64]]],
) -> NeighbourCounts:
    if not found:
        found = [(np.zeros(0, np.int64), 0, 0, np.zeros(0, np.int64), np.zeros(0, np.int64))]
    lengths = [len(pairs) for *_, pairs in found]
    return NeighbourCounts(
        size=np.concatenate([sizes for sizes, *_ in found]).astype(np.int32),
        frequency_bucket=np.repeat([bucket for _, bucket, *_ in found], lengths).astype(np.int8),
        carried=np.repeat([carried for _, _, carried, *_ in found], lengths).astype(np.int8),
        neighbours=np.concatenate([neighbours for *_, neighbours, _ in found]).astype(np.int32),
        pairs=np.concatenate([pairs for *_, pairs in found]),
    )
