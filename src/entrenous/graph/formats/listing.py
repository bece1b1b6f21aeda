"""What a file of any format lists: numbered pairs, the names behind the numbers, and where they stood."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import FormatError
from entrenous.graph.content import Content
from entrenous.graph.simplification import Pairs

__all__ = ["Listing", "Source", "number_names", "rank_numbers", "refuse_absurd_size", "sorted_names"]

_BOM = b"\xef\xbb\xbf"
_DENSE = 16  # largest number of table entries per value for which a table beats sorting
_CHUNK = 1 << 20  # numbers looked up at once


class Source(NamedTuple):
    """The content of a file, and how it is to be read."""

    content: Content
    format: str
    clean: bool

    @property
    def data(self) -> bytes:
        """Everything the file holds, for formats that cannot be read piece by piece."""
        return self.content.whole()

    def error(self, message: str, line: int | None = None) -> FormatError:
        """Return the error to raise about a line of this file."""
        return FormatError(message, line=line, file=self.content.name)

    def text(self) -> str:
        """Return the content as text with plain line ends, or say on which line it stops being text."""
        return self._decoded(self.data.removeprefix(_BOM), 0)

    def lines(self, lost: Callable[[int], object] | None = None) -> Iterator[str]:
        """Yield the lines of the file without their ends, or say which of them is no text.

        Parameters
        ----------
        lost
            Called with the number of lines that are no text, block by block; blank lines then stand for them.
        """
        before = 0
        for block in self.content.blocks():
            data = block if before else block.removeprefix(_BOM)
            if lost is not None:
                data = _readable(data, lost)
            text = self._decoded(data, before)
            lines = text.removesuffix("\n").split("\n")
            before += len(lines)
            yield from lines

    def _decoded(self, data: bytes, before: int) -> str:
        """Return text with plain line ends; `before` lines precede it."""
        try:
            text = data.decode()
        except UnicodeDecodeError as failure:
            line = before + _lines_before(data, failure.start) + 1
            raise self.error(
                "expected UTF-8 text; got other bytes; convert the file, or use --clean on an edge list",
                line,
            ) from None
        place = text.find("\0")
        if place >= 0:
            line = before + _lines_before(text[:place].encode(), None) + 1
            raise self.error("expected text; got a NUL byte; name the format if the file is binary", line)
        return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True)
class Listing:
    """Pairs of numbers into a list of names, as a file had them.

    Attributes
    ----------
    pairs
        The edges, unchecked: self-loops and duplicates included.
    n
        How many nodes the file speaks of.
    names
        Their distinct names, or None for "0", "1", ...
    complete
        Whether the file lists its nodes, rather than only those with an edge.
    positional
        Whether the numbers are places in a list of nodes that the format cannot name.
    line
        The line of a pair; None where the format has rows only.
    dropped
        What cleaning already removed, by kind.
    """

    pairs: Pairs
    n: int
    names: Sequence[str] | None
    complete: bool
    line: Callable[[int], int] | None
    positional: bool = False
    dropped: dict[str, int] = field(default_factory=dict)


def number_names(tokens: list[str]) -> tuple[NDArray[np.int64], list[str]]:
    """Replace tokens by their place in the sorted order of the distinct ones.

    Whole numbers sort by value, other names by code point.

    The order of appearance would betray the order of the edges, which may be confidential.

    >>> number_names(["10", "9", "10"])
    (array([1, 0, 1]), ['9', '10'])
    """
    names = sorted_names(set(tokens))
    number = {name: place for place, name in enumerate(names)}
    return np.fromiter((number[token] for token in tokens), np.int64, len(tokens)), names


def sorted_names(names: Collection[str]) -> list[str]:
    """Sort names: whole numbers by value, other names by code point.

    >>> sorted_names(["10", "9"]), sorted_names(["10", "9", "b"])
    (['9', '10'], ['10', '9', 'b'])
    """
    return sorted(names, key=int) if all(is_number(name) for name in names) else sorted(names)


def rank_numbers(values: NDArray[Any]) -> tuple[NDArray[Any], int, list[str] | None]:
    """Return the ranks of whole numbers, how many distinct ones there are, and names if they are needed.

    >>> rank_numbers(np.array([7, 3, 7]))
    (array([1, 0, 1], dtype=int32), 2, ['3', '7'])
    """
    largest = int(values.max(initial=-1))
    if largest < _DENSE * (len(values) + 1):
        present = np.zeros(largest + 1, dtype=bool)
        present[values] = True
        if present.all():
            return values, largest + 1, None
        distinct = np.flatnonzero(present)
        ranks = (np.cumsum(present, dtype=np.int32) - 1)[values]
    else:
        distinct = np.unique(values)
        ranks = np.empty(len(values), np.int32)
        for start in range(0, len(values), _CHUNK):
            ranks[start : start + _CHUNK] = np.searchsorted(distinct, values[start : start + _CHUNK])
    return ranks, len(distinct), [str(value) for value in distinct.tolist()]


def is_number(token: str) -> bool:
    """Tell whether a token is a whole number written in the one usual way, of at most 18 digits."""
    return token.isascii() and token.isdigit() and len(token) <= 18 and (token[0] != "0" or len(token) == 1)


def refuse_absurd_size(source: Source, n: int, entries: int, line: int | None) -> None:
    """Refuse a file that declares far more nodes than its entries could concern."""
    if n > 1_000_000 + 1000 * entries:
        raise source.error(
            f"expected at most a thousand nodes per edge; got {n} nodes, {entries} edges", line
        )


def _lines_before(data: bytes, end: int | None) -> int:
    part = data[:end].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return part.count(b"\n")


def _readable(data: bytes, lost: Callable[[int], object]) -> bytes:
    """Return the lines that are UTF-8; blank lines stand for the others, so that numbers of lines stay."""
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    kept = [line if _is_text(line) else b"" for line in lines]
    lost(sum(was != now for was, now in zip(lines, kept, strict=True)))
    return b"\n".join(kept)


def _is_text(line: bytes) -> bool:
    try:
        return "\0" not in line.decode()
    except UnicodeDecodeError:
        return False
