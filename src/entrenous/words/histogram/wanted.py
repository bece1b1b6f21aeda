"""A histogram that is asked for, checked: its noise, its price, and what is promised."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.guarantee import Guarantee
from entrenous.price import NOISES, NoiseEvent, Price
from entrenous.words.beliefs import Independent
from entrenous.words.beliefs.belief import Belief
from entrenous.words.counting.holder import holder_of
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table
from entrenous.words.histogram.estimating import Counting
from entrenous.words.prediction import Noisy
from entrenous.words.public_list import check_said, longest
from entrenous.words.request import Ceiling, Request
from entrenous.words.statistics.listed_counts import ListedCounts
from entrenous.words.statistics.widest_messages import WidestMessages

if TYPE_CHECKING:
    from entrenous.words.corpus import Corpus

__all__ = ["HistogramRequest"]


@dataclass(frozen=True, kw_only=True)
class HistogramRequest(Request):
    """A histogram that is asked for, checked; its noise is decided from public numbers alone.

    Attributes
    ----------
    mechanism
        The noise on every count: "geometric" or "gaussian".
    measured
        Whether what bounding leaves out is measured too. It has no proof under beliefs about single n-grams.
    chosen
        Whether the contribution is chosen privately; `contribution` says nothing then.

    Examples
    --------
    >>> HistogramRequest.checked(epsilon=100.0, contribution=1000).noise.scale.__round__(6)
    10.0
    >>> from entrenous.words import Binomial
    >>> paper = Binomial(p0=0.0277, p1=0.2739, neighbours=1883)
    >>> round(HistogramRequest.checked(epsilon=100.0, contribution=1000, correlation=paper).noise.scale, 2)
    4646.29
    >>> round(HistogramRequest.checked(epsilon=2.0, measured=True).counting.price.epsilon, 6)
    2.0
    """

    mechanism: str
    measured: bool = False
    chosen: bool = False

    @classmethod
    def checked(
        cls,
        *,
        epsilon: float,
        contribution: int | None = None,
        correlation: Belief | None = None,
        unit: str | None = "edge-content",
        noise: str = "geometric",
        delta: float | None = None,
        replaced: bool = False,
        measured: bool | None = False,
    ) -> HistogramRequest:
        """Check every argument before anything is charged; the parameters are those of `histogram`.

        Without a unit it is pairs and messages, or edges under a belief and against replacement.
        `measured` says whether what bounding leaves out is measured too; None for wherever that is proven.
        """
        belief = Independent() if correlation is None else correlation
        proven = not (isinstance(belief, Belief) and belief.about_ngrams)
        if contribution is None and not (proven and measured is not False):
            raise ArgumentError(
                "contribution",
                "expected a number: a belief about single n-grams has no proof for choosing it privately",
            )
        made = cls(
            epsilon=epsilon,
            delta=delta or 0.0,
            contribution=1 if contribution is None else contribution,
            correlation=belief,
            by=holder_of(unit, edges=replaced or not isinstance(belief, Independent)),
            replaced=replaced,
            mechanism=_check.one_of("noise", noise, NOISES),
            measured=proven if measured is None else measured and proven,
            chosen=contribution is None,
        )
        if made.mechanism == "geometric" and delta and not made.correlation.defect:
            raise ArgumentError("delta", "geometric noise is pure; leave delta out, or take Gaussian noise")
        _ = made.ceiling  # whatever it refuses is refused now
        return made

    @cached_property
    def noise(self) -> Noisy:
        """The noise on every count, where nothing else is asked."""
        if self.mechanism == "gaussian":
            return Noisy(self.mechanism, self.gaussian_scale() * math.sqrt(self.changes))
        return Noisy(self.mechanism, self.geometric_scale() * self.changes)

    @cached_property
    def _whole(self) -> float:
        """What may be spent on one holder: an epsilon, or a mu."""
        belief = self.correlation
        if self.mechanism == "geometric":
            return belief.edge_epsilon(self.epsilon / (2 if self.replaced else 1)) * (1 - 1e-9)
        if self.noise_delta <= 0:
            raise ArgumentError("delta", f"expected a delta above {self.delta:g} for Gaussian noise")
        return 1 / belief.gaussian_scale(self.epsilon, self.noise_delta, 1, replaced=self.replaced)

    @cached_property
    def counting(self) -> Counting:
        """How n-grams are counted within what may be spent on one holder."""
        contribution = None if self.chosen else self.contribution
        return Counting(self.mechanism, self._left(self._whole), contribution, self.changes)

    @property
    def changes(self) -> int:
        """By how much more the unit moves counts than one holder does: in L1, or in L2 squared with normal noise."""
        return self.by.squares if self.mechanism == "gaussian" else self.by.changes

    def _left(self, amount: float) -> float:
        """Return what of an epsilon, or a mu, is left once the widest messages are counted."""
        left = 1 - self.widest_share
        return amount * (math.sqrt(left) if self.mechanism == "gaussian" else left)

    @property
    def breadth(self) -> WidestMessages | None:
        """What is asked about the widest messages."""
        return self.widest_messages(self.mechanism, self._whole)

    @property
    def spares(self) -> bool:
        """Whether a share of the price can be kept back: where several questions are asked anyway."""
        return self.measured

    def with_contribution(self, contribution: int) -> HistogramRequest:
        """Return the same request with the contribution that was chosen."""
        return replace(self, contribution=contribution)

    def question(self, names: tuple[str, ...]) -> ListedCounts:
        """Return what is asked of a desk where bounding is not measured: the counts of a public list."""
        return ListedCounts(names, self.contribution, self.mechanism, self.noise.scale)

    @property
    def event(self) -> NoiseEvent:
        """The noise of all counts that one holder moves; that of several questions together as of one."""
        if not self.measured:
            return self.question(()).event(self.by.unit)
        return NoiseEvent(self.mechanism, scale=1 / self._whole)

    @property
    def ceiling(self) -> Price:
        """What all questions cost one holder."""
        if not self.measured:
            return self.question(()).price(self.by.unit)
        return replace(self.counting, amount=self._whole).price

    def kept(self, price: Price) -> bool:
        """Tell whether questions of this price together keep what is requested."""
        if not self.measured or price.mu:
            return super().kept(price)
        times = self.correlation.group * (2 if self.replaced else 1)
        return price.epsilon * times <= self.epsilon * (1 + 1e-9)

    def charged(self, desk: Ceiling) -> Guarantee:
        """Return what a vault is charged; a contribution that is chosen is not known yet."""
        charged = super().charged(desk)
        return replace(charged, contribution=None) if self.chosen else charged

    def guarantee(self, desk: Ceiling, table: Table, *, more: tuple[str, ...] = ()) -> Guarantee | None:
        """Return the promise of what a desk answers, or None under a belief that only was measured."""
        promise = super().guarantee(desk, table, more=more)
        return replace(promise, contribution=None) if self.chosen and promise is not None else promise

    def _per_ngram(self) -> float | None:
        """Return the epsilon of one n-gram alone; one that is measured too moves all answers, and has none."""
        return None if self.measured else super()._per_ngram()

    def table(self, corpus: Corpus | Table, names: tuple[str, ...]) -> Table:
        """Return who carries which of the n-grams that are listed, bounded if what that leaves out is not measured."""
        if isinstance(corpus, Table):
            self.check_holders(corpus)
            if isinstance(corpus, MessageTable):
                raise ArgumentError("corpus", f"expected a table of {self.by}s; got one of messages")
            if self.measured and corpus.contribution is not None:
                raise ArgumentError(
                    "corpus",
                    "expected a table of all n-grams of each holder; got one that was bounded before, which hides what "
                    "bounding leaves out",
                )
            return corpus
        check_said(names)
        most = None if self.measured else self.contribution
        return corpus.table(by=self.by, n=longest(names), contribution=most, listed=names)

    def check(self, table: Table, *, ngrams: int = 0, useless: bool = True) -> None:
        """Refuse, from public numbers, a belief that the graph exceeds and noise above which no count can rise."""
        if not self.ties_public(table):
            return
        self.check_graph(table.ends)
        noise = self.noise
        if self.measured:  # as little noise as there may be
            noise = self.counting.noise(1 if self.chosen else self.contribution, max(ngrams, 1))
        if not useless and noise.deviation >= table.holders:
            raise ArgumentError(
                "epsilon",
                f"nothing would be seen: the noise deviates by {noise.deviation:.4g}, and no n-gram can be "
                f"carried by more than all {table.holders} {self.by}s; nothing was charged. Raise epsilon, "
                "lower contribution, take Gaussian noise or a weaker belief, or ask with useless=True",
            )

    @property
    def parameters(self) -> dict[str, str | int | float]:
        """What a card says of the noise: numbers of the policy, none of the data."""
        belief = self.correlation
        return {
            "counted by": self.by.name,
            "contribution": self.contribution,
            "correlation": f"{type(belief).__name__}, {belief.source}"
            if belief.guaranteed
            else belief.assumption,
            "noise": self.mechanism,
        }
