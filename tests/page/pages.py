"""What tests about pages share: releases to describe, and a reader of HTML that insists on closed tags."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np

from entrenous.card import Provenance
from entrenous.graph import Graph
from entrenous.guarantee import NODES_LISTED, Guarantee
from entrenous.hrg.chain import Trace
from entrenous.release import Release

TRACE = Trace(np.arange(50) * 1000, np.linspace(-70, -60, 50), np.linspace(-70, -60, 50))


def blurred(graph: Graph) -> Graph:
    """Return a graph on the same nodes in which a quarter of the edges is replaced."""
    rng = np.random.default_rng(3)
    kept = graph.edges()[rng.random(graph.m) < 0.75]
    drawn = rng.integers(graph.n, size=(graph.m // 4, 2))
    return Graph.from_edges(np.concatenate((kept, drawn)), n=graph.n, names=graph.names, clean=True)


def release_of(graph: Graph, *, rehearsal: bool = False, **private: object) -> Release[Graph]:
    provenance = Provenance("owner", {"slots": 2}, rehearsal=rehearsal)
    return Release(graph, Guarantee(1.0, assumptions=(NODES_LISTED,)), provenance, private)


class Structure(HTMLParser):
    """Collects what the tests ask about, and fails on tags that are not closed in order."""

    VOID = frozenset({"meta", "br", "hr", "img", "input", "link"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag
