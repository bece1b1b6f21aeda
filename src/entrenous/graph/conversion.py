"""To and from the graphs of networkx, igraph and scipy: the only door these libraries enter by."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from entrenous.errors import ArgumentError, MissingExtraError
from entrenous.graph.formats.listing import sorted_names
from entrenous.graph.structure import Graph

if TYPE_CHECKING:
    import igraph
    import networkx as nx
    import scipy.sparse

__all__ = [
    "from_igraph",
    "from_networkx",
    "from_scipy",
    "seeded_igraph",
    "to_igraph",
    "to_networkx",
    "to_scipy",
]


def from_networkx(other: nx.Graph, *, clean: bool = False) -> Graph:
    """Convert a networkx graph; node names are the texts of its nodes, sorted.

    Its own order is often that in which edges named the nodes, and a release publishes the order of its nodes.
    Arcs of a directed graph count as edges, so arcs both ways are duplicates that only `clean` merges.
    """
    return _sorted_graph([(str(u), str(v)) for u, v in other.edges()], [str(node) for node in other], clean)


def to_networkx(graph: Graph) -> nx.Graph:
    """Convert to a networkx graph whose nodes are the names, or the numbers where there are none."""
    try:
        import networkx as nx
    except ImportError:
        raise MissingExtraError("dev", "converting to networkx") from None
    other = nx.Graph()
    nodes = range(graph.n) if graph.names is None else graph.names
    other.add_nodes_from(nodes)
    other.add_edges_from((nodes[u], nodes[v]) for u, v in graph.edges().tolist())
    return other


def from_igraph(other: igraph.Graph, *, clean: bool = False) -> Graph:
    """Convert an igraph graph; names are taken from its vertex attribute "name", if there is one, and sorted."""
    pairs = other.get_edgelist()
    if "name" not in other.vs.attributes():
        return Graph.from_edges(pairs, n=other.vcount(), clean=clean)
    names = [str(name) for name in other.vs["name"]]
    return _sorted_graph([(names[u], names[v]) for u, v in pairs], names, clean)


def _sorted_graph(pairs: Sequence[tuple[str, str]], names: Sequence[str], clean: bool) -> Graph:
    order = sorted_names(names)
    place = {name: number for number, name in enumerate(order)}
    return Graph.from_edges([(place[u], place[v]) for u, v in pairs], names=order, clean=clean)


def to_igraph(graph: Graph) -> igraph.Graph:
    """Convert to an igraph graph.

    >>> to_igraph(Graph.from_edges([(0, 1), (1, 2)])).ecount()
    2
    """
    import igraph

    other = igraph.Graph(n=graph.n, edges=graph.edges())
    if graph.names is not None:
        other.vs["name"] = list(graph.names)
    return other


@contextmanager
def seeded_igraph(seed: int) -> Iterator[None]:
    """Let igraph draw from a seeded generator for a while, then from Python's own again, which is as it was.

    igraph has one generator for the whole process and no way to ask for it; Python's is its default.
    """
    import igraph

    igraph.set_random_number_generator(random.Random(seed))  # noqa: S311 - no privacy depends on it
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)


def from_scipy(
    matrix: scipy.sparse.sparray, *, names: Sequence[str] | None = None, clean: bool = False
) -> Graph:
    """Convert a square adjacency matrix; every entry that is not zero is an edge.

    The matrix must be symmetric with an empty diagonal; `clean` drops the diagonal and completes the rest.
    """
    entries = matrix.tocoo()
    if len(entries.shape) != 2 or entries.shape[0] != entries.shape[1]:
        raise ArgumentError("matrix", f"expected a square matrix; got shape {entries.shape}")
    filled = entries.data != 0
    rows, columns = entries.coords[0][filled].astype(np.int64), entries.coords[1][filled].astype(np.int64)
    n = int(entries.shape[0])
    upper, lower = np.unique(rows[rows < columns] * n + columns[rows < columns]), rows > columns
    mirrored = np.unique(columns[lower] * n + rows[lower])
    loops = int(np.count_nonzero(rows == columns))
    if not clean and (loops or not np.array_equal(upper, mirrored)):
        raise ArgumentError(
            "matrix",
            f"expected symmetry and an empty diagonal; got {loops} diagonal entries, or arcs; use clean=True",
        )
    keys = np.union1d(upper, mirrored)
    graph = Graph.from_edges(np.column_stack((keys // max(n, 1), keys % max(n, 1))), n=n, names=names)
    return Graph(graph.indptr, graph.indices, graph.names, dropped={"self-loops": loops} if loops else {})


def to_scipy(graph: Graph) -> scipy.sparse.csr_array:
    """Convert to the symmetric adjacency matrix in compressed sparse rows, with ones of type float64.

    >>> to_scipy(Graph.from_edges([(0, 1), (1, 2)])).nnz
    4
    """
    import scipy.sparse

    ones = np.ones(len(graph.indices))
    # One type for both, or scipy widens the narrower; half the memory where the number of entries allows it.
    places = np.int32 if len(ones) < 2**31 else np.int64
    rows = graph.indices.astype(places), graph.indptr.astype(places)
    return scipy.sparse.csr_array((ones, *rows), shape=(graph.n, graph.n))
