"""Edge lists: one edge a line, two columns of names, further columns ignored.

Large files of whole numbers take a path of array operations; everything else, and every file with something
wrong in it, is read line by line, which knows the line to complain about.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import ArgumentError
from entrenous.graph.formats.listing import Listing, Source, is_number, number_names, rank_numbers
from entrenous.graph.structure import Graph

__all__ = ["parse", "render_csv", "render_edges", "render_tsv"]

_SOURCES = frozenset(
    ["source", "src", "from", "u", "node1", "node_1", "sender", "fromnodeid", "from_node", "id1", "head"]
)
_TARGETS = frozenset(
    ["target", "dst", "to", "v", "node2", "node_2", "receiver", "tonodeid", "to_node", "id2", "tail"]
)
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_COMMENTS = ("#", "%")
_RAGGED, _UNDECODABLE = "ragged lines", "undecodable lines"
_CHUNK = 200_000  # edges formatted at once when writing

Row = tuple[int, list[str]]


def parse(source: Source) -> Listing:
    """Return the edges a file lists; the nodes are those seen in them."""
    pairs = _whole_numbers(source.data, source.format)
    if pairs is not None:
        ranks, n, names = rank_numbers(pairs.ravel())
        return Listing(ranks.reshape(-1, 2), n, names, False, lambda row: _line_of(source, row))
    dropped: dict[str, int] = {}
    text = _decodable(source, dropped) if source.clean else source.text()
    counter = dropped if source.clean else None
    rows = _even_rows(source, _rows(source, text), counter)
    tokens, lines = _two_columns(source, rows, _delimited(text, source.format), counter)
    numbers, distinct = number_names(tokens)
    usual = all(name == str(place) for place, name in enumerate(distinct))
    return Listing(
        numbers.reshape(-1, 2),
        len(distinct),
        None if usual else distinct,
        False,
        lambda row: lines[row],
        dropped=dropped,
    )


def render_edges(graph: Graph) -> bytes:
    """Return a plain edge list: two names and a space between them."""
    return _render(graph, "edges")


def render_csv(graph: Graph) -> bytes:
    """Return a comma-separated edge list; the header keeps the first edge from being taken for one."""
    return _render(graph, "csv")


def render_tsv(graph: Graph) -> bytes:
    """Return a tab-separated edge list with a header."""
    return _render(graph, "tsv")


def _render(graph: Graph, dialect: str) -> bytes:
    delimiter = _DELIMITERS.get(dialect, " ")
    header = "" if dialect == "edges" else f"source{delimiter}target\n"
    if graph.names is None:
        return header.encode() + _render_numbers(graph.edges(), delimiter)
    names = [_written(name, dialect) for name in graph.names]
    lines = (f"{names[u]}{delimiter}{names[v]}\n" for u, v in graph.edges().tolist())
    return (header + "".join(lines)).encode()


def _render_numbers(edges: NDArray[np.int32], delimiter: str) -> bytes:
    template = f"%d{delimiter}%d\n"
    chunks = (edges[start : start + _CHUNK] for start in range(0, len(edges), _CHUNK))
    return b"".join((template * len(chunk) % tuple(chunk.ravel().tolist())).encode() for chunk in chunks)


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


def _whole_numbers(data: bytes, dialect: str) -> NDArray[np.int64] | None:
    """Return the first two columns of a file that is nothing but rows of whole numbers, else None."""
    body = _without_header(_without_comments(data)).rstrip()
    if not body or body.translate(None, b"0123456789 \t,\n\r") or b"\n\n" in body or b"\r" in body:
        return None
    separators = body.translate(None, b"0123456789 \n")
    if separators and (len(set(separators)) > 1 or (dialect == "csv" and b"\t" in separators)):
        return None
    if dialect in _DELIMITERS and separators[:1] != _DELIMITERS[dialect].encode():
        return None
    letters = np.frombuffer(body + b"\n", dtype=np.uint8)
    digit = letters - np.uint8(48) < 10
    starts = np.flatnonzero(digit & ~np.concatenate(([False], digit[:-1])))
    lengths = np.flatnonzero(digit & ~np.concatenate((digit[1:], [False]))) + 1 - starts
    if not len(starts) or lengths.max() > 18 or np.any((letters[starts] == 48) & (lengths > 1)):
        return None
    del digit, lengths
    columns = _even_columns(letters, starts, separators[:1])
    if columns is None:
        return None
    values = np.fromstring(
        body.translate(bytes.maketrans(b",\t", b"  ")).decode("ascii"), dtype=np.int64, sep=" "
    )
    return values.reshape(-1, columns)[:, :2]


def _without_comments(data: bytes) -> bytes:
    """Return the content without a byte order mark and without whole-line comments."""
    body = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    while body.startswith((b"#", b"%", b"\n")):
        body = body.partition(b"\n")[2]
    return re.sub(rb"(?m)^[#%].*\n?", b"", body) if b"#" in body or b"%" in body else body


def _without_header(body: bytes) -> bytes:
    """Return the content without a first line that speaks of source and target."""
    first, _, rest = body[:1000].partition(b"\n")
    words = re.split(r"[,\t ]+", first.decode("ascii", "replace").strip().lower())
    header = len(words) > 1 and words[0] in _SOURCES and words[1] in _TARGETS
    return body[len(first) + 1 :] if header and rest else body


def _even_columns(letters: NDArray[np.uint8], starts: NDArray[np.int64], separator: bytes) -> int | None:
    """Return how many columns every row has, or None if rows differ or separators are not one per gap."""
    ends = np.flatnonzero(letters == 10)
    columns = int(np.searchsorted(starts, ends[0]))
    if columns < 2 or len(starts) != columns * len(ends):
        return None
    rows = starts.reshape(-1, columns)
    if np.any(rows[:, -1] > ends) or np.any(rows[1:, 0] < ends[:-1]):
        return None
    if separator:
        places = np.flatnonzero(letters == separator[0])
        if len(places) != (columns - 1) * len(ends):
            return None
        gaps = places.reshape(-1, columns - 1)
        if np.any(gaps < rows[:, :-1]) or np.any(gaps > rows[:, 1:]):
            return None
    return columns


def _line_of(source: Source, row: int) -> int:
    """Return the line of the row-th edge of a file of whole numbers."""
    lines = enumerate(source.text().split("\n"), start=1)
    data = (number for number, line in lines if line.strip()[:1].isdigit())
    return next(number for place, number in enumerate(data) if place == row)


def _decodable(source: Source, dropped: dict[str, int]) -> str:
    """Return the text of the lines that are UTF-8; blank lines stand for the others, so that numbers stay."""
    lines = (
        source.data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    )
    kept = [line if _is_text(line) else b"" for line in lines]
    lost = sum(was != now for was, now in zip(lines, kept, strict=True))
    if lost:
        dropped[_UNDECODABLE] = lost
    return b"\n".join(kept).decode()


def _is_text(line: bytes) -> bool:
    try:
        return "\0" not in line.decode()
    except UnicodeDecodeError:
        return False


def _delimiter(line: str) -> str | None:
    """Return what separates the columns of a line; None is any run of white space."""
    if "\t" in line:
        spaced = any(" " in part.strip() for part in line.split("\t"))
        numbers = all(is_number(token) for token in line.split())
        return "\t" if spaced and not numbers else None
    return next((letter for letter in ",;" if letter in line), None)


def _first_line(text: str) -> str:
    lines = (line.strip() for line in text.split("\n"))
    return next((line for line in lines if line and not line.startswith(_COMMENTS)), "")


def _delimited(text: str, dialect: str) -> str | None:
    if dialect == "tsv":
        return "\t"
    delimiter = _delimiter(_first_line(text))
    return delimiter or "," if dialect == "csv" else delimiter


def _rows(source: Source, text: str) -> Iterator[Row]:
    """Yield the line and the fields of every row."""
    delimiter = _delimited(text, source.format)
    if delimiter is not None and '"' in text:
        yield from _quoted_rows(source, text, delimiter)
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line and not line.isspace() and not line.startswith(_COMMENTS):
            yield number, [part.strip() for part in line.split(delimiter)] if delimiter else line.split()


def _quoted_rows(source: Source, text: str, delimiter: str) -> Iterator[Row]:
    # A comment may hold a lone quotation mark, so comments go before the reader sees them.
    lines = ["\n" if line.startswith(_COMMENTS) else f"{line}\n" for line in text.split("\n")]
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for fields in reader:
            if any(part.strip() for part in fields):
                yield reader.line_num, [part.strip() for part in fields]
    except csv.Error:
        raise source.error("expected quoted fields; got a stray quotation mark", reader.line_num) from None


def _even_rows(source: Source, rows: Iterator[Row], dropped: dict[str, int] | None) -> list[Row]:
    """Return the rows that have as many fields as the first; others are an error, or dropped and counted."""
    first = next(rows, None)
    if first is None:
        return []
    columns = len(first[1])
    if columns < 2:
        raise source.error("expected two names separated by white space, a comma or a tab; got one", first[0])
    kept = []
    for line, fields in chain((first,), rows):
        if len(fields) == columns:
            kept.append((line, fields))
        elif dropped is None:
            got = f"got {len(fields)}; use --clean to drop such lines"
            raise source.error(f"expected {columns} fields, as on line {first[0]}; {got}", line)
        else:
            dropped[_RAGGED] = dropped.get(_RAGGED, 0) + 1
    return kept


def _two_columns(
    source: Source, rows: list[Row], delimiter: str | None, dropped: dict[str, int] | None
) -> tuple[list[str], list[int]]:
    """Return the tokens of the two columns of nodes, row after row, and the line of each row."""
    left, right, header = 0, 1, False
    if rows:
        left, right, header = _header(
            [field.lower() for field in rows[0][1]], rows[1:], delimiter is not None
        )
    data = rows[1:] if header else rows
    named = [(line, fields) for line, fields in data if fields[left] and fields[right]]
    if len(named) < len(data):
        if dropped is None:
            line = next(line for line, fields in data if not (fields[left] and fields[right]))
            raise source.error("expected two names; got an empty field; use --clean to drop such lines", line)
        dropped[_RAGGED] = dropped.get(_RAGGED, 0) + len(data) - len(named)
    tokens = [token for _, fields in named for token in (fields[left], fields[right])]
    return tokens, [line for line, _ in named]


def _header(first: list[str], rest: list[Row], delimited: bool) -> tuple[int, int, bool]:
    """Return the columns of the two ends, and whether the first row is a header.

    It is one if it speaks of source and target, or holds words above nothing but numbers. In files without a
    delimiter, which seldom have one, both must hold.
    """
    left = next((place for place, word in enumerate(first) if word in _SOURCES), None)
    right = next((place for place, word in enumerate(first) if word in _TARGETS), None)
    named = left is not None and right is not None
    columns = (left, right) if left is not None and right is not None else (0, 1)
    words = not any(is_number(first[place]) for place in columns)
    numbers = bool(rest) and all(is_number(fields[place]) for _, fields in rest for place in columns)
    header = (named or (words and numbers)) if delimited else (named and numbers)
    return (*columns, True) if header else (0, 1, False)
