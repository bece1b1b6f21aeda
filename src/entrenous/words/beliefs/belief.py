"""What every belief answers, and the sentences that cards say about it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.guarantee import Kind
from entrenous.price import gaussian_epsilon, gaussian_scale
from entrenous.unit import Unit

if TYPE_CHECKING:
    from entrenous.words.beliefs.laws import Laws
    from entrenous.words.counting.holder import Holder
    from entrenous.words.counting.table import NeighbourCounts
    from entrenous.words.pufferfish.wasserstein import LogPmf

__all__ = [
    "BINOMIAL",
    "CALIBRATED",
    "CHAIN",
    "CONDITIONAL",
    "GLOBAL",
    "GROUP",
    "INDEPENDENT",
    "LATENT",
    "POSITIVE",
    "REPLACED",
    "SOURCES",
    "Belief",
    "Counted",
    "NeighbourSource",
    "Source",
]

Source = Literal["stated", "public corpus", "private estimate", "calibrated"]
SOURCES: tuple[Source, ...] = ("stated", "public corpus", "private estimate", "calibrated")

INDEPENDENT = "Edges are assumed to say nothing about each other; correlated edges can reveal more."
GROUP = "Any {size} edges may depend on each other in any way; edges beyond them say nothing more."
BINOMIAL = (
    "The attacker believes that each of at most {neighbours} neighbouring edges carries an n-gram independently, given "
    "the edge, with a probability between {p0:.6g} and {p1:.6g} (at most {p1:.6g} if the edge has it, at least "
    "{p0:.6g} if not), and that other edges say nothing more."
)
GLOBAL = (
    "The attacker knows no degrees, or makes nothing of them, and believes in one pair of distributions for how many "
    "neighbouring edges carry an n-gram, {mean0:.6g} on average if the edge does not have it and {mean1:.6g} if it "
    "has, never more than {w} apart with the edge counted (this very pair, with the fingerprint {fingerprint}); any of "
    "the neighbours may be the ones, and other edges say nothing more."
)
CONDITIONAL = (
    "The attacker knows the size of the neighbourhood (at most {neighbours}) and how frequent the n-gram is, both to "
    "powers of ten, and believes for each of these in one pair of distributions for the share of neighbours that carry "
    "it, never more than {w} edges apart with the edge counted; any neighbours may be the ones, and other edges say "
    "nothing more."
)
CHAIN = (
    "The attacker believes that edges form chains of at most {length}; that, given the bit of an edge, the edges "
    "before it in its chain say nothing about those behind it (the Markov property: no topic is shared along a "
    "chain); that, going along a chain in either direction, the next "
    "edge has the bit of the one before with a probability of at "
    "least {flip:.6g}, and the other bit with a probability of at least {flip:.6g}; and that edges outside its chain "
    "say nothing more."
)
LATENT = (
    "The attacker believes that for each n-gram there is a hidden topic, shared by the edge and at most {neighbours} "
    "neighbouring edges; that, given whether the topic is there, all of these edges carry the n-gram independently, "
    "each with a probability between {b0:.6g} and {b1:.6g} that is no smaller with the topic than without; and that "
    "other edges say nothing more. How likely the topic is does not matter."
)
NGRAMS = "N-grams are assumed to be independent of each other, given the edge."
PUBLIC = "The numbers of this belief were measured on a corpus that is public or retired."
STATED = "The numbers of this belief were stated by the publisher, not measured on the data."
ESTIMATED = (
    "The numbers of this belief were estimated from the data under differential privacy, charged separately, and "
    "widened to hold for the average n-gram with a probability of {confidence:.6g}."
)
REPLACED = (
    "It holds also for any given content rather than any other one, and so for the odds of any secret fact about "
    "the content of one edge."
)
POSITIVE = "Also, the attacker believes that no neighbour carries an n-gram less often if the edge has it than if not."
CALIBRATED = "calibrated to measured correlation; not a privacy guarantee"


class NeighbourSource(Protocol):
    """What a model is fitted to: a corpus, or anything that counts what neighbours carry."""

    @property
    def largest_neighbourhood(self) -> int:
        """The largest number of neighbours of any edge."""

    def neighbour_counts(self, *, n: int = 2) -> NeighbourCounts:
        """Return how many neighbours of an edge carry an n-gram, over all edges and n-grams."""


@dataclass(frozen=True)
class Counted:
    """What neighbours carry, counted once for several models."""

    counts: NeighbourCounts
    largest_neighbourhood: int

    def neighbour_counts(self, *, n: int = 2) -> NeighbourCounts:  # noqa: ARG002 - counted before
        """Return the counts, of n-grams as long as they were counted."""
        return self.counts


@dataclass(frozen=True)
class Belief(ABC):
    """What an attacker may believe about neighbouring edges, and what a mechanism needs to know of it.

    Class attributes say what kind of belief it is; all beliefs stand in `entrenous.words.beliefs.BELIEFS`.

    Parameters
    ----------
    source
        Where its numbers come from.
    defect
        How much probability the coupling behind `w_inf` may leave over: a delta to be paid once.
    confidence
        With which probability a private estimate covers the truth.

    Attributes
    ----------
    label
        The belief in a few words.
    options
        The values on the command line that state it.
    kind
        The family of a promise that rests on it.
    about_ngrams
        Whether it says something about single n-grams. What a holder gives one n-gram must then not depend on its
        others.
    senders, replacing
        Whether it stands for senders too, and against the replacement of a content.
    measurable
        Whether a corpus says all of it.
    """

    label: ClassVar[str]
    options: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[Kind] = Kind.PUFFERFISH
    about_ngrams: ClassVar[bool] = True
    senders: ClassVar[bool] = False
    replacing: ClassVar[bool] = True
    measurable: ClassVar[bool] = False

    source: Source = field(default="stated", kw_only=True)
    defect: float = field(default=0.0, kw_only=True)
    confidence: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        _check.one_of("source", self.source, SOURCES)
        _check.probability("defect", self.defect)
        if (self.source == "private estimate") != (self.confidence is not None):
            raise ArgumentError("confidence", "expected one with a private estimate, and only then")

    @property
    def knows_graph(self) -> bool:
        """Whether its attacker knows who writes to whom, so that this must be public."""
        return self.about_ngrams

    @classmethod
    def from_options(cls, largest: int, **values: Any) -> Self:  # noqa: ARG003
        """Return the belief that values on the command line state; `largest` is the graph's own neighbourhood."""
        raise ArgumentError("correlation", f"{cls.__name__} cannot be stated on the command line")

    @classmethod
    def measured(cls, corpus: NeighbourSource, *, defect: float = 0.0) -> Self | None:  # noqa: ARG003
        """Return the belief as measured on a public or retired corpus, None where a corpus does not say it all."""
        return None

    @abstractmethod
    def w_inf(self) -> int:
        """Return how many edges, the edge itself counted, a coupling of both worlds changes at most."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """The belief of the attacker, in words."""

    @property
    def group(self) -> int:
        """How many holders are hidden together, whatever they have in common."""
        return 1

    def unit(self, by: Holder, *, replaced: bool) -> Unit:  # noqa: ARG002 - for those that differ
        """Return the unit of a promise that rests on this belief."""
        return Unit.CORRELATED_EDGE

    def sentences(self, mechanism: str, *, replaced: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Return what a card says first about a promise with this kind of noise."""
        return (self.assumption, *((REPLACED,) if replaced else ()))

    @property
    def most_neighbours(self) -> int | None:
        """How many neighbours of an edge the belief speaks of; None for any number."""
        return None

    def edge_epsilon(self, epsilon: float) -> float:
        """Return the privacy per bit, eta, that gives a Pufferfish epsilon for one bit."""
        return _check.epsilon("epsilon", epsilon) / self.w_inf()

    def epsilon_of(self, eta: float) -> float:
        """Return the Pufferfish epsilon, for one bit, of everything that together is eta-DP per bit."""
        return _check.epsilon("eta", eta) * self.w_inf()

    def laplace_scale(self, epsilon: float) -> float:
        """Return the least scale of Laplace, or geometric, noise on a count that gives a Pufferfish epsilon."""
        return 1 / self.edge_epsilon(epsilon)

    def gaussian_scale(
        self, epsilon: float, delta: float, contribution: int, *, replaced: bool = False
    ) -> float:
        """Return the least known deviation of normal noise on counts that keeps (epsilon, delta).

        The count of every n-gram that a content moves, `contribution` of them or twice as many if it is replaced,
        moves by at most `w_inf`.
        """
        moved = math.sqrt(contribution * (2 if replaced else 1)) * self.w_inf()
        return gaussian_scale(epsilon, delta, moved)

    def ngram_epsilon(self, scale: float, delta: float) -> float:
        """Return the epsilon of the count of one n-gram alone, with normal noise of this scale."""
        return gaussian_epsilon(self.w_inf() / scale, delta)

    @property
    def least_threshold(self) -> float:
        """The least threshold for naming words under this belief."""
        return 0.0

    def naming_threshold(
        self, scale: float, at_threshold: float, contribution: int, *, epsilon: float, delta: float, n: int
    ) -> float:
        """Return the least known threshold for naming words by noisy counts under this belief.

        Parameters
        ----------
        scale
            The standard deviation of the noise on each count.
        at_threshold
            The part of delta that is kept for the threshold.
        contribution
            How many n-grams the content has at most.
        epsilon, delta
            What the whole release has to keep.
        n
            The longest n-grams.
        """
        del epsilon, delta, n  # for beliefs that account for noise and naming together
        from entrenous.words.statistics.threshold import coupled_threshold

        return max(self.least_threshold, coupled_threshold(scale, at_threshold, contribution, self.w_inf()))

    @property
    @abstractmethod
    def laws(self) -> Laws:
        """The class of laws of one n-gram that the promise is proved for, as constraints."""

    def count_distributions(self) -> tuple[LogPmf, LogPmf]:
        """Return how an edge and its neighbours count, the edge not carrying an n-gram, and carrying it."""
        raise ArgumentError(
            "belief",
            f"expected one that gives distributions of a count (Independent, Binomial, Global or Group); got "
            f"{type(self).__name__}",
        )

    @property
    def guaranteed(self) -> bool:
        """Whether a promise may rest on this belief."""
        return self.source != "calibrated"

    @property
    def assumption(self) -> str:
        """What a card says about this belief."""
        if not self.guaranteed:
            return CALIBRATED
        return " ".join([self.sentence, NGRAMS, self._origin])

    @property
    def _origin(self) -> str:
        if self.source == "private estimate":
            return ESTIMATED.format(confidence=self.confidence)
        return {"stated": STATED, "public corpus": PUBLIC}[self.source]

    def disclaimed(self) -> Self:
        """Return the same belief as a calibration, on which no promise may rest."""
        return replace(self, source="calibrated", confidence=None)
