"""A vocabulary that is asked for, checked: its rule of weights, its price, and what its counts may cost of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.guarantee import Guarantee
from entrenous.price import NoiseEvent, Price
from entrenous.words.beliefs import Independent
from entrenous.words.beliefs.belief import Belief
from entrenous.words.counting.holder import HOLDERS, MESSAGE, THREAD, Holder, holder_of
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table
from entrenous.words.histogram import Counting
from entrenous.words.public_list import longest
from entrenous.words.request import Ceiling, Request
from entrenous.words.statistics.widest_messages import WidestMessages
from entrenous.words.vocabulary.weightings import WEIGHTINGS, Guided, GuidedMessages, Weighting

__all__ = ["CONTRIBUTION", "COUNTS_SHARE", "Tables", "VocabularyRequest"]

CONTRIBUTION = 1000
"""N-grams of a holder that take part in a bounded rule, if no number is given; chosen on enron-core."""
LONGEST = 4
COUNTS_SHARE = 0.3  # of the squares of mu, to count what is named; chosen on enron-core
NEVER_SEEN = (
    "at most about {share:g} % of the n-grams of two words or more never occur: noise alone named them, "
    "formed from words that were published; to take them out would betray that all others occur"
)


class Tables(Protocol):
    """What words are published of: a corpus."""

    def table(
        self,
        *,
        by: Holder | str = "edge",
        n: int = 2,
        contribution: int | None = None,
        listed: Sequence[str] | None = None,
    ) -> Table:
        """Return who carries what, or what of a list."""

    def messages(self, *, by: Holder | str = "edge-and-message", n: int = 2) -> MessageTable:
        """Return which message says what, and on which edges it lies."""


@dataclass(frozen=True, kw_only=True)
class VocabularyRequest(Request):
    """A vocabulary that is asked for, checked, with its price.

    Attributes
    ----------
    weighting
        The rule of weights.
    n
        The longest n-grams.
    bounded
        Whether only some n-grams of each holder take part.
    counted
        Whether a share of the price buys counts of what is named.

    Examples
    --------
    >>> request = VocabularyRequest.checked(3.0, 1e-5, counts=True)
    >>> names, counts = request.prices
    >>> round((counts.mu / request.ceiling.mu) ** 2, 6), request.kept(request.ceiling)
    (0.3, True)
    """

    weighting: type[Weighting]
    n: int
    bounded: bool
    counted: bool = False

    @classmethod
    def checked(
        cls,
        epsilon: float,
        delta: float,
        correlation: Belief | None = None,
        contribution: int | None = None,
        unit: str | None = None,
        weighting: str | None = None,
        n: int = 2,
        counts: bool = False,
    ) -> VocabularyRequest:
        """Check every argument before anything is charged."""
        belief = Independent() if correlation is None else correlation
        believed = isinstance(belief, Belief) and belief.about_ngrams
        name = _check.one_of("weighting", weighting or _default(believed=believed), WEIGHTINGS)
        rule = WEIGHTINGS[name]
        if counts and rule.counts:
            raise ArgumentError(
                "counts", f"expected none for {name} weights: what they publish are counts already"
            )
        edges = rule is not Guided or contribution is not None or not isinstance(belief, Independent)
        by = holder_of(unit, edges=edges)
        if by.messages:
            rule = _for_messages(rule, by, belief, contribution)
        if believed and not rule.under_beliefs:
            raise ArgumentError(
                "weighting",
                f"expected {_default(believed=True)} under a belief: with {name} weights one n-gram moves the "
                "weights of others",
            )
        if isinstance(belief, Belief) and belief.group > 1 and not rule.for_groups:
            others = ", ".join(each.name for each in WEIGHTINGS.values() if each.for_groups)
            raise ArgumentError("weighting", f"expected one of {others} for a group; got {name}")
        if _check.at_least("n", n, 1) > LONGEST:
            raise ArgumentError("n", f"expected {LONGEST} at most; got {n}")
        made = cls(
            epsilon=epsilon,
            delta=_check.probability("delta", delta, positive=True),
            contribution=CONTRIBUTION if contribution is None else contribution,
            correlation=belief,
            by=by,
            weighting=rule,
            n=n,
            bounded=contribution is not None or rule.bounded,
            counted=counts,
        )
        _ = made.rule  # whatever it refuses is refused now
        return made

    @cached_property
    def whole(self) -> Weighting:
        """The rule of weights if the whole price went to it."""
        return self.weighting.within(self, self.n)

    @property
    def rule(self) -> Weighting:
        """The rule of weights with its price."""
        spared = self.widest_share + COUNTS_SHARE * self.counted
        return replace(self.whole, mu=self.whole.mu * math.sqrt(1 - spared)) if spared else self.whole

    @property
    def breadth(self) -> WidestMessages | None:
        """What is asked about the widest messages, with its price."""
        return self.widest_messages("gaussian", self.whole.mu)

    @property
    def spares(self) -> bool:
        """Whether a share of the price can be kept back: counts get the noise that their belief asks for."""
        return not self.weighting.counts

    @property
    def event(self) -> NoiseEvent:
        """The noise of all questions together."""
        return self.whole.event

    @property
    def counting(self) -> Counting | None:
        """How names are counted, and what may be spent on it."""
        amount = self.whole.mu * math.sqrt(COUNTS_SHARE)
        return Counting("gaussian", amount, None, self.by.squares) if self.counted else None

    @property
    def prices(self) -> tuple[Price, Price | None]:
        """What may be asked of the desk for names, and of the one for counts; their squares of mu add up."""
        whole = self.event.price
        if self.counting is None:
            return whole, None
        kept = whole.mu * math.sqrt(1 - COUNTS_SHARE)  # proof: gaussian-composition
        return Price(mu=kept, delta=whole.delta), self.counting.price

    @property
    def ceiling(self) -> Price:
        """The most that all questions about one holder may cost together."""
        names, counts = self.prices
        return names if counts is None else Price.total((names, counts))

    def kept(self, price: Price) -> bool:
        """Tell whether questions of this price keep what is requested, and are no more than a vault is told."""
        told = self.event.price
        return price.mu <= told.mu * (1 + 1e-12) and price.delta <= told.delta and super().kept(price)

    def guarantee(self, desk: Ceiling, table: Table, *, more: tuple[str, ...] = ()) -> Guarantee | None:
        """Return the promise of what a desk answers, or None under a belief that only was measured."""
        promise = super().guarantee(desk, table, more=more)
        return promise if promise is None else self._stated(promise)

    def charged(self, desk: Ceiling) -> Guarantee:
        """Return what a vault is charged for a desk."""
        return self._stated(super().charged(desk))

    def _stated(self, promise: Guarantee) -> Guarantee:
        """Return the promise without numbers that stand for nothing here: whole contents are hidden, however long."""
        if self.rule.counts:
            return promise
        return replace(
            promise,
            per_ngram=None,
            level=promise.level and self._stated(promise.level),
            contribution=self.contribution if self.bounded else None,
        )

    @property
    def parameters(self) -> dict[str, str | int | float]:
        """What the card says: public numbers only."""
        rule = self.rule
        shown: dict[str, str | int | float] = {"weighting": rule.name, "longest n-gram": self.n}
        if self.bounded:
            shown["contribution"] = self.contribution
        shown["threshold for words"] = float(f"{rule.threshold:.6g}")
        shown["standard deviation of noise"] = float(f"{rule.scale:.6g}")
        if not self.correlation.guaranteed:
            shown["correlation"] = self.correlation.assumption
        if self.n > 1 and rule.forms_longer:
            shown["never seen"] = NEVER_SEEN.format(share=100 * rule.false_share)
        return shown

    @property
    def _listed(self) -> str:
        """What a public list tells the number of."""
        return "edges" if self.weighting.messages else f"{self.by}s"

    def told(self, table: Table) -> dict[str, int]:
        """Return what the card says of the number of holders: nothing unless it is public."""
        return {} if table.public_holders is None else {self._listed: table.public_holders}

    def table(self, corpus: Tables | Table) -> Table:
        """Return who carries what, as it is to be asked."""
        contribution = self.contribution if self.bounded else None
        if not isinstance(corpus, Table):
            if self.weighting.messages:
                return corpus.messages(by=self.by, n=self.n)
            return corpus.table(by=self.by, n=self.n, contribution=contribution)
        self.check_holders(corpus)
        if self.weighting.messages and not isinstance(corpus, MessageTable):
            raise ArgumentError("corpus", f"expected messages (Corpus.messages); got a table of {self.by}s")
        if corpus.n != self.n:
            raise ArgumentError("n", f"expected what the table was counted with; got {self.n}")
        return corpus if contribution is None else corpus.bounded(contribution)

    def counted_table(self, corpus: Tables | Table, names: tuple[str, ...]) -> Table:
        """Return who carries which of the published names: unbounded, for what bounding leaves out is measured."""
        if isinstance(corpus, Table):
            return corpus
        if not (self.bounded or self.weighting.messages):
            return corpus.table(by=self.by, n=self.n)  # counted already
        return corpus.table(by=self.by, n=longest(names), listed=names)

    def check_source(self, corpus: Tables | Table) -> None:
        """Refuse, before anything is charged, what names can be asked of but counts cannot."""
        if not self.counted or not isinstance(corpus, Table):
            return
        if isinstance(corpus, MessageTable):
            raise ArgumentError("corpus", f"expected a corpus, to count {self.by}s; got a table of messages")
        if corpus.contribution is not None:
            raise ArgumentError(
                "corpus",
                "expected a table of all n-grams of each holder; got one that was bounded before, which hides what "
                "bounding leaves out",
            )

    def check(self, table: Table) -> None:
        """Say before anything is charged that nothing could be published, from public numbers alone."""
        if self.counted and table.listed and self.by in (MESSAGE, THREAD):
            raise ArgumentError(
                "counts", f"a public list of edges says nothing of {self.by}s; leave out --edges, or counts"
            )
        most, holders = self.rule.most_holders, table.public_holders or table.holders
        if not self.ties_public(table):
            if most is not None:
                raise ArgumentError(
                    "weighting",
                    f"{self.rule.name} weights are proven for {most} {self.by}s at most, and how many there are is "
                    "not public; nothing was charged. Hand in a public list of who writes to whom "
                    "(--edges, Corpus.on_edges), or take other weights",
                )
            return
        self.check_graph(table.ends)
        if self.by in (MESSAGE, THREAD):
            return  # of these there may be any number on a listed edge
        if most is not None and holders > most:
            raise ArgumentError(
                "contribution",
                f"expected {most * self.contribution // holders} at most for {self.rule.name} weights of {holders} "
                f"{self.by}s: rounding would show. Nothing was charged; ask for less, or for other weights",
            )
        threshold, reach = self.rule.threshold, self.rule.reach(holders)
        if threshold >= reach:
            raise ArgumentError(
                "epsilon, delta, contribution, correlation",
                f"no word could be published: its noisy weight would have to exceed {threshold:.4g}, and all "
                f"{holders} {self._listed} together give {reach:.4g} at most. Nothing was charged. Ask for a "
                "larger epsilon or delta, a smaller contribution, or state a weaker correlation",
            )


def _for_messages(
    rule: type[Weighting], by: Holder, belief: Belief, contribution: int | None
) -> type[Weighting]:
    """Return the rule that counts a message once, or say that there is none."""
    name = next(name for name, each in HOLDERS.items() if each == by)
    if not isinstance(belief, Independent):
        raise ArgumentError("unit", f"beliefs and groups speak of edges; expected edge-content; got {name}")
    if contribution is not None:
        raise ArgumentError(
            "contribution", f"expected none for the unit {name}: messages share out one weight"
        )
    if rule is not Guided:
        raise ArgumentError("weighting", f"expected guided for the unit {name}; got {rule.name}")
    return GuidedMessages


def _default(*, believed: bool) -> str:
    """Return the rule that is taken if none is asked for: the first that is proven."""
    return next(name for name, rule in WEIGHTINGS.items() if rule.under_beliefs or not believed)
