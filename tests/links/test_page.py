"""The curator's page about an obfuscated graph."""

from __future__ import annotations

import re

import numpy as np
import pytest

from entrenous.datasets import karate_club
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.links import DESCRIPTION, Obfuscation, exposure, frontier, obfuscate
from entrenous.links.page import links_sections
from entrenous.page import Report
from entrenous.page.pictures import hierarchies
from entrenous.release import NO_GUARANTEE


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


def test_every_joint_is_drawn_where_its_branches_end() -> None:
    # ((0, 1), (2, 3)): gaps 0 and 2 join first, gap 1 last and highest.
    svg = hierarchies.dendrogram([0, 2, 1], np.array([2, 4, 2]), np.array([1.0, 0.25, 0.0]))
    corner = r"([\d.]+) ([\d.]+) \n"
    joints = re.findall(
        rf'<path d="M {corner}L {corner}L {corner}L {corner}" clip-path="[^"]*" style="fill: none', svg
    )
    assert len(joints) == 3
    (left, right, top) = ([float(number) for number in joint] for joint in joints)
    middle_left, middle_right = (left[0] + left[4]) / 2, (right[0] + right[4]) / 2
    assert [top[0], top[4]] == pytest.approx([middle_left, middle_right], abs=0.01)
    assert top[1] == pytest.approx(left[3], abs=0.01)  # it starts at the height of the joint below


def test_large_trees_stay_small_pictures() -> None:
    graph = Graph.from_edges([(i, i + 1) for i in range(4999)])
    (section,) = links_sections(Obfuscation.of(graph, Dendrogram.random(graph.n, rng=1)))
    assert all(len(picture.svg) < 150_000 for picture in section.pictures)
