"""Eigenvectors and quadratic forms: a unit vector is what it is, whatever the eigensolver did."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from entrenous.graph import Graph
from entrenous.network.statistics import Eigenvectors, QuadraticForms
from entrenous.noise import Noise
from entrenous.unit import Unit


def test_a_vector_that_turns_round_uses_the_whole_sensitivity() -> None:
    asked = Eigenvectors(900, 1, 1.0)
    even, bound = np.full((900, 1), 1 / 30), asked.sensitivity(Unit.EDGE)
    steps = [asked.in_steps(vector) for vector in (even, -even, 1.01 * even)]
    assert 0.99 * bound < np.abs(steps[0] - steps[1]).sum() <= bound
    assert np.abs(steps[2]).sum() <= bound / 2  # longer than 1, as no eigenvector should be


def test_one_edge_turns_the_leading_vector_by_a_right_angle() -> None:
    """Two equal cliques of a hundred: the vector lives on the one that has all of its edges."""
    cliques = [(u + s, v + s) for s in (0, 100) for u, v in itertools.combinations(range(100), 2)]
    asked = Eigenvectors(200, 1, 1.0)
    left, right = (
        asked.count(Graph.from_edges([edge for edge in cliques if edge != missing], n=200))
        for missing in ((0, 1), (100, 101))
    )
    # Two edges lie between the two; so one of the two steps moves the vector by at least half of this.
    assert np.abs(left - right).sum() > 0.7 * asked.sensitivity(Unit.EDGE)


@pytest.mark.parametrize("columns", [1, 3, 5])
def test_quadratic_forms_change_by_no_more_than_is_said(columns: int) -> None:
    rng = np.random.default_rng(2)
    edges = rng.integers(0, 8, size=(12, 2))
    graph, attained = Graph.from_edges(edges, n=8, clean=True), 0.0
    for _ in range(3):
        asked = QuadraticForms(np.linalg.qr(rng.normal(size=(8, columns)))[0], 1.0)
        before, bound = asked.count(graph), asked.sensitivity(Unit.EDGE)
        for pair in itertools.combinations(range(8), 2):
            if not graph.has_edge(*pair):
                after = asked.count(graph.with_edges([*graph.edges().tolist(), pair]))
                attained = max(attained, np.abs(before - after).sum() / bound)
    assert 0.8 < attained <= 1


def test_rounding_of_forms_is_paid_for() -> None:
    """Five forms that an edge moves by a whole number of steps and three fifths each, rounded up one by one."""
    asked = QuadraticForms(np.full((2, 5), math.sqrt(1000.6 / 2e6)), 1.0)
    moved = int(
        np.abs(asked.count(Graph.from_edges([(0, 1)])) - asked.count(Graph.from_edges([], n=2))).sum()
    )
    unrounded = math.ceil(5 * 1000.6)
    assert unrounded < moved <= asked.sensitivity(Unit.EDGE)


@pytest.mark.parametrize("epsilon", [1.0, 10.0])
def test_the_error_of_eigenvectors_grows_with_the_root_of_n(epsilon: float) -> None:
    error = {}
    for n in (200, 3200):
        ring = Graph.from_edges([(i, (i + 1) % n) for i in range(n)], clean=True)
        asked = Eigenvectors(n, 1, epsilon)
        noisy = [asked.draw(ring, Unit.EDGE, Noise(seed)) for seed in range(5)]
        error[n] = float(np.abs(np.array(noisy) - 1 / math.sqrt(n)).mean())
    assert error[3200] / error[200] == pytest.approx(4, rel=0.15)
    assert error[200] * epsilon == pytest.approx(2 * math.sqrt(200), rel=0.15)
