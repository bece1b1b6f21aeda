"""Full consensus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from entrenous.access.votes.vote import Vote

__all__ = ["Consensus"]


@dataclass(frozen=True)
class Consensus(Vote):
    """Everybody agrees.

    >>> Consensus().needed(4)
    4
    """

    name = "consensus"
    description = "Everybody has to agree."

    @classmethod
    def examples(cls) -> Mapping[str, Self]:
        """Return the rule, which has no parameters."""
        return {"consensus": cls()}

    @property
    def label(self) -> str:
        """Who must agree, in a few words for a form."""
        return "everybody"

    @property
    def sentence(self) -> str:
        """Who must agree, as a sentence of the group."""
        return "everybody has to be fine with it"

    def needed(self, voters: int) -> int:
        """Return how many of `voters` must agree: all."""
        return voters
