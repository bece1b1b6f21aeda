"""Models that take over distributions as they were measured on a corpus: one for all, or one for each bucket."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, Self

import numpy as np

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.words.beliefs.belief import CONDITIONAL, GLOBAL, Belief, NeighbourSource
from entrenous.words.beliefs.buckets import Bucket, buckets, measured_counts, neighbour_distributions
from entrenous.words.beliefs.laws import Laws, as_many_as, at_most, within
from entrenous.words.pufferfish.calibration import closed, laplace_scale
from entrenous.words.pufferfish.wasserstein import Distribution, LogPmf, w_infinity

__all__ = ["Conditional", "Global"]


@dataclass(frozen=True)
class Global(Belief):
    """One pair of distributions, for all edges and n-grams, of how many neighbours carry an n-gram.

    It pools edges of different public degrees, so it speaks of an attacker who does not know them.

    Parameters
    ----------
    absent, present
        The distribution of the number of neighbours that carry the n-gram if the edge does not have it, and if it has.

    Examples
    --------
    >>> model = Global(absent=Distribution((0, 5), (3, 1)), present=Distribution((0, 9), (1, 1)))
    >>> model.w_inf(), model.edge_epsilon(1.0)
    (10, 0.1)
    """

    label: ClassVar[str] = "one pair of distributions for all edges"
    measurable: ClassVar[bool] = True

    absent: Distribution
    present: Distribution

    def __post_init__(self) -> None:
        super().__post_init__()
        if not all(
            isinstance(value, int) and value >= 0
            for distribution in (self.absent, self.present)
            for value in distribution.values
        ):
            raise ArgumentError(
                "absent, present", "expected distributions on whole numbers of 0 or more; got others"
            )

    @classmethod
    def measured(cls, corpus: NeighbourSource, *, defect: float = 0.0) -> Self:
        """Return both distributions as measured on a public or retired corpus."""
        return replace(cls.fit(corpus), defect=defect)

    @classmethod
    def fit(cls, corpus: NeighbourSource, *, n: int = 2, frequency_bucket: int | None = None) -> Self:
        """Measure both distributions on a public or retired corpus, exactly, over all its edges and n-grams."""
        absent, present = neighbour_distributions(measured_counts(corpus, n, frequency_bucket))
        return cls(absent, present, source="public corpus")

    @classmethod
    def calibrated(cls, corpus: NeighbourSource, *, n: int = 2) -> Self:
        """Measure both distributions on the confidential data itself: promises nothing, and says so."""
        return cls.fit(corpus, n=n).disclaimed()

    def w_inf(self) -> int:
        """Return how many edges, the edge itself counted, a coupling of both worlds changes at most."""
        return 1 + int(_distribution_w(self.absent, self.present, self.defect))

    def laplace_scale(self, epsilon: float) -> float:
        """Return the least scale of Laplace, or geometric, noise on a count that gives a Pufferfish epsilon."""
        return laplace_scale(*self.count_distributions(), epsilon)

    def count_distributions(self) -> tuple[LogPmf, LogPmf]:
        """Return both distributions, the edge itself counted."""
        size = int(max(self.absent.values[-1], self.present.values[-1]))
        return closed(self.absent.log_pmf(size), self.present.log_pmf(size))

    @property
    def laws(self) -> Laws:
        """The class of laws that the promise is proved for, as constraints."""
        size = int(max(self.absent.values[-1], self.present.values[-1]))
        numbers = (np.exp(side.log_pmf(size)) for side in (self.absent, self.present))
        return Laws((as_many_as(*numbers),))

    @property
    def fingerprint(self) -> str:
        """What tells this pair of distributions from others: the start of a hash of its values and cases."""
        pair = [[list(side.values), list(side.cases)] for side in (self.absent, self.present)]
        return hashlib.sha256(json.dumps(pair, separators=(",", ":")).encode()).hexdigest()[:16]

    @property
    def sentence(self) -> str:
        """The belief of the attacker, in words."""
        return GLOBAL.format(
            w=self.w_inf(),
            mean0=float(self.absent.mean),
            mean1=float(self.present.mean),
            fingerprint=self.fingerprint,
        )


@dataclass(frozen=True)
class Conditional(Belief):
    """A pair of distributions for each size of a neighbourhood and frequency of an n-gram: the strongest attacker.

    Parameters
    ----------
    buckets
        For each bucket how far apart its two distributions are, as a share of the neighbourhood.
    neighbours
        How many neighbours an edge has at most, in the public graph that words are published of. Neighbourhoods
        larger than any bucket's are given the largest share of all buckets.

    Examples
    --------
    >>> model = Conditional((Bucket(1, 2, 0.75), Bucket(2, 2, 0.5)), neighbours=300)
    >>> model.w_inf()
    151
    """

    label: ClassVar[str] = "a pair of distributions for each size and frequency"
    measurable: ClassVar[bool] = True

    buckets: tuple[Bucket, ...]
    neighbours: int

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "neighbours", _check.at_least("neighbours", self.neighbours, 0))
        if not self.buckets:
            raise ArgumentError("buckets", "expected one or more; got none")
        if self.defect:
            raise ArgumentError(
                "defect", "expected 0: the shares of buckets are those of whole distributions"
            )

    @classmethod
    def measured(cls, corpus: NeighbourSource, *, defect: float = 0.0) -> Self:  # noqa: ARG003 - it takes none
        """Return the shares of all buckets as measured on a public or retired corpus."""
        return cls.fit(corpus)

    @property
    def most_neighbours(self) -> int:
        """How many neighbours of an edge the belief speaks of."""
        return self.neighbours

    @classmethod
    def fit(cls, corpus: NeighbourSource, *, neighbours: int | None = None, n: int = 2) -> Self:
        """Measure the distributions of all buckets on a public or retired corpus, exactly.

        Parameters
        ----------
        corpus
            A corpus that holds nothing of the data to be published.
        neighbours
            The largest neighbourhood of the graph that words will be published of. (default: the corpus's own)
        n
            The longest n-grams to count.
        """
        most = corpus.largest_neighbourhood if neighbours is None else neighbours
        return cls(buckets(measured_counts(corpus, n)), most, source="public corpus")

    @classmethod
    def calibrated(cls, corpus: NeighbourSource, *, n: int = 2) -> Self:
        """Measure the distributions on the confidential data itself: promises nothing, and says so."""
        return cls.fit(corpus, n=n).disclaimed()

    def w_inf(self) -> int:
        """Return how many edges, the edge itself counted, a coupling of both worlds changes at most."""
        widest = max(bucket.w(self.neighbours) for bucket in self.buckets)
        if self.neighbours >= 10 ** (1 + max(bucket.size_bucket for bucket in self.buckets)):
            widest = max(bucket.fraction for bucket in self.buckets) * self.neighbours
        return 1 + math.ceil(widest - 1e-9)

    @property
    def laws(self) -> Laws:
        """The class of laws that the promise is proved for, as constraints."""
        return Laws((at_most(1 + self.neighbours), within(self.w_inf() - 1)))

    @property
    def sentence(self) -> str:
        """The belief of the attacker, in words."""
        return CONDITIONAL.format(neighbours=self.neighbours, w=self.w_inf())


@lru_cache(maxsize=64)
def _distribution_w(absent: Distribution, present: Distribution, defect: float) -> float:
    return w_infinity(absent, present, defect=defect)
