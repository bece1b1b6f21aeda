from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.network.drawing.link_classes import HRGModel, LinkClasses, link_classes

seeds = st.integers(0, 10**6)
epsilons = st.sampled_from([1e-3, 0.02, 0.3, 1.0, 5.0, 100.0])


def pairs_of(classes: LinkClasses) -> list[list[tuple[int, int]]]:
    """The node pairs of every class, written out."""
    order = classes.tree.order.tolist()
    found = []
    for start, stop, other_start, other_stop in classes.rectangles.tolist():
        rows, columns = range(start, stop), range(other_start, other_stop)
        places = {(min(i, j), max(i, j)) for i in rows for j in columns if i != j}
        found.append([tuple(sorted((order[i], order[j]))) for i, j in places])
    return found  # type: ignore[return-value]


@given(st.integers(2, 14), seeds, epsilons)
def test_every_pair_is_in_exactly_one_class(n: int, seed: int, epsilon: float) -> None:
    classes = link_classes(Dendrogram.random(n, seed), epsilon)
    written = pairs_of(classes)
    everything = [pair for pairs in written for pair in pairs]
    assert sorted(everything) == [(u, v) for u in range(n) for v in range(u + 1, n)]
    assert [len(pairs) for pairs in written] == classes.pairs.tolist()


@given(st.integers(2, 14), seeds, epsilons)
def test_counts_are_those_of_the_pairs(n: int, seed: int, epsilon: float) -> None:
    classes = link_classes(Dendrogram.random(n, seed), epsilon)
    graph = Graph.from_edges(np.random.default_rng(seed).integers(0, n, size=(2 * n, 2)), n=n, clean=True)
    edges = {tuple(edge) for edge in graph.edges().tolist()}
    assert classes.count(graph.edges()).tolist() == [
        len(edges.intersection(pairs)) for pairs in pairs_of(classes)
    ]


def test_thresholds_are_those_of_the_paper() -> None:
    """Descent ends where 1 / (eps N) >= .05 and 1 / (eps C(n, 2)) >= .01: with eps 1, N <= 20 and C(n, 2) <= 100."""
    comb: tuple[object, ...] | int = 0
    for leaf in range(1, 30):
        comb = (comb, leaf)
    classes = link_classes(Dendrogram.from_nested(comb), 1.0)
    sizes = classes.tree.sizes[classes.tree.n + classes.node]
    # A comb of k leaves has N = k - 1 pairs at its top and k (k - 1) / 2 inside: 14 leaves are the last to drown.
    assert sizes[classes.whole].tolist() == [14]
    assert sorted(sizes[~classes.whole].tolist()) == list(range(15, 31))


def test_cross_entropy_agrees_with_all_pairs() -> None:
    tree, rng = Dendrogram.random(12, 3), np.random.default_rng(3)
    classes = link_classes(tree, 1.0)
    model = HRGModel(classes, rng.random(len(classes.node)) * classes.pairs)
    graph = Graph.from_edges(rng.integers(0, 12, size=(30, 2)), n=12, clean=True)
    density = model.edges.sum() / 66
    total = 0.0
    for p, pairs in zip(model.probability, pairs_of(classes), strict=True):
        mixed = 0.99 * p + 0.01 * density
        total -= sum(math.log(mixed if graph.has_edge(u, v) else 1 - mixed) for u, v in pairs)
    assert model.cross_entropy(graph.edges()) == pytest.approx(total / 12)
    empty = HRGModel(classes, np.zeros(len(classes.node)))
    assert math.isfinite(empty.cross_entropy(graph.edges()))
