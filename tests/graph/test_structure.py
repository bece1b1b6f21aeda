from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.graph.strategies import graphs

from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.graph.simplification import first_offence


def test_rows_are_sorted_and_symmetric() -> None:
    graph = Graph.from_edges([(3, 0), (0, 1), (2, 0)], n=5)
    assert graph.neighbors(0).tolist() == [1, 2, 3]
    assert graph.degrees.tolist() == [3, 1, 1, 1, 0]
    assert graph.edges().tolist() == [[0, 1], [0, 2], [0, 3]]
    assert (graph.n, graph.m) == (5, 3)
    assert graph.indptr.dtype == np.int64
    assert graph.indices.dtype == np.int32


@given(graphs())
def test_edges_rebuild_the_graph(graph: Graph) -> None:
    edges = graph.edges()
    assert Graph.from_edges(edges[::-1, ::-1], n=graph.n) == graph
    assert graph.with_edges(edges) == graph
    pairs = {tuple(edge) for edge in edges.tolist()}
    assert all(
        graph.has_edge(u, v) == ((min(u, v), max(u, v)) in pairs)
        for u in range(graph.n)
        for v in range(graph.n)
    )


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30))
def test_cleaning_counts_all_that_is_dropped(pairs: list[tuple[int, int]]) -> None:
    graph = Graph.from_edges(pairs, clean=True)
    proper = [pair for pair in pairs if pair[0] != pair[1]]
    assert graph.m == len({frozenset(pair) for pair in proper})
    assert sum(graph.dropped.values()) == len(pairs) - graph.m
    assert graph.dropped.get("self-loops", 0) == len(pairs) - len(proper)
    assert graph.dropped.get("duplicates", 0) == len(proper) - len(set(proper))
    if graph.dropped:
        row, _ = first_offence(np.array(pairs))
        Graph.from_edges(pairs[:row])
        with pytest.raises(ArgumentError, match=f"row {row} "):
            Graph.from_edges(pairs)


def test_nothing_can_be_changed() -> None:
    graph = Graph.from_edges([(0, 1)], names=["ann", "bob"])
    for copy in (graph, pickle.loads(pickle.dumps(graph))):
        for array in (copy.indptr, copy.indices, copy.degrees):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 7
        with pytest.raises(AttributeError):
            copy.names = None  # type: ignore[misc]
        with pytest.raises(TypeError):
            copy.dropped["self-loops"] = 1  # type: ignore[index]
        assert copy == graph
        assert hash(copy) == hash(graph)


def test_names_that_are_the_numbers_are_not_stored() -> None:
    assert Graph.from_edges([(0, 1)], names=["0", "1"]).names is None
    assert Graph.from_edges([(0, 1)], names=["1", "0"]).names == ("1", "0")


def test_names_and_edges_make_the_identity() -> None:
    graph = Graph.from_edges([(0, 1)], n=3)
    assert graph != Graph.from_edges([(0, 2)], n=3)
    assert graph != Graph.from_edges([(0, 1)], n=4)
    assert graph != Graph.from_edges([(0, 1)], names=["a", "b", "c"])
    assert graph != "graph"


def test_a_release_keeps_the_public_nodes() -> None:
    graph = Graph.from_edges([(0, 1)], names=["ann", "bob", "eve"], nodes_from="seen")
    released = graph.with_edges([(1, 2)])
    assert (released.names, released.nodes_from, released.m) == (graph.names, "seen", 1)
    with pytest.raises(ArgumentError):
        graph.with_edges([(1, 3)])


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"edges": [(0, 1, 2)]}, "edges"),
        ({"edges": [(0, 1), (2,)]}, "edges"),
        ({"edges": [(0, 2**70)]}, "edges"),
        ({"edges": [(0.5, 1)]}, "edges"),
        ({"edges": [(-1, 1)]}, "edges"),
        ({"edges": [(0, 2**31)]}, "edges"),
        ({"edges": [(0, 5)], "n": 5}, "n"),
        ({"edges": [(0, 1)], "names": ["a"]}, "n"),
        ({"edges": [(0, 1)], "names": ["a", "a"]}, "names"),
        ({"edges": [(0, 1)], "names": ["a", 1]}, "names"),
        ({"edges": [(0, 1)], "names": ["a", "b"], "n": 3}, "names"),
        ({"edges": [(0, 1)], "nodes_from": "elsewhere"}, "nodes_from"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, object], argument: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        Graph.from_edges(**arguments)  # type: ignore[arg-type]
    assert caught.value.argument == argument


@pytest.mark.parametrize("node", [-1, 3, 1.5])
def test_nodes_outside_are_refused(node: int) -> None:
    graph = Graph.from_edges([(0, 1)], n=3)
    for question in (
        graph.neighbors,
        graph.name,
        lambda u: graph.has_edge(0, u),
        lambda u: graph.has_edge(u, 0),
    ):
        with pytest.raises(ArgumentError):
            question(node)


def test_importing_loads_numpy_only() -> None:
    heavy = ["numba", "scipy", "igraph", "networkx", "matplotlib", "pyarrow", "opendp"]
    code = f"import sys, entrenous.graph; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
