"""GML: nodes by id, named by their labels where these are distinct; other attributes are ignored.

Reference: Himsolt, "GML: a portable graph file format", University of Passau 1997.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from entrenous.errors import ArgumentError
from entrenous.graph.formats.format import Format
from entrenous.graph.formats.listing import Listing, Source
from entrenous.graph.structure import Graph

__all__ = ["GML", "parse", "render"]

_TOKEN = re.compile(
    r"""(?P<skip>\s+|\#[^\n]*)|(?P<open>\[)|(?P<close>\])|(?P<text>"[^"]*")"""
    r"""|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))|(?P<key>[A-Za-z_]\w*)""",
    re.ASCII,
)


class _Token(NamedTuple):
    kind: str
    value: str
    line: int


class _Record(NamedTuple):
    """A node or an edge: its own attributes, and the line it starts on."""

    kind: str
    line: int
    values: dict[str, str]


def parse(source: Source) -> Listing:
    """Return the nodes and edges a GML file lists; its arcs count as edges."""
    text = source.text()
    records = list(_records(source, text))
    nodes = [record for record in records if record.kind == "node"]
    edges = [record for record in records if record.kind == "edge"]
    number: dict[str, int] = {}
    for node in nodes:
        identifier = _value(source, node, "id")
        if identifier in number:
            raise source.error("expected a node with an id of its own; got one that is taken", node.line)
        number[identifier] = len(number)
    pairs = np.empty((len(edges), 2), dtype=np.int64)
    for row, edge in enumerate(edges):
        ends = (_value(source, edge, "source"), _value(source, edge, "target"))
        if not all(end in number for end in ends):
            raise source.error("expected an edge between nodes of the file; got an unknown node", edge.line)
        pairs[row] = [number[end] for end in ends]
    labels = {node.values["label"] for node in nodes if "label" in node.values}
    named = len(labels) == len(nodes)
    names = [node.values["label"] for node in nodes] if named else list(number)
    return Listing(pairs, len(nodes), names, True, lambda row: edges[row].line)


def render(graph: Graph, comment: str | None = None) -> list[bytes]:
    """Return a GML file: numbers as ids, names as labels, everything beyond ASCII as character references."""
    head = [] if comment is None else [f"# {comment}\n".encode()]
    names = (_escaped(graph.name(node)) for node in range(graph.n))
    nodes = (f'  node [\n    id {node}\n    label "{name}"\n  ]\n' for node, name in enumerate(names))
    edges = (f"  edge [\n    source {u}\n    target {v}\n  ]\n" for u, v in graph.edges().tolist())
    return [*head, "".join(("graph [\n", *nodes, *edges, "]\n")).encode("ascii")]


def _escaped(name: str) -> str:
    if any(letter < " " or "\x7f" <= letter <= "\x9f" or "\ud800" <= letter <= "\udfff" for letter in name):
        raise ArgumentError(
            "format", "expected names that GML can carry; got control characters; use parquet"
        )
    return name.replace("&", "&amp;").replace('"', "&quot;").encode("ascii", "xmlcharrefreplace").decode()


def _value(source: Source, record: _Record, key: str) -> str:
    if key not in record.values:
        raise source.error(f"expected a {record.kind} with {key}; got one without", record.line)
    return record.values[key]


def _tokens(source: Source, text: str) -> Iterator[_Token]:
    place, line = 0, 1
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise source.error(
                "expected a key, a number, a quoted text or a bracket; got something else", line
            )
        kind = str(match.lastgroup)
        if kind != "skip":
            yield _Token(kind, match.group(), line)
        line += match.group().count("\n")
        place = match.end()


def _records(source: Source, text: str) -> Iterator[_Record]:
    """Yield the nodes and edges directly inside the one graph."""
    path: list[_Record] = []  # the open brackets, outermost first
    key: _Token | None = None
    graphs = 0
    for token in _tokens(source, text):
        if token.kind == "key" and key is None:
            key = token
        elif token.kind == "open" and key is not None:
            path.append(_Record(key.value.lower(), key.line, {}))
            graphs += len(path) == 1 and path[0].kind == "graph"
            if graphs > 1:
                raise source.error("expected one graph; got another", key.line)
            key = None
        elif token.kind in ("number", "text") and key is not None:
            if path:
                path[-1].values[key.value.lower()] = html.unescape(token.value.strip('"'))
            key = None
        elif token.kind == "close" and key is None and path:
            record = path.pop()
            if [outer.kind for outer in path] == ["graph"] and record.kind in ("node", "edge"):
                yield record
        else:
            raise source.error("expected a key and its value; got something else", token.line)
    if path or key is not None or not graphs:
        raise source.error("expected a whole graph [...]; the file ends before that")


GML = Format("gml", "nodes by number, with labels", parse, render, pattern=rb"(?m)^\s*graph\s*\[")
