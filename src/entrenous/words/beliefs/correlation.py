"""What an attacker may believe about neighbouring edges: the models under which words are published.

A model is a policy, not a finding: it comes from a public or retired corpus (`fit`), from ranges somebody states, or
from a private estimate that is paid for (`estimate`). Measured on the confidential data itself (`calibrated`) it
promises nothing, and its card says so.

A mechanism knows a model through few things. `w_inf` bounds how many edges a best coupling of the two worlds, bit set
and bit not set, has to change, the edge itself counted. `edge_epsilon` turns a Pufferfish epsilon for one bit into
the ordinary privacy per bit, eta, that any mechanism may spend; `epsilon_of` is the way back. Budgets compose as eta.
Proofs are in docs/guarantees.md.

References
----------
Kifer, Machanavajjhala: Pufferfish: a framework for mathematical privacy definitions. TODS 2014.
Shafieinejad, Inan, Hasegawa, Sim: On privacy and confidentiality of communications in organizational graphs (2021).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.guarantee import CORRELATED_EDGES, Kind
from entrenous.unit import Unit
from entrenous.words.beliefs.belief import (
    BINOMIAL,
    CALIBRATED,
    CHAIN,
    GROUP,
    INDEPENDENT,
    POSITIVE,
    Belief,
    NeighbourSource,
)
from entrenous.words.beliefs.buckets import measured_counts, neighbour_probabilities
from entrenous.words.beliefs.measured import Conditional, Global
from entrenous.words.pufferfish.accounting import LEAST_DELTA, binomial_epsilon, binomial_gaussian_scale
from entrenous.words.pufferfish.calibration import closed
from entrenous.words.pufferfish.transfer import (
    chain_edge_epsilon,
    chain_epsilon,
    checked_flip,
    checked_range,
    star_edge_epsilon,
    star_epsilon,
)
from entrenous.words.pufferfish.wasserstein import Distribution, binomial_log_pmf, w_infinity_log

if TYPE_CHECKING:
    import numpy as np

    from entrenous.budget import Ledger
    from entrenous.words.beliefs.estimation import EdgeTables
    from entrenous.words.counting.holder import Holder
    from entrenous.words.pufferfish.wasserstein import LogPmf

__all__ = [
    "CALIBRATED",
    "Belief",
    "Binomial",
    "Chain",
    "Conditional",
    "Global",
    "Group",
    "Independent",
    "NeighbourSource",
]


@dataclass(frozen=True)
class Independent(Belief):
    """Edges say nothing about each other: plain edge-level differential privacy.

    >>> Independent().w_inf(), Independent().edge_epsilon(0.5)
    (1, 0.5)
    """

    label: ClassVar[str] = "edges say nothing about each other"
    kind: ClassVar[Kind] = Kind.DP
    about_ngrams: ClassVar[bool] = False
    senders: ClassVar[bool] = True

    @classmethod
    def measured(cls, corpus: NeighbourSource, *, defect: float = 0.0) -> Self:  # noqa: ARG003 - no numbers
        """Return the belief, which has no numbers."""
        return cls()

    def unit(self, by: Holder, *, replaced: bool) -> Unit:
        """Return the holder's own unit."""
        return by.replaced if replaced else by.unit

    def sentences(self, mechanism: str, *, replaced: bool) -> tuple[str, ...]:  # noqa: ARG002 - for any noise
        """Return what a card says first: that others may believe more."""
        return (CORRELATED_EDGES,)

    def count_distributions(self) -> tuple[LogPmf, LogPmf]:
        """Return the count without the edge, and with it."""
        return _together(1)

    def w_inf(self) -> int:
        """Return 1: the edge itself."""
        return 1

    @property
    def sentence(self) -> str:
        """The belief of the attacker, in words."""
        return INDEPENDENT

    @property
    def assumption(self) -> str:
        """What a card says about this model."""
        return self.sentence


@dataclass(frozen=True)
class Group(Belief):
    """Any `size` edges may depend on each other in any way: group privacy.

    >>> Group(4).edge_epsilon(1.0)
    0.25
    """

    label: ClassVar[str] = "any so many edges depend on each other"
    options: ClassVar[tuple[str, ...]] = ("group",)
    kind: ClassVar[Kind] = Kind.DP
    about_ngrams: ClassVar[bool] = False
    replacing: ClassVar[bool] = False

    size: int

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "size", _check.at_least("size", self.size, 1))

    @classmethod
    def from_options(cls, largest: int, **values: Any) -> Self:  # noqa: ARG003 - any size may be hidden
        """Return the group of the size that was stated."""
        return cls(values["group"])

    @classmethod
    def measured(cls, corpus: NeighbourSource, *, defect: float = 0.0) -> Self:  # noqa: ARG003 - no coupling
        """Return the group of an edge and all its neighbours."""
        return cls.around(corpus)

    @property
    def group(self) -> int:
        """How many holders are hidden together."""
        return self.size

    def unit(self, by: Holder, *, replaced: bool) -> Unit:  # noqa: ARG002 - edges alone, added or removed
        """Return the group."""
        return Unit.GROUP

    def sentences(self, mechanism: str, *, replaced: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Return nothing: what a group is stands in the promise itself."""
        return ()

    def count_distributions(self) -> tuple[LogPmf, LogPmf]:
        """Return the worst there is: none of the group carries an n-gram, or all do.

        >>> import numpy as np
        >>> [np.exp(side).tolist() for side in Group(3).count_distributions()]
        [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
        """
        return _together(self.size)

    @classmethod
    def around(cls, corpus: NeighbourSource) -> Self:
        """Return the group of an edge and all its neighbours, the largest there is; the graph is public."""
        return cls(1 + corpus.largest_neighbourhood)

    def w_inf(self) -> int:
        """Return the size of the group."""
        return self.size

    @property
    def sentence(self) -> str:
        """The belief of the attacker, in words."""
        return GROUP.format(size=self.size)

    @property
    def assumption(self) -> str:
        """What a card says about this model."""
        return self.sentence


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
        ledger: Ledger | None = None,
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
            corpus, epsilon=epsilon, contribution=contribution, ledger=ledger,
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
        """The least threshold for naming words: below it the edge and all its neighbours could be seen to be few."""
        return 1.0 + self.neighbours if self.p0 < self.p1 else 0.0

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
    """Edges form chains: the next edge, in either direction, has either bit with a probability of `flip` or more.

    Both directions matter: an n-gram that is rare at the first edge and rarely changes along the chain is, seen
    backwards, left by nearly every edge that lacks it with a far smaller probability.

    >>> round(1 / Chain(flip=0.1, length=201).edge_epsilon(1.0), 2)
    8.64
    """

    label: ClassVar[str] = "edges form chains whose next edge may always differ"

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
    def sentence(self) -> str:
        """The belief of the attacker, in words."""
        return CHAIN.format(length=self.length, flip=self.flip)


def _together(size: int) -> tuple[LogPmf, LogPmf]:
    """Return the counts of so many edges that carry the same: none, or all."""
    return Distribution((0,), (1,)).log_pmf(size), Distribution((size,), (1,)).log_pmf(size)


@lru_cache(maxsize=64)
def _binomial_w(neighbours: int, p0: float, p1: float, defect: float) -> int:
    first, second = binomial_log_pmf(neighbours, p0), binomial_log_pmf(neighbours, p1)
    return w_infinity_log(first, second, defect=defect)
