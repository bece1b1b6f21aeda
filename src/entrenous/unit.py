"""Units of privacy: the change of the data that nobody must notice.

A unit is an object with its name, the change in words, and what a promise for it says about other units. All units
stand in one registry; the command line, vaults, cards and audits read it. Which statistics know a unit is said by the
statistics themselves: each carries how far one unit moves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from entrenous.errors import ArgumentError

__all__ = ["PARTS", "Unit"]

#: What a data set consists of: who is in it, who is tied to whom, and what passes on the ties.
PARTS = ("nodes", "ties", "contents")

_REGISTRY: dict[str, Unit] = {}


@dataclass(frozen=True)
class Unit:
    """What is hidden: a change of the data that an observer must not notice.

    Parameters
    ----------
    name
        The word on the command line, in vaults and on cards.
    change
        The protected change in words; a group's has room for its `size`.
    implies
        Units that a promise for this one covers as well, and by which factor their epsilon is larger.
    made_of
        Units of which so many changes, one after another, amount to this one: counts that know those know this one too.
    parts
        The parts of a data set (see `PARTS`) that the change touches, and for each the unit that the change amounts to
        if only this part is looked at. A release that looks at none of them says nothing about the change.

    Examples
    --------
    >>> Unit.named("edge") is Unit.EDGE, str(Unit.EDGE)
    (True, 'edge')
    >>> Unit.EDGE_CONTENT.factor(Unit.REPLACED_CONTENT), Unit.EDGE.factor(Unit.SENDER)
    (2, None)
    """

    EDGE: ClassVar[Unit]
    EDGE_CONTENT: ClassVar[Unit]
    REPLACED_CONTENT: ClassVar[Unit]
    MESSAGE: ClassVar[Unit]
    THREAD: ClassVar[Unit]
    EDGE_AND_MESSAGE: ClassVar[Unit]
    ALL_OF_MAIL: ClassVar[Unit]
    SENDER: ClassVar[Unit]
    REPLACED_SENDER: ClassVar[Unit]
    GROUP: ClassVar[Unit]
    CORRELATED_EDGE: ClassVar[Unit]

    name: str
    change: str = field(repr=False, compare=False)
    implies: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)
    made_of: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)
    parts: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def __str__(self) -> str:
        return self.name

    def factor(self, other: Unit) -> int | None:
        """Return by which factor epsilon grows if a promise for this unit is read for another; None if it says nothing.

        Adding or removing something is to replace it by nothing, or nothing by it; and to replace it is to remove one
        thing and to add another: the factors are 1 and 2.
        """
        return 1 if other == self else self.implies.get(other.name)

    @property
    def covers_several(self) -> bool:
        """Whether it hides changes of several kinds at once, each at the same epsilon."""
        return list(self.implies.values()).count(1) > 1

    @classmethod
    def named(cls, name: object, argument: str = "unit") -> Unit:
        """Return the unit of this name; a unit is returned as it is."""
        if isinstance(name, Unit):
            return name
        if not isinstance(name, str) or name not in _REGISTRY:
            raise ArgumentError(argument, f"expected one of {', '.join(sorted(_REGISTRY))}; got {name!r}")
        return _REGISTRY[name]

    @classmethod
    def all(cls) -> tuple[Unit, ...]:
        """Return every unit there is."""
        return tuple(_REGISTRY.values())

    @classmethod
    def register(
        cls,
        name: str,
        change: str,
        implies: Mapping[str, int] | None = None,
        made_of: Mapping[str, int] | None = None,
        parts: Mapping[str, str] | None = None,
    ) -> Unit:
        """Add a unit to the registry and return it; without `parts` its change touches every part as a whole."""
        if name in _REGISTRY:
            raise ArgumentError("name", f"expected a new name; {name} is a unit already")
        touched = dict.fromkeys(PARTS, name) if parts is None else dict(parts)
        _REGISTRY[name] = cls(name, change, dict(implies or {}), dict(made_of or {}), touched)
        return _REGISTRY[name]


Unit.EDGE = Unit.register(
    "edge",
    "adding or removing any one tie",
    parts={"ties": "edge", "contents": "edge-content"},  # a tie goes with all that passes on it
)
Unit.EDGE_CONTENT = Unit.register(
    "edge-content",
    "adding or removing the content of one edge",
    {"replaced-content": 2},
    parts={"contents": "edge-content"},
)
Unit.REPLACED_CONTENT = Unit.register(
    "replaced-content",
    "replacing the content of one edge by any other",
    {"edge-content": 1},
    parts={"contents": "replaced-content"},
)
Unit.SENDER = Unit.register(
    "sender",
    "adding or removing everything one person wrote",
    {"replaced-sender": 2, "edge-content": 4, "replaced-content": 4},  # two people write on an edge
    parts={"contents": "sender"},
)
Unit.REPLACED_SENDER = Unit.register(
    "replaced-sender",
    "replacing everything one person wrote by anything else",
    {"sender": 1, "edge-content": 2, "replaced-content": 2},
    parts={"contents": "replaced-sender"},
)
Unit.MESSAGE = Unit.register(
    "message",
    "adding or removing one message with all its copies",
    parts={"contents": "message"},
)
Unit.THREAD = Unit.register(
    "thread",
    "adding or removing any of the messages of one thread",
    {"message": 1},
    parts={"contents": "thread"},
)
Unit.EDGE_AND_MESSAGE = Unit.register(
    "edge-and-message",
    "adding or removing one message or all that passed between two people",
    {"message": 1, "edge-content": 1, "replaced-content": 2},
    parts={"contents": "edge-and-message"},
)
Unit.ALL_OF_MAIL = Unit.register(
    "all-of-mail",
    "adding or removing one message, any of one thread, all that passed between two people or all that one person "
    "wrote",
    {
        "message": 1,
        "thread": 1,
        "edge-content": 1,
        "edge-and-message": 1,
        "sender": 1,
        "replaced-content": 2,
        "replaced-sender": 2,
    },
    parts={"contents": "all-of-mail"},
)
Unit.GROUP = Unit.register(
    "group",
    "adding or removing the content of any {size} edges",
    {"edge-content": 1},
    parts={"contents": "group"},
)
Unit.CORRELATED_EDGE = Unit.register(
    "correlated-edge", "adding or removing the content of one edge", parts={"contents": "correlated-edge"}
)
