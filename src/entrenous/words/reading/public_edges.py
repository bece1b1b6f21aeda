"""A public list of who writes to whom: it says which edges there are, so that the mail need not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import ArgumentError, FormatError, MissingDataError
from entrenous.words.counting.holder import EDGE, EDGE_AND_MESSAGE, Holder
from entrenous.words.counting.neighbourhood import largest_neighbourhood
from entrenous.words.reading.directory import folded

__all__ = ["PublicEdges"]

# The first of these that a line has separates its columns: names may hold what comes after it.
_SEPARATORS = ("\t", ";", ",")
_BLANKS = re.compile(r"\s+")

Ids = NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class PublicEdges:
    """Pairs of persons of whom everybody may know that they could write to each other.

    Make one with `read` or `of`. It must not come from the mail that is protected.

    Attributes
    ----------
    persons
        The names, folded as addresses of mail are, each once and in order.
    ends
        One row (u, v) per edge, u < v and in order: numbers into `persons`.

    Examples
    --------
    >>> edges = PublicEdges.of([("Bob@example.org", "ann@example.org"), ("ann@example.org", "bob@example.org")])
    >>> edges.persons, edges.ends.tolist()
    (('ann@example.org', 'bob@example.org'), [[0, 1]])
    """

    persons: tuple[str, ...]
    ends: Ids

    def __len__(self) -> int:
        return len(self.ends)

    def __repr__(self) -> str:
        return f"PublicEdges(persons={len(self.persons)}, edges={len(self)})"

    @classmethod
    def read(cls, path: str | Path) -> PublicEdges:
        """Read a list: text in UTF-8, two names a line between which is a tab, a semicolon, a comma or a blank.

        Lines that start with # are notes. Both orders of a pair, and repetitions, are one edge.
        """
        file = Path(path)
        if not file.is_file():
            raise MissingDataError("edges: expected a file, two addresses a line; there is none of this name")
        try:
            with file.open(encoding="utf-8-sig") as lines:
                pairs = list(_pairs(lines, file.name))
        except UnicodeDecodeError:
            raise FormatError("expected text in UTF-8, two addresses a line", file=file.name) from None
        if not pairs:
            raise FormatError("expected two addresses a line; got an empty list", file=file.name)
        return cls._from_names(pairs)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> PublicEdges:
        """Return the list of these pairs of names; both orders of a pair, and repetitions, are one edge."""
        names = [(folded(first), folded(second)) for first, second in pairs]
        if not names:
            raise ArgumentError("pairs", "expected at least one pair of names; got none")
        for number, pair in enumerate(names, start=1):
            if problem := _problem(pair):
                raise ArgumentError("pairs", f"pair {number}: {problem}")
        return cls._from_names(names)

    @classmethod
    def _from_names(cls, pairs: Sequence[tuple[str, str]]) -> PublicEdges:
        persons = tuple(sorted({name for pair in pairs for name in pair}))
        number = {name: place for place, name in enumerate(persons)}
        ends = np.array([[number[first], number[second]] for first, second in pairs], np.int32)
        return cls(persons, np.unique(np.sort(ends, axis=1), axis=0))

    @cached_property
    def largest_neighbourhood(self) -> int:
        """The most edges that share a person with one edge."""
        return largest_neighbourhood(self.ends)

    def holder_ends(self, by: Holder) -> Ids:
        """Return the two persons of each listed edge, or twice each listed person where senders are counted."""
        if by in (EDGE, EDGE_AND_MESSAGE):
            return self.ends
        return np.repeat(np.arange(len(self.persons), dtype=np.int32), 2).reshape(-1, 2)

    def places(self, names: Sequence[str], ends: Ids, by: Holder) -> NDArray[np.int64]:
        """Return the place of each holder of a corpus in this list, -1 where it is not listed.

        Parameters
        ----------
        names
            The persons of the corpus in the order of its numbers.
        ends
            One row per holder of the corpus: the two persons of an edge, or twice the sender.
        by
            Whether holders are edges or senders.
        """
        listed = {name: place for place, name in enumerate(self.persons)}
        number = np.array([listed.get(name, -1) for name in names], np.int64)
        pairs = np.sort(number[ends], axis=1)
        if by not in (EDGE, EDGE_AND_MESSAGE):
            return pairs[:, 0]
        keys = self.ends[:, 0] * np.int64(len(self.persons)) + self.ends[:, 1]
        wanted = pairs[:, 0] * len(self.persons) + pairs[:, 1]
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where((pairs[:, 0] >= 0) & (keys[place] == wanted), place, -1)


def _pairs(lines: Iterable[str], file: str) -> Iterator[tuple[str, str]]:
    """Yield the two folded names of each line that is no note and not empty."""
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        columns = _columns(line.strip("\r\n"))
        if len(columns) != 2:
            raise FormatError(f"expected two columns; got {len(columns)}", line=number, file=file)
        pair = folded(columns[0]), folded(columns[1])
        if problem := _problem(pair):
            raise FormatError(problem, line=number, file=file)
        yield pair


def _columns(line: str) -> list[str]:
    for separator in _SEPARATORS:
        if separator in line:
            return line.split(separator)
    return _BLANKS.split(line.strip())


def _problem(pair: tuple[str, str]) -> str | None:
    """Say what is wrong with a pair of folded names, without naming them."""
    if not all(pair):
        return "expected two names; one is empty"
    if pair[0] == pair[1]:
        return "expected two different persons; got the same one twice"
    return None
