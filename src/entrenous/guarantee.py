"""What is promised: kind, unit, numbers and the assumptions it rests on.

A `Guarantee` is a frozen description. It does not measure anything: entropy, accuracy and everything else that
was *measured* is never a guarantee.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from entrenous import _check
from entrenous.errors import ArgumentError, CannotCompose

__all__ = [
    "FINITE_CHAIN",
    "KNOWN_SEED",
    "NODES_LISTED",
    "NODES_SEEN",
    "PUBLIC_HIERARCHY",
    "Guarantee",
    "Kind",
    "Unit",
    "exact",
]

NODES_LISTED = "The list of nodes is public; only who is tied to whom is protected."
NODES_SEEN = (
    "The list of nodes was taken from the edges themselves and is published as it is: "
    "that each of these nodes occurs in the data is assumed to be public."
)
FINITE_CHAIN = (
    "The structure was sampled by a finite chain that targets an eps1-differentially private law "
    "(eps1 is the epsilon for structure); stationarity is assumed, not proved."
)
KNOWN_SEED = "This is a rehearsal, not private: drawn from a known seed. Nothing is promised."
PUBLIC_HIERARCHY = "The hierarchy handed in is public: it was not derived from the ties that are protected."


class Kind(StrEnum):
    """The family of a promise."""

    DP = "dp"
    PUFFERFISH = "pufferfish"


class Unit(StrEnum):
    """What is hidden: the change of the data that an observer must not notice."""

    EDGE = "edge"

    @property
    def change(self) -> str:
        """The protected change in words."""
        return {Unit.EDGE: "adding or removing any one tie"}[self]


def exact(value: float | str | Fraction) -> Fraction:
    """Return the number a person wrote: 0.1 is one tenth, not the nearest double.

    >>> exact(0.1) + exact(0.2) == exact(0.3)
    True
    """
    return value if isinstance(value, Fraction) else Fraction(str(value))


@dataclass(frozen=True)
class Guarantee:
    """A promise about a release, with its unit and its assumptions.

    Parameters
    ----------
    epsilon, delta
        The privacy parameters; `delta` is 0 for a pure promise.
    unit
        What is hidden.
    kind
        The family of the promise.
    assumptions
        Sentences defined in the module of a mechanism, never free text of a caller.

    Examples
    --------
    >>> print(Guarantee(epsilon=1.0))  # doctest: +NORMALIZE_WHITESPACE
    Edge differential privacy with epsilon 1: adding or removing any one tie changes the probability of any
    output by a factor of at most 2.718.
    >>> (Guarantee(epsilon=0.1) + Guarantee(epsilon=0.2)).epsilon
    0.3

    References
    ----------
    Dwork, McSherry, Nissim, Smith: Calibrating noise to sensitivity in private data analysis. TCC 2006.
    """

    epsilon: float
    delta: float = 0.0
    unit: Unit = Unit.EDGE
    kind: Kind = Kind.DP
    assumptions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _check.epsilon("epsilon", self.epsilon))
        object.__setattr__(self, "delta", _check.probability("delta", self.delta))
        object.__setattr__(self, "unit", Unit(_check.one_of("unit", self.unit, list(Unit))))
        object.__setattr__(self, "kind", Kind(_check.one_of("kind", self.kind, list(Kind))))

    def __add__(self, other: Guarantee) -> Guarantee:
        """Return what holds for both releases together (basic composition)."""
        if not isinstance(other, Guarantee):
            return NotImplemented
        if Kind.PUFFERFISH in (self.kind, other.kind):
            raise CannotCompose("Pufferfish promises do not add up in general; compose before converting")
        if self.unit != other.unit:
            raise CannotCompose(f"one release protects the unit {self.unit}, the other the unit {other.unit}")
        epsilon, delta = exact(self.epsilon) + exact(other.epsilon), exact(self.delta) + exact(other.delta)
        if delta >= 1 or epsilon > sys.float_info.max:
            raise CannotCompose("the parameters add up to so much that nothing would be promised")
        return Guarantee(
            epsilon=float(epsilon),
            delta=float(delta),
            unit=self.unit,
            kind=self.kind,
            assumptions=tuple(dict.fromkeys(self.assumptions + other.assumptions)),
        )

    def __str__(self) -> str:
        return "\n".join((self.sentence, *self.assumptions))

    @property
    def sentence(self) -> str:
        """The promise as one English sentence, without its assumptions."""
        factor = (
            f"a factor of at most {math.exp(self.epsilon):.4g}"
            if self.epsilon < 700
            else "an unlimited factor"
        )
        slack = f", except with probability {self.delta:g}" if self.delta else ""
        numbers = f"epsilon {self.epsilon:g}" + (f" and delta {self.delta:g}" if self.delta else "")
        if self.kind is Kind.PUFFERFISH:
            return (
                f"{self.unit.capitalize()} Pufferfish privacy with {numbers}: for an attacker who believes what is "
                f"said below, the odds of any secret fact change by {factor}{slack}."
            )
        promise = (
            f"{self.unit.capitalize()} differential privacy with {numbers}: {self.unit.change} "
            f"changes the probability of any output by {factor}{slack}."
        )
        if KNOWN_SEED in self.assumptions:
            return f"A rehearsal, for which nothing is promised; with real noise: {promise[0].lower()}{promise[1:]}"
        if FINITE_CHAIN in self.assumptions:
            return f"If its Markov chain had reached its law, which nobody can check: {promise[0].lower()}{promise[1:]}"
        return promise

    def to_json(self) -> dict[str, Any]:
        """Return the promise as plain JSON values, the sentence included."""
        return {
            "kind": str(self.kind),
            "unit": str(self.unit),
            "epsilon": self.epsilon,
            "delta": self.delta,
            "assumptions": list(self.assumptions),
            "sentence": self.sentence,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Guarantee:
        """Return the promise that `to_json` described."""
        try:
            assumptions = values["assumptions"]
            if not isinstance(assumptions, list) or not all(
                isinstance(sentence, str) for sentence in assumptions
            ):
                raise TypeError
            return cls(
                epsilon=values["epsilon"],
                delta=values["delta"],
                unit=values["unit"],
                kind=values["kind"],
                assumptions=tuple(assumptions),
            )
        except (KeyError, TypeError) as problem:
            raise ArgumentError(
                "guarantee", "expected kind, unit, epsilon, delta and assumptions"
            ) from problem
