"""GraphML: nodes and edges of one plain graph; attributes, keys and ports are ignored.

Reference: Brandes, Eiglsperger, Herman, Himsolt, Marshall, "GraphML progress report", Graph Drawing 2001.
"""

from __future__ import annotations

from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import numpy as np

from entrenous.errors import ArgumentError
from entrenous.graph.formats.format import Format
from entrenous.graph.formats.listing import Listing, Source
from entrenous.graph.structure import Graph

__all__ = ["GRAPHML", "parse", "render"]

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'  # nothing, not even a comment, may stand before it
_ROOT = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'


def parse(source: Source) -> Listing:
    """Return the nodes and edges a GraphML file lists; its arcs count as edges."""
    content = _Content(source)
    try:
        content.parser.Parse(source.data, True)
    except expat.ExpatError as failure:
        raise source.error("expected well-formed XML; got a syntax error", failure.lineno) from None
    except (ValueError, LookupError):  # an encoding that Python does not know
        raise source.error("expected UTF-8 text; got another encoding; convert the file", 1) from None
    if not content.graphs:
        raise source.error("expected a graph element; got none")
    for name, line in zip(content.ends, content.lines_of_ends(), strict=True):
        if name not in content.nodes:
            raise source.error("expected an edge between nodes of the file; got an unknown node", line)
    numbers = np.fromiter((content.nodes[name] for name in content.ends), np.int64, len(content.ends))
    lines = content.lines
    return Listing(
        numbers.reshape(-1, 2), len(content.nodes), list(content.nodes), True, lambda row: lines[row]
    )


def render(graph: Graph, comment: str | None = None) -> list[bytes]:
    """Return a GraphML file whose node identifiers are the names."""
    head = _DECLARATION + ("" if comment is None else f"<!-- {comment} -->\n") + _ROOT
    names = [_attribute(graph.name(node)) for node in range(graph.n)]
    nodes = (f"<node id={name}/>\n" for name in names)
    edges = (f"<edge source={names[u]} target={names[v]}/>\n" for u, v in graph.edges().tolist())
    body = ('<graph edgedefault="undirected">\n', *nodes, *edges, "</graph>\n</graphml>\n")
    return [(head + "".join(body)).encode()]


class _Content:
    """What the parser has seen so far; refuses what could mean another graph, or a bomb."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.nodes: dict[str, int] = {}
        self.ends: list[str] = []
        self.lines: list[int] = []
        self.graphs = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self.start
        self.parser.EntityDeclHandler = self.refuse_entity

    def refuse_entity(self, *_: object) -> None:
        # Nested entities can grow exponentially, and external ones reach other files.
        raise self.source.error("expected no entity declarations; got one; remove it", self.line)

    @property
    def line(self) -> int:
        return int(self.parser.CurrentLineNumber)

    def lines_of_ends(self) -> list[int]:
        return [line for line in self.lines for _ in range(2)]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        element = tag.rpartition(" ")[2]
        if element == "graph":
            self.graphs += 1
            if self.graphs > 1:
                raise self.source.error("expected one graph; got another", self.line)
        elif element == "node":
            self.node(attributes.get("id"))
        elif element == "edge":
            self.edge(attributes.get("source"), attributes.get("target"))
        elif element == "hyperedge":
            raise self.source.error("expected edges between two nodes; got a hyperedge", self.line)

    def node(self, name: str | None) -> None:
        if name is None or name in self.nodes:
            got = "none" if name is None else "one that is taken"
            raise self.source.error(f"expected a node with an id of its own; got {got}", self.line)
        self.nodes[name] = len(self.nodes)

    def edge(self, left: str | None, right: str | None) -> None:
        if left is None or right is None:
            raise self.source.error("expected an edge with source and target; got one without", self.line)
        self.ends += (left, right)
        self.lines.append(self.line)


def _attribute(name: str) -> str:
    """Return a name as an attribute, or refuse characters that XML has no way to write."""
    if any(
        (letter < " " and letter not in "\t\n\r")
        or "\ud800" <= letter <= "\udfff"
        or letter in "\ufffe\uffff"
        for letter in name
    ):
        raise ArgumentError(
            "format", "expected names that XML can carry; got control characters; use gml or parquet"
        )
    return quoteattr(name)


GRAPHML = Format("graphml", "nodes and edges in XML", parse, render, endings=(".xml",), magic=b"<")
