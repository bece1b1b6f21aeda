"""What a rival is: a published rule that names n-grams, with its settings, its price and how far a part may move it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

from entrenous import _check
from entrenous.price import Price, gaussian_mu
from entrenous.words.request import TableDesk
from entrenous.words.statistics.found import Found
from entrenous.words.vocabulary.vocabulary_request import CONTRIBUTION

__all__ = ["REPLACED", "Rival"]

REPLACED = math.sqrt(2)
"""How far two vectors of norm 1 at most, neither with negative parts, can lie apart."""
_ROUNDING = 1 - 1e-9  # of delta: covers what floating point leaves out of the distribution of noise


@dataclass(frozen=True)
class Rival(ABC):
    """A published rule with its price.

    Attributes
    ----------
    mu
        By how many standard deviations of its noise one holder, added or removed, may move what is shown.
    delta
        What may be lost at the threshold.
    contribution
        How many n-grams of a holder take part, its own most frequent ones.
    n
        The longest n-grams.
    name, citation
        The rule in a word or two, and where it was published.
    threshold_share
        The share of delta that is kept for the threshold.
    replaced
        By how much (L2) it can move the weights of a round that the set of one holder is replaced by a part of it, by
        more than it, or by any other set; 1 is what adding or removing a holder moves.
    usual
        The contribution, if no number is given: the better one on enron-core. (The papers have 100.)
    """

    name: ClassVar[str]
    citation: ClassVar[str]
    threshold_share: ClassVar[float] = 0.5
    replaced: ClassVar[float] = REPLACED
    usual: ClassVar[int] = CONTRIBUTION

    mu: float
    delta: float
    contribution: int
    n: int = 2

    @classmethod
    def within(
        cls,
        epsilon: float,
        delta: float,
        *,
        contribution: int | None = None,
        n: int = 2,
        moved: bool = False,
    ) -> Self:
        """Return the rule with the largest price that keeps (epsilon, delta).

        Parameters
        ----------
        epsilon, delta
            What is to be kept.
        contribution
            How many n-grams of a holder take part. (default: `usual`)
        n
            The longest n-grams.
        moved
            Whether the promise is also about a part of a holder, such as one message of an edge: its removal replaces
            the set of the holder. Noise then grows by `replaced`, and delta at the threshold is halved, since a set
            may lose n-grams that nobody else has and win others.

        Examples
        --------
        >>> from entrenous.words.rivals import DPNE
        >>> one, both = (DPNE.within(3.0, 1e-5, contribution=100, moved=moved) for moved in (False, True))
        >>> round(one.mu / both.mu, 6), one.delta / both.delta
        (1.414214, 2.0)
        """
        delta = _check.probability("delta", delta, positive=True)
        at_threshold = delta * cls.threshold_share
        mu = gaussian_mu(epsilon, (delta - at_threshold) * _ROUNDING)
        if moved:
            mu, at_threshold = mu / cls.replaced, at_threshold / 2  # proof: replaced-sets
        most = cls.usual if contribution is None else _check.at_least("contribution", contribution, 1)
        return cls(mu, at_threshold, most, _check.at_least("n", n, 1))

    @property
    def price(self) -> Price:
        """What one holder, added or removed, costs in all."""
        return Price(mu=self.mu, delta=self.delta)

    @property
    def scale(self) -> float:
        """The standard deviation of noise that spends all of the budget at once."""
        return 1 / self.mu

    @property
    @abstractmethod
    def threshold(self) -> float:
        """The noisy weight that words must exceed, in the last round that looks at them."""

    @abstractmethod
    def ask(self, desk: TableDesk) -> Found:
        """Return the n-grams that may be named."""
