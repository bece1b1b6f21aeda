"""A strong majority."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from entrenous.access.votes.vote import Parameter, Vote

__all__ = ["StrongMajority"]


@dataclass(frozen=True)
class StrongMajority(Vote):
    """At least a share `theta` agrees, rounded up; `theta` is above 1/2 and at most 1.

    The share is read as the decimal it is written as, so that 0.6 of 5 voters is 3, never 4.

    >>> StrongMajority(0.6).needed(5), StrongMajority(0.7).needed(10), StrongMajority(2 / 3).needed(4)
    (3, 7, 3)
    """

    name = "majority"
    description = "At least a share theta of all has to agree, more than half of them."
    parameters = (Parameter("theta", above=0.5, most=1, step=0.01),)

    theta: float

    @classmethod
    def examples(cls) -> Mapping[str, Self]:
        """Return two thirds, in hundredths as on forms, and just more than half."""
        return {"two thirds": cls(0.66), "majority": cls(0.51)}

    @property
    def label(self) -> str:
        """Who must agree, in a few words for a form."""
        return "two thirds of us" if 0.66 <= self.theta < 0.67 else f"at least {self.theta:.0%} of us"

    def needed(self, voters: int) -> int:
        """Return how many of `voters` must agree."""
        return math.ceil(Fraction(repr(self.theta)) * voters)
