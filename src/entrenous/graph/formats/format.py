"""What every file format says of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from entrenous.graph.formats.listing import Listing, Source
    from entrenous.graph.structure import Graph

__all__ = ["Format"]


@dataclass(frozen=True)
class Format:
    """A file format of graphs: a module in this folder defines it, and `FORMATS` finds it there.

    Attributes
    ----------
    name
        The word for the format, which is also its usual ending.
    holds
        What a file is, in a few words.
    parse
        Returns what a file lists, or the graph itself, or raises a FormatError that names the line.
    render
        Returns the content of a file in pieces; the same graph gives the same bytes. A comment, if there is one, goes
        where the format keeps comments.
    endings
        Other endings of file names that speak of the format.
    magic
        The first bytes of every file of the format, if it has such.
    pattern
        A regular expression that finds the format in the first bytes where there is no magic.
    names
        Whether a file can hold the names of nodes.
    nodes
        Whether a file holds all nodes, also those without an edge.
    working_copy
        Whether the format is for the curator alone: mapped into memory, never compressed, never published.
    """

    name: str
    holds: str
    parse: Callable[[Source], Listing | Graph]
    render: Callable[[Graph, str | None], Iterable[bytes | memoryview]]
    endings: tuple[str, ...] = ()
    magic: bytes | None = None
    pattern: bytes | None = None
    names: bool = True
    nodes: bool = True
    working_copy: bool = False

    @property
    def all_endings(self) -> tuple[str, ...]:
        """The endings of file names that speak of the format, the usual one first."""
        return (f".{self.name}", *self.endings)
