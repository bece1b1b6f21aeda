"""Facts that are declared public: what a release takes for known, and which parts of the data they give away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from entrenous.errors import ArgumentError
from entrenous.guarantee import (
    GRAPH_PUBLIC,
    NODES_LISTED,
    NODES_SEEN,
    PUBLIC_HIERARCHY,
    PUBLIC_VOCABULARY,
    Guarantee,
)

__all__ = ["FACTS", "Fact"]


@dataclass(frozen=True)
class Fact:
    """Something about the data that is declared to be public.

    Attributes
    ----------
    name
        The word on the command line and in vaults.
    says
        The fact, as the end of "it was declared public ...".
    sentences
        The assumptions of a guarantee that declare it.
    reveals
        The parts of the data that are known to everybody from here on.
    """

    name: str
    says: str
    sentences: tuple[str, ...]
    reveals: tuple[str, ...] = ()

    @classmethod
    def named(cls, name: str) -> Fact:
        """Return the fact of this name."""
        if name not in FACTS:
            raise ArgumentError("fact", f"expected one of {', '.join(FACTS)}; got another word")
        return FACTS[name]

    @classmethod
    def assumed_by(cls, guarantee: Guarantee) -> tuple[Fact, ...]:
        """Return the facts that a guarantee rests on."""
        return tuple(fact for fact in FACTS.values() if set(fact.sentences) & set(guarantee.assumptions))


def _registry(facts: Iterable[Fact]) -> dict[str, Fact]:
    return {fact.name: fact for fact in facts}


#: Every fact there is, by name. Nodes are declared by every network release; no unit hides them yet.
FACTS = _registry(
    (
        Fact("nodes", "who is in the data", (NODES_LISTED, NODES_SEEN), ("nodes",)),
        Fact("ties", "who is tied to whom", (GRAPH_PUBLIC,), ("nodes", "ties")),
        Fact("hierarchy", "how people are grouped", (PUBLIC_HIERARCHY,)),
        Fact("vocabulary", "which n-grams are looked for", (PUBLIC_VOCABULARY,)),
    )
)
