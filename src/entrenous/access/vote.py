"""How many settled wishes it takes: full consensus, or a strong majority."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Protocol

from entrenous.errors import ArgumentError

__all__ = ["Consensus", "StrongMajority", "Vote", "read_vote"]


class Vote(Protocol):
    """A rule that says how many of `voters` must agree."""

    @property
    def name(self) -> str:
        """The word recorded as the rule that decided."""

    def needed(self, voters: int) -> int:
        """Return how many of `voters` must agree."""

    def to_dict(self) -> dict[str, object]:
        """Return the vote as it stands in a file."""


@dataclass(frozen=True)
class Consensus:
    """Everybody agrees.

    >>> Consensus().needed(4)
    4
    """

    @property
    def name(self) -> str:
        """The word recorded as the rule that decided."""
        return "consensus"

    def needed(self, voters: int) -> int:
        """Return how many of `voters` must agree: all."""
        return voters

    def to_dict(self) -> dict[str, object]:
        """Return the vote as it stands in a file."""
        return {"rule": "consensus"}


@dataclass(frozen=True)
class StrongMajority:
    """At least a share `theta` agrees, rounded up; `theta` is above 1/2 and at most 1.

    The share is read as the decimal it is written as, so that 0.6 of 5 voters is 3, never 4.

    >>> StrongMajority(0.6).needed(5), StrongMajority(0.7).needed(10), StrongMajority(2 / 3).needed(4)
    (3, 7, 3)
    """

    theta: float

    def __post_init__(self) -> None:
        theta = self.theta
        if isinstance(theta, bool) or not isinstance(theta, Real) or not Fraction(1, 2) < theta <= 1:
            raise ArgumentError("vote.theta", "expected a number above 0.5 and at most 1")
        object.__setattr__(self, "theta", float(theta))

    @property
    def name(self) -> str:
        """The word recorded as the rule that decided."""
        return "majority"

    def needed(self, voters: int) -> int:
        """Return how many of `voters` must agree."""
        return math.ceil(Fraction(repr(self.theta)) * voters)

    def to_dict(self) -> dict[str, object]:
        """Return the vote as it stands in a file."""
        return {"rule": "majority", "theta": self.theta}


def read_vote(entry: object) -> Vote:
    """Return the vote described by `{"rule": "consensus"}` or `{"rule": "majority", "theta": 0.75}`.

    >>> read_vote({"rule": "majority", "theta": 0.75})
    StrongMajority(theta=0.75)
    """
    if not isinstance(entry, Mapping):
        raise ArgumentError("vote", "expected a table with a rule, consensus or majority")
    rule = entry.get("rule")
    fields = {"consensus": {"rule"}, "majority": {"rule", "theta"}}
    if not isinstance(rule, str) or rule not in fields:
        raise ArgumentError("vote.rule", "expected consensus or majority")
    if set(entry) != fields[rule]:
        raise ArgumentError("vote", f"expected exactly {' and '.join(sorted(fields[rule]))} for {rule}")
    return Consensus() if rule == "consensus" else StrongMajority(entry["theta"])
