from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrenous.graph import Graph
from entrenous.network.drawing._kernels import team_bounds, team_ties
from entrenous.network.drawing.teams import draw_teams


def drawn(degree: int, clustering: float, n: int = 3000) -> Graph:
    ties = draw_teams(
        np.full(n, degree), np.zeros(n, np.int64), np.full(n, clustering), np.random.default_rng(1)
    )
    return Graph.from_edges(ties, n=n)


def closed(graph: Graph, degree: int) -> float:
    """The share of closed pairs among all pairs of neighbours that nodes of this degree would have."""
    triangles = graph.to_scipy()
    count = (triangles @ triangles).multiply(triangles).sum() / 2
    return float(count / (graph.n * degree * (degree - 1) / 2))


@pytest.mark.parametrize(
    ("degree", "clustering"), [(4, 0.9), (10, 0.5), (30, 0.2), (100, 0.5), (200, 0.3), (200, 0.8)]
)
def test_teams_close_as_many_pairs_as_asked_for(degree: int, clustering: float) -> None:
    assert closed(drawn(degree, clustering), degree) == pytest.approx(clustering, rel=0.35)


def test_more_clustering_closes_more() -> None:
    found = [closed(drawn(12, clustering), 12) for clustering in (0.05, 0.2, 0.5, 0.9)]
    assert found == sorted(found)


@given(st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 4), st.floats(0, 1))
def test_ties_are_distinct_inside_slots_and_within_degrees(
    seed: int, n: int, slots: int, most: float
) -> None:
    rng = np.random.default_rng(seed)
    degrees, slot = rng.integers(0, n, n), rng.integers(0, slots, n)
    ties = draw_teams(degrees, slot, most * rng.random(n), rng)
    assert (ties[:, 0] < ties[:, 1]).all()
    assert len(np.unique(ties, axis=0)) == len(ties)
    assert (slot[ties[:, 0]] == slot[ties[:, 1]]).all()
    assert (np.bincount(ties.ravel(), minlength=n) <= degrees).all()


def test_teams_are_as_large_as_their_members_ask_and_of_one_slot() -> None:
    slot = np.repeat([0, 1], [10, 7])
    bounds = team_bounds(slot, np.repeat([1.0, 4.0, 2.0], [4, 6, 7]))
    assert bounds.tolist() == [0, 2, 4, 9, 10, 13, 16, 17]


def test_members_of_a_team_are_all_tied_while_there_is_room() -> None:
    member, room = np.array([0, 1, 2, 2, 3]), np.array([5, 5, 5, 5])
    ties = team_ties(member, np.array([0, 3, 5]), room, np.random.default_rng(1))
    assert sorted(map(tuple, ties.tolist())) == [(0, 1), (0, 2), (1, 2), (2, 3)]
    assert room.tolist() == [3, 3, 2, 4]
    without = team_ties(member, np.array([0, 3, 5]), np.array([5, 0, 5, 5]), np.random.default_rng(1))
    assert sorted(map(tuple, without.tolist())) == [(0, 2), (2, 3)]
