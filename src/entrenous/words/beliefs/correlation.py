"""Beliefs with few numbers: neighbours that carry an n-gram independently given the edge, and chains of edges."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.words.beliefs.belief import BINOMIAL, CHAIN, POSITIVE, Belief, NeighbourSource
from entrenous.words.beliefs.buckets import measured_counts, neighbour_probabilities
from entrenous.words.beliefs.laws import Laws, at_most, given_the_edge, markov, steps
from entrenous.words.pufferfish.accounting import LEAST_DELTA, binomial_epsilon, binomial_gaussian_scale
from entrenous.words.pufferfish.calibration import closed
from entrenous.words.pufferfish.profiles import MOST_EPSILON, Neighbourhoods, named_threshold
from entrenous.words.pufferfish.transfer import (
    chain_edge_epsilon,
    chain_epsilon,
    checked_flip,
    checked_range,
    star_edge_epsilon,
    star_epsilon,
)
from entrenous.words.pufferfish.wasserstein import binomial_log_pmf, w_infinity_log

if TYPE_CHECKING:
    import numpy as np

    from entrenous.vault import Vault
    from entrenous.words.beliefs.estimation import EdgeTables
    from entrenous.words.pufferfish.wasserstein import LogPmf

__all__ = ["Binomial", "Chain"]


@dataclass(frozen=True)
class Binomial(Belief):
    """Neighbours carry an n-gram independently, given the edge, with a probability from p0 to p1.

    Parameters
    ----------
    p0, p1
        The least and the largest probability: at least p0 if the edge does not have the n-gram, at most p1 if it has.
    neighbours
        How many neighbours an edge has at most, in the public graph that words are published of.

    Examples
    --------
    >>> model = Binomial(p0=0.0277, p1=0.2739, neighbours=1883)
    >>> model.w_inf(), round(1 / model.edge_epsilon(1.0), 4)
    (888, 464.9429)
    >>> Binomial(0.2, 0.2, 1883).w_inf()
    1
    """

    label: ClassVar[str] = "neighbours carry an n-gram independently, given the edge"
    measurable: ClassVar[bool] = True
    options: ClassVar[tuple[str, ...]] = ("p0", "p1", "neighbours")

    p0: float
    p1: float
    neighbours: int

    def __post_init__(self) -> None:
        super().__post_init__()
        p0, p1 = checked_range(self.p0, self.p1)
        object.__setattr__(self, "p0", p0)
        object.__setattr__(self, "p1", p1)
        object.__setattr__(self, "neighbours", _check.at_least("neighbours", self.neighbours, 0))

    @classmethod
    def from_options(cls, largest: int, **values: Any) -> Self:
        """Return the range that was stated, for at least as many neighbours as the public graph has."""
        p0, p1, neighbours = (values.get(name) for name in cls.options)
        if p0 is None and p1 is None:
            raise ArgumentError("--neighbours", "expected --p0 and --p1 with it")
        if p0 is None or p1 is None:
            raise ArgumentError("--p0, --p1", "expected both or none")
        if neighbours is not None and neighbours < largest:
            raise ArgumentError("--neighbours", f"expected at least {largest}, what the public graph has")
        return cls(p0, p1, largest if neighbours is None else neighbours)

    @classmethod
    def measured(cls, corpus: NeighbourSource, *, defect: float = 0.0) -> Self:
        """Return the range as measured on a public or retired corpus."""
        return replace(cls.fit(corpus), defect=defect)

    @classmethod
    def fit(
        cls,
        corpus: NeighbourSource,
        *,
        neighbours: int | None = None,
        n: int = 2,
        frequency_bucket: int | None = None,
    ) -> Self:
        """Measure p0 and p1 on a public or retired corpus, exactly, over all its edges and n-grams.

        Parameters
        ----------
        corpus
            A corpus that holds nothing of the data to be published.
        neighbours
            The largest neighbourhood of the graph that words will be published of. (default: the corpus's own)
        n
            The longest n-grams to count.
        frequency_bucket
            Only n-grams of this class of *public* frequency, floor(log10(edges)).
        """
        p0, p1 = neighbour_probabilities(measured_counts(corpus, n, frequency_bucket))
        most = corpus.largest_neighbourhood if neighbours is None else neighbours
        return cls(min(p0, p1), max(p0, p1), most, source="public corpus")

    @classmethod
    def calibrated(cls, corpus: NeighbourSource, *, n: int = 2) -> Self:
        """Measure p0 and p1 on the confidential data itself: promises nothing, and says so."""
        return cls.fit(corpus, n=n).disclaimed()

    @classmethod
    def estimate(
        cls,
        corpus: EdgeTables,
        *,
        epsilon: float,
        contribution: int,
        vault: Vault | None = None,
        vocabulary: list[str] | None = None,
        confidence: float = 0.99,
        n: int = 2,
        rng: np.random.Generator | int | None = None,
    ) -> Self:
        """Estimate a range for p0 and p1 on the confidential data, privately, for a charge of its own.

        See `entrenous.words.beliefs.estimation.estimate_range`, which does it. A seeded estimate is a rehearsal and
        promises as little as a calibrated one.
        """
        from entrenous.words.beliefs.estimation import estimate_range

        p0, p1 = estimate_range(
            corpus, epsilon=epsilon, contribution=contribution, vault=vault,
            vocabulary=vocabulary, confidence=confidence, n=n, rng=rng,
        )  # fmt: skip
        model = cls(p0, p1, corpus.largest_neighbourhood, source="private estimate", confidence=confidence)
        return model if rng is None else model.disclaimed()

    @property
    def most_neighbours(self) -> int:
        """How many neighbours of an edge the belief speaks of."""
        return self.neighbours

    def sentences(self, mechanism: str, *, replaced: bool) -> tuple[str, ...]:
        """Return what a card says first; normal noise is accounted for by a monotone ratio, which must be believed."""
        assumption, *more = super().sentences(mechanism, replaced=replaced)
        return (assumption, *((POSITIVE,) if mechanism == "gaussian" else ()), *more)

    def gaussian_scale(
        self, epsilon: float, delta: float, contribution: int, *, replaced: bool = False
    ) -> float:
        """Return the least known deviation: exact accounting of all n-grams together mostly asks for less."""
        coupled = super().gaussian_scale(epsilon, delta, contribution, replaced=replaced)
        if self.w_inf() == 1 or delta < LEAST_DELTA:
            return coupled
        return min(coupled, binomial_gaussian_scale(self, epsilon, delta, contribution, replaced))

    def ngram_epsilon(self, scale: float, delta: float) -> float:
        """Return the epsilon of the count of one n-gram alone, by exact accounting where it has digits."""
        coupled = super().ngram_epsilon(scale, delta)
        if delta < LEAST_DELTA:
            return coupled
        return min(coupled, binomial_epsilon(self, "gaussian", scale, ngrams=1, delta=delta))

    @property
    def least_threshold(self) -> float:
        """The least threshold by coupling: below it the edge and all its neighbours could be seen to be few."""
        return 1.0 + self.neighbours if self.p0 < self.p1 else 0.0

    def naming_threshold(
        self, scale: float, at_threshold: float, contribution: int, *, epsilon: float, delta: float, n: int
    ) -> float:
        """Return the least threshold that keeps delta, by the exact law of the neighbours; never above coupling's."""
        most = super().naming_threshold(scale, at_threshold, contribution, epsilon=epsilon, delta=delta, n=n)
        if self.w_inf() == 1 or delta < LEAST_DELTA or epsilon > MOST_EPSILON:
            return most
        star = Neighbourhoods(self.p0, self.p1, self.neighbours, hidden=False)
        return named_threshold(star, scale, epsilon, delta, contribution, most, words_only=n == 1)

    @property
    def laws(self) -> Laws:
        """The class of laws that the promise is proved for, as constraints."""
        return Laws((at_most(1 + self.neighbours), given_the_edge(self.p0, self.p1)))

    def count_distributions(self) -> tuple[LogPmf, LogPmf]:
        """Return binomial counts, the edge itself counted.

        >>> import numpy as np
        >>> [np.exp(side).round(2).tolist() for side in Binomial(0.1, 0.5, neighbours=1).count_distributions()]
        [[0.9, 0.1, 0.0], [0.0, 0.5, 0.5]]
        """
        absent, present = (binomial_log_pmf(self.neighbours, p) for p in (self.p0, self.p1))
        return closed(absent, present)

    def w_inf(self) -> int:
        """Return how many edges, the edge itself counted, a coupling of both worlds changes at most."""
        return 1 + _binomial_w(self.neighbours, self.p0, self.p1, self.defect)

    def edge_epsilon(self, epsilon: float) -> float:
        """Return the privacy per bit, eta, that gives a Pufferfish epsilon for one bit, exactly."""
        return star_edge_epsilon(epsilon, self.neighbours, self.p0, self.p1)

    def epsilon_of(self, eta: float) -> float:
        """Return the Pufferfish epsilon, for one bit, of everything that together is eta-DP per bit."""
        return star_epsilon(eta, self.neighbours, self.p0, self.p1)

    @property
    def sentence(self) -> str:
        """The belief of the attacker, in words."""
        return BINOMIAL.format(neighbours=self.neighbours, p0=self.p0, p1=self.p1)


@dataclass(frozen=True)
class Chain(Belief):
    """Edges form Markov chains: the next edge, in either direction, has either bit with `flip` or more.

    Given the bit of an edge, those before it say nothing about those behind it. A hidden topic that is shared along a
    chain is not covered: that is `Latent`.

    Both directions matter: an n-gram that is rare at the first edge and rarely changes along the chain is, seen
    backwards, left by nearly every edge that lacks it with a far smaller probability.

    >>> round(1 / Chain(flip=0.1, length=201).edge_epsilon(1.0), 2)
    8.64
    """

    label: ClassVar[str] = "edges form Markov chains whose next edge may always differ"

    flip: float
    length: int

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "flip", checked_flip(self.flip))
        object.__setattr__(self, "length", _check.at_least("length", self.length, 1))

    @classmethod
    def fit(cls, corpus: NeighbourSource, *, length: int, n: int = 2) -> Self:
        """Measure on a public or retired corpus how rarely neighbours differ; the length of chains is stated.

        Whether an edge has an n-gram or not, its neighbour must differ, and agree, with a probability of `flip` at
        least: a chain that flips with other probabilities, none of them smaller, gives less away.
        """
        p0, p1 = neighbour_probabilities(measured_counts(corpus, n))
        return cls(min(p0, p1, 1 - p0, 1 - p1), length, source="public corpus")

    @classmethod
    def calibrated(cls, corpus: NeighbourSource, *, length: int, n: int = 2) -> Self:
        """Measure the same on the confidential data itself: promises nothing, and says so."""
        return cls.fit(corpus, length=length, n=n).disclaimed()

    def w_inf(self) -> int:
        """Return how many edges, the edge itself counted, a coupling of both worlds changes at most.

        Both worlds renew their bits together, with probability 2 flip a step, and agree from then on; so each side
        differs in d edges or more with probability (1 - 2 flip)^d. Without a defect that is the whole chain.
        """
        apart = 1 - 2 * self.flip
        if self.defect == 0 or apart == 0:
            return self.length if apart else 1
        w = 1
        while w < self.length and apart**w * (1 + w * (1 - apart)) > self.defect:
            w += 1
        return w

    def edge_epsilon(self, epsilon: float) -> float:
        """Return the privacy per bit, eta, that gives a Pufferfish epsilon for one bit, exactly."""
        return chain_edge_epsilon(epsilon, self.length, self.flip)

    def epsilon_of(self, eta: float) -> float:
        """Return the Pufferfish epsilon, for one bit, of everything that together is eta-DP per bit."""
        return chain_epsilon(eta, self.length, self.flip)

    @property
    def laws(self) -> Laws:
        """The class of laws that the promise is proved for, as constraints."""
        return Laws((at_most(self.length), markov(), steps(self.flip)))

    @property
    def sentence(self) -> str:
        """The belief of the attacker, in words."""
        return CHAIN.format(length=self.length, flip=self.flip)


@lru_cache(maxsize=64)
def _binomial_w(neighbours: int, p0: float, p1: float, defect: float) -> int:
    first, second = binomial_log_pmf(neighbours, p0), binomial_log_pmf(neighbours, p1)
    return w_infinity_log(first, second, defect=defect)
