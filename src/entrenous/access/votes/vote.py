"""What every voting rule says of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar, Self

from entrenous.errors import ArgumentError

__all__ = ["Parameter", "Vote"]


@dataclass(frozen=True)
class Parameter:
    """A number that a voting rule takes: above `above`, at most `most`, and on forms a multiple of `step`."""

    name: str
    above: float
    most: float
    step: float

    def checked(self, value: object) -> float:
        """Return a value within the bounds."""
        if (
            isinstance(value, bool)
            or not isinstance(value, Real)
            or not self.above < float(value) <= self.most
        ):
            raise ArgumentError(
                f"vote.{self.name}", f"expected a number above {self.above:g} and at most {self.most:g}"
            )
        return float(value)


class Vote(ABC):
    """A voting rule: how many of those who are asked must agree.

    A rule is a frozen dataclass in a file of its own in this folder; `VOTES` finds it there. Its fields are its
    `parameters`, which are checked when it is made.
    """

    #: The word for the rule in files, on the command line, in the web service, and as what decided.
    name: ClassVar[str]
    #: One sentence on who must agree.
    description: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def __post_init__(self) -> None:
        for parameter in self.parameters:
            object.__setattr__(self, parameter.name, parameter.checked(getattr(self, parameter.name)))

    @classmethod
    @abstractmethod
    def examples(cls) -> Mapping[str, Self]:
        """Return settings of the rule under short names: forms offer the first, attacks try them all."""

    @classmethod
    def usual(cls) -> Self:
        """Return the rule as it is meant where nothing but its name is given."""
        return next(iter(cls.examples().values()))

    @property
    @abstractmethod
    def label(self) -> str:
        """Who must agree, in a few words for a form: "everybody", "two thirds of us"."""

    @property
    def sentence(self) -> str:
        """Who must agree, as a sentence of the group."""
        return f"{self.label} have to be fine with it"

    @abstractmethod
    def needed(self, voters: int) -> int:
        """Return how many of `voters` must agree."""

    def to_dict(self) -> dict[str, object]:
        """Return the vote as it stands in a file."""
        return {"rule": self.name} | {each.name: getattr(self, each.name) for each in self.parameters}
