"""dk2: "needs epsilon in the hundreds", as its paper says."""

from __future__ import annotations

import numpy as np

from entrenous import datasets
from entrenous.graph import Graph
from entrenous.network import release
from entrenous.network.mechanisms.dk2 import class_sizes
from entrenous.network.statistics import JointDegrees

KARATE = datasets.karate_club()


def joint_error(graph: Graph, epsilon: float) -> float:
    """The share of edges whose joint degrees the release has wrong, from 0 to 1."""
    errors = []
    for seed in range(3):
        made = release(graph, epsilon=epsilon, method="dk2", rng=seed).artifact
        bound = int(max(graph.degrees.max(), made.degrees.max()))
        asked = JointDegrees(bound, epsilon)
        gap = np.abs(asked.count(graph) - asked.count(made)).sum()
        errors.append(gap / (graph.m + made.m))
    return float(np.mean(errors))


def test_joint_degrees_need_an_epsilon_in_the_hundreds() -> None:
    error = {epsilon: joint_error(KARATE, epsilon) for epsilon in (1.0, 10.0, 100.0, 500.0)}
    assert error[1.0] > 0.8
    assert error[10.0] > 0.7
    assert error[100.0] > 0.5
    assert error[500.0] < 0.1


def test_joint_degrees_do_not_know_who_is_who() -> None:
    made = [release(KARATE, epsilon=2000.0, method="dk2", rng=seed).artifact.degrees for seed in range(40)]
    correlation = np.corrcoef(np.mean(made, axis=0), KARATE.degrees)[0, 1]
    assert np.mean(np.sort(made, axis=1), axis=0)[-1] > 12
    assert abs(correlation) < 0.5


def test_classes_have_room_for_their_edges() -> None:
    degree, table = np.array([2, 3]), np.array([[0, 40], [40, 30]])
    size = class_sizes(degree, table, 1000)
    assert size[0] * size[1] >= 40
    assert size[1] * (size[1] - 1) // 2 >= 30
    assert class_sizes(degree, table, 5).sum() <= 5
    assert class_sizes(np.arange(1, 9), np.eye(8, dtype=np.int64), 3).tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
