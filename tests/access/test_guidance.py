"""Existence, and who can restore it: the thesis' rule of thumb is wrong both ways."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entrenous import access
from entrenous.access.decision import Guidance
from entrenous.access.settling.equilibrium import Equilibrium
from entrenous.access.settling.guidance import guide, spectral_radius
from entrenous.access.settling.peers import Weights


def matrix(n: int, entries: dict[tuple[int, int], float]) -> np.ndarray:
    weights = np.zeros((n, n))
    for place, weight in entries.items():
        weights[place] = weight
    return weights


def exists(weights: np.ndarray) -> bool:
    return Equilibrium.find(Weights(weights, "strict"), np.ones((len(weights), 1))) is not None


def test_both_sums_one_and_yet_an_equilibrium() -> None:
    weights = matrix(3, {(0, 1): 1.0, (2, 0): 1.0})
    assert weights[0].sum() == weights[:, 0].sum() == 1
    assert exists(weights)
    assert guide("abc", Weights(weights, "strict")) == ()


def test_nobody_has_both_sums_one_and_yet_no_equilibrium() -> None:
    weights = matrix(5, {(0, k): 0.9 for k in (2, 3, 4)} | {(k, 1): 0.9 for k in (2, 3, 4)} | {(1, 0): 0.9})
    assert not ((weights.sum(axis=0) >= 1) & (weights.sum(axis=1) >= 1)).any()
    assert spectral_radius(weights) == pytest.approx(1.298, abs=1e-3)
    assert not exists(weights)
    advice = guide("12abc", Weights(weights, "strict"))
    assert {entry.person: entry.alone for entry in advice}["1"] == pytest.approx(1 / (3 * 0.9**3))
    assert all(entry.together == pytest.approx(1 / 1.298, abs=1e-3) for entry in advice)


def test_only_the_loop_that_grows_is_involved() -> None:
    weights = matrix(5, {(0, 1): 1.0, (1, 0): 1.0, (2, 3): 0.5, (3, 2): 0.5, (4, 0): 0.7})
    assert [entry.person for entry in guide("abcde", Weights(weights, "strict"))] == ["a", "b"]


def test_nobody_alone_repairs_two_loops_that_share_no_member() -> None:
    pairs = {(0, 1): 1.0, (1, 0): 1.0, (2, 3): 1.0, (3, 2): 1.0, (1, 2): 0.1, (2, 1): 0.1}
    advice = guide("abcd", Weights(matrix(4, pairs), "strict"))
    assert [entry.alone for entry in advice] == [None] * 4
    assert "nobody can end this alone" in str(advice[0])
    scaled = matrix(4, pairs) * advice[0].together
    assert exists(scaled * 0.999999)
    assert not exists(scaled * 1.000001)


square = st.integers(2, 6).flatmap(
    lambda n: st.lists(st.integers(0, 100), min_size=n * n, max_size=n * n).map(
        lambda cells: np.array(cells).reshape(n, n) / 100 * (1 - np.eye(n))
    )
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(square)
def test_certificate_agrees_with_eigenvalues(weights: np.ndarray) -> None:
    radius = spectral_radius(weights)
    if abs(radius - 1) > 1e-9:
        assert exists(weights) == (radius < 1)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(square)
def test_advice_is_sharp(weights: np.ndarray) -> None:
    advice = guide("abcdef"[: len(weights)], Weights(weights, "strict"))
    assert bool(advice) == (not exists(weights))
    involved = ["abcdef".index(entry.person) for entry in advice]
    for entry in advice:
        if entry.alone is None:
            continue
        inside = np.ix_(involved, involved)
        place = involved.index("abcdef".index(entry.person))
        for factor, settles in ((entry.alone * (1 - 1e-6), True), (entry.alone * (1 + 1e-6), False)):
            scaled = weights[inside].copy()
            scaled[place] *= factor
            # Another loop may grow on its own; advice is about the person's own loop.
            assert exists(scaled) == settles or _several_loops(weights)


def _several_loops(weights: np.ndarray) -> bool:
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(weights > 0, connection="strong")
    sizes = np.bincount(label, minlength=count)
    return int((sizes > 1).sum()) > 1


@pytest.mark.parametrize(("n", "percent"), [(3, 43), (4, 95), (5, 100)])
def test_free_weights_rarely_settle(n: int, percent: int) -> None:
    """The shares of groups without an equilibrium that docs/access.md gives as the reason to cap."""
    given = np.random.default_rng(n).random((2000, n, n)) * (1 - np.eye(n))
    growing = np.abs(np.linalg.eigvals(given)).max(axis=1) >= 1
    assert 100 * growing.mean() == pytest.approx(percent, abs=3)


@pytest.mark.parametrize("factor", [0.76556, 0.29, 0.7, 0.00123, 1 / 1.298])
def test_advice_in_words_is_rounded_to_the_safe_side(factor: float) -> None:
    for advice in (Guidance("a", factor, factor), Guidance("a", None, factor)):
        (told,) = re.findall(r"less than (\S+) times", str(advice))
        assert 0.9 * factor < float(told) <= factor
        assert len(told.lstrip("0.")) <= 2


def test_large_loops_use_the_same_closed_form() -> None:
    n = 20
    weights = matrix(n, {(k, (k + 1) % n): 1.0 for k in range(n)} | {(0, 5): 0.3})
    advice = guide([f"p{k}" for k in range(n)], Weights(weights, "strict"))
    assert len(advice) == n
    assert advice[0].alone == pytest.approx(1 / 1.3)
    assert advice[2].alone == pytest.approx(0.7)


def test_advice_is_for_the_keeper_and_everybody_reads_the_same() -> None:
    wishes = {who: {"friends": 3, "friends-of-friends": 3, "public": 3} for who in "abc"}
    decision = access.mediate(wishes, {"a": {"b": 1.0}, "b": {"a": 1.0}}, mode="strict")
    assert [advice.person for advice in decision.certificate.guidance] == ["a", "b"]
    assert "You alone can end this" in str(decision.certificate.guidance[0])
    assert set(decision.reasons) == set("abc")
    assert len(set(decision.reasons.values())) == 1
    assert "never settles" in decision.reasons["c"]
    assert access.mediate(wishes, {"a": {"b": 1.0}, "b": {"a": 1.0}}).agreed
