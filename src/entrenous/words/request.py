"""What is asked for, checked: the promise, the belief behind it, and the noise that keeps it.

A `Request` turns an epsilon for attackers with a belief into what an ordinary mechanism may spend on one holder, the
ceiling of its desk: the scale of geometric or Gaussian noise. The promise is then read off the desk.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Protocol, Self, TypeAlias

from numpy.typing import ArrayLike

from entrenous import _check
from entrenous.desk import Desk
from entrenous.errors import ArgumentError, PrivacyError
from entrenous.guarantee import GRAPH_PUBLIC, KNOWN_SEED, TIES_NOT_TOLD, Guarantee
from entrenous.price import NoiseEvent, Price, gaussian_epsilon
from entrenous.unit import Unit
from entrenous.vault import FACTS, Order
from entrenous.words.beliefs import Independent
from entrenous.words.beliefs.belief import Belief
from entrenous.words.counting.holder import EDGE, Holder, unit_of
from entrenous.words.counting.neighbourhood import largest_neighbourhood
from entrenous.words.counting.table import Table
from entrenous.words.statistics.widest_messages import WIDEST_SHARE, WidestMessages

__all__ = ["Ceiling", "Request", "TableDesk"]

#: What mechanisms of words ask: a table of holders behind a desk.
TableDesk: TypeAlias = Desk[Table]


class Ceiling(Protocol):
    """What a promise is read off: a desk, or several that were given one promise together."""

    @property
    def unit(self) -> Unit:
        """What is protected."""

    @property
    def ceiling(self) -> Price:
        """The most that all questions may cost together."""

    @property
    def rehearsal(self) -> bool:
        """Whether noise comes from a seed."""


LEAST_EPSILON = 1e-9  # where a delta alone hides everything, a promise still has an epsilon


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is to be promised for the whole content of an edge, or all that a sender wrote.

    The n-grams of a content are moved together, at most `contribution` of them, and are taken as independent of each
    other given the edge; so each gets an equal part of epsilon, which the belief turns into an ordinary budget eta.

    Attributes
    ----------
    epsilon, delta
        What is to be promised.
    contribution
        How many n-grams an edge, or a sender, carries at most.
    correlation
        What the attacker believes.
    by
        Whose words are hidden: an edge's or a sender's.
    replaced
        Whether also the replacement of a content by another one is to be hidden, which moves twice as many n-grams.
    widest
        Whether it is also asked how many people the widest messages went to.

    Examples
    --------
    >>> from entrenous.words import Binomial
    >>> paper = Binomial(p0=0.0277, p1=0.2739, neighbours=1883)
    >>> asked = Request(epsilon=100.0, correlation=paper, contribution=1000)
    >>> round(1 / asked.ngram_epsilon, 2), round(asked.edge_epsilon, 4)
    (4646.29, 0.2152)
    >>> round(Request(epsilon=100.0, contribution=1000).ngram_epsilon, 6)
    0.1
    """

    epsilon: float
    delta: float = 0.0
    contribution: int
    correlation: Belief = field(default_factory=Independent)
    by: Holder = EDGE
    replaced: bool = False
    widest: bool = False

    def __post_init__(self) -> None:
        belief = self.correlation
        if not isinstance(belief, Belief):
            raise ArgumentError("correlation", f"expected a belief of words; got {type(belief).__name__}")
        object.__setattr__(self, "by", Holder.named(self.by, "unit"))
        if self.replaced and self.by.replaced is None:
            raise ArgumentError("replaced", "expected the unit edge-content or sender")
        if not (belief.senders or self.by == EDGE):
            raise ArgumentError("correlation", "beliefs speak of edges; other units take Independent()")
        if self.replaced and not belief.replacing:
            raise ArgumentError(
                "replaced", "a group is hidden as added or removed; take a group of twice the size"
            )
        object.__setattr__(self, "epsilon", _check.epsilon("epsilon", self.epsilon))
        object.__setattr__(self, "delta", _check.probability("delta", self.delta))
        object.__setattr__(self, "contribution", _check.at_least("contribution", self.contribution, 1))
        if self.noise_delta < 0:
            raise ArgumentError(
                "delta", f"expected at least {self.ngrams * belief.defect:g}, what the coupling leaves over"
            )

    @property
    def ngrams(self) -> int:
        """How many n-grams the protected change moves at most."""
        return self.contribution * (2 if self.replaced else 1)

    @property
    def ngram_epsilon(self) -> float:
        """The pure budget of each n-gram of an edge, eta: without any belief the count of one n-gram costs this."""
        return self.correlation.edge_epsilon(self.epsilon / self.ngrams) * (1 - 1e-12)

    @property
    def edge_epsilon(self) -> float:
        """The pure budget of the whole content of an edge, to be spent on all its n-grams together."""
        return self.contribution * self.ngram_epsilon

    @property
    def noise_delta(self) -> float:
        """What is left of delta for the mechanism; the coupling may fail for each n-gram the change moves."""
        return self.delta - self.ngrams * self.correlation.defect

    @property
    def spares(self) -> bool:
        """Whether a share of the price can be kept back for a question beside the others."""
        return False

    def asking_widest(self, corpus: object) -> Self:
        """Return the request that also asks for the widest messages, where a message counts on each of its edges."""
        plain = self.spares and self.by == EDGE and isinstance(self.correlation, Independent)
        return replace(self, widest=True) if plain and not isinstance(corpus, Table) else self

    @property
    def widest_share(self) -> float:
        """The share of the price (of the squares of mu) that is kept back for the widest messages."""
        return WIDEST_SHARE if self.widest else 0.0

    def widest_messages(self, mechanism: str, amount: float) -> WidestMessages | None:
        """Return what is asked about the widest messages, of an epsilon or a mu for everything together."""
        if not self.widest:
            return None
        if mechanism == "gaussian":
            return WidestMessages(mechanism, 1 / (amount * math.sqrt(WIDEST_SHARE)))
        return WidestMessages(mechanism, 1 / (amount * WIDEST_SHARE) * (1 + 1e-12))

    def ties_public(self, table: Table) -> bool:
        """Tell whether who writes to whom is public: a list says it, or the attacker of the belief knows the graph.

        Else nothing may be refused, or told, by the number of holders or by their ends.
        """
        return table.listed or self.correlation.knows_graph

    def check_graph(self, ends: ArrayLike) -> None:
        """Refuse a belief about fewer neighbours than the public graph has: its promise would leave some out.

        Parameters
        ----------
        ends
            One row per edge: the numbers of its two persons.
        """
        believed = self.correlation.most_neighbours
        if believed is not None and believed < (largest := largest_neighbourhood(ends)):
            raise ArgumentError(
                "correlation",
                f"expected at least {largest} neighbours, as many as an edge of this graph has; got {believed}; "
                "nothing was charged. Give the belief the graph's own number, as in fit(public, neighbours="
                "corpus.largest_neighbourhood)",
            )

    def geometric_scale(self) -> float:
        """Return the scale of two-sided geometric noise on every count: 1 / eta, or less by exact calibration."""
        return self.correlation.laplace_scale(self.epsilon / self.ngrams) * (1 + 1e-12)

    def gaussian_scale(self) -> float:
        """Return the standard deviation of Gaussian noise on every count of edges (or senders)."""
        if self.noise_delta <= 0:
            raise ArgumentError("delta", f"expected a delta above {self.delta:g} for Gaussian noise")
        return self.correlation.gaussian_scale(
            self.epsilon, self.noise_delta, self.contribution, replaced=self.replaced
        )

    @property
    def event(self) -> NoiseEvent:
        """The noise of everything that will be asked, in numbers that one holder moves by 1 each.

        Each kind of request decides it: a plain request only converts promises to budgets.
        """
        raise NotImplementedError("a plain request asks nothing yet")

    @property
    def ceiling(self) -> Price:
        """The most that all questions about one holder may cost together."""
        return self.event.price

    def check_holders(self, table: Table) -> None:
        """Refuse a table that was counted by something else."""
        if table.by != self.by:
            raise ArgumentError(
                "unit", f"the table does not hold {self.by}s; count it with by={unit_of(self)!r}"
            )

    def guarantee(self, desk: Ceiling, table: Table, *, more: tuple[str, ...] = ()) -> Guarantee | None:
        """Return the promise of what a desk answers, or None under a belief that only was measured.

        Parameters
        ----------
        desk
            The desk that is asked. What it may answer at most is what the promise is about.
        table
            What it holds, for whether its holders are public.
        more
            Further sentences it rests on.
        """
        belief, charged = self.correlation, self.charged(desk)
        if not belief.guaranteed:
            return None
        if not self.kept(desk.ceiling):
            raise PrivacyError(
                f"what may be asked of this desk does not keep epsilon {self.epsilon:.12g}; nothing is promised"
            )
        unit = belief.unit(self.by, replaced=self.replaced)
        return Guarantee(
            epsilon=self.epsilon,
            delta=self.delta,
            unit=unit,
            kind=belief.kind,
            assumptions=(
                *belief.sentences(self.event.mechanism, replaced=self.replaced),
                *((KNOWN_SEED,) if desk.rehearsal else ()),
                GRAPH_PUBLIC if self.ties_public(table) else TIES_NOT_TOLD,
                *((self.by.limits,) if self.by.limits else ()),
                *more,
            ),
            contribution=self.contribution,
            per_ngram=self._per_ngram(),
            size=belief.group if unit == Unit.GROUP else None,
            level=None if unit == charged.unit else charged,
        )

    def kept(self, price: Price) -> bool:
        """Tell whether questions of this price together keep what is requested.

        It is worked out backwards, from the price to the noise that it stands for and to what the belief asks for, so
        that a request which calibrates its noise wrongly is noticed.
        """
        belief, slack = self.correlation, 1e-6  # exact calibrations end within a hundredth of that
        if not price.mu:
            scale = self.contribution / price.epsilon
            return scale >= belief.laplace_scale(self.epsilon / self.ngrams) * (1 - slack)
        if belief.about_ngrams:  # every count gets noise of the same deviation
            deviation = math.sqrt(self.contribution) / price.mu
            least = belief.gaussian_scale(
                self.epsilon, self.noise_delta - price.delta, self.contribution, replaced=self.replaced
            )
            return deviation >= least * (1 - slack)
        moved = price.mu * belief.group * (math.sqrt(2) if self.replaced else 1.0)
        return gaussian_epsilon(moved, self.delta - price.delta) <= self.epsilon * (1 + slack)

    def charged(self, desk: Ceiling) -> Guarantee:
        """Return what a vault is charged for a desk: differential privacy of one content, no belief assumed."""
        price = desk.ceiling
        if desk.unit != self.by.unit or price != self.ceiling:
            raise PrivacyError(
                "expected a desk with the unit and the ceiling of this request; nothing is promised"
            )
        epsilon = gaussian_epsilon(price.mu, self.delta - price.delta) if price.mu else price.epsilon
        return Guarantee(
            epsilon=max(epsilon, LEAST_EPSILON),
            delta=self.delta if price.mu else price.delta,
            unit=self.by.unit,
            contribution=self.contribution,
        )

    def order(self, desk: Ceiling, promise: Guarantee | None, table: Table, purpose: str) -> Order:
        """Return what a vault is asked for: the promise, or what holds without the belief it rests on."""
        return Order(
            purpose=purpose,
            sees=("contents",),
            guarantee=promise or self.charged(desk),
            event=self.event,
            facts=(FACTS["ties"],) if self.ties_public(table) else (),
            rehearsal=desk.rehearsal,
        )

    def _per_ngram(self) -> float | None:
        """Return the epsilon of one n-gram alone, where more than one may move."""
        event = self.event
        if self.ngrams == 1:
            return None
        if event.mechanism == "geometric":
            return self.epsilon / self.ngrams
        epsilon = self.correlation.ngram_epsilon(event.scale, self.noise_delta - event.delta)
        return max(epsilon, LEAST_EPSILON)
