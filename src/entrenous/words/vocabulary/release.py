"""Publish which words and phrases an organization uses, without a public list of them: private set union.

`vocabulary` checks, refuses what cannot succeed, charges, and asks, in this order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from entrenous import _check
from entrenous.card import Provenance
from entrenous.desk import Desk
from entrenous.errors import ArgumentError
from entrenous.guarantee import Guarantee
from entrenous.noise import Noise
from entrenous.price import NoiseEvent
from entrenous.release import Release
from entrenous.vault import Vault, pay
from entrenous.words.beliefs import Independent
from entrenous.words.beliefs.belief import Belief
from entrenous.words.counting.holder import EDGE, HOLDERS, Holder, holder_of, unit_of
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table
from entrenous.words.reading.text.language import language_told
from entrenous.words.request import Request, TableDesk
from entrenous.words.statistics.candidates import occurs
from entrenous.words.statistics.widest_messages import WIDEST, WIDEST_SHARE, WidestMessages
from entrenous.words.vocabulary.artifact import Vocabulary
from entrenous.words.vocabulary.weightings import WEIGHTINGS, Guided, GuidedMessages, Weighting

__all__ = ["CONTRIBUTION", "Prediction", "VocabularyRequest", "predict", "vocabulary"]

CONTRIBUTION = 1000
"""N-grams of a holder that take part in a bounded rule, if no number is given; chosen on enron-core."""
LONGEST = 4
ROOM = 16 << 20  # bytes that a vocabulary takes at most, as far as anybody has seen
NEVER_SEEN = (
    "at most about {share:g} % of the n-grams of two words or more never occur: noise alone named them, "
    "formed from words that were published; to take them out would betray that all others occur"
)

Tick = Callable[[int, int], object]


class Tables(Protocol):
    """What words are published of: a corpus."""

    def table(self, *, by: Holder | str = "edge", n: int = 2, contribution: int | None = None) -> Table:
        """Return who carries what."""

    def messages(self, *, by: Holder | str = "edge-and-message", n: int = 2) -> MessageTable:
        """Return which message says what, and on which edges it lies."""


def vocabulary(
    corpus: Tables | Table,
    *,
    epsilon: float,
    delta: float,
    correlation: Belief | None = None,
    contribution: int | None = None,
    unit: str | None = None,
    weighting: str | None = None,
    n: int = 2,
    vault: Vault | None = None,
    rng: np.random.Generator | int | None = None,
    progress: Tick | None = None,
) -> Release[Vocabulary]:
    """Return words and phrases that may be published, without any list to start from.

    Parameters
    ----------
    corpus
        The mail, or a table counted from it.
    epsilon, delta
        The privacy parameters; there is no default.
    correlation
        What an attacker may believe about neighbouring edges. (default: that they say nothing about each other)
    contribution
        How many n-grams of each edge (or sender) take part, its own most frequent ones. (default: all for "guided",
        else 1000)
    unit
        What is hidden: "edge-and-message" (one message, and all that passed on one edge), "message", "thread",
        "sender" (everything one person wrote), "all" of these, or "edge-content" alone, which counts a message to
        many on each of its edges. (default: "edge-and-message"; "edge-content" for a table of edges, under a belief,
        or for a rule of weights that knows nothing else)
    weighting
        "guided", "adaptive", "policy", "uniform" or "fixed". (default: "guided"; "fixed" under a correlation model,
        which is the only rule proven there)
    n
        The longest n-grams, up to 4 words.
    vault
        Charged before any noise is drawn.
    rng
        None for real noise; a seed makes a rehearsal, stamped as not private.
    progress
        Called with steps made and steps in all.

    Privacy
    -------
    One holder moves the weights of every round by an L2 norm of at most 1 (fixed weights: every count by at most 1);
    the rounds compose as Gaussian differential privacy to (epsilon, 0.9 delta), the threshold for single words costs
    0.1 delta (uniform, policy and adaptive weights: half of delta each). Longer n-grams get noise whether they occur
    or not and cost no delta. A group of k divides the movement by k; under a correlation model counts get the noise
    of `accounting`, and the threshold grows by the coupling distance. See docs/guarantees.md.

    Examples
    --------
    >>> from entrenous.words.counting.table import Table
    >>> mail = Table.from_counts([{"budget": 2, "draft": 1}] * 400, ends=[(0, 1)] * 400)
    >>> made = vocabulary(mail, epsilon=3.0, delta=1e-5, n=1, rng=7)
    >>> sorted(made.artifact.names), made.guarantee.delta
    (['budget', 'draft'], 1e-05)

    References
    ----------
    Gopi, Gulhane, Kulkarni, Shen, Shokouhi, Yekhanin: Differentially private set union. ICML 2020.
    Dong, Roth, Su: Gaussian differential privacy. JRSS B 2022 (how rounds compose).
    """
    unit = unit or unit_of(corpus)
    request = VocabularyRequest.checked(epsilon, delta, correlation, contribution, unit, weighting, n)
    noise = Noise(rng)
    request = request.asking_widest(corpus)
    table = request.table(corpus)
    request.check(table)
    desk: TableDesk = Desk(table, unit=request.by.unit, ceiling=request.ceiling, noise=noise)
    promise = request.guarantee(desk, table, more=tuple(getattr(corpus, "assumptions", ())))
    order = request.order(desk, promise, table, f"words vocabulary, weighting {request.weighting.name}")
    with pay(vault, order, data=corpus, room=ROOM) as paid:
        found = named(desk, request, table.public_holders, progress)
        breadth = {} if request.breadth is None else {WIDEST: desk(request.breadth)}
        seen = occurs(table, found.names)
        made = Release(
            artifact=found,
            guarantee=promise,
            provenance=Provenance(
                f"words: vocabulary, {request.weighting.name}",
                request.parameters
                | {"language": language_told(corpus)}
                | request.told(table)
                | breadth
                | desk.costs,
                desk.rehearsal,
            ),
            private={"occurring": int(seen.sum()), "never_seen": int((~seen).sum())},
        )
        return paid.complete(made, asked=desk.parts)


def named(
    desk: TableDesk, request: VocabularyRequest, holders: int | None, progress: Tick | None = None
) -> Vocabulary:
    """Ask a desk for words by the rule that is requested, and return them by name; `holders` is public, or None."""
    rule = request.rule
    return Vocabulary.of(rule.ask(desk, progress), holders, rule.scale if rule.counts else None)


@dataclass(frozen=True)
class Prediction:
    """What a release would give, for the curator: the expected numbers come from the data and must stay private.

    Attributes
    ----------
    threshold
        The noisy weight (for "fixed": the noisy number of holders) that words must exceed: public.
    reach
        The largest weight that any n-gram can get: as public as the number of holders.
    occurring, never_seen
        How many n-grams of either kind a rehearsal published: private.
    """

    threshold: float
    reach: float
    occurring: int
    never_seen: int


def predict(
    corpus: Tables | Table,
    *,
    epsilon: float,
    delta: float,
    correlation: Belief | None = None,
    contribution: int | None = None,
    unit: str | None = None,
    weighting: str | None = None,
    n: int = 2,
    rng: np.random.Generator | int = 0,
) -> Prediction:
    """Rehearse a vocabulary for the curator: nothing is charged, so nothing of it may be published or decided by.

    The parameters are those of `vocabulary`. To choose them by what is predicted would make the choice itself a
    release; choose them on a public or retired corpus.
    """
    unit = unit or unit_of(corpus)
    request = VocabularyRequest.checked(epsilon, delta, correlation, contribution, unit, weighting, n)
    table = request.table(corpus)
    request.check_graph(table.ends)
    desk = Desk(table, unit=request.by.unit, ceiling=request.ceiling, noise=Noise(rng))
    seen = occurs(table, named(desk, request, None).names)
    rule = request.rule
    return Prediction(rule.threshold, rule.reach(table.holders), int(seen.sum()), int((~seen).sum()))


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
    widest
        Whether it is also asked how many people the widest messages went to.
    """

    weighting: type[Weighting]
    n: int
    bounded: bool
    widest: bool = False

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
    ) -> VocabularyRequest:
        """Check every argument before anything is charged."""
        belief = Independent() if correlation is None else correlation
        believed = isinstance(belief, Belief) and belief.about_ngrams
        name = _check.one_of("weighting", weighting or _default(believed=believed), WEIGHTINGS)
        rule = WEIGHTINGS[name]
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
        if not self.widest:
            return self.whole
        return replace(self.whole, mu=self.whole.mu * math.sqrt(1 - WIDEST_SHARE))

    @property
    def breadth(self) -> WidestMessages | None:
        """What is asked about the widest messages, with its price."""
        scale = self.whole.scale / math.sqrt(WIDEST_SHARE)
        return WidestMessages("gaussian", scale) if self.widest else None

    @property
    def event(self) -> NoiseEvent:
        """The noise of all questions together."""
        return self.whole.event

    def asking_widest(self, corpus: Tables | Table) -> VocabularyRequest:
        """Return the request that also asks for the widest messages, where a message counts on each of its edges."""
        plain = self.by == EDGE and isinstance(self.correlation, Independent) and not self.rule.counts
        return replace(self, widest=True) if plain and not isinstance(corpus, Table) else self

    def guarantee(self, desk: TableDesk, table: Table, *, more: tuple[str, ...] = ()) -> Guarantee | None:
        """Return the promise of what a desk answers, or None under a belief that only was measured."""
        promise = super().guarantee(desk, table, more=more)
        return promise if promise is None else self._stated(promise)

    def charged(self, desk: TableDesk) -> Guarantee:
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

    def told(self, table: Table) -> dict[str, int]:
        """Return what the card says of the number of holders: nothing unless it is public."""
        holder = "edge" if self.weighting.messages else self.by
        return {} if table.public_holders is None else {f"{holder}s": table.public_holders}

    def table(self, corpus: Tables | Table) -> Table:
        """Return who carries what, as it is to be asked."""
        contribution = self.contribution if self.bounded else None
        if not isinstance(corpus, Table):
            if self.weighting.messages:
                return corpus.messages(by=self.by, n=self.n)
            return corpus.table(by=self.by, n=self.n, contribution=contribution)
        self.check_holders(corpus)
        if corpus.n != self.n:
            raise ArgumentError("n", f"expected what the table was counted with; got {self.n}")
        return corpus if contribution is None else corpus.bounded(contribution)

    def check(self, table: Table) -> None:
        """Say before anything is charged that nothing could be published, from public numbers alone."""
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
                f"{holders} {self.by}s together give {reach:.4g} at most. Nothing was charged. Ask for a "
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
