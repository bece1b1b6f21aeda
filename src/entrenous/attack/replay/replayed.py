"""What a replay found: for every neighbour and question, how far the answer could tell the two data sets apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from entrenous.attack.tools.findings import Finding
from entrenous.price import Price
from entrenous.unit import Unit

__all__ = ["Compared", "Part", "Replay"]

#: Shares of epsilon are added up in floating point; a hair more than what is stated is rounding.
_ROUNDING = 1e-9
#: The chance, by the stated delta, below which words that one unit alone says were named too often: what a replay
#: calls broken is broken, or was rarer than this.
_TOO_RARE = 1e-8


@dataclass(frozen=True)
class Part:
    """One question on one neighbour.

    Attributes
    ----------
    name
        The name of the statistic.
    stated
        What the question costs.
    moved
        The most that any answer could have told: the largest loss, or for normal noise how many deviations it moved.
    loss
        How much likelier the recorded answer was with the recorded data: the logarithm of the ratio.
    problem
        What is wrong beyond numbers; None if nothing is.
    names_own
        Whether the answer names a word that only the recorded data have: a delta allows that, and hardly ever.
    """

    name: str
    stated: Price
    moved: Price
    loss: float
    problem: str | None = None
    names_own: bool = False

    @property
    def exceeded(self) -> bool:
        """Whether the answer could have told more than was paid for."""
        return _beyond(self.moved, self.stated)


@dataclass(frozen=True)
class Compared:
    """One neighbour.

    Attributes
    ----------
    change
        What differs from the recorded data, without content: "one tie less".
    stated
        What all questions together may cost.
    parts
        Question by question.
    same_published
        Whether what is published is the same to the last byte, given the same answers.
    problems
        What went wrong beside single questions.
    """

    change: str
    stated: Price
    parts: tuple[Part, ...]
    same_published: bool
    problems: tuple[str, ...] = ()

    @property
    def moved(self) -> Price:
        """The most that all answers together could have told."""
        return Price.total(part.moved for part in self.parts)

    @property
    def loss(self) -> float:
        """How much likelier all recorded answers were with the recorded data."""
        return math.fsum(part.loss for part in self.parts)

    @property
    def share(self) -> float:
        """The most that could have been told, over what is stated."""
        if self.faults:
            return math.inf
        moved, stated = self.moved, self.stated
        return moved.epsilon / stated.epsilon if stated.epsilon else moved.mu / stated.mu

    @property
    def faults(self) -> tuple[str, ...]:
        """Everything that a sound release does not show, as sentences."""
        return tuple(self._faults())

    def _faults(self) -> Iterator[str]:
        yield from self.problems
        for part in self.parts:
            if part.problem is not None:
                yield f"{part.name}: {part.problem}"
            if part.exceeded:
                yield f"{part.name}: paid {_amount(part.stated)}, and can tell {_amount(part.moved)}"
        asked = Price.total(part.stated for part in self.parts)
        if _beyond(asked, self.stated):
            yield f"all questions: they cost {_amount(asked)}, and {_amount(self.stated)} is stated"
        if _beyond(self.moved, self.stated):
            yield f"all answers: paid {_amount(self.stated)}, and can tell {_amount(self.moved)}"
        if not self.same_published:
            yield "what is published differs although all answers are the same"


@dataclass(frozen=True)
class Replay:
    """A recorded release on its neighbours. Private: it was computed from the data.

    Attributes
    ----------
    mechanism
        What was released: "network: owner".
    unit
        What its promise hides.
    stated
        The ceiling of its desk.
    neighbours
        What was compared.
    noise_problems
        What is wrong with the noise itself: repeated, or of another size than was asked for.
    condition
        What the promise rests on besides proofs; None for nearly all.
    """

    mechanism: str
    unit: Unit
    stated: Price
    neighbours: tuple[Compared, ...]
    noise_problems: tuple[str, ...] = ()
    condition: str | None = None
    questions: Sequence[str] = field(default=())

    @property
    def worst(self) -> Compared:
        """The neighbour on which most could have been told."""
        return max(self.neighbours, key=lambda each: each.share)

    @property
    def faults(self) -> tuple[str, ...]:
        """Everything that a sound release does not show, each once."""
        found = [*self.noise_problems, *(fault for each in self.neighbours for fault in each.faults)]
        return (*dict.fromkeys(found), *self._named_too_often())

    def _named_too_often(self) -> Iterator[str]:
        """Say that units were betrayed by words of their own more often than delta allows."""
        from scipy.special import bdtrc

        named = sum(any(part.names_own for part in each.parts) for each in self.neighbours)
        if named and float(bdtrc(named - 1, len(self.neighbours), self.stated.delta)) < _TOO_RARE:
            yield f"words that only one unit says are named for {named} of {len(self.neighbours)} units"

    @property
    def broken(self) -> bool:
        """Whether the promise is broken for certain."""
        return bool(self.faults)

    def finding(self) -> Finding:
        """Return the replay as a finding; exact, so there is no confidence to state."""
        normal = not self.stated.epsilon
        stated = self.stated.mu if normal else self.stated.epsilon
        measured = math.inf if self.broken else stated * self.worst.share
        return Finding(
            mechanism=self.mechanism,
            unit=str(self.unit),
            attack=f"replayed on {len(self.neighbours)} neighbours; the most that any answers could tell",
            stated=stated,
            # What is within rounding of the stated is the stated: a tight promise is no broken one.
            measured=min(measured, stated) if measured <= stated * (1 + _ROUNDING) else measured,
            quantity="mu" if normal else "epsilon",
            confidence=1.0,
            details={
                "neighbours": len(self.neighbours),
                "loss": max((abs(each.loss) for each in self.neighbours), default=0.0),
                "delta": self.stated.delta,
            },
        )


def _beyond(moved: Price, stated: Price) -> bool:
    return any(
        getattr(moved, name) > getattr(stated, name) * (1 + _ROUNDING) + rounding
        for name, rounding in (("epsilon", 1e-12), ("mu", 1e-12), ("delta", 0.0))
    )


def _amount(price: Price) -> str:
    delta = f" and delta {price.delta:.6g}" if price.delta else ""
    return f"mu {price.mu:.6g}{delta}" if price.mu else f"epsilon {price.epsilon:.6g}{delta}"
