"""The AUC of runs lies between its limits as often as they say, and no more often than need be."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import norm, poisson

from entrenous.attack.side_channels.auc_interval import AucInterval
from entrenous.attack.tools.roc import Roc
from entrenous.errors import ArgumentError

RUNS = 60
Worlds = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]


def normal(shift: float) -> tuple[Worlds, float]:
    return lambda rng: (rng.normal(shift, 1, RUNS), rng.normal(0, 1, RUNS)), norm.cdf(shift / math.sqrt(2))


def counted(more: float) -> tuple[Worlds, float]:
    k = np.arange(60)
    canary, plain = poisson.pmf(k, 2 + more), poisson.pmf(k, 2)
    below = np.concatenate([[0], np.cumsum(plain)[:-1]])
    return (
        lambda rng: (rng.poisson(2 + more, RUNS), rng.poisson(2, RUNS)),
        float((canary * (below + plain / 2)).sum()),
    )


def coverage(worlds: Worlds, truth: float, *, narrower: float = 1.0, times: int = 500) -> float:
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(times):
        found = AucInterval.of(*worlds(rng))
        low = found.auc - (found.auc - found.low) * narrower
        high = found.auc + (found.high - found.auc) * narrower
        inside += low <= truth <= high
    return inside / times


@pytest.mark.parametrize(
    ("worlds", "truth"), [normal(0.0), normal(0.8), normal(2.5), counted(0.0), counted(1.5)]
)
def test_limits_hold_the_truth_as_often_as_they_say(worlds: Worlds, truth: float) -> None:
    """95 % of 500, give or take three deviations; limits half as far apart are noticed."""
    assert 0.92 <= coverage(worlds, truth) <= 0.995
    assert coverage(worlds, truth, narrower=0.5) < 0.9


def test_it_is_the_auc() -> None:
    rng = np.random.default_rng(1)
    canary, plain = rng.integers(0, 9, 30), rng.integers(0, 7, 40)
    naive = np.mean([(c > p) + (c == p) / 2 for c in canary for p in plain])
    found = AucInterval.of(canary, plain)
    assert found.auc == pytest.approx(naive)
    assert found.auc == pytest.approx(Roc.of_runs(without=plain, with_it=canary).auc)
    turned = AucInterval.of(plain, canary)
    assert (turned.auc, turned.low) == (pytest.approx(1 - found.auc), pytest.approx(1 - found.high))
    assert turned.told == pytest.approx(found.told)


def test_worlds_that_never_overlap_are_told_apart_with_a_limit_below_one() -> None:
    found = AucInterval.of(np.ones(100), np.zeros(100))
    assert (found.auc, found.high) == (1.0, 1.0)
    assert 0.95 < found.low < 1
    assert AucInterval.of(np.zeros(100), np.ones(100)).told == pytest.approx(found.low)


def test_what_is_always_the_same_tells_nothing_and_leaves_room_for_what_was_not_seen() -> None:
    found = AucInterval.of(np.ones(100), np.ones(100))
    assert (found.auc, found.told, found.constant) == (0.5, 0.5, True)
    assert 0.01 < found.high - 0.5 < 0.03
    assert not AucInterval.of([0.0, *np.ones(99)], np.ones(100)).constant


@pytest.mark.parametrize("runs", [[1.0] * 9, [math.nan] * 20, [[1.0] * 20]])
def test_too_little_is_refused(runs: object) -> None:
    with pytest.raises(ArgumentError, match="10 finite numbers"):
        AucInterval.of(runs, np.ones(20))  # type: ignore[arg-type]
