"""What a file of any format lists: numbered pairs, the names behind the numbers, and where they stood."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import FormatError

__all__ = ["Listing", "Source", "number_names", "rank_numbers", "refuse_absurd_size", "sorted_names"]

_BOM = b"\xef\xbb\xbf"
_DENSE = 16  # largest number of table entries per value for which a table beats sorting


class Source(NamedTuple):
    """The decompressed content of a file, its name for messages, and how it is to be read."""

    name: str
    data: bytes
    format: str
    clean: bool

    def error(self, message: str, line: int | None = None) -> FormatError:
        """Return the error to raise about a line of this file."""
        return FormatError(message, line=line, file=self.name)

    def text(self) -> str:
        """Return the content as text with plain line ends, or say on which line it stops being text."""
        try:
            text = self.data.removeprefix(_BOM).decode()
        except UnicodeDecodeError as failure:
            line = _lines_before(self.data.removeprefix(_BOM), failure.start) + 1
            raise self.error(
                "expected UTF-8 text; got other bytes; convert the file, or use --clean on an edge list",
                line,
            ) from None
        place = text.find("\0")
        if place >= 0:
            line = _lines_before(text[:place].encode(), None) + 1
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

    pairs: NDArray[np.int64]
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


def rank_numbers(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], int, list[str] | None]:
    """Return the ranks of whole numbers, how many distinct ones there are, and names if they are needed.

    >>> rank_numbers(np.array([7, 3, 7]))
    (array([1, 0, 1]), 2, ['3', '7'])
    """
    largest = int(values.max(initial=-1))
    if largest < _DENSE * (len(values) + 1):
        present = np.zeros(largest + 1, dtype=bool)
        present[values] = True
        if present.all():
            return values, largest + 1, None
        distinct = np.flatnonzero(present)
        ranks = (np.cumsum(present) - 1)[values]
    else:
        distinct, ranks = np.unique(values, return_inverse=True)
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
