"""Beliefs that say nothing about single n-grams: edges are independent, or any so many depend on each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from entrenous import _check
from entrenous.guarantee import CORRELATED_EDGES, Kind
from entrenous.unit import Unit
from entrenous.words.beliefs.belief import GROUP, INDEPENDENT, Belief, NeighbourSource
from entrenous.words.beliefs.laws import Laws, at_most, nothing_more
from entrenous.words.pufferfish.wasserstein import Distribution

if TYPE_CHECKING:
    from entrenous.words.counting.holder import Holder
    from entrenous.words.pufferfish.wasserstein import LogPmf

__all__ = ["Group", "Independent"]


@dataclass(frozen=True)
class Independent(Belief):
    """Edges say nothing about each other: plain edge-level differential privacy.

    >>> Independent().w_inf(), Independent().edge_epsilon(0.5)
    (1, 0.5)
    """

    label: ClassVar[str] = "edges say nothing about each other"
    measurable: ClassVar[bool] = True
    kind: ClassVar[Kind] = Kind.DP
    about_ngrams: ClassVar[bool] = False
    senders: ClassVar[bool] = True

    @classmethod
    def measured(cls, corpus: NeighbourSource, *, defect: float = 0.0) -> Self:  # noqa: ARG003 - no numbers
        """Return the belief, which has no numbers."""
        return cls()

    def unit(self, by: Holder, *, replaced: bool) -> Unit:
        """Return the holder's own unit."""
        return by.replaced if replaced and by.replaced is not None else by.unit

    def sentences(self, mechanism: str, *, replaced: bool) -> tuple[str, ...]:  # noqa: ARG002 - for any noise
        """Return what a card says first: that others may believe more."""
        return (CORRELATED_EDGES,)

    def count_distributions(self) -> tuple[LogPmf, LogPmf]:
        """Return the count without the edge, and with it."""
        return _together(1)

    @property
    def laws(self) -> Laws:
        """The class of laws that the promise is proved for, as constraints."""
        return Laws((nothing_more(),))

    def w_inf(self) -> int:
        """Return 1: the edge itself."""
        return 1

    @property
    def sentence(self) -> str:
        """The belief of the attacker, in words."""
        return INDEPENDENT

    @property
    def assumption(self) -> str:
        """What a card says about this model."""
        return self.sentence


@dataclass(frozen=True)
class Group(Belief):
    """Any `size` edges may depend on each other in any way: group privacy.

    >>> Group(4).edge_epsilon(1.0)
    0.25
    """

    label: ClassVar[str] = "any so many edges depend on each other"
    measurable: ClassVar[bool] = True
    options: ClassVar[tuple[str, ...]] = ("group",)
    kind: ClassVar[Kind] = Kind.DP
    about_ngrams: ClassVar[bool] = False
    replacing: ClassVar[bool] = False

    size: int
    from_graph: bool = field(default=False, kw_only=True)  # whether the size was read off the graph

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "size", _check.at_least("size", self.size, 1))

    @classmethod
    def from_options(cls, largest: int, **values: Any) -> Self:  # noqa: ARG003 - any size may be hidden
        """Return the group of the size that was stated."""
        return cls(values["group"])

    @classmethod
    def measured(cls, corpus: NeighbourSource, *, defect: float = 0.0) -> Self:  # noqa: ARG003 - no coupling
        """Return the group of an edge and all its neighbours."""
        return cls.around(corpus)

    @property
    def knows_graph(self) -> bool:
        """Whether the size tells about the graph."""
        return self.from_graph

    @property
    def group(self) -> int:
        """How many holders are hidden together."""
        return self.size

    def unit(self, by: Holder, *, replaced: bool) -> Unit:  # noqa: ARG002 - edges alone, added or removed
        """Return the group."""
        return Unit.GROUP

    def sentences(self, mechanism: str, *, replaced: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Return nothing: what a group is stands in the promise itself."""
        return ()

    def count_distributions(self) -> tuple[LogPmf, LogPmf]:
        """Return the worst there is: none of the group carries an n-gram, or all do.

        >>> import numpy as np
        >>> [np.exp(side).tolist() for side in Group(3).count_distributions()]
        [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
        """
        return _together(self.size)

    @classmethod
    def around(cls, corpus: NeighbourSource) -> Self:
        """Return the group of an edge and all its neighbours, the largest there is; the graph is public."""
        return cls(1 + corpus.largest_neighbourhood, from_graph=True)

    @property
    def laws(self) -> Laws:
        """The class of laws that the promise is proved for, as constraints."""
        return Laws((at_most(self.size),))

    def w_inf(self) -> int:
        """Return the size of the group."""
        return self.size

    @property
    def sentence(self) -> str:
        """The belief of the attacker, in words."""
        return GROUP.format(size=self.size)

    @property
    def assumption(self) -> str:
        """What a card says about this model."""
        return self.sentence


def _together(size: int) -> tuple[LogPmf, LogPmf]:
    """Return the counts of so many edges that carry the same: none, or all."""
    return Distribution((0,), (1,)).log_pmf(size), Distribution((size,), (1,)).log_pmf(size)
