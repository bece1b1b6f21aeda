"""Newick text: the usual notation for trees, here with node names that may hold any character.

Errors name the place, never the label there: a label may be the name of a person.

References
----------
Olsen (1990), "Newick's 8:45" tree format standard.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import FormatError, MissingDataError

__all__ = ["join", "parse", "quoted", "read_text"]

_TOKEN = re.compile(
    r"""\s+|\[[^\]]*\]                      # white space and comments
      |(?P<mark>[(),;])
      |:\s*[-+.\deE]+                       # a branch length
      |'(?P<quoted>(?:[^']|'')*)'
      |(?P<plain>[^\s()\[\]':;,]+)""",
    re.VERBOSE,
)
_PLAIN = re.compile(r"[^\s()\[\]':;,]+")


def quoted(name: str) -> str:
    """Return a label for this name, in quotes where Newick needs them.

    >>> quoted("Ann"), quoted("O'Hara, J.")
    ('Ann', "'O''Hara, J.'")
    """
    return name if _PLAIN.fullmatch(name) else "'" + name.replace("'", "''") + "'"


def join(
    order: NDArray[np.int32], children: NDArray[np.int32], starts: NDArray[np.int64], labels: Sequence[str]
) -> str:
    """Write a binary tree as Newick text without the final semicolon, without recursion."""
    n = len(order)
    opening = np.zeros(n, np.int64)
    closing = np.zeros(n, np.int64)
    ends = np.append(starts[:n], np.zeros(len(children), np.int64))
    for k, (_, right) in enumerate(children.tolist()):
        ends[n + k] = ends[right]  # a node ends where its right child does
    np.add.at(opening, starts[n:], 1)
    np.add.at(closing, ends[n:], 1)
    return ",".join(
        "(" * left + labels[leaf] + ")" * right
        for leaf, left, right in zip(order.tolist(), opening.tolist(), closing.tolist(), strict=True)
    )


def parse(text: str, names: Sequence[str] | None = None) -> Any:
    """Return nested tuples of leaf numbers for Newick text.

    >>> parse("((0,1)team:0.5,2);")
    ((0, 1), 2)
    """
    leaves = None if names is None else {name: number for number, name in enumerate(names)}
    seen: set[int] = set()
    groups: list[list[Any]] = [[]]
    before = ""  # what was complete just before: nothing, a leaf or a group
    finished = False
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None or (finished and token.lastgroup):
            raise _broken("a Newick tree that ends with a semicolon", "something else", text, at)
        mark, label = token["mark"], token["plain"]
        if token["quoted"] is not None:
            label = token["quoted"].replace("''", "'")
        if label is not None and before != "leaf":
            if not before:
                groups[-1].append(_leaf(label, leaves, seen, text, at))
            before = "leaf"  # the label of a group takes the place of a leaf's: nothing more may follow
        elif mark == "(" and not before:
            groups.append([])
        elif mark == "," and before and len(groups) > 1:
            before = ""
        elif mark == ")" and before and len(groups) > 1:
            inner = tuple(groups.pop())
            groups[-1].append(inner)
            before = "group"
        elif mark == ";" and before and len(groups) == 1:
            finished = True
        elif token.lastgroup:
            raise _broken(
                "balanced parentheses around labels separated by commas", "a misplaced mark", text, at
            )
        at = token.end()
    if not finished:
        raise _broken("a Newick tree that ends with a semicolon", "the end of the text", text, at)
    expected = len(seen) if leaves is None else len(leaves)
    if len(seen) != expected or (seen and max(seen) >= expected):
        raise FormatError(f"expected each of {expected} leaves once; got {len(seen)} leaves that leave gaps")
    return groups[0][0]


def read_text(path: Path) -> str:
    """Read a text file, or say what is wrong with it."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise FormatError(
            "expected UTF-8 text; got other bytes. Save the file as UTF-8", file=path.name
        ) from None
    except OSError as error:
        raise MissingDataError(f"{path.name}: expected a readable file; got {type(error).__name__}") from None


def _leaf(label: str, leaves: dict[str, int] | None, seen: set[int], text: str, at: int) -> int:
    """Return the number of a leaf label, noting that it was seen."""
    by_number = int(label) if label.isdecimal() and len(label) < 10 else -1
    number = by_number if leaves is None else leaves.get(label, -1)
    if number < 0:
        wanted = "a leaf number, or pass names=" if leaves is None else "a name among the nodes"
        raise _broken(wanted, "another label", text, at)
    if number in seen:
        raise _broken("every leaf once", "one a second time", text, at)
    seen.add(number)
    return number


def _broken(expected: str, got: str, text: str, at: int) -> FormatError:
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return FormatError(f"expected {expected}; got {got} at column {column}", line=line)
