from __future__ import annotations

import numpy as np

from entrenous.hrg import Dendrogram
from entrenous.network.drawing.slot_tree import slot_tree


def test_slots_join_by_ties_for_their_volume() -> None:
    # Slots 0 and 3 have more ties than 1 and 2, but far larger volumes.
    ties = np.array([[50.0, 1, 1, 12], [0, 5, 6, 1], [0, 0, 5, 1], [0, 0, 0, 50]])
    volume = np.array([100.0, 10, 10, 100])
    assert slot_tree(ties, np.arange(4), volume) == Dendrogram.from_nested(((1, 2), (0, 3)))
    # The same when every slot has two strata.
    halves = np.kron(ties, np.full((2, 2), 0.25))
    halves = np.triu(halves) + np.tril(halves, -1).T
    assert slot_tree(halves, np.arange(8) // 2, volume) == slot_tree(ties, np.arange(4), volume)


def test_one_slot_is_a_tree_of_one_leaf() -> None:
    assert slot_tree(np.ones((1, 1)), np.zeros(1, dtype=np.int64), np.ones(1)).n == 1
