"""A range for the correlation of neighbouring edges, estimated from the confidential data under differential privacy.

Edges that share a person are paired off by the public graph alone, each edge in one pair at most. Then the content of
one edge touches one pair, and three counts over all pairs tell how often neighbours agree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from entrenous import _check
from entrenous.desk import Desk
from entrenous.errors import InputError
from entrenous.guarantee import GRAPH_PUBLIC
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.unit import Unit
from entrenous.vault import Order
from entrenous.words.counting.neighbourhood import neighbouring_pairs
from entrenous.words.public_list import check_said, checked_vocabulary, longest
from entrenous.words.statistics.agreement import Agreement

if TYPE_CHECKING:
    from entrenous.vault import Vault
    from entrenous.words.counting.table import Table

__all__ = ["EdgeTables", "asked_of", "drawn_range", "estimate_range"]


class EdgeTables(Protocol):
    """What an estimate is made from: a corpus, or anything that tells which edge carries which n-grams."""

    @property
    def largest_neighbourhood(self) -> int:
        """The largest number of neighbours of any edge."""

    def table(
        self,
        *,
        by: str = "edge",
        n: int = 2,
        contribution: int | None = None,
        listed: Sequence[str] | None = None,
    ) -> Table:
        """Return which edge carries which n-grams, at most `contribution` each, of those listed if a list is given."""


def estimate_range(
    corpus: EdgeTables,
    *,
    epsilon: float,
    contribution: int,
    vault: Vault | None = None,
    vocabulary: Sequence[str] | None = None,
    confidence: float = 0.99,
    n: int = 2,
    rng: np.random.Generator | int | None = None,
) -> tuple[float, float]:
    """Return p0 and p1, private, such that neighbours carry an n-gram with a probability between them.

    Parameters
    ----------
    corpus
        The confidential corpus.
    epsilon
        The privacy parameter of this estimate, for adding or removing the content of one edge.
    contribution
        How many n-grams of an edge count, as in the release to follow.
    vault
        Charged before any noise is drawn.
    vocabulary
        A public list of n-grams to look at, as in the histogram to follow: each edge counts with its most frequent
        ones among them. N-grams that no mail can hold (with capitals, or digits) are refused. Without a list all
        n-grams count, and p0 is 0: how many n-grams an edge does *not* carry is then no public number.
    confidence
        With which probability the range covers the mean probabilities of a belief in which neighbours are
        independent given the edge: over the noise, and over the bits.
    n
        The longest n-grams to count, where there is no list.
    rng
        None for real noise; a seed makes it a rehearsal.

    Privacy
    -------
    One edge is the first or the second of at most one pair. Its content (c n-grams at most) changes the number of
    n-grams both carry by c at most, and one of the two sizes by c at most: L1 sensitivity 2c for the three counts
    together, geometric noise of scale 2c / epsilon. Pairs follow from the public graph, everything else from the
    noisy counts.
    """
    confidence = _check.probability("confidence", confidence, positive=True)
    table, question = asked_of(corpus, epsilon=epsilon, contribution=contribution, vocabulary=vocabulary, n=n)
    desk = Desk(table, unit=Unit.EDGE_CONTENT, ceiling=Price(epsilon=question.epsilon), noise=Noise(rng))
    order = Order(
        purpose="words correlation, private estimate",
        sees=("contents",),
        guarantee=desk.guarantee((GRAPH_PUBLIC,)),  # edges are paired by the graph
        event=question.event(desk.unit),
        rehearsal=desk.rehearsal,
    )
    entry = None if vault is None else vault.charge(order, data=corpus)
    found = drawn_range(desk, question, confidence)
    if vault is not None and entry is not None:
        vault.settle(entry.number, desk.parts)
    return found


def asked_of(
    corpus: EdgeTables, *, epsilon: float, contribution: int, vocabulary: Sequence[str] | None, n: int
) -> tuple[Table, Agreement]:
    """Return the table that an estimate looks at, and what is asked of it."""
    contribution = _check.at_least("contribution", contribution, 1)
    epsilon = _check.epsilon("epsilon", epsilon)
    names = None
    if vocabulary is None:
        table = corpus.table(by="edge", n=n, contribution=contribution)
    else:
        names = checked_vocabulary(vocabulary)
        check_said(names)
        table = corpus.table(by="edge", n=longest(names), contribution=contribution, listed=names)
    pairs = neighbouring_pairs(table.ends)
    if not len(pairs):
        raise InputError(
            "no two edges share a person: there is no correlation to estimate; state the range yourself"
        )
    return table, Agreement(epsilon, contribution, pairs, names)


def drawn_range(desk: Desk[Table], question: Agreement, confidence: float) -> tuple[float, float]:
    """Return p0 and p1 from noisy counts alone."""
    risk = 1 - confidence
    both, first, second = desk(question)
    slack = _noise_bound(question.event(desk.unit).scale, risk / 6)
    p1 = _upper(both + slack, first - slack, risk / 4)
    if question.names is None:
        return 0.0, p1
    chances = len(question.pairs) * len(question.names) - (first - slack)
    return min(p1, _lower(second - both - 2 * slack, chances, risk / 4)), p1


def _noise_bound(scale: float, risk: float) -> int:
    """Return what two-sided geometric noise exceeds with at most this probability, on one side."""
    fall = math.exp(-1 / scale)
    return max(0, math.ceil(-scale * math.log(risk * (1 + fall))) - 1)


def _upper(successes: int, trials: int, risk: float) -> float:
    """Return the upper bound of Clopper and Pearson for a probability."""
    from scipy.special import betaincinv

    successes = max(successes, 0)
    return 1.0 if successes >= trials else float(betaincinv(successes + 1, trials - successes, 1 - risk))


def _lower(successes: int, trials: int, risk: float) -> float:
    """Return the lower bound of Clopper and Pearson for a probability."""
    from scipy.special import betaincinv

    successes = min(successes, trials)
    return 0.0 if successes <= 0 else float(betaincinv(successes, trials - successes + 1, risk))
