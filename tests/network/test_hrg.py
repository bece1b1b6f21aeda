from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.network.drawing.clipping import clip_without_bias
from entrenous.network.drawing.link_classes import HRGModel, LinkClasses, link_classes
from entrenous.network.mechanism import Request as Order
from entrenous.network.mechanisms import privhrg as hrg
from entrenous.noise import Noise

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
def test_exactly_one_count_changes_when_an_edge_is_flipped(n: int, seed: int, epsilon: float) -> None:
    rng = np.random.default_rng(seed)
    classes = link_classes(Dendrogram.random(n, seed), epsilon)
    graph = Graph.from_edges(rng.integers(0, n, size=(2 * n, 2)), n=n, clean=True)
    edges = {tuple(edge) for edge in graph.edges().tolist()}
    u, v = sorted(rng.choice(n, size=2, replace=False).tolist())
    flipped = graph.with_edges(sorted(edges ^ {(u, v)}))
    change = classes.count(flipped) - classes.count(graph)
    assert np.abs(change).sum() == 1
    place = int(np.flatnonzero(change)[0])
    assert (u, v) in pairs_of(classes)[place]
    assert change[place] == (-1 if (u, v) in edges else 1)


@given(st.integers(2, 14), seeds, epsilons)
def test_counts_are_those_of_the_pairs(n: int, seed: int, epsilon: float) -> None:
    classes = link_classes(Dendrogram.random(n, seed), epsilon)
    graph = Graph.from_edges(np.random.default_rng(seed).integers(0, n, size=(2 * n, 2)), n=n, clean=True)
    edges = {tuple(edge) for edge in graph.edges().tolist()}
    assert classes.count(graph).tolist() == [len(edges.intersection(pairs)) for pairs in pairs_of(classes)]


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


@given(st.lists(st.tuples(st.integers(-200, 200), st.integers(1, 300)), min_size=1, max_size=30))
def test_clipping_keeps_the_sum_and_the_bounds(classes: list[tuple[int, int]]) -> None:
    noisy, pairs = (np.array(column) for column in zip(*classes, strict=True))
    clipped = clip_without_bias(noisy, pairs)
    assert ((clipped >= 0) & (clipped <= pairs)).all()
    assert clipped.sum() == pytest.approx(min(max(noisy.sum(), 0), pairs.sum()), abs=1e-6)
    # One threshold for all: whatever is strictly inside its bounds was lowered by the same amount.
    lowered = (noisy - clipped)[(clipped > 1e-6) & (clipped < pairs - 1e-6)]
    assert lowered.size == 0 or np.ptp(lowered) < 1e-6


def test_clipping_adds_no_phantom_edges() -> None:
    pairs = np.full(4000, 50)
    noisy = Noise(1).geometric(np.zeros(4000, np.int64), sensitivity=1, epsilon=0.5)
    assert np.clip(noisy, 0, pairs).sum() > 2000
    assert clip_without_bias(noisy, pairs).sum() == pytest.approx(max(noisy.sum(), 0), abs=1e-6)


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


def test_more_budget_finds_more_structure() -> None:
    """Two cliques of twelve: with epsilon 100 the model is nearly exact, with 0.1 it knows the density at best."""
    cliques = [(u + s, v + s) for s in (0, 12) for v in range(12) for u in range(v)]
    graph = Graph.from_edges(cliques, n=24)
    rich, poor = (
        hrg.run(graph, Order(epsilon), Noise(2)).model.cross_entropy(graph.edges())
        for epsilon in (100.0, 0.1)
    )
    assert rich < 2
    assert poor > 5


@pytest.mark.parametrize("utility", ["clipped", "published"])
def test_the_number_of_steps_is_fixed_in_advance(utility: str) -> None:
    for m in (0, 5, 60):
        graph = Graph.from_edges(np.random.default_rng(m).integers(0, 20, size=(m, 2)), n=20, clean=True)
        seen: list[tuple[int, int]] = []

        def note(done: int, total: int, seen: list[tuple[int, int]] = seen) -> None:
            seen.append((done, total))

        outcome = hrg.run(graph, Order(1.0, utility=utility, progress=note), Noise(1))
        assert outcome.parameters["steps"] == hrg.STEPS_PER_NODE * 20
        assert seen[-1] == (hrg.STEPS_PER_NODE * 20,) * 2
