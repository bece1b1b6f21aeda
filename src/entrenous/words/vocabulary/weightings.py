"""The rules by which words are named without a list: how holders divide their weight, and what is asked for that.

Every rule is a frozen description with its price: `mu` says by how many standard deviations one holder may move all
it shows, `delta` what may be lost at its threshold. `threshold` and `reach` are public numbers, known before anything
private is asked; `ask` asks a desk, and sees answers only. Proofs are in docs/guarantees.md.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from entrenous.errors import ArgumentError
from entrenous.price import NoiseEvent, gaussian_mu
from entrenous.words.request import Request, TableDesk
from entrenous.words.statistics import (
    AdaptiveWeights,
    FixedCounts,
    GuidedLonger,
    GuidedWords,
    NamedWeights,
    PolicyWeights,
)
from entrenous.words.statistics.candidates import Candidates
from entrenous.words.statistics.fixed_counts import GRID_SHARE
from entrenous.words.statistics.found import FALSE_SHARE, Found, Scored
from entrenous.words.statistics.guided_weights import LARGEST
from entrenous.words.statistics.nested import ROUNDS, NestedLonger, NestedWords
from entrenous.words.statistics.nested.nesting import LARGEST as LARGEST_SHARED
from entrenous.words.statistics.weights import MOST_POLICY_ROWS

__all__ = ["WEIGHTINGS", "Adaptive", "Fixed", "Guided", "GuidedMessages", "Policy", "Uniform", "Weighting"]

_WORD_SHARE = 0.15  # of the budget of guided rounds, for single words; chosen on enron-core
_ROUNDING = 1 - 1e-9  # of delta: covers what floating point leaves out of the distribution of noise

Tick = Callable[[int, int], object]


@dataclass(frozen=True)
class Weighting(ABC):
    """A rule of weights with its price; all rules stand in `WEIGHTINGS`.

    Attributes
    ----------
    mu
        By how many standard deviations of its noise one holder may move what is shown.
    delta
        What may be lost at the threshold.
    contribution
        How many n-grams of a holder take part, its own most frequent ones.
    n
        The longest n-grams.
    group
        How many holders are to be hidden together.
    name, label
        The word on the command line, and the rule in a few words.
    threshold_share
        The share of delta that is kept for the threshold.
    bounded
        Whether the contribution must be bounded.
    under_beliefs, for_groups
        Whether the rule is proven under beliefs about n-grams, and for groups.
    counts
        Whether its weights are numbers of holders.
    forms_longer
        Whether longer n-grams are formed from published ones, so that some may never occur.
    messages
        Whether it asks for messages, which share out their weight, instead of for holders.
    false_share
        The share of longer n-grams that may be expected never to occur, were no candidate to occur at all.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    threshold_share: ClassVar[float] = 0.5
    bounded: ClassVar[bool] = True
    under_beliefs: ClassVar[bool] = False
    for_groups: ClassVar[bool] = True
    counts: ClassVar[bool] = False
    forms_longer: ClassVar[bool] = False
    messages: ClassVar[bool] = False
    false_share: ClassVar[float] = FALSE_SHARE

    mu: float
    delta: float
    contribution: int
    n: int = 2
    group: int = 1

    @classmethod
    def within(cls, request: Request, n: int) -> Self:
        """Return the rule with the largest price that keeps what is requested."""
        at_threshold, paid = cls.shares(request)
        mu = gaussian_mu(request.epsilon, paid) / request.correlation.group
        return cls(mu, at_threshold, request.contribution, n, request.correlation.group)

    @classmethod
    def shares(cls, request: Request) -> tuple[float, float]:
        """Return the deltas for the threshold, and for the noise with what a coupling leaves over."""
        at_threshold = request.delta * cls.threshold_share
        paid = (request.delta - at_threshold) * _ROUNDING
        if paid <= request.ngrams * request.correlation.defect:
            raise ArgumentError("delta", "expected more than what the coupling and the threshold leave over")
        return at_threshold, paid

    @property
    def scale(self) -> float:
        """The standard deviation of the noise on a weight."""
        return 1 / self.mu

    @property
    def event(self) -> NoiseEvent:
        """The noise of all questions together, in numbers that one holder moves by 1 each."""
        return NoiseEvent("gaussian", scale=self.scale, delta=self.delta)

    @property
    @abstractmethod
    def threshold(self) -> float:
        """The noisy weight that words must exceed."""

    def reach(self, holders: int) -> float:
        """Return the largest weight that any n-gram can get from so many holders."""
        return float(holders)

    @property
    def most_holders(self) -> int | None:
        """How many holders the rule is proven for; None for any number."""
        return None

    @abstractmethod
    def ask(self, desk: TableDesk, progress: Tick | None = None) -> Found:
        """Return the n-grams that may be named."""

    def _with_likely(self, found: Found, candidates: Candidates, high: Scored) -> Found:
        """Add the candidates with scores so high that hardly any of them is due to noise alone."""
        expected = candidates.total * high.chance
        good = np.flatnonzero(expected <= self.false_share * np.arange(1, len(high.score) + 1))
        count = int(good[-1]) + 1 if len(good) else 0
        return found.with_more(candidates.parts(high.places[:count]), high.score[:count])


@dataclass(frozen=True)
class Uniform(Weighting):
    """One round: every holder gives all its n-grams the same weight (Gopi et al. 2020, weighted Gaussian)."""

    name: ClassVar[str] = "uniform"
    label: ClassVar[str] = "the same weight for all n-grams of a holder"
    statistic: ClassVar[type[NamedWeights]] = NamedWeights

    @property
    def question(self) -> NamedWeights:
        """What is asked: all n-grams above the threshold."""
        return self.statistic(self.mu, self.delta, self.contribution, self.group)

    @property
    def threshold(self) -> float:
        """The noisy weight that n-grams must exceed."""
        return self.question.threshold

    def ask(self, desk: TableDesk, progress: Tick | None = None) -> Found:  # noqa: ARG002 - one step
        """Return the n-grams above the threshold."""
        return desk(self.question)


@dataclass(frozen=True)
class Policy(Uniform):
    """One round: holders, one after another, lift their n-grams towards a cutoff (Gopi et al. 2020, L2 descent)."""

    name: ClassVar[str] = "policy"
    label: ClassVar[str] = "holders, one after another, lift n-grams towards a cutoff"
    statistic: ClassVar[type[NamedWeights]] = PolicyWeights
    for_groups: ClassVar[bool] = False

    @property
    def most_holders(self) -> int:
        """How many holders have so few n-grams together that rounding them does not show."""
        return MOST_POLICY_ROWS // self.contribution


@dataclass(frozen=True)
class Adaptive(Uniform):
    """Two rounds: the second leaves out what the first named, and what it showed to be hopeless."""

    name: ClassVar[str] = "adaptive"
    label: ClassVar[str] = "two rounds, the second for what is neither named nor hopeless"
    statistic: ClassVar[type[NamedWeights]] = AdaptiveWeights


@dataclass(frozen=True)
class Fixed(Weighting):
    """Noisy counts: words first, then longer n-grams that published ones form, all with the same noise.

    Attributes
    ----------
    deviation
        The standard deviation of the noise on each count.
    coupling
        By how much a secret content may move the count of each of its n-grams.
    least
        The least threshold.
    """

    name: ClassVar[str] = "fixed"
    label: ClassVar[str] = "every holder adds 1 to each of its n-grams"
    threshold_share: ClassVar[float] = 0.1
    under_beliefs: ClassVar[bool] = True
    counts: ClassVar[bool] = True
    forms_longer: ClassVar[bool] = True

    deviation: float = field(kw_only=True)
    coupling: int = field(kw_only=True)
    least: float = field(default=0.0, kw_only=True)

    @classmethod
    def within(cls, request: Request, n: int) -> Self:
        """Return the rule with the least noise that keeps what is requested, under its belief."""
        belief, (at_threshold, paid) = request.correlation, cls.shares(request)
        noise_delta = paid - request.ngrams * belief.defect
        deviation = belief.gaussian_scale(request.epsilon, noise_delta, request.contribution)
        return cls(
            1 / deviation,
            at_threshold,
            request.contribution,
            n,
            belief.group,
            deviation=deviation,
            coupling=1,  # what a belief asks for beyond one edge alone is its own threshold
            least=belief.naming_threshold(
                deviation,
                at_threshold * GRID_SHARE,
                request.contribution,
                epsilon=request.epsilon,
                delta=at_threshold * GRID_SHARE + noise_delta,
                n=n,
            ),
        )

    @property
    def scale(self) -> float:
        """The standard deviation of the noise on a count."""
        return self.deviation

    @property
    def event(self) -> NoiseEvent:
        """The noise of all counts that one holder moves."""
        return NoiseEvent("gaussian", scale=self.scale, repeats=self.contribution, delta=self.delta)

    @property
    def question(self) -> FixedCounts:
        """What is asked: counts, length by length."""
        return FixedCounts(
            self.scale, self.delta, self.contribution, self.n, self.group, self.coupling, self.least
        )

    @property
    def threshold(self) -> float:
        """The noisy count that words must exceed."""
        return self.question.threshold

    def ask(self, desk: TableDesk, progress: Tick | None = None) -> Found:
        """Return words above the threshold, and longer n-grams of such words with high noisy counts."""
        counted = desk(self.question)
        found = counted.words
        for length in range(2, self.n + 1):
            if progress is not None:
                progress(length - 1, self.n)
            candidates = Candidates(found.rows(length - 1))
            found = self._with_likely(found, candidates, counted.longer(candidates))
        return found


@dataclass(frozen=True)
class Guided(Weighting):
    """Rounds of weights for words, then rounds for longer n-grams that published ones form, each round guided."""

    name: ClassVar[str] = "guided"
    label: ClassVar[str] = "rounds, each guided by the noisy weights before"
    threshold_share: ClassVar[float] = 0.1
    bounded: ClassVar[bool] = False
    forms_longer: ClassVar[bool] = True

    @property
    def question(self) -> GuidedWords:
        """What is asked first: words."""
        mu = self.mu * (math.sqrt(_WORD_SHARE) if self.n > 1 else 1.0)
        return GuidedWords(mu, self.delta, self.contribution, self.group)

    @property
    def threshold(self) -> float:
        """The noisy weight (the mean over its rounds) that words must exceed."""
        return self.question.threshold

    def reach(self, holders: int) -> float:
        """Return the largest weight that any word can get from so many holders."""
        return holders * LARGEST

    def ask(self, desk: TableDesk, progress: Tick | None = None) -> Found:
        """Return words above the threshold, and longer n-grams of such words with high noisy weights."""
        tick = _counter(progress, GuidedWords.count + (self.n - 1) * GuidedLonger.count)
        first = self.question
        found = desk(GuidedWords(first.mu, first.delta, first.contribution, first.group, tick))
        mu = self.mu * math.sqrt((1 - _WORD_SHARE) / max(self.n - 1, 1))
        for length in range(2, self.n + 1):
            candidates = Candidates(found.rows(length - 1))
            found = self._with_likely(
                found, candidates, desk(GuidedLonger(mu, candidates, found.words, tick))
            )
        return found


@dataclass(frozen=True)
class GuidedMessages(Weighting):
    """Guided rounds of messages, which share out their weight among the edges they lie on.

    How much of the budget goes to words, and that words of published ones are likelier, is as for `Guided`.
    """

    name: ClassVar[str] = "guided"
    label: ClassVar[str] = "rounds, each guided by the noisy weights before; a message counts once"
    threshold_share: ClassVar[float] = 0.1
    bounded: ClassVar[bool] = False
    forms_longer: ClassVar[bool] = True
    for_groups: ClassVar[bool] = False
    messages: ClassVar[bool] = True
    false_share: ClassVar[float] = (
        0.02  # frequent words form most of what is named, and those pairs mostly occur
    )

    @property
    def question(self) -> NestedWords:
        """What is asked first: words."""
        return NestedWords(self.mu * (math.sqrt(_WORD_SHARE) if self.n > 1 else 1.0), self.delta)

    @property
    def threshold(self) -> float:
        """The noisy weight (the mean over its rounds) that words must exceed."""
        return self.question.threshold

    def reach(self, holders: int) -> float:
        """Return the largest weight that any word can get from so many edges."""
        return holders * LARGEST_SHARED

    def ask(self, desk: TableDesk, progress: Tick | None = None) -> Found:
        """Return words above the threshold, and longer n-grams of such words with high noisy weights."""
        tick = _counter(progress, ROUNDS * self.n)
        first = self.question
        found = desk(NestedWords(first.mu, first.delta, tick))
        each = self.mu * math.sqrt((1 - _WORD_SHARE) / max(self.n - 1, 1))
        for length in range(2, self.n + 1):
            candidates = Candidates(found.rows(length - 1), found.expected(length - 1))
            found = self._with_likely(
                found, candidates, desk(NestedLonger(each, candidates, found.words, tick))
            )
        return found


def _counter(progress: Tick | None, total: int) -> Callable[[], object] | None:
    """Return something that tells, each time it is called, that one more of `total` steps was made."""
    if progress is None:
        return None
    made = iter(range(1, total + 1))
    return lambda: progress(next(made), total)


#: The rules by name, the one taken by default first.
WEIGHTINGS: Mapping[str, type[Weighting]] = {
    rule.name: rule for rule in (Guided, Adaptive, Policy, Uniform, Fixed)
}
