"""The file formats of graphs: every `Format` that a module here defines, which is named nowhere else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import PurePath
from pkgutil import iter_modules

from entrenous.errors import ArgumentError
from entrenous.graph.formats.format import Format

__all__ = ["DEFAULT", "FORMATS", "PUBLISHABLE", "by_content", "by_suffix", "checked"]

DEFAULT = "edges"
"""The format of whatever speaks of no other, and of releases unless another is asked for."""


def _formats() -> dict[str, Format]:
    """Return the formats that modules of this folder define: the default, the others by name, working copies last."""
    found = [
        each
        for module in iter_modules(__path__)
        for each in vars(import_module(f"{__name__}.{module.name}")).values()
        if isinstance(each, Format)
    ]
    found.sort(key=lambda each: (each.name != DEFAULT, each.working_copy, each.name))
    return {each.name: each for each in found}


FORMATS: Mapping[str, Format] = _formats()
"""The formats by name."""

PUBLISHABLE = tuple(name for name, each in FORMATS.items() if not each.working_copy)
"""The names of the formats in which a graph may be released."""

_BY_ENDING = {ending: name for name, each in FORMATS.items() for ending in each.all_endings}


def checked(format: str) -> Format:  # noqa: A002 - the word users know
    """Return the format of a name, or name the ones there are."""
    if format not in FORMATS:
        raise ArgumentError("format", f"expected one of {', '.join(FORMATS)}; got another word")
    return FORMATS[format]


def by_suffix(name: str) -> str | None:
    """Return the format a file name speaks of, if any; a final ".gz" is looked through.

    >>> by_suffix("friends.csv.gz"), by_suffix("friends.dat")
    ('csv', None)
    """
    path = PurePath(name.lower())
    return _BY_ENDING.get(PurePath(path.stem).suffix if path.suffix == ".gz" else path.suffix)


def by_content(data: bytes) -> str:
    """Return the format the first bytes speak of; whatever is nothing else is an edge list.

    >>> by_content(b"%%MatrixMarket matrix coordinate pattern symmetric"), by_content(b"0 1")
    ('mtx', 'edges')
    """
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    for name, each in FORMATS.items():
        if each.magic is not None and head.startswith(each.magic):
            return name
    for name, each in FORMATS.items():
        if each.pattern is not None and re.search(each.pattern, head):
            return name
    return DEFAULT
