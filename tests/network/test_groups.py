from __future__ import annotations

import numpy as np

from entrenous.datasets import karate_club, karate_factions
from entrenous.graph import Graph
from entrenous.network.groups import block_densities, largest_groups


def test_densities_count_every_tie_once() -> None:
    club = karate_club()
    groups = largest_groups(karate_factions())
    pairs = np.outer(groups.sizes, groups.sizes) - np.diag(groups.sizes)
    assert np.isclose((block_densities(club, groups) * pairs).sum() / 2, club.m)


def test_factions_are_denser_inside_than_between() -> None:
    densities = block_densities(karate_club(), largest_groups(karate_factions()))
    assert np.diag(densities).min() > 5 * densities[0, 1]
    assert densities[0, 1] == densities[1, 0]


def test_groups_follow_the_names_of_the_nodes() -> None:
    club = karate_club()
    order = np.random.default_rng(0).permutation(club.n)
    place = np.argsort(order)
    names = [club.name(int(node)) for node in order]
    shuffled = Graph.from_edges(place[club.edges()], n=club.n, names=names)
    groups = largest_groups(karate_factions())
    densities = block_densities(shuffled, groups.as_ordered(club, shuffled))
    assert np.array_equal(densities, block_densities(club, groups))
    assert not np.array_equal(densities, block_densities(shuffled, groups))


def test_many_groups_are_pooled_and_nobody_is_lost() -> None:
    groups = largest_groups(np.arange(100) // 3, most=5)
    assert len(groups.sizes) == 5
    assert groups.sizes.sum() == 100
