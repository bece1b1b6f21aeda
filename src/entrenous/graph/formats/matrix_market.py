"""Matrix Market: the coordinates of a square matrix; values are ignored, every entry is an edge.

Reference: Boisvert, Pozo, Remington, "The Matrix Market exchange formats: initial design", NISTIR 5935, 1996.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entrenous.graph.formats.format import Format
from entrenous.graph.formats.listing import Listing, Source, is_number, refuse_absurd_size
from entrenous.graph.structure import Graph

__all__ = ["MATRIX_MARKET", "parse", "render"]

_BANNER = "%%MatrixMarket"
_COLUMNS = {"pattern": 2, "integer": 3, "real": 3, "double": 3}
_SYMMETRIES = ("general", "symmetric")


def parse(source: Source) -> Listing:
    """Return the entries of a matrix as edges; it has as many nodes as rows, and no names."""
    lines = source.text().split("\n")
    columns = _banner(source, lines[0])
    size = next(
        (place for place, line in enumerate(lines) if line.strip() and not line.startswith("%")), len(lines)
    )
    n, entries = _size(source, lines[size] if size < len(lines) else "", size + 1)
    places = [place for place in range(size + 1, len(lines)) if lines[place].strip()]
    if len(places) != entries:
        raise source.error(f"expected {entries} entries; got {len(places)}", size + 1)
    refuse_absurd_size(source, n, entries, size + 1)
    pairs = _entries(source, lines, places, columns, n)
    return Listing(pairs - 1, n, None, True, lambda row: places[row] + 1, positional=True)


def render(graph: Graph, comment: str | None = None) -> list[bytes]:
    """Return the lower triangle of the adjacency matrix; write the names with `write_nodes`."""
    edges = (graph.edges() + 1).tolist()
    rows = "".join(f"{v} {u}\n" for u, v in edges)
    head = f"{_BANNER} matrix coordinate pattern symmetric\n"
    line = "" if comment is None else f"% {comment}\n"
    return [f"{head}{line}{graph.n} {graph.n} {graph.m}\n{rows}".encode()]


def _banner(source: Source, line: str) -> int:
    """Return how many columns an entry has."""
    words = line.lower().split()
    if len(words) != 5 or words[:3] != ["%%matrixmarket", "matrix", "coordinate"]:
        raise source.error("expected '%%MatrixMarket matrix coordinate ...'; got another first line", 1)
    if words[3] not in _COLUMNS or words[4] not in _SYMMETRIES:
        raise source.error("expected pattern, integer or real, and symmetric or general; got another kind", 1)
    return _COLUMNS[words[3]]


def _size(source: Source, line: str, number: int) -> tuple[int, int]:
    words = line.split()
    if len(words) != 3 or not all(is_number(word) for word in words):
        raise source.error("expected the numbers of rows, columns and entries; got something else", number)
    rows, columns, entries = map(int, words)
    if rows != columns:
        raise source.error(f"expected a square matrix; got {rows} rows and {columns} columns", number)
    return rows, entries


def _entries(source: Source, lines: list[str], places: list[int], columns: int, n: int) -> NDArray[np.int64]:
    """Return the coordinates of all entries, counted from 1."""
    pairs = np.empty((len(places), 2), dtype=np.int64)
    for row, place in enumerate(places):
        words = lines[place].split()
        if len(words) != columns or not (is_number(words[0]) and is_number(words[1])):
            raise source.error(f"expected {columns} fields, a row and a column first; got others", place + 1)
        pairs[row, 0], pairs[row, 1] = int(words[0]), int(words[1])
    outside = np.flatnonzero(((pairs < 1) | (pairs > n)).any(axis=1))
    if len(outside):
        raise source.error(
            f"expected rows and columns from 1 to {n}; got others", places[int(outside[0])] + 1
        )
    return pairs


MATRIX_MARKET = Format(
    "mtx", "the coordinates of a matrix", parse, render, magic=_BANNER.encode(), names=False
)
