"""Canary ties are pairs that are not tied, about equally many at each node, each with a fair coin."""

from __future__ import annotations

import numpy as np
import pytest

from entrenous import datasets
from entrenous.attack.one_run.canary_ties import place
from entrenous.errors import ArgumentError
from entrenous.graph import Graph

CLUB = datasets.karate_club()


def test_canaries_are_new_ties_and_the_graphs_own_stay() -> None:
    ties = place(CLUB, 60, rng=np.random.default_rng(1))
    pairs = {tuple(pair) for pair in ties.pairs.tolist()}
    assert len(pairs) == 60
    assert all(u < v and not CLUB.has_edge(u, v) for u, v in pairs)
    coins = ties.toss(np.random.default_rng(2))
    planted = ties.planted(coins)
    assert {*map(tuple, planted.edges().tolist())} == {*map(tuple, CLUB.edges().tolist())} | {
        tuple(pair) for pair in ties.pairs[coins].tolist()
    }
    assert planted.m == CLUB.m + coins.sum()


def test_nodes_share_canaries_evenly() -> None:
    sparse = Graph.from_edges([(0, 1)], n=1000)
    for count in (500, 1000, 2000):
        load = place(sparse, count, rng=np.random.default_rng(3)).load
        assert abs(load - 2 * count / 1000).max() <= 2
    assert place(sparse, 499, rng=np.random.default_rng(3)).load.max() == 1


def test_added_nodes_have_no_ties_but_canaries() -> None:
    named = Graph.from_edges([(0, 1)], names=["ann", "bob"])
    ties = place(named, 40, added=98, rng=np.random.default_rng(1))
    assert (ties.graph.n, ties.graph.m, ties.added) == (100, 1, 98)
    assert ties.graph.name(0) == "ann"
    assert not ties.graph.degrees[2:].any()


def test_coins_are_fair() -> None:
    ties = place(Graph.from_edges([(0, 1)], n=20_000), 10_000, rng=np.random.default_rng(1))
    assert abs(ties.toss(np.random.default_rng(4)).mean() - 0.5) < 0.03


def test_a_graph_without_room_is_refused() -> None:
    with pytest.raises(ArgumentError, match="half of the 483 pairs that are not tied"):
        place(CLUB, 242, rng=np.random.default_rng(1))
    complete = Graph.from_edges([(u, v) for u in range(6) for v in range(u)])
    with pytest.raises(ArgumentError, match="add nodes"):
        place(complete, 1, rng=np.random.default_rng(1))
    crowd = Graph.from_edges([(u, v) for v in range(200) for u in range(v) if v < 199 or u > 9])
    with pytest.raises(ArgumentError, match="pairs that are not tied; found"):
        place(crowd, 5, rng=np.random.default_rng(1))
