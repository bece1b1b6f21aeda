from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from entrenous.graph import Graph
from entrenous.network.drawing.pairs import NamedPairs, draw_by_weight, pair_numbers, pairs_of


def test_pairs_and_their_numbers() -> None:
    pairs = np.array(list(itertools.combinations(range(40), 2)))
    numbers = pair_numbers(pairs)
    assert np.array_equal(np.sort(numbers), np.arange(780))
    assert np.array_equal(pairs_of(numbers), pairs)
    far = np.array([2**31 * (2**31 - 1) // 2 - 1, 2**60 + 12345, 10**17])
    assert np.array_equal(pair_numbers(pairs_of(far).astype(np.int64)), far)


def test_ends_are_drawn_in_proportion_to_their_weights() -> None:
    weight, group = np.array([1.0, 3.0] * 300), np.repeat([0, 1], 300)
    numbers = draw_by_weight(weight, group, np.array([2000, 1000]), np.random.default_rng(1))
    pairs = pairs_of(numbers)
    assert np.bincount(group[pairs[:, 0]]).tolist() == [2000, 1000]
    assert (group[pairs[:, 0]] == group[pairs[:, 1]]).all()
    ends = np.bincount(pairs.ravel() % 2)
    assert ends[1] / ends[0] == pytest.approx(3, rel=0.1)


def test_pairs_that_are_there_are_not_drawn_again_and_full_groups_end() -> None:
    taken = pair_numbers(np.array([[0, 1], [1, 2]]))
    drawn = draw_by_weight(
        np.ones(4), np.zeros(4, dtype=np.int64), np.array([9]), np.random.default_rng(1), taken
    )
    assert sorted(map(tuple, pairs_of(drawn).tolist())) == [(0, 2), (0, 3), (1, 3), (2, 3)]
    assert (
        len(draw_by_weight(np.zeros(4), np.zeros(4, dtype=np.int64), np.array([3]), np.random.default_rng(1)))
        == 0
    )


def test_named_pairs_know_their_likelihood() -> None:
    graph = Graph.from_edges([(0, 1), (2, 3), (1, 3)], n=4)
    model = NamedPairs(4, np.array([[0, 1], [0, 2]], dtype=np.int32), 0.7, 0.2)
    chance = 0.7 * 0.3 * 0.2**2 * 0.8**2  # a hit, a miss, two ties elsewhere, two pairs without
    assert model.cross_entropy(graph.edges()) == pytest.approx(-math.log(chance) / 4)
