from __future__ import annotations

import random
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from tests.graph.strategies import graphs, with_sorted_names

from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.graph.conversion import seeded_igraph

named = graphs(names=st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=4))


@given(st.one_of(graphs(), named))
def test_round_trips(graph: Graph) -> None:
    assert Graph.from_networkx(graph.to_networkx()) == with_sorted_names(graph)
    assert Graph.from_igraph(graph.to_igraph()) == (
        graph if graph.names is None else with_sorted_names(graph)
    )
    assert Graph.from_scipy(graph.to_scipy(), names=graph.names) == graph


def test_the_order_in_which_edges_name_nodes_is_forgotten(tmp_path: Path) -> None:
    edges = [("zoe", "max"), ("ann", "tim"), ("bob", "kim"), ("ann", "max")]
    for pairs in (edges, edges[::-1], [pair[::-1] for pair in edges]):
        nx.write_graphml(nx.Graph(pairs), tmp_path / "g.graphml")
        nx.write_gml(nx.Graph(pairs), tmp_path / "g.gml")
        for graph in (
            Graph.from_networkx(nx.Graph(pairs)),
            Graph.from_igraph(igraph.Graph.TupleList(pairs)),
            Graph.read(tmp_path / "g.graphml"),
            Graph.read(tmp_path / "g.gml"),
        ):
            assert graph.names == ("ann", "bob", "kim", "max", "tim", "zoe")
            assert graph.m == 4


def test_networkx_sees_the_same_graph() -> None:
    other = Graph.from_edges([(0, 1), (1, 2)], names=["a", "b", "c", "d"]).to_networkx()
    assert sorted(other.edges()) == [("a", "b"), ("b", "c")]
    assert "d" in other


def test_arcs_both_ways_are_merged_only_when_cleaning() -> None:
    arcs = [(0, 1), (1, 0), (1, 2)]
    convert = {
        Graph.from_networkx: nx.DiGraph(arcs),
        Graph.from_igraph: igraph.Graph(arcs, directed=True),
        Graph.from_scipy: scipy.sparse.coo_array((np.ones(3), tuple(np.array(arcs).T)), shape=(3, 3)),
    }
    for function, other in convert.items():
        with pytest.raises(ArgumentError):
            function(other)
        assert function(other, clean=True) == Graph.from_edges([(0, 1), (1, 2)])


def test_the_diagonal_is_dropped_only_when_cleaning() -> None:
    matrix = scipy.sparse.csr_array(np.array([[1, 1], [1, 0]]))
    with pytest.raises(ArgumentError):
        Graph.from_scipy(matrix)
    assert Graph.from_scipy(matrix, clean=True).dropped == {"self-loops": 1}
    with pytest.raises(ArgumentError):
        Graph.from_scipy(scipy.sparse.csr_array(np.ones((2, 3))))


def test_a_seeded_igraph_leaves_the_global_generator_alone() -> None:
    random.seed(5)
    expected = random.random()
    random.seed(5)
    with seeded_igraph(1):
        first = igraph.Graph.Erdos_Renyi(20, m=30).get_edgelist()
    assert random.random() == expected
    with seeded_igraph(1):
        assert igraph.Graph.Erdos_Renyi(20, m=30).get_edgelist() == first
    with seeded_igraph(2):
        assert igraph.Graph.Erdos_Renyi(20, m=30).get_edgelist() != first
