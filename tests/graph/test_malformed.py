"""Damaged files of every format: an error of ours, or a graph; never another exception, never content."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from entrenous.errors import InputError
from entrenous.graph import Graph
from entrenous.graph.formats import FORMATS

CANARY = "kanarienvogel"
NAMED = Graph.from_edges([(0, 1), (1, 2), (0, 3)], names=[f"{CANARY}{letter}" for letter in "abcde"])
NUMBERED = Graph.from_edges([(0, 1), (1, 2), (0, 3)], n=6)
EXAMPLES = 50  # for each of seven formats, three kinds of damage

pieces = st.sampled_from(
    [
        CANARY.encode(), b"\0", b"\xff\xfe", b"\n", b"\r", b" ", b",", b"\t", b'"', b"#", b"%",
        b"-1", b"0", b"1 1", b"1e9", b"1 2 3\n", b"9" * 30, b"source", b"target",
        b"graph [", b"node [ id 1 ]",
        b"[", b"]", b"PAR1", b"<", b"</graph>", b"<graph>", b"&lt;",
        b"&#0;", b"&#xD800;", b"]]>", b'encoding="utf-7"',
        b"<!ENTITY x 'y'>", b"<!DOCTYPE g [<!ENTITY x 'y'>]>", b"\x1f\x8b", b"\x85",
        b"2000000000 2000000000 0\n",
        b"%%MatrixMarket matrix coordinate pattern general\n", "\u2028".encode(), "\ufeff".encode(),
        "\u0663 \u00b2\n".encode(),
    ]
)  # fmt: skip
edits = st.tuples(st.integers(0, 10**6), st.integers(0, 12), st.one_of(pieces, st.binary(max_size=6)))


def content(graph: Graph, format_: str) -> bytes:
    return b"".join(FORMATS[format_].render(graph, None))


def attempt(name: str, data: bytes, *, clean: bool, nodes: list[str] | None) -> None:
    """Read a file; an InputError must not quote it, and any other exception fails the test."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        error = None
        try:
            Graph.read(path, clean=clean, nodes=nodes)
        except InputError as caught:
            error = caught
        if error is not None:
            assert CANARY not in str(error)
            assert name in str(error)
            assert "\n" not in str(error)
            assert error.__suppress_context__ or error.__context__ is None


@pytest.mark.parametrize("format_", FORMATS)
@settings(derandomize=True, deadline=None, max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(
    changes=st.lists(edits, min_size=1, max_size=4),
    named=st.booleans(),
    clean=st.booleans(),
    listed=st.booleans(),
)
def test_edited_files(
    format_: str, changes: list[tuple[int, int, bytes]], named: bool, clean: bool, listed: bool
) -> None:
    data = content(NAMED if named else NUMBERED, format_)
    for place, length, piece in changes:
        start = place % (len(data) + 1)
        data = data[:start] + piece + data[start + length :]
    attempt(f"graph.{format_}", data, clean=clean, nodes=list(NAMED.names or ()) if listed else None)


@pytest.mark.parametrize("format_", FORMATS)
@settings(derandomize=True, deadline=None, max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(
    parts=st.lists(
        st.one_of(pieces, st.binary(max_size=20), st.text(max_size=8).map(str.encode)), max_size=12
    )
)
def test_heaps_of_pieces(format_: str, parts: list[bytes]) -> None:
    attempt(f"graph.{format_}", b" ".join(parts), clean=False, nodes=None)
    attempt("graph.dat", b"\n".join(parts), clean=True, nodes=None)


@pytest.mark.parametrize("format_", FORMATS)
@settings(derandomize=True, deadline=None, max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(cut=st.integers(0, 10**6), flip=st.integers(0, 10**6), mask=st.integers(0, 255))
def test_damaged_gzip(format_: str, cut: int, flip: int, mask: int) -> None:
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as stream:
        stream.write(content(NAMED, format_))
    data = bytearray(packed.getvalue())
    data[flip % len(data)] ^= mask
    attempt(f"graph.{format_}.gz", bytes(data[: max(3, cut % (2 * len(data)))]), clean=False, nodes=None)
