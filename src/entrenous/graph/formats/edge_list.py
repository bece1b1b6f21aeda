"""Edge lists: one edge a line, two columns of names, further columns ignored.

Files of whole numbers take a path of array operations (`whole_numbers`); everything else, and every file with
something wrong in it, is read line by line. Neither ever holds more of the text than a block.
"""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice

import numpy as np

from entrenous.errors import ArgumentError
from entrenous.graph.formats.format import Format
from entrenous.graph.formats.listing import Listing, Source, is_number, rank_numbers, sorted_names
from entrenous.graph.formats.whole_numbers import DELIMITERS, SOURCES, TARGETS, whole_numbers
from entrenous.graph.structure import Graph

__all__ = ["CSV", "EDGES", "TSV", "by_lines", "parse", "render"]

_COMMENTS = ("#", "%")
_RAGGED, _UNDECODABLE = "ragged lines", "undecodable lines"
_CHUNK = 200_000  # edges formatted at once when writing

Row = tuple[int, list[str]]


def parse(source: Source) -> Listing:
    """Return the edges a file lists; the nodes are those seen in them."""
    pairs = whole_numbers(source)
    if pairs is not None:
        ranks, n, names = rank_numbers(pairs.ravel())
        return Listing(ranks.reshape(-1, 2), n, names, False, lambda row: _line_of(source, row))
    return by_lines(source)


def render(dialect: str, graph: Graph, comment: str | None = None) -> Iterator[bytes]:
    """Yield an edge list: two names a line, with a header where a delimiter is between them.

    The header keeps the first edge from being taken for one.
    """
    delimiter = DELIMITERS.get(dialect, " ")
    names = None if graph.names is None else [_written(name, dialect) for name in graph.names]
    if comment is not None:
        yield f"# {comment}\n".encode()
    if dialect in DELIMITERS:
        yield f"source{delimiter}target\n".encode()
    edges = graph.edges()
    template = f"%d{delimiter}%d\n"
    for start in range(0, len(edges), _CHUNK):
        chunk = edges[start : start + _CHUNK]
        if names is None:
            yield (template * len(chunk) % tuple(chunk.ravel().tolist())).encode()
        else:
            yield "".join(f"{names[u]}{delimiter}{names[v]}\n" for u, v in chunk.tolist()).encode()


def _written(name: str, dialect: str) -> str:
    """Return a name as an edge list carries it, or refuse one that would be read back as something else."""
    lost = name != name.strip() or not name or any(letter in name for letter in "\r\n\0\ufeff")
    if dialect == "edges":
        lost = (
            lost or name.startswith(_COMMENTS) or any(letter in ",;" or letter.isspace() for letter in name)
        )
    if lost or not _encodable(name):
        raise ArgumentError(
            "format", "expected names that an edge list can carry; got others; use gml or graphml"
        )
    if dialect != "edges" and (name.startswith(_COMMENTS) or any(letter in '",;\t' for letter in name)):
        return '"' + name.replace('"', '""') + '"'
    return name


def _encodable(name: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def _line_of(source: Source, row: int) -> int:
    """Return the line of the row-th edge of a file of whole numbers."""
    lines = enumerate(source.lines(), start=1)
    data = (number for number, line in lines if line.strip()[:1].isdigit())
    return next(islice(data, row, None))


def by_lines(source: Source) -> Listing:
    """Return the edges of a list of any kind, read line by line; of an edge no more than two numbers are kept.

    The first row is a header if it speaks of source and target, or holds words above nothing but numbers. In files
    without a delimiter, which seldom have one, both must hold.
    """
    delimiter = _delimited(source)
    first = next(_even_rows(source, delimiter, {}), None)
    if first is None:
        return Listing(np.empty((0, 2), np.int32), 0, None, False, None)
    named = _named_columns(first[1])
    columns = named or (0, 1)
    ids, places, dropped = _numbered(source, delimiter, columns)
    numbers = bool(places) and all(map(is_number, places))
    words = not any(is_number(first[1][column]) for column in columns)
    header = (bool(named) or (words and numbers)) if delimiter else (bool(named) and numbers)
    if not header:
        if columns != (0, 1):
            columns = (0, 1)
            ids, places, dropped = _numbered(source, delimiter, columns)
        ids = _numbers(_filled(source, [first], columns, dropped), columns, places) + ids
    names = sorted_names(places)
    order = np.empty(len(names), np.int32)
    order[[places[name] for name in names]] = np.arange(len(names), dtype=np.int32)
    usual = all(name == str(place) for place, name in enumerate(names))
    return Listing(
        order[np.frombuffer(ids, np.intc)].reshape(-1, 2),
        len(names),
        None if usual else names,
        False,
        lambda row: next(islice(_edges(source, delimiter, columns, int(header), {}), row, None))[0],
        dropped=dropped,
    )


def _numbered(
    source: Source, delimiter: str | None, columns: tuple[int, int]
) -> tuple[array[int], dict[str, int], dict[str, int]]:
    """Return all rows but the first as numbers, the numbers of the names, and what was dropped."""
    places: dict[str, int] = {}
    dropped: dict[str, int] = {}
    ids = _numbers(_edges(source, delimiter, columns, 1, dropped), columns, places)
    return ids, places, dropped


def _numbers(rows: Iterable[Row], columns: tuple[int, int], places: dict[str, int]) -> array[int]:
    """Return the names in two columns as numbers in the order of appearance, row after row."""
    left, right = columns
    ids = array("i")
    for _, fields in rows:
        ids.append(places.setdefault(fields[left], len(places)))
        ids.append(places.setdefault(fields[right], len(places)))
    return ids


def _edges(
    source: Source, delimiter: str | None, columns: tuple[int, int], skip: int, dropped: dict[str, int]
) -> Iterator[Row]:
    rows = islice(_even_rows(source, delimiter, dropped), skip, None)
    return _filled(source, rows, columns, dropped)


def _delimited(source: Source) -> str | None:
    """Return what separates the columns of a file; None is any run of white space."""
    if source.format == "tsv":
        return "\t"
    lines = (line.strip() for line in source.lines(_ignore if source.clean else None))
    first = next((line for line in lines if line and not line.startswith(_COMMENTS)), "")
    delimiter = _delimiter(first)
    return delimiter or "," if source.format == "csv" else delimiter


def _delimiter(line: str) -> str | None:
    if "\t" in line:
        spaced = any(" " in part.strip() for part in line.split("\t"))
        numbers = all(is_number(token) for token in line.split())
        return "\t" if spaced and not numbers else None
    return next((letter for letter in ",;" if letter in line), None)


def _rows(source: Source, delimiter: str | None, dropped: dict[str, int]) -> Iterator[Row]:
    """Yield the line and the fields of every row."""
    lines = source.lines(partial(_count, dropped, _UNDECODABLE) if source.clean else None)
    if delimiter is not None:
        yield from _delimited_rows(source, lines, delimiter)
        return
    for number, line in enumerate(lines, start=1):
        if line and not line.isspace() and not line.startswith(_COMMENTS):
            yield number, line.split()


def _delimited_rows(source: Source, lines: Iterator[str], delimiter: str) -> Iterator[Row]:
    # A comment may hold a lone quotation mark, so comments go before the reader sees them.
    ended = ("\n" if line.startswith(_COMMENTS) else f"{line}\n" for line in lines)
    reader = csv.reader(ended, delimiter=delimiter, strict=True)
    try:
        for fields in reader:
            if len(fields) > 1 or any(part.strip() for part in fields):
                yield reader.line_num, [part.strip() for part in fields]
    except csv.Error:
        raise source.error(
            "expected quoted fields; got a stray quotation mark, or a field without end", reader.line_num
        ) from None


def _even_rows(source: Source, delimiter: str | None, dropped: dict[str, int]) -> Iterator[Row]:
    """Yield the rows that have as many fields as the first; others are an error, or dropped and counted."""
    rows = _rows(source, delimiter, dropped)
    first = next(rows, None)
    if first is None:
        return
    columns = len(first[1])
    if columns < 2:
        raise source.error("expected two names separated by white space, a comma or a tab; got one", first[0])
    for line, fields in chain((first,), rows):
        if len(fields) == columns:
            yield line, fields
        elif source.clean:
            _count(dropped, _RAGGED, 1)
        else:
            got = f"got {len(fields)}; use --clean to drop such lines"
            raise source.error(f"expected {columns} fields, as on line {first[0]}; {got}", line)


def _filled(
    source: Source, rows: Iterable[Row], columns: tuple[int, int], dropped: dict[str, int]
) -> Iterator[Row]:
    """Yield the rows whose two columns of nodes are not empty; others are an error, or dropped and counted."""
    left, right = columns
    for line, fields in rows:
        if fields[left] and fields[right]:
            yield line, fields
        elif source.clean:
            _count(dropped, _RAGGED, 1)
        else:
            raise source.error("expected two names; got an empty field; use --clean to drop such lines", line)


def _named_columns(fields: list[str]) -> tuple[int, int] | None:
    """Return the columns that a row of headings calls source and target."""
    words = [field.lower() for field in fields]
    left = next((place for place, word in enumerate(words) if word in SOURCES), None)
    right = next((place for place, word in enumerate(words) if word in TARGETS), None)
    return None if left is None or right is None else (left, right)


def _count(dropped: dict[str, int], kind: str, lines: int) -> None:
    if lines:
        dropped[kind] = dropped.get(kind, 0) + lines


def _ignore(lines: int) -> None:
    """Look over lines that are no text: whoever reads the rows counts them."""


EDGES = Format(
    "edges",
    "two names a line",
    parse,
    partial(render, "edges"),
    endings=(".edgelist", ".el", ".txt"),
    nodes=False,
)
CSV = Format("csv", "two columns with commas", parse, partial(render, "csv"), nodes=False)
TSV = Format("tsv", "two columns with tabs", parse, partial(render, "tsv"), nodes=False)
