"""Pages about released graphs: by themselves, and for the curator beside the original."""

from __future__ import annotations

import pytest
from tests.page.pages import TRACE, Structure, blurred, release_of

from entrenous.datasets import karate_club, organization
from entrenous.graph import Graph
from entrenous.guarantee import NODES_LISTED
from entrenous.page import Report


@pytest.mark.long
def test_the_curators_page_compares_and_warns() -> None:
    club = karate_club()

    report = Report.comparison(club, release_of(blurred(club), trace=TRACE))
    Structure(report.html)
    assert report.private
    assert "contains private information: for the curator only" in report.html
    assert NODES_LISTED in report.html
    for text in ("Triangles", "named by both graphs", "steps of the chain", "original graph"):
        assert text in report.html


@pytest.mark.long
def test_pages_say_what_was_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entrenous.graph.measures.clustering.EXACT_UP_TO", 5)
    monkeypatch.setattr("entrenous.graph.measures.paths.EXACT_UP_TO", 5)
    monkeypatch.setattr("entrenous.graph.measures.paths.SAMPLED_SOURCES", 512)
    graph = organization(700, seed=1).graph
    page = Report.comparison(graph, graph).html
    assert page.count("sampled, 95 % interval") == 10  # five quantities of both
    assert "(from samples)" in page
    assert Report.of_release(release_of(graph)).html.count("sampled, 95 % interval") == 1


def test_a_graph_without_a_card_can_be_compared() -> None:
    club = karate_club()
    html = Report.comparison(club, blurred(club)).html
    assert "came without a card" in html
    assert "steps of the chain" not in html


@pytest.mark.long
@pytest.mark.parametrize("edges", [[], [(0, 1)], [(0, 1), (1, 2), (0, 2)]])
def test_tiny_graphs_have_a_page(edges: list[tuple[int, int]]) -> None:
    graph = Graph.from_edges(edges, n=3)
    Structure(Report.of_release(release_of(graph)).html)
    Structure(Report.comparison(Graph.from_edges([(0, 1)], n=3), graph).html)
