"""Runs are ended once a promise is refuted; what is told then holds, and what is told at the end is sharper."""

from __future__ import annotations

import math

import numpy as np
import pytest

from entrenous.attack.tools.evidence import LEVEL, Evidence


def coins(rng: np.random.Generator, epsilon: float, runs: int) -> tuple[np.ndarray, np.ndarray]:
    heads = 1 / (1 + math.exp(-epsilon))
    return rng.random(runs) < heads, rng.random(runs) < 1 - heads


def test_a_broken_promise_is_refuted_early_and_by_how_much() -> None:
    rng, evidence = np.random.default_rng(1), Evidence(epsilon=1.0)
    while not evidence.refuted:
        evidence.add(*coins(rng, 2.0, 20))
    bounds = evidence.bounds(complete=False)
    assert len(evidence.canary) < 400
    assert 1.0 < bounds.beyond_doubt <= bounds.shown <= 2.0
    assert (bounds.likelier > 0.75, bounds.other < 0.25) == (True, True)


def test_a_promise_that_is_reached_exactly_is_not_refuted_and_its_bound_is_close() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        evidence = Evidence(epsilon=1.0)
        evidence.add(*coins(rng, 1.0, 1000))
        assert not evidence.refuted
        bounds = evidence.bounds(complete=True)
        assert bounds.beyond_doubt < bounds.shown
        assert bounds.beyond_doubt <= 1.0
        assert bounds.shown > 0.7


def test_runs_that_ended_unplanned_without_a_refutation_show_nothing() -> None:
    """A bound for a number of runs that was not planned could have been waited for."""
    evidence = Evidence(epsilon=1.0)
    evidence.add(*coins(np.random.default_rng(3), 1.0, 1000))
    assert evidence.bounds(complete=False).shown == 0.0


@pytest.mark.long
def test_both_bounds_together_keep_the_risk() -> None:
    """Looked at in parts, stopped as soon as refuted: a wrong accusation is as seldom as the level says."""
    rng, audits, level = np.random.default_rng(4), 150, 0.3
    accused = 0
    for _ in range(audits):
        evidence = Evidence(epsilon=1.0, level=level)
        while not evidence.refuted and len(evidence.canary) < 120:
            evidence.add(*coins(rng, 1.0, 40))
        complete = len(evidence.canary) == 120
        accused += evidence.refuted or (complete and evidence.bounds(complete=True).beyond_doubt > 1.0)
    assert 0 < accused <= level * audits
    assert LEVEL == 5e-4
