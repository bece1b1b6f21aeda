from __future__ import annotations

import networkx as nx
import numpy as np

from entrenous.datasets import karate_club, karate_factions


def test_the_club_has_the_published_size() -> None:
    club = karate_club()
    assert (club.n, club.m) == (34, 78)


def test_the_club_agrees_edge_by_edge_with_an_independent_copy() -> None:
    expected = {tuple(sorted(edge)) for edge in nx.karate_club_graph().edges}
    assert {tuple(sorted(edge)) for edge in karate_club().edges().tolist()} == expected


def test_members_are_named_as_in_the_paper() -> None:
    assert list(karate_club().names or ()) == [str(member) for member in range(1, 35)]


def test_the_factions_agree_with_an_independent_copy() -> None:
    clubs = nx.get_node_attributes(nx.karate_club_graph(), "club")
    expected = [0 if clubs[node] == "Mr. Hi" else 1 for node in range(34)]
    assert karate_factions().tolist() == expected


def test_friendships_stay_mostly_inside_a_faction() -> None:
    ends = karate_factions()[karate_club().edges()]
    assert np.mean(ends[:, 0] == ends[:, 1]) > 0.8
