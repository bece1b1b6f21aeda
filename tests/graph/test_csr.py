"""Mapped files: what is written is mapped back, and whatever is not such a file is refused."""

from __future__ import annotations

import pickle
import struct
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.graph.strategies import graphs

from entrenous.errors import ArgumentError, FormatError
from entrenous.graph import Graph, measure
from entrenous.graph.formats.csr import MAGIC, pieces
from entrenous.graph.simplification import adjacency, arcs

HEADER = 64
PATH = Graph.from_edges([(0, 1), (1, 2), (2, 3)], n=5)


def whole(graph: Graph) -> bytes:
    return b"".join(pieces(graph))


def opened(folder: Path, content: bytes) -> Graph:
    file = folder / "graph.csr"
    file.write_bytes(content)
    return Graph.read(file)


def mapping_below(array: np.ndarray | None) -> bool:
    """Tell whether an array looks into a mapped file, through however many views."""
    while array is not None and not isinstance(array, np.memmap):
        array = array.base
    return array is not None


@given(graph=st.one_of(graphs(), graphs(names=st.text(max_size=4))), seen=st.booleans())
def test_what_is_written_is_mapped_back(graph: Graph, seen: bool) -> None:
    graph = Graph(graph.indptr, graph.indices, graph.names, "seen" if seen else "list")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "graph.csr"
        graph.write(file)
        again = Graph.read(file)
        assert again == graph
        assert again.nodes_from == graph.nodes_from
        assert mapping_below(again.indptr)
        assert not again.indptr.flags.writeable
        assert not again.m or mapping_below(again.indices)
        assert pickle.loads(pickle.dumps(again)) == graph


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "graph.csr"
    PATH.write(file)
    assert file.stat().st_mode & 0o077 == 0
    assert [each.name for each in tmp_path.iterdir()] == ["graph.csr"]
    with pytest.raises(ArgumentError, match="mapped"):
        PATH.write(tmp_path / "graph.csr.gz")


def test_a_graph_in_use_survives_a_new_file_of_its_name(tmp_path: Path) -> None:
    PATH.write(tmp_path / "graph.csr")
    mapped = Graph.read(tmp_path / "graph.csr")
    Graph.from_edges([(0, 4)], n=5).write(tmp_path / "graph.csr")
    assert mapped == PATH
    assert measure(mapped, only=["clustering", "paths"]).m == 3


def test_the_public_node_list_orders_the_nodes(tmp_path: Path) -> None:
    Graph.from_edges([(0, 1)], names=["ann", "bob", "eve"]).write(tmp_path / "graph.csr")
    graph = Graph.read(tmp_path / "graph.csr", nodes=["eve", "bob", "ann"])
    assert graph.edges().tolist() == [[1, 2]]
    assert Graph.read(tmp_path / "graph.csr", nodes=["ann", "bob", "eve"]).nodes_from == "list"
    with pytest.raises(FormatError, match="extend the list"):
        Graph.read(tmp_path / "graph.csr", nodes=["ann", "bob"])


def row_file(indptr: list[int], indices: list[int], notes: bytes = b'{"names": null}') -> bytes:
    n, m = len(indptr) - 1, len(indices) // 2
    header = struct.pack("<16sIIqqq16x", MAGIC, 1, 0, n, m, len(notes))
    return header + np.array(indptr, "<i8").tobytes() + np.array(indices, "<i4").tobytes() + notes


@pytest.mark.parametrize(
    ("indptr", "indices"),
    [
        ([0, 1, 2], [1, 2]),  # a node that is not there
        ([0, 1, 2], [1, -1]),
        ([0, 1, 2], [0, 1]),  # self-loops
        ([0, 2, 2], [1, 1]),  # twice, and never the other way
        ([0, 2, 3, 4], [2, 1, 0, 0]),  # not ascending
        ([0, 1, 2, 2], [1, 2]),  # one way only
        ([0, 1, 2, 3, 4], [1, 2, 3, 0]),  # a round trip
        ([0, 2, 1, 2], [1, 2]),  # rows that go back
        ([1, 1, 2], [1, 0]),
        ([0, 1, 1], [1, 0]),  # a row too short
    ],
)
def test_rows_of_no_simple_graph_are_refused(tmp_path: Path, indptr: list[int], indices: list[int]) -> None:
    with pytest.raises(FormatError, match="damaged"):
        opened(tmp_path, row_file(indptr, indices))
    assert opened(tmp_path, row_file([0, 1, 2], [1, 0])).m == 1


@pytest.mark.parametrize(
    "content",
    [
        whole(PATH)[:40],
        whole(PATH)[:-1],
        whole(PATH) + b" ",
        MAGIC.replace(b"\r\n", b"\n") + whole(PATH)[16:],
        whole(PATH)[:16] + b"\x02" + whole(PATH)[17:],
        whole(PATH)[:24] + struct.pack("<q", -1) + whole(PATH)[32:],
        whole(PATH)[:24] + struct.pack("<q", 2**40) + whole(PATH)[32:],
        row_file([0, 1, 2], [1, 0], b"[]"),
        row_file([0, 1, 2], [1, 0], b"nothing"),
        row_file([0, 1, 2], [1, 0], b'{"names": ["a", "a"]}'),
        row_file([0, 1, 2], [1, 0], b'{"names": ["a", 1]}'),
        row_file([0, 1, 2], [1, 0], b'{"names": ["a"]}'),
    ],
    ids=[
        "cut",
        "short",
        "long",
        "text",
        "version",
        "negative",
        "huge",
        "list",
        "words",
        "twice",
        "number",
        "few",
    ],
)
def test_cut_and_changed_files_are_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(FormatError, match=r"^graph\.csr: "):
        opened(tmp_path, content)


def test_more_nodes_than_edges_could_concern_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "graph.csr"
    notes = b'{"names": null}'
    with file.open("wb") as sparse:
        sparse.write(struct.pack("<16sIIqqq16x", MAGIC, 1, 0, 2**30, 1, len(notes)))
        sparse.truncate(HEADER + 8 * (2**30 + 1) + 8 + len(notes))  # holes: next to nothing on the disk
    with pytest.raises(FormatError, match="thousand nodes per edge"):
        Graph.read(file)


def test_rows_longer_than_a_chunk_are_cut_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entrenous.graph.simplification._CHUNK", 3)
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 9)] + [(8, 10)], n=12)
    parts = list(arcs(star.indptr, star.indices))
    assert len(parts) > 3
    assert np.concatenate([row for _, row in parts]).tolist() == star.indices.tolist()
    degrees = np.bincount(np.concatenate([node for node, _ in parts]), minlength=12)
    assert degrees.tolist() == star.degrees.tolist()
    indptr, indices = adjacency(np.array([(0 << 32) + leaf for leaf in range(1, 9)] + [(8 << 32) + 10]), 12)
    assert Graph(indptr, indices) == star
