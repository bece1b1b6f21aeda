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
from entrenous.unit import Unit

__all__ = [
    "CORRELATED_EDGES",
    "GRAPH_PUBLIC",
    "KNOWN_SEED",
    "NODES_LISTED",
    "NODES_SEEN",
    "PUBLIC_HIERARCHY",
    "PUBLIC_VOCABULARY",
    "TIES_NOT_TOLD",
    "Guarantee",
    "Kind",
    "exact",
]

NODES_LISTED = "The list of nodes is public; only who is tied to whom is protected."
NODES_SEEN = (
    "The list of nodes was taken from the edges themselves and is published as it is: "
    "that each of these nodes occurs in the data is assumed to be public."
)
KNOWN_SEED = "This is a rehearsal, not private: drawn from a known seed. Nothing is promised."
PUBLIC_HIERARCHY = "The hierarchy handed in is public: it was not derived from the ties that are protected."
GRAPH_PUBLIC = "Who writes to whom is public; only what passes between two people is protected."
TIES_NOT_TOLD = (
    "Who writes to whom need not be public: how many edges (pairs of people who write to each other) or senders there "
    "are is not told, and one without content changes nothing."
)
CORRELATED_EDGES = (
    "Correlated mail can reveal more: from what others write to each other an attacker may infer what is hidden "
    "here."
)
PUBLIC_VOCABULARY = "The list of n-grams given is public: it was not derived from the mail that is protected."


WEAK = 10.0  # an epsilon above it gets a sentence on what it means


class Kind(StrEnum):
    """The family of a promise."""

    DP = "dp"
    PUFFERFISH = "pufferfish"


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
    contribution
        How many n-grams an edge or a sender may carry at most, where that was bounded.
    per_ngram
        The epsilon for one n-gram of an edge or a sender, where only that may differ.
    size
        How many edges may change together, for a group.
    level
        What holds at the same time for a smaller change and without any belief about correlation. It is what a vault
        is charged.
    conditional
        What nobody can check and the whole promise hangs on, such as a Markov chain having reached its distribution.

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
    contribution: int | None = None
    per_ngram: float | None = None
    size: int | None = None
    level: Guarantee | None = None
    conditional: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _check.epsilon("epsilon", self.epsilon))
        object.__setattr__(self, "delta", _check.probability("delta", self.delta))
        object.__setattr__(self, "unit", Unit.named(self.unit))
        object.__setattr__(self, "kind", Kind(_check.one_of("kind", self.kind, list(Kind))))
        if self.contribution is not None:
            _check.at_least("contribution", self.contribution, 1)
        if self.per_ngram is not None:
            _check.epsilon("per_ngram", self.per_ngram)
        if (self.unit == Unit.GROUP) != (self.size is not None):
            raise ArgumentError("size", "expected the number of edges for a group, and for nothing else")
        if self.size is not None:
            _check.at_least("size", self.size, 1)
        if self.level is not None and (self.level.kind is not Kind.DP or self.level.level is not None):
            raise ArgumentError("level", "expected a promise of differential privacy that stands by itself")

    def __add__(self, other: Guarantee) -> Guarantee:
        """Return what holds for both releases together (basic composition)."""
        if not isinstance(other, Guarantee):
            return NotImplemented
        if Kind.PUFFERFISH in (self.kind, other.kind):
            raise CannotCompose("Pufferfish promises do not add up in general; compose before converting")
        if self.unit != other.unit:
            raise CannotCompose(f"one release protects the unit {self.unit}, the other the unit {other.unit}")
        if self.level or other.level:
            raise CannotCompose("compose what the promises rest on (their levels), then convert")
        epsilon, delta = exact(self.epsilon) + exact(other.epsilon), exact(self.delta) + exact(other.delta)
        if delta >= 1 or epsilon > sys.float_info.max:
            raise CannotCompose("the parameters add up to so much that nothing would be promised")
        return Guarantee(
            epsilon=float(epsilon),
            delta=float(delta),
            unit=self.unit,
            kind=self.kind,
            assumptions=tuple(dict.fromkeys(self.assumptions + other.assumptions)),
            contribution=self.contribution if self.contribution == other.contribution else None,
            conditional=" and on ".join(dict.fromkeys(c for c in (self.conditional, other.conditional) if c))
            or None,
        )

    def __str__(self) -> str:
        return "\n".join((self.sentence, *self.assumptions))

    @property
    def charged(self) -> Guarantee:
        """What a vault is charged: the level that holds without any belief about correlation."""
        return self if self.level is None else self.level

    @property
    def sentence(self) -> str:
        """The promise in English, without its assumptions."""
        slack = f", except with probability {self.delta:g}" if self.delta else ""
        numbers = f"epsilon {self.epsilon:g}" + (f" and delta {self.delta:g}" if self.delta else "")
        unit = self.unit.name.capitalize()
        if self.kind is Kind.PUFFERFISH:
            promise = (
                f"{unit} Pufferfish privacy with {numbers}: for an attacker who believes what is "
                f"said below, {self._odds} change by {_factor(self.epsilon)}{slack}."
            )
        else:
            promise = (
                f"{unit} differential privacy with {numbers}: {self.change} "
                f"changes the probability of any output by {_factor(self.epsilon)}{slack}."
            )
        promise += self._beside + self._weak
        if self.conditional:
            promise = f"Conditional on {self.conditional}: {promise[0].lower()}{promise[1:]}"
        if KNOWN_SEED in self.assumptions:
            return f"A rehearsal, for which nothing is promised; with real noise: {promise[0].lower()}{promise[1:]}"
        return promise

    @property
    def by_unit(self) -> dict[str, float]:
        """The epsilon of every unit that the protected change covers as a whole, where it covers several, or another.

        >>> Guarantee(epsilon=3.0, delta=1e-5, unit=Unit.EDGE_AND_MESSAGE).by_unit
        {'message': 3.0, 'edge-content': 3.0}
        >>> Guarantee(epsilon=3.0, unit=Unit.THREAD).by_unit
        {'thread': 3.0, 'message': 3.0}
        """
        if self.level is not None:  # which is told beside it, and tells more
            return {}
        covered = [name for name, times in self.unit.implies.items() if times == 1]
        single = [name for name in covered if not Unit.named(name).covers_several]
        itself = [] if self.unit.covers_several or not covered else [self.unit.name]
        return dict.fromkeys([*itself, *single], self.epsilon)

    @property
    def change(self) -> str:
        """The protected change in words, with its numbers."""
        return self.unit.change.format(size=self.size) + self._bound

    @property
    def _odds(self) -> str:
        """Which odds move by so much: a content against none, which is what is added or removed."""
        if self.unit == Unit.CORRELATED_EDGE:
            return f"the odds that one edge has any given content{self._bound} rather than none"
        return "the odds that what is protected is there rather than not"

    @property
    def _bound(self) -> str:
        if self.contribution is None:
            return ""
        return f" (at most {self.contribution} n-gram{'s' if self.contribution > 1 else ''})"

    @property
    def _beside(self) -> str:
        """The numbers that stand beside the promise: for one n-gram, and without any belief."""
        text = ""
        if self.per_ngram is not None:
            text += f" For any one counted n-gram alone epsilon is {self.per_ngram:.4g}."
        if self.by_unit:
            each = "; ".join(f"{name} {epsilon:g}" for name, epsilon in self.by_unit.items())
            text += f" Epsilon by unit: {each}."
        if self.level is not None:
            slack = f" and delta {self.level.delta:g}" if self.level.delta else ""
            how = "Without any assumption" if self.kind is Kind.PUFFERFISH else "At the same time"
            text += (
                f" {how} the {self.level.unit} level is epsilon {self.level.epsilon:.4g}{slack}: "
                f"{self.level.change} changes the probability of any output by {_factor(self.level.epsilon)}."
            )
        return text

    @property
    def _weak(self) -> str:
        """What an epsilon above 10 means, in one plain sentence."""
        if self.epsilon <= WEAK:
            return ""
        chance = 100 / (1 + 999 * math.exp(-min(self.epsilon, 700)))
        told = f"{chance:.4g}" if chance < 99.99 else "over 99.99"
        return (
            f" This is a weak promise: something that was thought to have one chance in a thousand may turn out to be "
            f"{told} % certain."
        )

    def to_json(self) -> dict[str, Any]:
        """Return the promise as plain JSON values, the sentence included."""
        values: dict[str, Any] = {
            "kind": str(self.kind),
            "unit": str(self.unit),
            "epsilon": self.epsilon,
            "delta": self.delta,
            "conditional": self.conditional,
            "assumptions": list(self.assumptions),
            "sentence": self.sentence,
        }
        beside = {name: getattr(self, name) for name in ("contribution", "per_ngram", "size")}
        values |= {name: value for name, value in beside.items() if value is not None}
        values |= {"by_unit": self.by_unit} if self.by_unit else {}
        return values if self.level is None else values | {"level": self.level.to_json()}

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
                contribution=values.get("contribution"),
                per_ngram=values.get("per_ngram"),
                size=values.get("size"),
                level=None if values.get("level") is None else cls.from_json(values["level"]),
                conditional=values.get("conditional"),
            )
        except (AttributeError, KeyError, TypeError) as problem:
            raise ArgumentError(
                "guarantee", "expected kind, unit, epsilon, delta and assumptions"
            ) from problem


def _factor(epsilon: float) -> str:
    return f"a factor of at most {math.exp(epsilon):.4g}" if epsilon < 700 else "an unlimited factor"
