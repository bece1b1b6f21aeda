"""Statistics: questions to private data, each with its noise and its price in one object.

A statistic is a frozen description of what is asked, how it is answered with noise, and what that costs one unit of
privacy. It is the only code that sees private data and noise together. Statistics live in folders called
`statistics/`: that is all an auditor has to read, and a class elsewhere is refused when it is defined.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import ArgumentError, PrivacyError
from entrenous.noise import Noise, geometric_cost
from entrenous.price import NoiseEvent, Price
from entrenous.unit import Unit

__all__ = ["Counts", "Noted", "Statistic"]

Data = TypeVar("Data")
Answer = TypeVar("Answer")


class Statistic(ABC, Generic[Data, Answer]):
    """A question to private data: how it is answered with noise, and what that costs.

    Attributes
    ----------
    name
        What is measured, as a card says it: "epsilon for `name`".
    proof
        Where docs/guarantees.md proves the price: an anchor of that page.
    condition
        What the price rests on besides the proof; None for nearly all.
    kind
        What is asked: the class of the private data.
    """

    name: ClassVar[str]
    proof: ClassVar[str]
    condition: ClassVar[str | None] = None
    kind: ClassVar[type]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "statistics" not in cls.__module__.split(".") and cls.__module__ != __name__:
            raise TypeError(
                f"{cls.__name__}: a statistic sees private data; it must live in a folder called statistics"
            )

    @abstractmethod
    def price(self, unit: Unit) -> Price:
        """Return what an answer costs one unit, or say that nothing is proved for it."""

    @abstractmethod
    def draw(self, data: Data, unit: Unit, noise: Noise) -> Answer | Noted[Answer]:
        """Answer with noise. It sees private data: whatever is returned is paid for."""

    def event(self, unit: Unit) -> NoiseEvent | None:  # noqa: ARG002 - most have no more to say than their price
        """Return the noise in detail, where a vault composes it more exactly than its price."""
        return None

    def unproved(self, unit: Unit) -> ArgumentError:
        """Return the error that says for which units this statistic has no proof."""
        return ArgumentError("unit", f"{self.name} has no proof for the unit {unit}")


class Counts(Statistic[Data, Answer]):
    """Whole numbers with two-sided geometric noise: one unit moves them by at most `sensitivity` in all.

    The noise and its price come from one measurement of OpenDP.
    """

    epsilon: float
    #: How far one unit moves the numbers in all (L1), for the units there is a proof for.
    stability: ClassVar[Mapping[Unit, int]] = {}

    def sensitivity(self, unit: Unit) -> int:
        """Return how far one unit moves the numbers in all: as it is proved, or as far as what it is made of does."""
        known = {str(each): moved for each, moved in self.stability.items()}
        parts = [times * known[name] for name, times in unit.made_of.items() if name in known]
        if str(unit) not in known and not parts:
            raise self.unproved(unit)
        return min([known[str(unit)]] if str(unit) in known else parts)  # proof: geometric-noise

    def price(self, unit: Unit) -> Price:
        """Return what OpenDP's own privacy map says of the noise."""
        return Price(epsilon=geometric_cost(self.sensitivity(unit), self.epsilon))

    def draw(self, data: Data, unit: Unit, noise: Noise) -> Answer | Noted[Answer]:
        """Count, add noise, and hand on."""
        counts = np.asarray(self.count(data), dtype=np.int64)
        moved = self.sensitivity(unit)
        noisy = noise.geometric(counts, sensitivity=moved, epsilon=self.epsilon)  # proof: geometric-noise
        return self.answer(noisy)

    @abstractmethod
    def count(self, data: Data) -> NDArray[np.int64]:
        """Count exactly. It sees private data."""

    @abstractmethod
    def answer(self, noisy: NDArray[np.int64]) -> Answer:
        """Bring the noisy numbers into the shape that mechanisms ask for."""


def check_statistic(statistic: object) -> None:
    """Refuse what only looks like a statistic: whatever it is made of sees private data.

    Its class must be what a module defines under its name, it must hold nothing but what the class declares, and that
    must be plain: an array of a kind of its own would see every place that is looked up in it.
    """
    kind = type(statistic)
    if not isinstance(statistic, Statistic):
        raise PrivacyError(f"expected a statistic; got {kind.__name__}")
    if getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is not kind:
        raise PrivacyError(f"{kind.__name__}: no module of statistics defines it; it was not answered")
    held = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
    for name, value in vars(statistic).items():
        declared = name in held or isinstance(getattr(kind, name, None), cached_property)
        if not declared or not _is_plain(value):
            raise PrivacyError(f"{kind.__name__}: expected plain values of what it declares; {name} is none")


def _is_plain(value: object) -> bool:
    """Tell whether code of a mechanism cannot hide in a value."""
    kind = type(value)
    if isinstance(value, np.ndarray):
        return kind is np.ndarray and not value.dtype.hasobject
    if isinstance(value, tuple | list):
        return kind in (tuple, list) and all(_is_plain(each) for each in value)
    home = kind.__module__.split(".")
    return home[0] in ("builtins", "numpy", "entrenous") and "mechanisms" not in home


def check_labels(name: str, labels: NDArray[np.integer], *, nodes: int, count: int) -> None:
    """Refuse anything but one whole number below `count` for each node: compiled loops do not look where they write."""
    whole = labels.shape == (nodes,) and np.issubdtype(labels.dtype, np.integer)
    if not whole or labels.min(initial=0) < 0 or labels.max(initial=0) >= count:
        raise PrivacyError(
            f"{name}: expected a number below {count} for each of {nodes} nodes; it was not answered"
        )


@dataclass(frozen=True)
class Noted(Generic[Answer]):
    """An answer, and notes for the curator that were not paid for: mechanisms never see them."""

    answer: Answer
    notes: Mapping[str, Any]
