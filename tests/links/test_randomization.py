from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.links.shared import G0, random_graph

from entrenous.datasets import karate_club
from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.links import compare, frontier, obfuscate
from entrenous.links.randomization import RANDOMIZATIONS, perturb, retained, sparsify, switch
from entrenous.links.trade_off import MEASURES, METHODS, ahead


@settings(max_examples=30, deadline=None)
@given(n=st.integers(5, 40), seed=st.integers(0, 10**6), retention=st.floats(0, 1))
def test_the_share_of_true_edges_is_kept(n: int, seed: int, retention: float) -> None:
    graph = random_graph(n, 0.2, seed)
    kept = round(retention * graph.m)
    assert sparsify(graph, retention=retention, rng=seed).m == kept
    added = perturb(graph, retention=retention, rng=seed)
    assert added.m == graph.m
    assert round(retained(graph, added) * graph.m) == kept
    switched = switch(graph, retention=retention, rng=seed)
    assert (switched.degrees == graph.degrees).all()


def test_switching_stops_where_it_should_and_says_when_it_cannot() -> None:
    club = karate_club()
    for retention in (0.9, 0.6):
        left = retained(club, switch(club, retention=retention, rng=3)) * club.m
        assert retention * club.m - 2 <= round(left) <= round(retention * club.m)
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 6)])
    assert switch(star, retention=0.1, rng=1) == star


@pytest.mark.long
def test_added_edges_are_spread_evenly() -> None:
    path = Graph.from_edges([(0, 1), (1, 2), (2, 3)], n=5)
    rng = np.random.default_rng(1)
    times = np.zeros((5, 5))
    for _ in range(3000):
        u, v = perturb(path, retention=2 / 3, rng=rng).edges().T
        times[u, v] += 1
    new = [times[u, v] for u in range(5) for v in range(u + 1, 5) if not path.has_edge(u, v)]
    assert sum(new) == 3000
    assert max(abs(np.array(new) - 3000 / 7)) < 4 * np.sqrt(3000 / 7)


@pytest.mark.parametrize("method", RANDOMIZATIONS.values())
def test_a_share_is_a_share(method: Callable[..., Graph]) -> None:
    with pytest.raises(ArgumentError, match="retention"):
        method(G0, retention=1.1)


def test_a_full_graph_has_no_room_for_new_edges() -> None:
    triangle = Graph.from_edges([(0, 1), (0, 2), (1, 2)])
    with pytest.raises(ArgumentError, match="room"):
        perturb(triangle, retention=0.5, rng=1)


def test_methods_are_compared_at_equal_retention() -> None:
    club = karate_club()
    hidden = obfuscate(club, rng=1)
    rivals = compare(hidden, club, rng=1)
    assert [rival.method for rival in rivals] == list(METHODS)
    shares = [rival.retention for rival in rivals[:3]]
    assert max(shares) - min(shares) < 1e-9
    assert set(rivals[0].to_json()) == {"method", "retention", *MEASURES}
    verdicts = ahead(rivals[0].comparison, rivals[3].comparison)
    assert verdicts["deg_KS"] is False  # switching keeps all degrees
    mirrored = ahead(rivals[3].comparison, rivals[0].comparison)
    assert all((verdict is None) == (mirrored[key] is None) for key, verdict in verdicts.items())
    assert all(verdict != mirrored[key] for key, verdict in verdicts.items() if verdict is not None)
    with pytest.raises(ArgumentError, match="methods"):
        compare(hidden, club, methods=["magic"])


def test_the_frontier_goes_from_sharp_to_soft() -> None:
    club = karate_club()
    points = frontier(club, temperatures=(2.0, 100.0), steps=5000, rng=1)
    assert [point.temperature for point in points] == [None, 2.0, 100.0]
    assert points[0].log_likelihood_per_node > points[-1].log_likelihood_per_node
    assert points[0].exposure.retention > points[-1].exposure.retention
    assert "deg_Hellinger" in points[0].comparison
