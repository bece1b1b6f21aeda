"""The belief in a hidden topic that an edge shares with its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.words.beliefs.belief import LATENT, Belief
from entrenous.words.beliefs.laws import Laws, at_most, given_the_topic
from entrenous.words.pufferfish.accounting import LEAST_DELTA
from entrenous.words.pufferfish.profiles import (
    MOST_EPSILON,
    Neighbourhoods,
    named_threshold,
    topic_epsilon_of,
    topic_gaussian_scale,
)
from entrenous.words.pufferfish.transfer import checked_range, topic_edge_epsilon, topic_epsilon

__all__ = ["Latent"]


@dataclass(frozen=True)
class Latent(Belief):
    """A hidden topic, for each n-gram one, is there or not; given that, an edge and its neighbours are independent.

    The most natural belief about colleagues: they talk of the same things, but not because of one of them. Given the
    topic, each edge carries the n-gram with a probability between b0 and b1 that is no smaller with the topic than
    without. How likely the topic is does not matter.

    Parameters
    ----------
    b0, b1
        The least and the largest probability with which an edge carries an n-gram, without and with the topic.
    neighbours
        How many neighbours an edge has at most, in the public graph that words are published of.

    Examples
    --------
    >>> model = Latent(b0=0.0277, b1=0.2739, neighbours=1883)
    >>> model.w_inf(), round(1 / model.edge_epsilon(1.0), 4)
    (1884, 253.0903)

    Notes
    -----
    Knowing the topic moves the odds of a bit by the odds ratio b1 (1 - b0) / (b0 (1 - b1)) at most, here 13.2: with
    a larger epsilon noise need not hide the topic, only the edge. A coupling may have to change the whole
    neighbourhood, so that `w_inf` is of no use here; transfer and exact accounting do not need it.
    """

    label: ClassVar[str] = "a hidden topic is shared by an edge and its neighbours"
    options: ClassVar[tuple[str, ...]] = ("b0", "b1", "neighbours")

    b0: float
    b1: float
    neighbours: int

    def __post_init__(self) -> None:
        super().__post_init__()
        b0, b1 = checked_range(self.b0, self.b1)
        object.__setattr__(self, "b0", b0)
        object.__setattr__(self, "b1", b1)
        object.__setattr__(self, "neighbours", _check.at_least("neighbours", self.neighbours, 0))
        if self.defect:
            raise ArgumentError("defect", "expected 0: no coupling is used")

    @classmethod
    def from_options(cls, largest: int, **values: Any) -> Self:
        """Return the range that was stated, for at least as many neighbours as the public graph has."""
        b0, b1, neighbours = (values.get(name) for name in cls.options)
        if b0 is None or b1 is None:
            raise ArgumentError("--b0, --b1", "expected both or none")
        if neighbours is not None and neighbours < largest:
            raise ArgumentError("--neighbours", f"expected at least {largest}, what the public graph has")
        return cls(b0, b1, largest if neighbours is None else neighbours)

    @property
    def most_neighbours(self) -> int:
        """How many neighbours of an edge the belief speaks of."""
        return self.neighbours

    def w_inf(self) -> int:
        """Return the whole neighbourhood with the edge: a coupling may have to change all of it with the topic."""
        return 1 + self.neighbours if self.b0 < self.b1 else 1

    def edge_epsilon(self, epsilon: float) -> float:
        """Return the privacy per bit, eta, that gives a Pufferfish epsilon for one bit, exactly."""
        return topic_edge_epsilon(epsilon, self.neighbours, self.b0, self.b1)

    def epsilon_of(self, eta: float) -> float:
        """Return the Pufferfish epsilon, for one bit, of everything that together is eta-DP per bit."""
        return topic_epsilon(eta, self.neighbours, self.b0, self.b1)

    def gaussian_scale(
        self, epsilon: float, delta: float, contribution: int, *, replaced: bool = False
    ) -> float:
        """Return the least deviation of normal noise on counts, over all chances of the topic."""
        coupled = super().gaussian_scale(epsilon, delta, contribution, replaced=replaced)
        if self.w_inf() == 1 or delta < LEAST_DELTA or epsilon > MOST_EPSILON:
            return coupled
        return min(coupled, topic_gaussian_scale(self._shared, epsilon, delta, contribution, replaced))

    def ngram_epsilon(self, scale: float, delta: float) -> float:
        """Return the epsilon of the count of one n-gram alone, by exact accounting where it has digits."""
        coupled = super().ngram_epsilon(scale, delta)
        if self.w_inf() == 1 or delta < LEAST_DELTA:
            return coupled
        return min(coupled, topic_epsilon_of(self._shared, scale, ngrams=1, delta=delta))

    def naming_threshold(
        self, scale: float, at_threshold: float, contribution: int, *, epsilon: float, delta: float, n: int
    ) -> float:
        """Return the least threshold that keeps delta, over all chances of the topic; never above coupling's."""
        most = super().naming_threshold(scale, at_threshold, contribution, epsilon=epsilon, delta=delta, n=n)
        if self.w_inf() == 1 or delta < LEAST_DELTA or epsilon > MOST_EPSILON:
            return most
        return named_threshold(self._shared, scale, epsilon, delta, contribution, most, words_only=n == 1)

    @property
    def _shared(self) -> Neighbourhoods:
        return Neighbourhoods(self.b0, self.b1, self.neighbours, hidden=True)

    @property
    def laws(self) -> Laws:
        """The class of laws that the promise is proved for, as constraints."""
        return Laws((at_most(1 + self.neighbours), given_the_topic(self.b0, self.b1)))

    @property
    def sentence(self) -> str:
        """The belief of the attacker, in words."""
        return LATENT.format(neighbours=self.neighbours, b0=self.b0, b1=self.b1)
