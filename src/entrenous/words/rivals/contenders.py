"""The rivals, written from their papers: private set union, and n-grams formed from released ones.

Where a paper lets holders pick at random which n-grams take part, here they take their own most frequent ones, as our
rules do: that is better for the rival. Rounds are composed by squares of mu, which is exact, also where a paper adds
up epsilons.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from entrenous.errors import ArgumentError
from entrenous.words.request import TableDesk
from entrenous.words.rivals.rival import Rival
from entrenous.words.rivals.statistics import ShrinkingSets, SingleWords, TwoAdaptiveRounds, ValidNgrams
from entrenous.words.statistics import NamedWeights, PolicyWeights
from entrenous.words.statistics.candidates import Candidates
from entrenous.words.statistics.found import Found
from entrenous.words.vocabulary.weightings import Guided

__all__ = ["DPNE", "DPSIPS", "MAD", "RIVALS", "Ours", "PolicyGaussian", "TunedDPNE", "WeightedGaussian"]


@dataclass(frozen=True)
class DPNE(Rival):
    """Words by uniform weights; then, length by length, n-grams both of whose parts were released.

    Every valid n-gram gets noise, whether it occurs or not. Of those that do not, at most `spurious` times the number
    of n-grams one word shorter are expected to be released.

    Attributes
    ----------
    spurious
        The paper's eta.
    growth
        By how much the deviation of the noise grows from each length to the next; 1 divides the budget evenly.
    """

    name: ClassVar[str] = "DPNE"
    citation: ClassVar[str] = "Kim, Gopi, Kulkarni, Yekhanin, NeurIPS 2021"

    spurious: float = 0.01
    growth: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.spurious <= 1:
            raise ArgumentError("spurious", f"expected above 0, at most 1; got {self.spurious!r}")

    def scale_of(self, length: int) -> float:
        """Return the deviation of the noise on the weights of n-grams of so many words.

        >>> rule = DPNE(0.5, 1e-6, 100, n=2)
        >>> round(rule.scale_of(1), 6), round(rule.scale_of(2), 6)
        (2.828427, 2.828427)
        """
        parts = [self.growth ** (-2 * (each - 1)) for each in range(1, self.n + 1)]
        return self.scale * math.sqrt(math.fsum(parts)) * self.growth ** (length - 1)

    @property
    def question(self) -> SingleWords:
        """What is asked first: words."""
        return SingleWords(1 / self.scale_of(1), self.delta, self.contribution)

    @property
    def threshold(self) -> float:
        """The noisy weight that words must exceed."""
        return self.question.threshold

    def least(self, candidates: Candidates) -> float:
        """Return the score that valid n-grams must exceed: so many of them by noise alone, and no more.

        >>> import numpy as np
        >>> rule = DPNE(0.5, 1e-6, 100)
        >>> round(rule.least(Candidates(np.arange(1000, dtype=np.int32).reshape(-1, 1))), 4)
        4.2649
        """
        from scipy.special import ndtri

        share = self.spurious * len(candidates.shorter) / max(candidates.total, 1)
        return float(-ndtri(min(share, self.spurious, candidates.chance)))

    def ask(self, desk: TableDesk) -> Found:
        """Return words, and n-grams of them."""
        found = desk(self.question)
        for length in range(2, self.n + 1):
            candidates = Candidates(found.rows(length - 1))
            mu, least = 1 / self.scale_of(length), self.least(candidates)
            high = desk(ValidNgrams(mu, self.contribution, candidates, found.words, least))
            found = found.with_more(candidates.parts(high.places), high.score)
        return found


@dataclass(frozen=True)
class TunedDPNE(DPNE):
    """DPNE with other settings than its paper's: those that name most on enron-internal, 98 to 99 % of which occur."""

    name: ClassVar[str] = "DPNE, tuned"
    threshold_share: ClassVar[float] = 0.1
    usual: ClassVar[int] = 10_000

    spurious: float = 0.1
    growth: float = 0.4


@dataclass(frozen=True)
class WeightedGaussian(Rival):
    """One round of uniform weights."""

    name: ClassVar[str] = "weighted Gaussian"
    citation: ClassVar[str] = "Gopi, Gulhane, Kulkarni, Shen, Shokouhi, Yekhanin, ICML 2020"

    @property
    def question(self) -> NamedWeights:
        """What is asked."""
        return NamedWeights(self.mu, self.delta, self.contribution)

    @property
    def threshold(self) -> float:
        """The noisy weight that n-grams must exceed."""
        return self.question.threshold

    def ask(self, desk: TableDesk) -> Found:
        """Return the n-grams above the threshold."""
        return desk(self.question)


@dataclass(frozen=True)
class PolicyGaussian(WeightedGaussian):
    """One round: holders, one after another, lift n-grams towards a cutoff five deviations above the threshold."""

    name: ClassVar[str] = "policy Gaussian"
    replaced: ClassVar[float] = 2.0  # a set is removed, and another is added

    @property
    def question(self) -> PolicyWeights:
        """What is asked."""
        return PolicyWeights(self.mu, self.delta, self.contribution)


@dataclass(frozen=True)
class DPSIPS(WeightedGaussian):
    """Three rounds of uniform weights with budgets of 1 to 3 to 9; what was named leaves the sets."""

    name: ClassVar[str] = "DP-SIPS"
    citation: ClassVar[str] = "Swanberg, Desfontaines, Haney, PoPETs 2023"

    @property
    def question(self) -> ShrinkingSets:
        """What is asked."""
        return ShrinkingSets(self.mu, self.delta, self.contribution)


@dataclass(frozen=True)
class MAD(WeightedGaussian):
    """Two rounds, a tenth and nine tenths of the budget; excess weight is rerouted, the second round is biased."""

    name: ClassVar[str] = "MAD, two rounds"
    citation: ClassVar[str] = "Chen, Cohen-Addad, Epasto, Zadimoghaddam, ICML 2025"
    replaced: ClassVar[float] = 2.0  # a set is removed, and another is added

    @property
    def question(self) -> TwoAdaptiveRounds:
        """What is asked."""
        return TwoAdaptiveRounds(self.mu, self.delta, self.contribution)


@dataclass(frozen=True)
class Ours(Rival):
    """Our default rule, at the same price."""

    name: ClassVar[str] = Guided.name
    citation: ClassVar[str] = "here"
    threshold_share: ClassVar[float] = Guided.threshold_share

    @property
    def rule(self) -> Guided:
        """The rule of weights."""
        return Guided(self.mu, self.delta, self.contribution, self.n)

    @property
    def threshold(self) -> float:
        """The noisy weight that words must exceed."""
        return self.rule.threshold

    def ask(self, desk: TableDesk) -> Found:
        """Return words, and longer n-grams of them."""
        return self.rule.ask(desk)


#: The rivals by name, the nearest first.
RIVALS: Mapping[str, type[Rival]] = {
    rival.name: rival for rival in (DPNE, TunedDPNE, DPSIPS, MAD, PolicyGaussian, WeightedGaussian)
}
