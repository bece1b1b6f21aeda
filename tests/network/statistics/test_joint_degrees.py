from __future__ import annotations

import numpy as np
import pytest
from tests.network import tiny

from entrenous.graph import Graph
from entrenous.network.statistics import JointDegrees
from entrenous.unit import Unit


@pytest.mark.parametrize("bound", [1, 2, 3, 4])
def test_joint_degrees_change_by_as_much_as_is_said_and_no_more(bound: int) -> None:
    asked = JointDegrees(bound, 1.0)
    tables = [asked.count(graph) for graph in tiny.graphs(5)]
    most = max(int(np.abs(tables[g] - tables[h]).sum()) for g, h in tiny.neighbours(5))
    assert most == asked.sensitivity(Unit.EDGE)


def test_joint_degrees_of_a_graph_drawn_by_hand() -> None:
    """A triangle with a tail: degrees 3, 2, 2, 1."""
    graph = Graph.from_edges([(0, 1), (0, 2), (1, 2), (0, 3)])
    table = np.zeros((3, 3), int)
    table[np.triu_indices(3)] = JointDegrees(3, 1.0).count(graph)
    assert table.tolist() == [[0, 0, 1], [0, 1, 2], [0, 0, 0]]
    assert JointDegrees(1, 1.0).count(graph).tolist() == [4]
