"""Graphs and names for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from entrenous.graph import Graph
from entrenous.graph.formats.listing import sorted_names


@st.composite
def graphs(draw: st.DrawFn, *, most: int = 12, names: st.SearchStrategy[str] | None = None) -> Graph:
    """Draw a graph of up to `most` nodes, with distinct names if a strategy for names is given."""
    n = draw(st.integers(0, most))
    pairs = [(u, v) for v in range(n) for u in range(v)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    labels = None if names is None else draw(st.lists(names, min_size=n, max_size=n, unique=True))
    return Graph.from_edges(chosen, n=n, names=labels)


def with_sorted_names(graph: Graph) -> Graph:
    """Return the same graph with its nodes in the order of their names, as it is read where no list is given."""
    order = sorted_names([graph.name(node) for node in range(graph.n)])
    place = {name: number for number, name in enumerate(order)}
    pairs = [(place[graph.name(u)], place[graph.name(v)]) for u, v in graph.edges().tolist()]
    return Graph.from_edges(pairs, n=graph.n, names=order)
