from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.graph.strategies import graphs, with_sorted_names

from entrenous.errors import ArgumentError, InputError
from entrenous.graph import Graph
from entrenous.graph.formats import FORMATS
from entrenous.graph.reading import read_nodes

words = st.text("abcé ", min_size=1, max_size=3).map(str.strip).filter(bool)
texts = st.text(max_size=5)  # quotation marks, control characters, surrogates: anything


@pytest.mark.parametrize("format_", FORMATS)
@settings(deadline=None, max_examples=40)
@given(graph=st.one_of(graphs(), graphs(names=words), graphs(names=texts)))
def test_whatever_is_written_reads_back_exactly(format_: str, graph: Graph) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"graph.{format_}"
        nodes = [graph.name(node) for node in range(graph.n)]
        try:
            graph.write(path)
        except ArgumentError:  # a name that this format cannot carry
            assert not path.exists()
            return
        again = Graph.read(path, nodes=nodes)
        assert again == graph
        assert again.nodes_from == "list"
        complete = FORMATS[format_].names and FORMATS[format_].nodes
        if complete and not FORMATS[format_].working_copy:
            assert Graph.read(path) == with_sorted_names(graph)
            assert Graph.read(path).nodes_from == "list"


@given(graph=graphs(names=texts))
def test_node_lists_read_back_exactly(graph: Graph) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "nodes.txt"
        try:
            graph.write_nodes(path)
        except ArgumentError:
            return
        assert read_nodes(path) == tuple(graph.name(node) for node in range(graph.n))


@pytest.mark.parametrize("suffix", [*FORMATS, "edges.gz", "graphml.gz"])
def test_the_same_graph_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    pairs = [(0, 1), (2, 1), (3, 0)]
    for place, edges in enumerate((pairs, pairs[::-1])):
        Graph.from_edges(edges, n=5).write(tmp_path / f"{place}.{suffix}")
    assert (tmp_path / f"0.{suffix}").read_bytes() == (tmp_path / f"1.{suffix}").read_bytes()


def test_the_text_of_edge_lists(tmp_path: Path) -> None:
    graph = Graph.from_edges([(1, 0), (1, 2)], names=["ann", "bob, b", "eve"])
    graph.write(tmp_path / "g.csv")
    assert (tmp_path / "g.csv").read_text() == 'source,target\nann,"bob, b"\n"bob, b",eve\n'
    with pytest.raises(ArgumentError):
        graph.write(tmp_path / "g.edges")
    Graph.from_edges([(1, 0), (1, 2)]).write(tmp_path / "g", format="edges")
    assert (tmp_path / "g").read_text() == "0 1\n1 2\n"


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    graph = Graph.from_edges([(0, 1)])
    with pytest.raises(ArgumentError, match="parquet"):
        graph.write(tmp_path / "graph.dat")
    with pytest.raises(InputError, match=r"^graph\.edges: "):
        graph.write(tmp_path / "nowhere" / "graph.edges")
