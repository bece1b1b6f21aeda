"""The registry of file formats: each is complete, and known everywhere by being there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from entrenous.errors import ArgumentError
from entrenous.graph import Graph, formats
from entrenous.graph.formats import FORMATS, PUBLISHABLE, by_content, by_suffix, checked
from entrenous.graph.formats.format import Format

NAMED = Graph.from_edges([(0, 1)], names=["ann", "bob", "eve"])
NEW_FORMAT = """
from entrenous.graph.formats.format import Format
from entrenous.graph.formats.listing import Listing
import numpy as np

def parse(source):
    n, *ends = map(int, source.text().removeprefix("triangle ").split())
    return Listing(np.array(ends).reshape(-1, 2), n, None, True, None)

def render(graph, comment):
    yield f"triangle {graph.n} {' '.join(map(str, graph.edges().ravel()))}".encode()

FLAT = Format("flat", "everything on one line", parse, render, magic=b"triangle ", names=False)
"""


def test_the_formats() -> None:
    assert {"edges", "csv", "tsv", "graphml", "gml", "mtx", "parquet", "csr"} <= FORMATS.keys()
    assert next(iter(FORMATS)) == formats.DEFAULT
    assert FORMATS.keys() - set(PUBLISHABLE) == {name for name, each in FORMATS.items() if each.working_copy}
    assert "csr" not in PUBLISHABLE
    endings = [ending for each in FORMATS.values() for ending in each.all_endings]
    assert len(set(endings)) == len(endings)


@pytest.mark.parametrize("chosen", FORMATS.values(), ids=FORMATS)
def test_files_speak_of_their_format_and_hold_what_it_says(chosen: Format, tmp_path: Path) -> None:
    assert all(by_suffix(f"graph{ending}") == chosen.name for ending in chosen.all_endings)
    file = tmp_path / f"graph.{chosen.name}"
    NAMED.write(file)
    if chosen.magic or chosen.pattern:
        assert by_content(file.read_bytes()) == chosen.name
    read = Graph.read(file)
    assert (read.names is not None) == chosen.names
    assert (read.n == NAMED.n) == chosen.nodes
    NAMED.write(file, comment="a stamp of ours")
    assert b"a stamp of ours" in file.read_bytes()
    assert Graph.read(file) == read, "a comment changes nothing"


def test_other_words_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"^format: expected one of edges, "):
        checked("dot")


def test_a_file_in_the_folder_is_a_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "flat.py").write_text(NEW_FORMAT)
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(tmp_path)])
    try:
        found = formats._formats()
    finally:
        sys.modules.pop("entrenous.graph.formats.flat", None)
    assert found.keys() == FORMATS.keys() | {"flat"}
    for name in ("entrenous.graph.formats", "entrenous.graph.writing"):
        monkeypatch.setattr(f"{name}.FORMATS", found)
    graph = Graph.from_edges([(0, 1), (0, 2), (1, 2)], n=5)
    graph.write(tmp_path / "graph.dat", format="flat")
    assert Graph.read(tmp_path / "graph.dat") == graph
