"""Several releases together tell more than each, within composition; a vault stops them."""

from __future__ import annotations

import pytest

from entrenous.attack.inference.linkage import linkage, releases_allowed


@pytest.mark.long
def test_what_is_gained_grows_with_releases_beyond_the_epsilon_of_one() -> None:
    found = {
        (each.mechanism.split(",")[0], each.details["releases"]): each
        for each in linkage((1, 4), epsilon=1.0, trials=300, rng=1)
    }
    for mechanism in ("words: histogram", "network: chung-lu"):
        one, four = found[mechanism, 1], found[mechanism, 4]
        assert one.measured <= 1.0 < four.measured <= 4.0
        assert four.stated == 4.0
        assert not one.broken
        assert not four.broken


@pytest.mark.parametrize(("budget", "allowed"), [(0.5, 1), (0.9, 1), (1.0, 2), (1.6, 3)])
def test_a_vault_refuses_what_would_exceed_its_budget(budget: float, allowed: int) -> None:
    assert releases_allowed(epsilon=0.5, budget=budget) == allowed
