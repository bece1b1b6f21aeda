"""The file formats of graphs, one module each: it parses a file to a listing and renders a graph to bytes."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from entrenous.graph.formats.listing import Listing, Source
    from entrenous.graph.structure import Graph

__all__ = ["FORMATS", "by_content", "by_suffix", "checked", "parse", "render", "with_comment"]

FORMATS = {
    "edges": ("edge_list", "render_edges"),
    "csv": ("edge_list", "render_csv"),
    "tsv": ("edge_list", "render_tsv"),
    "graphml": ("graphml", "render"),
    "gml": ("gml", "render"),
    "mtx": ("matrix_market", "render"),
    "parquet": ("parquet", "render"),
    "csr": ("csr", "render"),
}

_SUFFIXES = {
    **{f".{name}": name for name in FORMATS},
    ".edgelist": "edges",
    ".el": "edges",
    ".txt": "edges",
    ".xml": "graphml",
    ".pq": "parquet",
}


def parse(source: Source) -> Listing:
    """Return what a file of a known format lists, or raise a FormatError that names the line."""
    listing: Listing = _module(source.format).parse(source)
    return listing


def render(graph: Graph, format: str) -> bytes:  # noqa: A002 - the word users know
    """Return the content of a file that holds the graph; the same graph gives the same bytes."""
    content: bytes = getattr(_module(format), FORMATS[format][1])(graph)
    return content


def with_comment(content: bytes, format: str, comment: str) -> bytes:  # noqa: A002 - the word users know
    """Return the content with a comment where the format keeps comments."""
    if format == "parquet":
        from entrenous.graph.formats import parquet

        return parquet.with_comment(content, comment)
    if format in ("edges", "csv", "tsv", "gml"):
        return f"# {comment}\n".encode() + content
    first, rest = content.split(b"\n", 1)  # the line that names the format stays first
    line = f"% {comment}" if format == "mtx" else f"<!-- {comment} -->"
    return b"\n".join((first, line.encode(), rest))


def _module(name: str) -> Any:
    return import_module(f"{__name__}.{FORMATS[name][0]}")


def checked(format: str) -> str:  # noqa: A002 - the word users know
    """Return the name of a known format, or name the ones there are."""
    if format not in FORMATS:
        raise ArgumentError("format", f"expected one of {', '.join(FORMATS)}; got another word")
    return format


def by_suffix(name: str) -> str | None:
    """Return the format a file name speaks of, if any; a final ".gz" is looked through.

    >>> by_suffix("friends.csv.gz"), by_suffix("friends.dat")
    ('csv', None)
    """
    path = PurePath(name.lower())
    return _SUFFIXES.get(PurePath(path.stem).suffix if path.suffix == ".gz" else path.suffix)


def by_content(data: bytes) -> str:
    """Return the format the first bytes speak of; whatever is nothing else is an edge list.

    >>> by_content(b"%%MatrixMarket matrix coordinate pattern symmetric"), by_content(b"0 1")
    ('mtx', 'edges')
    """
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"%%MatrixMarket"):
        return "mtx"
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"entrenous.csr"):
        return "csr"
    if head.startswith(b"<"):
        return "graphml"
    return "gml" if re.search(rb"(?m)^\s*graph\s*\[", head) else "edges"
