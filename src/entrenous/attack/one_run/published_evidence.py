"""How far a published graph speaks for each canary tie: the weaker attacker, who sees nothing else.

The attacker rehearses: they plant canaries in the same places by coins of their own, run the same method from a seed,
and learn how often a tie that is there is published, and by how much published degrees are too high. No coin of the
real release is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.one_run.canary_ties import CanaryTies
from entrenous.graph import Graph
from entrenous.network.drawing.pairs import pair_numbers

__all__ = ["Lessons", "learn"]

Floats = NDArray[np.float64]

_CLASSES = 24  # of how far published degrees are too high
_PRIOR = 2.0  # cases of each kind that were seen before any: few cases say little


@dataclass(frozen=True, eq=False)
class Lessons:
    """What a rehearsal taught.

    Attributes
    ----------
    cuts
        Between the classes of surpluses.
    surplus
        What each class says about a canary, at one of its ends.
    tied
        What a pair that is not published says, and one that is.
    """

    cuts: Floats
    surplus: Floats
    tied: Floats

    def evidence(self, ties: CanaryTies, published: Graph) -> Floats:
        """Return what a published graph says about each canary."""
        classes = np.searchsorted(self.cuts, _surplus(ties, published), side="right")
        at_ends = self.surplus[classes][ties.pairs].sum(axis=1)
        return np.asarray(at_ends + self.tied[_published(ties, published).astype(np.int64)])


def learn(ties: CanaryTies, coins: NDArray[np.bool_], published: Graph) -> Lessons:
    """Learn from a rehearsal, whose coins the attacker tossed.

    >>> from entrenous.attack.one_run.canary_ties import place
    >>> ties = place(Graph.from_edges([(0, 1)], n=400), 200, rng=np.random.default_rng(1))
    >>> coins = ties.toss(np.random.default_rng(2))
    >>> taught = learn(ties, coins, ties.planted(coins))
    >>> bool((taught.evidence(ties, ties.planted(~coins)) > 0)[~coins].all())
    True
    """
    surplus = _surplus(ties, published)[ties.pairs]
    cuts = np.unique(np.quantile(surplus, np.linspace(0, 1, _CLASSES + 1)[1:-1]))
    classes = np.searchsorted(cuts, surplus, side="right")
    at_ends = _log_odds(classes.ravel(), np.repeat(coins, 2), len(cuts) + 1)
    return Lessons(cuts, at_ends, _log_odds(_published(ties, published).astype(np.int64), coins, 2))


def _log_odds(kind: NDArray[np.int64], coins: NDArray[np.bool_], kinds: int) -> Floats:
    """Return how much likelier each kind is among canaries that are in, in logarithms."""
    present, absent = (np.bincount(kind[coins == side], minlength=kinds) + _PRIOR for side in (True, False))
    return np.asarray(np.log(present / present.sum()) - np.log(absent / absent.sum()))


def _surplus(ties: CanaryTies, published: Graph) -> Floats:
    """Return by how much the degree of each node is above what it would be without its canaries."""
    return np.asarray(published.degrees - ties.graph.degrees, dtype=np.float64)


def _published(ties: CanaryTies, published: Graph) -> NDArray[np.bool_]:
    return np.isin(pair_numbers(ties.pairs), pair_numbers(published.edges()))
