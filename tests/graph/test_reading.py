from __future__ import annotations

import gzip
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrenous.errors import ArgumentError, FormatError, InputError, MissingDataError
from entrenous.graph import Graph
from entrenous.graph.content import Content
from entrenous.graph.formats import edge_list
from entrenous.graph.formats.listing import Source
from entrenous.graph.formats.whole_numbers import whole_numbers

GRAPHML = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="w" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="{kind}">
<node id="ann"/><node id="bob"/><node id="eve"/>
<edge source="ann" target="bob"><data key="w">1.5</data></edge>
{more}
</graph></graphml>
"""
GML = """Creator "somebody"
graph [
  directed 0
  node [ id 7 label "ann" graphics [ x 1.5 ] ]
  node [ id 8 label "b &amp; b" ]
  node [ id 9 label "eve" ]
  # a comment
  edge [ source 7 target 8 value 2 ]
%s
]
"""
MTX = "%%MatrixMarket matrix coordinate {kind}\n% a comment\n3 3 {count}\n{entries}"


def read(tmp_path: Path, content: str | bytes, name: str = "graph.edges", **options: object) -> Graph:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Graph.read(path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("0 1\n1 2\n", None),
        ("# SNAP\n0\t1\r\n1\t2\r\n", None),
        ("% comment\n\n0 1\n\n1 2", None),
        ("\ufeff0 1\n1 2\n", None),
        ("0 1\n# between\n1 2\n", None),
        ("0,1\n1,2\n", None),
        ("0;1\n1;2\n", None),
        ("0 1 0.5 1082\n1 2 1.5 1083\n", None),
        ("0 1 5\n1 2 6\n", None),
        ("source,target\n0,1\n1,2\n", None),
        ("From To Weight\n0 1 5\n1 2 6\n", None),
        ("weight,from,to\n9,0,1\n9,1,2\n", None),
        ("weight,from,to\n,0,1\n,1,2\n", None),
        ("Person A,Person B\n0,1\n1,2\n", None),
        ("3 7\n7 20\n", ("3", "7", "20")),
        ("007 1\n1 2\n", ("007", "1", "2")),
        ("1000000000000 1\n1 2\n", ("1", "2", "1000000000000")),
        ("9999999999999999999999 1\n1 2\n", ("1", "2", "9999999999999999999999")),
        ("zoe ann\nann Bob\n", ("Bob", "ann", "zoe")),
        ("ann lee\tbob\nbob\tkim\n", ("ann lee", "bob", "kim")),
        ('"lee, ann",bob\nbob,"say ""hi"""\n', ("bob", "lee, ann", 'say "hi"')),
    ],
)
def test_edge_lists(tmp_path: Path, content: str, names: tuple[str, ...] | None) -> None:
    graph = read(tmp_path, content)
    assert (graph.n, graph.m, graph.names, graph.nodes_from) == (3, 2, names, "seen")
    assert sorted(graph.degrees.tolist()) == [1, 1, 2]


@given(
    st.lists(st.lists(st.integers(0, 30).map(str), min_size=2, max_size=4), min_size=1, max_size=8),
    st.sampled_from([" ", "\t", ",", ", ", "  "]),
    st.sampled_from(["edges", "csv", "tsv"]),
)
def test_the_quick_path_agrees_with_the_exact_one(rows: list[list[str]], gap: str, dialect: str) -> None:
    data = "\n".join(gap.join(row) for row in rows).encode()
    source = Source(Content.of_bytes("graph", data), dialect, clean=False)
    quick = whole_numbers(source)
    if quick is not None:
        exact = edge_list.by_lines(source)
        names = exact.names or [str(place) for place in range(exact.n)]
        assert quick.tolist() == [[int(names[u]), int(names[v])] for u, v in exact.pairs.tolist()]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("0 1\n1 2\n2 2\n", 3),
        ("# one\n0 1\n\n0 1\n", 4),
        ("0 1\n1 0\n", 2),
        ("# one\nsource,target\n0,1\n\n1,2\n2,1\n", 6),
        ("# one\nsource,target\n0,1\n1,2\n2,1\n", 5),
        ("a b\nb c\nb a\n", 3),
        ("0 1\n1 2 3\n", 2),
        ("0 1\n1\n", 2),
        ("0,1\n1,,2\n", 2),
        ("0,1\n1,\n", 2),
        ("0\n", 1),
        (b"0 1\n1 2\n\xff\xfe 3\n", 3),
        (b"0 1\n1\x00 2\n", 2),
        ('a,b\n"c,d\n', 2),
    ],
)
def test_the_line_of_the_first_problem_is_named(tmp_path: Path, content: str | bytes, line: int) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, content)
    assert (caught.value.line, caught.value.file) == (line, "graph.edges")


def test_cleaning_drops_and_counts(tmp_path: Path) -> None:
    content = b"a b\nb a\na b\nc c\nb c d\n\xff b\nb c\n"
    graph = read(tmp_path, content, clean=True)
    assert graph.m == 2
    assert graph.dropped == {
        "undecodable lines": 1,
        "ragged lines": 1,
        "self-loops": 1,
        "duplicates": 1,
        "directed duplicates": 1,
    }


def test_compressed_files_are_recognized_by_content(tmp_path: Path) -> None:
    packed = gzip.compress(b"0 1\n1 2\n", mtime=0)
    for name in ("graph.edges.gz", "graph.edges"):
        assert read(tmp_path, packed, name).m == 2
    with pytest.raises(FormatError, match="truncated"):
        read(tmp_path, packed[:-9], "graph.edges.gz")


@pytest.mark.parametrize("content", [b"", b"\n \n", b"# nothing\n", gzip.compress(b"", mtime=0)])
def test_no_edges_and_no_nodes_is_no_graph(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(FormatError):
        read(tmp_path, content)
    assert read(tmp_path, content, nodes=["a", "b"]) == Graph.from_edges([], names=["a", "b"])


def test_places_that_hold_no_file(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"^none\.edges: "):
        Graph.read(tmp_path / "none.edges")
    with pytest.raises(FormatError, match="folder"):
        Graph.read(tmp_path)
    with pytest.raises(FormatError):
        Graph.read("a\0b.edges")
    with pytest.raises(ArgumentError, match="edges, csv"):
        read(tmp_path, "0 1", format="word")


def test_the_public_node_set(tmp_path: Path) -> None:
    (tmp_path / "nodes.txt").write_text("# public\nzoe\nann\n\nbob\n")
    for nodes in (tmp_path / "nodes.txt", ["zoe", "ann", "bob"]):
        graph = read(tmp_path, "ann bob\n", nodes=nodes)
        assert (graph.names, graph.nodes_from) == (("zoe", "ann", "bob"), "list")
        assert graph.edges().tolist() == [[1, 2]]
        with pytest.raises(FormatError) as caught:
            read(tmp_path, "ann bob\nann eve\n", nodes=nodes)
        assert caught.value.line == 2
    assert read(tmp_path, "0 3\n", nodes=range(5)) == Graph.from_edges([(0, 3)], n=5)
    with pytest.raises(ArgumentError):
        read(tmp_path, "0 3\n", nodes=["0", 0])


def test_a_node_file_with_a_name_twice(tmp_path: Path) -> None:
    (tmp_path / "nodes.txt").write_text("ann\nbob\nann\n")
    with pytest.raises(FormatError) as caught:
        read(tmp_path, "ann bob\n", nodes=tmp_path / "nodes.txt")
    assert (caught.value.line, caught.value.file) == (3, "nodes.txt")


@pytest.mark.parametrize("name", ["graph.graphml", "graph.xml", "graph.dat"])
def test_graphml(tmp_path: Path, name: str) -> None:
    graph = read(tmp_path, GRAPHML.format(kind="directed", more=""), name)
    assert (graph.names, graph.nodes_from) == (("ann", "bob", "eve"), "list")
    assert graph.edges().tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ('<edge source="bob" target="ann"/>', 7),
        ('<edge source="bob" target="bob"/>', 7),
        ('<edge source="bob" target="kim"/>', 7),
        ('<edge source="bob"/>', 7),
        ('<node id="ann"/>', 7),
        ("<node/>", 7),
        ("<hyperedge/>", 7),
        ("<graph/>", 7),
        ("</edge>", 7),
    ],
)
def test_graphml_problems(tmp_path: Path, more: str, line: int) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, GRAPHML.format(kind="undirected", more=more), "graph.graphml")
    assert caught.value.line == line


def test_graphml_refuses_entities(tmp_path: Path) -> None:
    bomb = (
        '<!DOCTYPE graphml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<graphml><graph>&b;</graph></graphml>'
    )
    with pytest.raises(FormatError, match="entity"):
        read(tmp_path, bomb, "graph.graphml")


def test_gml(tmp_path: Path) -> None:
    graph = read(tmp_path, GML % "  edge [ source 9 target 8 ]", "graph.dat")
    assert graph.names == ("ann", "b & b", "eve")
    assert graph.edges().tolist() == [[0, 1], [1, 2]]
    twins = (GML % "").replace("eve", "ann")
    assert read(tmp_path, twins, "graph.gml").names == ("7", "8", "9")


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("edge [ source 8 target 7 ]", 9),
        ("edge [ source 8 target 8 ]", 9),
        ("edge [ source 8 target 5 ]", 9),
        ("edge [ source 8 ]", 9),
        ("node [ id 7 ]", 9),
        ("node [ label 7 ]", 9),
        ("edge [ source ]", 9),
        ("edge [ source 8 8 target 9 ]", 9),
        ("]", 10),
        ("{", 9),
        ("edge [", None),
    ],
)
def test_gml_problems(tmp_path: Path, more: str, line: int | None) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, GML % more, "graph.gml")
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("kind", "entries"),
    [
        ("pattern symmetric", "2 1\n3 2\n"),
        ("integer general", "1 2 5\n3 2 7\n"),
        ("real symmetric", "2 1 0.5\n3 2 -1e-3\n"),
    ],
)
def test_matrix_market(tmp_path: Path, kind: str, entries: str) -> None:
    content = MTX.format(kind=kind, count=2, entries=entries)
    assert read(tmp_path, content, "graph.mtx") == Graph.from_edges([(0, 1), (1, 2)])
    assert read(tmp_path, content, "graph.mtx", nodes=["a", "b", "c"]).names == ("a", "b", "c")
    with pytest.raises(FormatError):
        read(tmp_path, content, "graph.mtx", nodes=["a", "b"])


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (MTX.format(kind="complex general", count=0, entries=""), 1),
        (MTX.format(kind="pattern skew-symmetric", count=0, entries=""), 1),
        (MTX.format(kind="pattern general", count=2, entries="1 2\n2 1\n"), 5),
        (MTX.format(kind="pattern general", count=1, entries="1 1\n"), 4),
        (MTX.format(kind="pattern general", count=1, entries="1 4\n"), 4),
        (MTX.format(kind="pattern general", count=1, entries="0 1\n"), 4),
        (MTX.format(kind="pattern general", count=1, entries="1 2 3\n"), 4),
        (MTX.format(kind="pattern general", count=2, entries="1 2\n"), 3),
        ("%%MatrixMarket matrix coordinate pattern general\n3 4 0\n", 2),
        ("%%MatrixMarket matrix coordinate pattern general\n2000000000 2000000000 0\n", 2),
        ("%%MatrixMarket matrix array real general\n3 3\n", 1),
        ("%%MatrixMarket matrix coordinate pattern general\n", 3),
    ],
)
def test_matrix_market_problems(tmp_path: Path, content: str, line: int) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, content, "graph.mtx")
    assert caught.value.line == line


def test_parquet_columns(tmp_path: Path) -> None:
    path = tmp_path / "graph.parquet"

    def reading(**columns: object) -> Graph:
        pq.write_table(pa.table(columns), path)
        return Graph.read(path)

    assert reading(u=[0, 1], v=[1, 2]) == Graph.from_edges([(0, 1), (1, 2)])
    assert reading(weight=[1, 1], target=["b", "c"], source=["a", "b"]).names == ("a", "b", "c")
    assert reading(u=pa.array(["x", "y"]).dictionary_encode(), v=["y", "z"]).n == 3
    with pytest.raises(FormatError, match="row 2, column 1"):
        reading(u=[0, None], v=[1, 2])
    with pytest.raises(FormatError, match="row 2: "):
        reading(u=[0, 1], v=[1, 0])
    for columns in ({"u": [0, 1]}, {"u": [0.5], "v": [1.5]}, {"u": [-1], "v": [1]}, {"u": [1], "v": ["a"]}):
        with pytest.raises(InputError):
            reading(**columns)


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"entrenous\[parquet\]"):
        read(tmp_path, b"PAR1", "graph.parquet")


@pytest.mark.parametrize("block", [20, 23, 64])
@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize(
    "content",
    [
        b"# one\n0 1\n1 2\n\n2 3 \n# two\n3 4\n4 5",
        b"source\ttarget\r\n0\t1\r\n1\t2\r\n2\t3\r\n3\t4\r\n",
        b"ann bob\rbob eve\reve kim\rkim lee\r",
        b'"ann, a",bob\nbob,eve\neve,"kim ""k"""\n',
        b"weight from to\n9 0 1\n9 1 2\n8 2 3\n7 3 4\n",
        b"weight from to\n9 a 1\n9 b 2\n8 c 3\n7 d 4\n",
        b"\xef\xbb\xbf12 345678901234\n345678901234 5\n5 9\n",
    ],
    ids=["numbers", "table", "mac", "quoted", "named", "unnamed", "wide"],
)
def test_blocks_of_a_file_make_one_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, clean: bool, block: int
) -> None:
    whole = read(tmp_path, content, clean=clean)
    monkeypatch.setattr("entrenous.graph.content.BLOCK", block)
    for name, data in (("graph.edges", content), ("graph.edges.gz", gzip.compress(content, mtime=0))):
        assert read(tmp_path, data, name, clean=clean) == whole


def test_lines_are_counted_over_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entrenous.graph.content.BLOCK", 16)
    for content, line in (
        (b"0 1\n1 2\n" * 4, 3),
        (b"a b\n" * 5 + b"\xff c\n", 6),
        (b"a b\nc d\ne f\ng h\ni j\nk\n", 6),
        (b"a b\nc d\n" + b"e" * 40, 3),
    ):
        with pytest.raises(FormatError) as caught:
            read(tmp_path, content)
        assert caught.value.line == line, content


def test_a_file_that_grows_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entrenous.graph.content._TRUSTED", 1 << 16)
    bomb = gzip.compress(b"0 1\n" * 500_000, mtime=0)
    for name in ("graph.edges.gz", "graph.graphml.gz", "graph.mtx.gz"):
        with pytest.raises(FormatError, match="grows"):
            read(tmp_path, bomb, name)
    honest = gzip.compress(b"".join(b"%d %d\n" % (v, v * 7 % 997 + v + 1) for v in range(20_000)), mtime=0)
    assert read(tmp_path, honest, "graph.edges.gz").m == 20_000


def test_what_can_be_read_only_once_is_kept(tmp_path: Path) -> None:
    pipe = tmp_path / "graph.edges"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a b\nb c\nb a\n",))
    writer.start()
    with pytest.raises(FormatError) as caught:
        Graph.read(pipe)
    writer.join()
    assert caught.value.line == 3


def test_progress_counts_bytes_of_the_file(tmp_path: Path) -> None:
    packed = gzip.compress(b"0 1\n1 2\n", mtime=0)
    (tmp_path / "graph.edges.gz").write_bytes(packed)
    seen: list[tuple[int, int]] = []
    Graph.read(tmp_path / "graph.edges.gz", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (len(packed), len(packed))


def test_large_files_are_read_by_arrays(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    edges = np.unique(np.sort(rng.integers(0, 10**6, (50_000, 2)), axis=1), axis=0)
    edges = edges[edges[:, 0] < edges[:, 1]]
    content = "\n".join(f"{u}\t{v}" for u, v in rng.permutation(edges).tolist())
    graph = read(tmp_path, content)
    assert graph.names is not None
    labels = np.array(graph.names, dtype=np.int64)
    assert np.array_equal(labels[graph.edges()], edges)
