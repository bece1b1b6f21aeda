"""A diagnosis withdraws the promise of a chain that has not mixed, and leaves others alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from entrenous import datasets
from entrenous.errors import ArgumentError
from entrenous.network import diagnosed, release
from entrenous.network.diagnosis import NOT_MIXED
from entrenous.release import read_release

KARATE = datasets.karate_club()


def test_chains_that_differ_withdraw_the_promise(tmp_path: Path) -> None:
    """Forty steps on thirty-four nodes hardly leave the start; from below and from above they are far apart."""
    made = release(KARATE, epsilon=200.0, method="privhrg", steps=40, short_chain=True, rng=1)
    assert made.guarantee is not None
    looked_at = diagnosed(KARATE, made, rng=1)
    assert looked_at.guarantee is None
    assert looked_at.card.promise.endswith(NOT_MIXED)
    folder = looked_at.save(tmp_path / "withdrawn")
    assert NOT_MIXED in (folder / "card.md").read_text()
    assert "ifferential privacy" not in (folder / "card.md").read_text()
    assert read_release(folder).provenance.withdrawn == NOT_MIXED


@pytest.mark.long
def test_chains_that_agree_leave_the_promise_conditional() -> None:
    made = release(KARATE, epsilon=0.5, method="privhrg", steps=400_000, rng=1)
    looked_at = diagnosed(KARATE, made, rng=1)
    assert looked_at.private["diagnosis"].met
    assert looked_at.guarantee is not None
    assert looked_at.guarantee.conditional


def test_what_has_no_chain_has_no_diagnosis() -> None:
    with pytest.raises(ArgumentError, match="sampled by a chain"):
        diagnosed(KARATE, release(KARATE, epsilon=1.0, rng=1))
