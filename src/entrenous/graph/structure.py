"""The immutable graph: undirected, simple, in compressed sparse rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.graph.simplification import MAX_NODES, Dropped, adjacency, arcs, first_offence, simplify

if TYPE_CHECKING:
    import igraph
    import networkx as nx
    import scipy.sparse

__all__ = ["Graph", "NodesFrom"]

NodesFrom = Literal["list", "seen"]


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected graph without self-loops or parallel edges, on the nodes 0..n-1.

    Build one with `from_edges` or `read`; the constructor trusts its arrays. Two graphs are equal when
    they have the same nodes, names and edges, wherever these came from.

    Attributes
    ----------
    indptr
        Where each node's row starts and ends in `indices`; int64, length n + 1.
    indices
        The neighbours of all nodes, ascending in each row; int32, length 2m.
    names
        The names of the nodes, or None for "0", "1", ... (a million strings cost more than the edges).
    nodes_from
        "list" if the public node set was given, "seen" if it is whatever occurred in the edges.
    dropped
        How many self-loops and duplicates cleaning removed: the curator's information, never published.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)], n=4)
    >>> path
    Graph(n=4, m=2)
    >>> path.degrees
    array([1, 2, 1, 0])
    >>> path.neighbors(1)
    array([0, 2], dtype=int32)
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    names: tuple[str, ...] | None = None
    nodes_from: NodesFrom = "list"
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "indptr", _read_only(self.indptr, np.int64))
        object.__setattr__(self, "indices", _read_only(self.indices, np.int32))
        object.__setattr__(self, "dropped", MappingProxyType(dict(self.dropped)))

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike,
        *,
        n: int | None = None,
        names: Sequence[str] | None = None,
        nodes_from: NodesFrom | None = None,
        clean: bool = False,
    ) -> Self:
        """Build a graph from pairs of node numbers.

        Parameters
        ----------
        edges
            Pairs of whole numbers from 0 to n - 1, one row per edge, in any order.
        n
            The number of nodes; by default as many as there are names, or one more than the largest number.
        names
            One distinct name per node.
        nodes_from
            Whether the node set was given ("list", the default with `n` or `names`) or is taken from the edges
            ("seen", the default without).
        clean
            Drop self-loops and duplicates and count them in `dropped`, instead of refusing them.

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 0), (2, 2)], clean=True).dropped["self-loops"]
        1
        """
        pairs = _pairs(edges)
        labels = _names(names)
        size = _size(pairs, len(names) if n is None and names is not None else n, labels)
        if nodes_from is None:
            nodes_from = "seen" if n is None and names is None else "list"
        _check.one_of("nodes_from", nodes_from, ("list", "seen"))
        simple, dropped = simplify(pairs)
        if dropped and not clean:
            raise ArgumentError("edges", _offence(pairs, dropped))
        indptr, indices = adjacency(simple, size)
        return cls(indptr, indices, labels, nodes_from, dropped)

    def with_edges(self, edges: ArrayLike) -> Self:
        """Return a graph on the same public nodes with other edges: what a release mechanism hands out.

        >>> Graph.from_edges([(0, 1)], names=["ann", "bob", "eve"]).with_edges([(1, 2)]).name(2)
        'eve'
        """
        return type(self).from_edges(edges, n=self.n, names=self.names, nodes_from=self.nodes_from)

    @cached_property
    def n(self) -> int:
        """The number of nodes, isolated ones included."""
        return len(self.indptr) - 1

    @cached_property
    def m(self) -> int:
        """The number of edges."""
        return len(self.indices) // 2

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """The number of neighbours of each node."""
        return _read_only(np.diff(self.indptr), np.int64)

    def edges(self) -> NDArray[np.int32]:
        """Return the edges as rows (u, v) with u < v, sorted.

        >>> Graph.from_edges([(2, 1), (0, 1)]).edges().tolist()
        [[0, 1], [1, 2]]
        """
        pairs = np.empty((self.m, 2), np.int32)
        filled = 0
        for node, row in arcs(self.indptr, self.indices):
            once = node < row
            count = int(np.count_nonzero(once))
            pairs[filled : filled + count, 0] = node[once]
            pairs[filled : filled + count, 1] = row[once]
            filled += count
        return pairs

    def neighbors(self, u: int) -> NDArray[np.int32]:
        """Return the neighbours of a node, ascending."""
        node = self._node("u", u)
        return self.indices[self.indptr[node] : self.indptr[node + 1]]

    def has_edge(self, u: int, v: int) -> bool:
        """Tell whether two nodes are linked.

        >>> Graph.from_edges([(0, 1)], n=3).has_edge(1, 0)
        True
        """
        row, node = self.neighbors(u), self._node("v", v)
        place = int(np.searchsorted(row, node))
        return place < len(row) and int(row[place]) == node

    def name(self, i: int) -> str:
        """Return the name of a node.

        >>> Graph.from_edges([(0, 1)]).name(1)
        '1'
        """
        node = self._node("i", i)
        return str(node) if self.names is None else self.names[node]

    def _node(self, argument: str, value: int) -> int:
        node = _check.at_least(argument, value, 0)
        if node >= self.n:
            raise ArgumentError(argument, f"expected a node below {self.n}; got {node}")
        return node

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        nodes: str | Path | Sequence[str | int] | None = None,
        format: str | None = None,  # noqa: A002 - the word users know
        clean: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> Self:
        """Read a graph from a file; see `entrenous.graph.reading.read`."""
        from entrenous.graph.reading import read

        graph = read(path, nodes=nodes, format=format, clean=clean, progress=progress)
        return cls(graph.indptr, graph.indices, graph.names, graph.nodes_from, graph.dropped)

    def write(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002 - the word users know
        comment: str | None = None,
    ) -> None:
        """Write the graph to a file; see `entrenous.graph.writing.write`."""
        from entrenous.graph.writing import write

        write(self, path, format=format, comment=comment)

    def write_nodes(self, path: str | Path, *, comment: str | None = None) -> None:
        """Write the names of all nodes, one a line; see `entrenous.graph.writing.write_nodes`."""
        from entrenous.graph.writing import write_nodes

        write_nodes(self, path, comment=comment)

    @classmethod
    def from_networkx(cls, other: nx.Graph, *, clean: bool = False) -> Graph:
        """Convert a networkx graph; see `entrenous.graph.conversion`."""
        from entrenous.graph.conversion import from_networkx

        return from_networkx(other, clean=clean)

    def to_networkx(self) -> nx.Graph:
        """Convert to a networkx graph; see `entrenous.graph.conversion`."""
        from entrenous.graph.conversion import to_networkx

        return to_networkx(self)

    @classmethod
    def from_igraph(cls, other: igraph.Graph, *, clean: bool = False) -> Graph:
        """Convert an igraph graph; see `entrenous.graph.conversion`."""
        from entrenous.graph.conversion import from_igraph

        return from_igraph(other, clean=clean)

    def to_igraph(self) -> igraph.Graph:
        """Convert to an igraph graph; see `entrenous.graph.conversion`."""
        from entrenous.graph.conversion import to_igraph

        return to_igraph(self)

    @classmethod
    def from_scipy(
        cls, matrix: scipy.sparse.sparray, *, names: Sequence[str] | None = None, clean: bool = False
    ) -> Graph:
        """Convert a sparse adjacency matrix; see `entrenous.graph.conversion`."""
        from entrenous.graph.conversion import from_scipy

        return from_scipy(matrix, names=names, clean=clean)

    def to_scipy(self) -> scipy.sparse.csr_array:
        """Convert to a sparse adjacency matrix; see `entrenous.graph.conversion`."""
        from entrenous.graph.conversion import to_scipy

        return to_scipy(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return (
            self.names == other.names
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.indices, other.indices)
        )

    def __hash__(self) -> int:
        return hash((self.n, self.m, self.indices[:64].tobytes()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={self.n}, m={self.m})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, so that the arrays of a copy are read-only as well.
        return type(self), (self.indptr, self.indices, self.names, self.nodes_from, dict(self.dropped))


def _read_only(array: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    view = np.ascontiguousarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view


def _pairs(edges: ArrayLike) -> NDArray[Any]:
    """Return edges as an (m, 2) integer array, or say what else they are."""
    try:
        array = np.asarray(edges)
    except ValueError:
        raise ArgumentError(
            "edges", "expected rows of two whole numbers; got rows of different lengths"
        ) from None
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ArgumentError(
            "edges",
            f"expected rows of two whole numbers; got an array of {array.dtype} of shape {array.shape}",
        )
    if array.min() < 0 or array.max() >= MAX_NODES:
        raise ArgumentError("edges", f"expected node numbers from 0 to {MAX_NODES - 1}; got others")
    return array


def _names(names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the names to store: None where they are just the numbers."""
    if names is None:
        return None
    labels = tuple(names)
    for place, label in enumerate(labels):
        if not isinstance(label, str):
            raise ArgumentError("names", f"expected texts; got a {type(label).__name__} at place {place}")
    if len(set(labels)) != len(labels):
        raise ArgumentError(
            "names", f"expected {len(labels)} distinct names; got {len(labels) - len(set(labels))} repeated"
        )
    return None if all(label == str(place) for place, label in enumerate(labels)) else labels


def _size(pairs: NDArray[Any], n: int | None, labels: tuple[str, ...] | None) -> int:
    """Return the number of nodes, checked against the names and the edges."""
    needed = int(pairs.max()) + 1 if len(pairs) else 0
    default = needed if labels is None else len(labels)
    size = default if n is None else _check.at_least("n", n, 0)
    if labels is not None and len(labels) != size:
        raise ArgumentError("names", f"expected one for each of {size} nodes; got {len(labels)}")
    if needed > size or size > MAX_NODES:
        raise ArgumentError(
            "n", f"expected from {needed} (the largest node number, and one) to {MAX_NODES}; got {size}"
        )
    return size


def _offence(pairs: NDArray[Any], dropped: Dropped) -> str:
    row, kind = first_offence(pairs)
    return (
        f"expected a simple graph; got {sum(dropped.values())} self-loops or duplicates, "
        f"first in row {row} ({kind}); use clean=True to drop them"
    )
