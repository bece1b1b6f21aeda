"""What answers about words show besides what is paid for: digits, orders, and numbers that have no noise."""

from __future__ import annotations

import numpy as np
import pytest

from entrenous.errors import PrivacyError
from entrenous.noise import Noise
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.statistics import Agreement
from entrenous.words.statistics.candidates import Candidates, occurring, scored

EDGES = Table.from_counts([{"budget": 2, "draft": 1}] * 40, ends=[(i, i + 1) for i in range(40)])
PAIRS = np.arange(40).reshape(20, 2)


def test_each_of_the_numbers_of_agreement_has_noise() -> None:
    asked, noise = Agreement(1.0, 2, PAIRS), Noise(1)
    drawn = np.array([asked.draw(EDGES, Unit.EDGE_CONTENT, noise) for _ in range(40)])
    assert (drawn.std(axis=0) > 1.0).all()
    assert (np.abs(np.corrcoef(drawn.T) - np.eye(3)) < 0.8).all()


def test_the_noise_of_agreement_costs_what_the_question_does() -> None:
    asked = Agreement(1.0, 7, PAIRS)
    assert asked.event(Unit.EDGE_CONTENT).price.epsilon == pytest.approx(
        asked.price(Unit.EDGE_CONTENT).epsilon
    )


def test_digits_and_order_of_scores_do_not_tell_who_occurs() -> None:
    """Ten thousand candidates with scores on so coarse a grid that many are equal; half of those that occur are high."""
    candidates, noise = Candidates(np.arange(100, dtype=np.int32)[:, None]), Noise(1)
    there = np.arange(1, 10_000, 40)[::-1]
    found = scored(candidates, there, np.full(len(there), 2.5), noise, grid=4.0)
    occur = np.isin(found.places, there)
    assert 100 < occur.sum() < len(found.places) - 100
    assert (found.score * 4 == np.rint(found.score * 4)).all()
    assert (np.diff(found.chance) >= 0).all()
    equal = np.flatnonzero(np.diff(found.chance) == 0)
    assert len(equal) > 100
    assert (np.diff(found.places)[equal] > 0).all()


def test_candidates_of_ones_own_kind_are_refused() -> None:
    """Their methods would see which n-grams occur."""

    class Looking(Candidates):
        """Candidates that look at what they are given."""

    with pytest.raises(PrivacyError, match="expected candidates"):
        occurring(Looking(np.array([[0], [1]], np.int32)), ("budget", "draft"), EDGES)
