"""The curator's page about an obfuscated graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from entrenous.card import NO_GUARANTEE
from entrenous.datasets import karate_club
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.links import Obfuscation, exposure, frontier, generalize, obfuscate
from entrenous.links.exposure import DESCRIPTION
from entrenous.links.page import links_sections
from entrenous.page import Report


@pytest.mark.long
def test_a_release_of_links_brings_its_own_section() -> None:
    club = karate_club()
    hidden = obfuscate(club, rng=1, steps=1000)
    points = frontier(club, start=hidden.private["fit"], temperatures=(5.0,), steps=500, rng=1)
    page = Report.comparison(club, hidden, frontier=points)
    assert page.private
    assert NO_GUARANTEE in page.html
    assert DESCRIPTION in page.html
    assert f"{100 * exposure(hidden).retention:.3g} %" in page.html
    assert "best fit" in page.html
    published = Report.of_release(hidden)
    assert NO_GUARANTEE in published.html
    assert DESCRIPTION not in published.html


def test_without_its_hierarchy_a_release_is_compared_as_any_graph() -> None:
    club = karate_club()
    hidden = obfuscate(club, rng=1, steps=1000)
    page = Report.comparison(club, replace(hidden, private={}))
    assert DESCRIPTION not in page.html
    assert "Triangles" in page.html


def test_super_nodes_have_a_page_that_says_what_each_file_is(tmp_path: Path) -> None:
    coarse = generalize(obfuscate(karate_club(), rng=7, steps=1000), bits=10.0, rng=7)
    graph = coarse.artifact.graph
    for page in (Report.of_release(coarse), Report.of_folder(coarse.save(tmp_path / "public"))):
        assert f"Released graph: {graph.n} nodes, {graph.m} ties" in page.html
    assert "which node each member went into" in page.html


@pytest.mark.parametrize(
    "graph",
    [
        Graph.from_edges([(0, 1)], n=2),
        Graph.from_edges([], n=5),
        Graph.from_edges([(0, 1), (0, 2), (1, 2)]),
    ],
    ids=["two nodes", "no ties", "a clique"],
)
def test_degenerate_graphs_are_drawn(graph: Graph) -> None:
    (section,) = links_sections(Obfuscation.of(graph, Dendrogram.random(graph.n, rng=1)))
    assert [picture.title for picture in section.pictures] == ["Bits of a node", "The hierarchy"]


def test_large_trees_stay_small_pictures() -> None:
    graph = Graph.from_edges([(i, i + 1) for i in range(4999)])
    (section,) = links_sections(Obfuscation.of(graph, Dendrogram.random(graph.n, rng=1)))
    assert all(len(picture.svg) < 150_000 for picture in section.pictures)
