"""Reading graphs: from a file of any known format to a `Graph`, or to an error that names the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from entrenous.errors import ArgumentError, FormatError
from entrenous.graph.content import Content, ReadProgress
from entrenous.graph.formats import by_content, by_suffix, checked
from entrenous.graph.formats.listing import Listing, Source, sorted_names
from entrenous.graph.simplification import (
    DIRECTED,
    DUPLICATE,
    SELF_LOOP,
    Pairs,
    adjacency,
    first_offence,
    simplify,
)
from entrenous.graph.structure import Graph, NodesFrom

__all__ = ["read", "read_nodes"]

_OFFENCES = {
    SELF_LOOP: "two different nodes; got a self-loop",
    DUPLICATE: "each edge once; got it again",
    DIRECTED: "each edge once; got it again the other way round",
}


def read(
    path: str | Path,
    *,
    nodes: str | Path | Sequence[str | int] | None = None,
    format: str | None = None,  # noqa: A002 - the word users know
    clean: bool = False,
    progress: ReadProgress | None = None,
) -> Graph:
    r"""Read a graph from a file.

    The format is taken from the name of the file (.edges, .csv, .graphml and so on, also with .gz), else from its
    content; `entrenous.graph.formats.FORMATS` has them all. Weights and other attributes are ignored. Nodes stand in
    the order of the node list, else sorted, whole numbers by value and other names by code point: the order in a file
    may be that in which its edges first named them, and a release publishes the order of its nodes.

    Edge lists are read block by block, and a .csr file, which `Graph.write` makes, is not read but mapped into
    memory; its nodes stand as they stood. Do not change such a file while it is in use.

    Parameters
    ----------
    path
        The file.
    nodes
        The public node set: a file with one name a line, or a sequence of names. A Matrix Market file has no
        names; there the list names the rows in order.
    format
        The format, if neither name nor content of the file speak of it.
    clean
        Drop self-loops, duplicates and unreadable lines of edge lists and count them in `Graph.dropped`.
    progress
        Called with bytes read and bytes in all; an edge list with something unusual in it is read twice.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "friends.csv"
    ...     _ = path.write_text("source,target,since\nann,bob,2019\nbob,eve,2021\n")
    ...     graph = read(path)
    >>> graph, graph.names, graph.nodes_from
    (Graph(n=3, m=2), ('ann', 'bob', 'eve'), 'seen')
    """
    wanted = None if format is None else checked(format).name
    content = Content(Path(path), progress)
    public = None if nodes is None else _public(nodes)
    chosen = checked(wanted or by_suffix(content.name) or by_content(content.head()))
    source = Source(content, chosen.name, clean)
    # An empty list of edges is a graph without edges, on a given node set.
    if not chosen.working_copy and content.blank() and (public is None or chosen.nodes):
        raise source.error("expected a graph; got an empty file")
    found = chosen.parse(source)
    return (
        _assemble(source, found, public) if isinstance(found, Listing) else _on_nodes(source, found, public)
    )


def read_nodes(path: str | Path) -> tuple[str, ...]:
    """Read a node list: one name a line, lines starting with # or % are comments.

    Raises
    ------
    FormatError
        If a name occurs twice or the file is no text.
    """
    source = Source(Content(Path(path)), "nodes", clean=False)
    names: dict[str, int] = {}
    for line, text in enumerate(source.lines(), start=1):
        name = text.strip()
        if not name or name.startswith(("#", "%")):
            continue
        if name in names:
            raise source.error(f"expected distinct names; got the one of line {names[name]} again", line)
        names[name] = line
    return tuple(names)


def _public(nodes: str | Path | Sequence[str | int]) -> tuple[str, ...]:
    if isinstance(nodes, str | Path):
        return read_nodes(nodes)
    names = tuple(str(node) for node in nodes)
    if len(set(names)) != len(names):
        raise ArgumentError("nodes", f"expected distinct names; got {len(names) - len(set(names))} repeated")
    return names


def _on_nodes(source: Source, graph: Graph, public: tuple[str, ...] | None) -> Graph:
    """Return a graph that was mapped into memory, on the public nodes if they are given."""
    if public is None:
        return graph
    names = graph.names or tuple(map(str, range(graph.n)))
    if names == public:
        return replace(graph, nodes_from="list")
    return _assemble(source, Listing(graph.edges(), graph.n, names, True, None), public)


def _assemble(source: Source, listing: Listing, public: tuple[str, ...] | None) -> Graph:
    """Put the listed edges on the public nodes, and insist on, or clean towards, a simple graph."""
    if not listing.complete and not len(listing.pairs) and public is None:
        raise source.error("expected at least one edge; got none; name the node set if there really are none")
    pairs, n, names = listing.pairs, listing.n, listing.names
    order: Sequence[str] | None = public
    if order is None and names is not None:
        order = sorted_names(names)  # the file's own order may be that in which edges named the nodes
    if order is not None and order != names:
        pairs, n, names = _placed(source, listing, order), len(order), order
    keys, dropped = simplify(pairs)
    if dropped and not source.clean:
        row, kind = first_offence(pairs)
        message = f"expected {_OFFENCES[kind]}; {sum(dropped.values())} in all; use --clean to drop them"
        raise _at(source, listing, row, message)
    nodes_from: NodesFrom = "list" if public is not None or listing.complete else "seen"
    dropped = listing.dropped | dropped
    del listing, pairs  # their memory is needed
    indptr, indices = adjacency(keys, n)
    return Graph(indptr, indices, _stored(names), nodes_from, dropped)


def _stored(names: Sequence[str] | None) -> tuple[str, ...] | None:
    usual = names is None or all(name == str(place) for place, name in enumerate(names))
    return None if usual or names is None else tuple(names)


def _placed(source: Source, listing: Listing, public: Sequence[str]) -> Pairs:
    """Return the listed pairs renumbered to the places in the public node list."""
    if listing.positional:
        if listing.n != len(public):
            raise source.error(
                f"expected as many rows as the node list has names, {len(public)}; got {listing.n}"
            )
        return listing.pairs
    place = {name: number for number, name in enumerate(public)}
    names = listing.names if listing.names is not None else map(str, range(listing.n))
    places = np.fromiter((place.get(name, -1) for name in names), np.int32, listing.n)
    if places.min(initial=0) < 0:
        rows = np.flatnonzero((places[listing.pairs] < 0).any(axis=1))
        if not len(rows):
            unknown = int(np.count_nonzero(places < 0))
            raise source.error(
                f"expected nodes of the node list; the file lists {unknown} others; extend the list"
            )
        message = f"expected nodes of the node list; got others in {len(rows)} edges; extend the list"
        raise _at(source, listing, int(rows[0]), message)
    return places[listing.pairs]


def _at(source: Source, listing: Listing, row: int, message: str) -> FormatError:
    """Return an error about the place of a pair: its line, or its row in formats without lines."""
    if listing.line is None:
        return source.error(f"row {row + 1}: {message}")
    return source.error(message, listing.line(row))
