"""Readers of released graphs guess all ties: better than blindly, no better than degrees allow."""

from __future__ import annotations

import pytest

from entrenous import datasets, network
from entrenous.attack import guess_edges
from entrenous.errors import ArgumentError


def test_readers_guess_hubs_not_ties() -> None:
    """From a release one guesses better than blindly, but no better than who knows everybody's number of ties."""
    firm = datasets.organization(150, seed=1).graph
    released = [network.release(firm, epsilon=1.0, rng=seed).artifact for seed in range(5)]
    one, five = guess_edges(firm, released[:1]), guess_edges(firm, released)
    assert one.precision < five.precision < 0.5
    assert one.precision < one.by_degrees + 0.05
    assert guess_edges(firm, [firm]).roc.auc == 1.0


def test_guesses_on_some_pairs_stand_for_all() -> None:
    firm = datasets.organization(150, seed=1).graph
    released = [network.release(firm, epsilon=4.0, method="chung-lu", rng=1).artifact]
    whole, part = guess_edges(firm, released), guess_edges(firm, released, pairs=4000)
    assert part.precision == pytest.approx(whole.precision, abs=0.05)
    assert part.roc.auc == pytest.approx(whole.roc.auc, abs=0.02)
    with pytest.raises(ArgumentError, match="same 150 nodes"):
        guess_edges(firm, [datasets.karate_club()])
