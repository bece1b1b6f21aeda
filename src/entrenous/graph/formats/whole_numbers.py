"""Edge lists that hold nothing but whole numbers: most large ones, read by array operations, block by block."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from entrenous.graph.formats.listing import Source
from entrenous.graph.simplification import Pairs

__all__ = ["DELIMITERS", "SOURCES", "TARGETS", "whole_numbers"]

DELIMITERS = {"csv": ",", "tsv": "\t"}
SOURCES = frozenset(
    ["source", "src", "from", "u", "node1", "node_1", "sender", "fromnodeid", "from_node", "id1", "head"]
)
TARGETS = frozenset(
    ["target", "dst", "to", "v", "node2", "node_2", "receiver", "tonodeid", "to_node", "id2", "tail"]
)


class _Layout(NamedTuple):
    """How the columns of a file stand: what is between them besides spaces, and how many there are."""

    separator: bytes
    columns: int


def whole_numbers(source: Source) -> Pairs | None:
    """Return the first two columns of a file that is nothing but rows of whole numbers, else None.

    What it gives up on, and every file with something wrong in it, is read line by line instead, which knows the line
    to complain about.
    """
    layout: _Layout | None = None
    parts: list[Pairs] = []
    for block in source.content.blocks():
        body = _without_comments(block if layout else block.removeprefix(b"\xef\xbb\xbf"))
        if layout is None:
            body = _without_header(body)
        body = body.strip(b"\n").rstrip(b" ")
        if not body:
            continue
        found = _block(body, source.format)
        if found is None or (layout is not None and found[0] != layout):
            return None
        layout = found[0]
        parts.append(found[1])
    return np.concatenate(parts) if parts else None


def _block(body: bytes, dialect: str) -> tuple[_Layout, Pairs] | None:
    """Return the layout and the first two columns of some lines, or None if they are something else."""
    if body.translate(None, b"0123456789 \t,\n") or b"\n\n" in body:
        return None
    separators = body.translate(None, b"0123456789 \n")
    if separators and (len(set(separators)) > 1 or (dialect == "csv" and b"\t" in separators)):
        return None
    if dialect in DELIMITERS and separators[:1] != DELIMITERS[dialect].encode():
        return None
    letters = np.frombuffer(body + b"\n", dtype=np.uint8)
    digit = letters - np.uint8(48) < 10
    starts = np.flatnonzero(digit & ~np.concatenate(([False], digit[:-1])))
    lengths = np.flatnonzero(digit & ~np.concatenate((digit[1:], [False]))) + 1 - starts
    if not len(starts) or lengths.max() > 18 or np.any((letters[starts] == 48) & (lengths > 1)):
        return None
    columns = _even_columns(letters, starts, separators[:1])
    if columns is None:
        return None
    spaced = body.translate(bytes.maketrans(b",\t", b"  ")).decode("ascii")
    pairs = np.fromstring(spaced, dtype=np.int64, sep=" ").reshape(-1, columns)[:, :2]
    narrow = pairs.max() < 2**31  # then half the memory will do
    return _Layout(separators[:1], columns), pairs.astype(np.int32 if narrow else np.int64)


def _without_comments(block: bytes) -> bytes:
    """Return a block without whole-line comments, with plain line ends."""
    body = block.replace(b"\r\n", b"\n")
    return re.sub(rb"(?m)^[#%].*\n?", b"", body) if b"#" in body or b"%" in body else body


def _without_header(body: bytes) -> bytes:
    """Return the content without a first line that speaks of source and target."""
    first, _, rest = body.lstrip(b"\n")[:1000].partition(b"\n")
    words = re.split(r"[,\t ]+", first.decode("ascii", "replace").strip().lower())
    header = len(words) > 1 and words[0] in SOURCES and words[1] in TARGETS
    return body.lstrip(b"\n")[len(first) + 1 :] if header and rest else body


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
