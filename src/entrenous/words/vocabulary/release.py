"""Publish which words and phrases an organization uses, without a public list of them: private set union.

`vocabulary` checks, refuses what cannot succeed, charges, and draws, in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from entrenous import _check
from entrenous.budget import Ledger
from entrenous.errors import ArgumentError
from entrenous.guarantee import Guarantee
from entrenous.noise import Noise
from entrenous.price import NoiseEvent, gaussian_mu
from entrenous.release import Provenance, Release
from entrenous.words.beliefs.correlation import Binomial, Correlation, Group, Independent
from entrenous.words.counting.table import Table
from entrenous.words.request import EdgeLevel, edge_level
from entrenous.words.statistics.union import (
    FALSE_SHARE,
    Adaptive,
    Fixed,
    Guided,
    Policy,
    Uniform,
    Union,
)
from entrenous.words.statistics.weights import MOST_POLICY_ROWS
from entrenous.words.vocabulary.artifact import Vocabulary

__all__ = ["WEIGHTINGS", "Prediction", "predict", "vocabulary"]

#: The rules of weights, and the share of delta that each keeps for its threshold.
WEIGHTINGS: Mapping[str, tuple[type[Union], float]] = {
    "guided": (Guided, 0.1),
    "adaptive": (Adaptive, 0.5),
    "policy": (Policy, 0.5),
    "uniform": (Uniform, 0.5),
    "fixed": (Fixed, 0.1),
}
CONTRIBUTION = 1000  # of all rules but "guided", if none is given; chosen on enron-core
LONGEST = 4
NEVER_SEEN = (
    f"about {100 * FALSE_SHARE:g} % of the n-grams of two words or more never occur: noise alone named them, "
    "formed from words that were published; to take them out would betray that all others occur"
)
_ROUNDING = 1 - 1e-9  # of delta: covers what floating point leaves out of the distribution of noise


class Tables(Protocol):
    """What words are published of: a corpus."""

    def table(self, *, by: str = "edge", n: int = 2, contribution: int | None = None) -> Table:
        """Return who carries what."""


def vocabulary(
    corpus: Tables | Table,
    *,
    epsilon: float,
    delta: float,
    correlation: Correlation | None = None,
    contribution: int | None = None,
    unit: str = "edge",
    weighting: str | None = None,
    n: int = 2,
    ledger: Ledger | None = None,
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int, int], object] | None = None,
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
        "edge" hides the content of one edge, "sender" everything one person wrote.
    weighting
        "guided", "adaptive", "policy", "uniform" or "fixed". (default: "guided"; "fixed" under a correlation model,
        which is the only rule proven there)
    n
        The longest n-grams, up to 4 words.
    ledger
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
    order = _order(epsilon, delta, correlation, contribution, unit, weighting, n)
    noise = Noise(rng)
    table = order.table(corpus)
    order.level.check_graph(table.ends)
    order.refuse(table.holders)
    promise = order.guarantee(corpus, rehearsal=noise.rehearsal)
    if ledger is not None:
        ledger.charge(
            promise or order.charged,
            purpose=f"words vocabulary, weighting {order.weighting}",
            rehearsal=noise.rehearsal,
            event=order.event,
        )
    found = order.union.draw(table, noise, progress)
    parameters = order.parameters | {f"{order.level.unit}s": table.holders}
    return Release(
        artifact=Vocabulary.of(found, table, order.count_scale),
        guarantee=promise,
        provenance=Provenance(f"words: vocabulary, {order.weighting}", parameters, noise.rehearsal),
        private={"occurring": int(found.occurs.sum()), "never_seen": int((~found.occurs).sum())},
    )


@dataclass(frozen=True)
class Prediction:
    """What a release would give, for the curator: the expected numbers come from the data and must stay private.

    Attributes
    ----------
    threshold
        The noisy weight (for "fixed": the noisy number of holders) that words must exceed: public.
    reach
        The largest weight that any n-gram can get: public.
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
    correlation: Correlation | None = None,
    contribution: int | None = None,
    unit: str = "edge",
    weighting: str | None = None,
    n: int = 2,
    rng: np.random.Generator | int = 0,
) -> Prediction:
    """Rehearse a vocabulary for the curator: nothing is charged, so nothing of it may be published or decided by.

    The parameters are those of `vocabulary`. To choose them by what is predicted would make the choice itself a
    release; choose them on a public or retired corpus.
    """
    order = _order(epsilon, delta, correlation, contribution, unit, weighting, n)
    table = order.table(corpus)
    order.level.check_graph(table.ends)
    found = order.union.draw(table, Noise(rng))
    return Prediction(
        order.union.threshold,
        order.union.reach(table.holders),
        int(found.occurs.sum()),
        int((~found.occurs).sum()),
    )


@dataclass(frozen=True)
class _Order:
    """Everything that was asked for, checked, with its price."""

    weighting: str
    union: Union
    level: EdgeLevel
    bounded: bool

    @property
    def event(self) -> NoiseEvent:
        """The noise about to be drawn, in numbers that one holder moves by 1 each."""
        counted = isinstance(self.union, Fixed)
        return NoiseEvent(
            "gaussian",
            scale=self.union.scale,
            repeats=self.union.contribution if counted else 1,
            delta=self.union.delta,
        )

    @property
    def count_scale(self) -> float | None:
        """How many holders one standard deviation of noise stands for, if weights are counts."""
        return self.union.scale if isinstance(self.union, Fixed) else None

    @property
    def charged(self) -> Guarantee:
        return self._stated(self.level.charged(self.event))

    def guarantee(self, corpus: object, *, rehearsal: bool) -> Guarantee | None:
        more = tuple(getattr(corpus, "assumptions", ()))
        promise = self.level.guarantee(self.event, rehearsal=rehearsal, more=more)
        return promise if promise is None else self._stated(promise)

    def _stated(self, promise: Guarantee) -> Guarantee:
        """Return the promise without numbers that stand for nothing here: whole contents are hidden, however long."""
        if isinstance(self.union, Fixed):
            return promise
        level = promise.level and self._stated(promise.level)
        return replace(
            promise,
            per_ngram=None,
            level=level,
            contribution=self.union.contribution if self.bounded else None,
        )

    @property
    def parameters(self) -> dict[str, str | int | float]:
        """What the card tells: public numbers only."""
        shown: dict[str, str | int | float] = {"weighting": self.weighting, "longest n-gram": self.union.n}
        if self.bounded:
            shown["contribution"] = self.union.contribution
        shown["threshold for words"] = float(f"{self.union.threshold:.6g}")
        shown["standard deviation of noise"] = float(f"{self.union.scale:.6g}")
        if not self.level.correlation.guaranteed:
            shown["correlation"] = self.level.correlation.assumption
        if self.union.n > 1 and isinstance(self.union, Guided | Fixed):
            shown["never seen"] = NEVER_SEEN
        return shown

    def table(self, corpus: Tables | Table) -> Table:
        contribution = self.union.contribution if self.bounded else None
        unit = self.level.unit
        if not isinstance(corpus, Table):
            return corpus.table(by=unit, n=self.union.n, contribution=contribution)
        if (unit == "sender") != bool((corpus.ends[:, 0] == corpus.ends[:, 1]).all()):
            raise ArgumentError("unit", f"the table does not hold {unit}s; count it by {unit}")
        if corpus.parts.shape[1] != self.union.n:
            raise ArgumentError("n", f"expected what the table was counted with; got {self.union.n}")
        return corpus if contribution is None else corpus.bounded(contribution)

    def refuse(self, holders: int) -> None:
        """Say before anything is charged that nothing could be published, from public numbers alone."""
        if isinstance(self.union, Policy) and holders * self.union.contribution > MOST_POLICY_ROWS:
            raise ArgumentError(
                "contribution",
                f"expected {MOST_POLICY_ROWS // holders} at most for policy weights of {holders} {self.level.unit}s: "
                "rounding would show. Nothing was charged; ask for less, or for other weights",
            )
        threshold, reach = self.union.threshold, self.union.reach(holders)
        if threshold >= reach:
            raise ArgumentError(
                "epsilon, delta, contribution, correlation",
                f"no word could be published: its noisy weight would have to exceed {threshold:.4g}, and all "
                f"{holders} {self.level.unit}s together give {reach:.4g} at most. Nothing was charged. Ask for a "
                "larger epsilon or delta, a smaller contribution, or state a weaker correlation",
            )


def _order(
    epsilon: float,
    delta: float,
    correlation: Correlation | None,
    contribution: int | None,
    unit: str,
    weighting: str | None,
    n: int,
) -> _Order:
    """Check every argument before anything is charged."""
    model = Independent() if correlation is None else correlation
    believed = isinstance(model, Correlation) and not isinstance(model, Independent | Group)
    name = _check.one_of("weighting", weighting or ("fixed" if believed else "guided"), WEIGHTINGS)
    if believed and name != "fixed":
        raise ArgumentError(
            "weighting",
            f"expected fixed under a correlation model: with {name} weights one n-gram moves the weights of others",
        )
    if isinstance(model, Group) and name == "policy":
        raise ArgumentError(
            "weighting", "expected guided, adaptive, uniform or fixed for a group; got policy"
        )
    if _check.at_least("n", n, 1) > LONGEST:
        raise ArgumentError("n", f"expected {LONGEST} at most; got {n}")
    delta = _check.probability("delta", delta, positive=True)
    bounded = contribution is not None or name != "guided"
    most = CONTRIBUTION if contribution is None else _check.at_least("contribution", contribution, 1)
    level = edge_level(epsilon, model, most, unit, delta)
    return _Order(name, _union(name, level, n), level, bounded)


def _union(name: str, level: EdgeLevel, n: int) -> Union:
    rule, share = WEIGHTINGS[name]
    model, at_threshold = level.correlation, level.delta * share
    group = model.size if isinstance(model, Group) else 1
    paid = replace(level, delta=(level.delta - at_threshold) * _ROUNDING)
    if paid.noise_delta <= 0:
        raise ArgumentError("delta", "expected more than what the coupling and the threshold leave over")
    if rule is not Fixed:
        mu = gaussian_mu(level.epsilon, paid.delta) / group
        return rule(mu, at_threshold, level.contribution, n, group)
    deviation = paid.gaussian_scale()
    return Fixed(
        1 / deviation,
        at_threshold,
        level.contribution,
        n,
        group,
        deviation=deviation,
        coupling=model.w_inf(),
        least=1.0 + model.neighbours if isinstance(model, Binomial) and model.p0 < model.p1 else 0.0,
    )
