"""Graphs and names for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from entrenous.graph import Graph


@st.composite
def graphs(draw: st.DrawFn, *, most: int = 12, names: st.SearchStrategy[str] | None = None) -> Graph:
    """Draw a graph of up to `most` nodes, with distinct names if a strategy for names is given."""
    n = draw(st.integers(0, most))
    pairs = [(u, v) for v in range(n) for u in range(v)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    labels = None if names is None else draw(st.lists(names, min_size=n, max_size=n, unique=True))
    return Graph.from_edges(chosen, n=n, names=labels)
