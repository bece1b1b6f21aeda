"""Whose words are counted: an edge's or a sender's, and which units of privacy hide what one of them said."""

from __future__ import annotations

from dataclasses import dataclass

from entrenous.errors import ArgumentError
from entrenous.unit import Unit

__all__ = ["EDGE", "HOLDERS", "SENDER", "Holder"]


@dataclass(frozen=True)
class Holder:
    """Whose words make up one row of a table.

    Attributes
    ----------
    name
        The word on the command line and in the names of a store's tables.
    unit
        The unit of privacy that adds or removes all that one holder said.
    replaced
        The unit that replaces it by something else.
    """

    name: str
    unit: Unit
    replaced: Unit

    def __str__(self) -> str:
        return self.name

    @classmethod
    def named(cls, name: object, argument: str = "by") -> Holder:
        """Return the holder of this name; a holder is returned as it is.

        >>> Holder.named("sender").unit.name
        'sender'
        """
        if isinstance(name, Holder):
            return name
        if not isinstance(name, str) or name not in HOLDERS:
            raise ArgumentError(argument, f"expected one of {', '.join(HOLDERS)}; got {name!r}")
        return HOLDERS[name]


EDGE = Holder("edge", Unit.EDGE_CONTENT, Unit.REPLACED_CONTENT)
SENDER = Holder("sender", Unit.SENDER, Unit.REPLACED_SENDER)
HOLDERS = {holder.name: holder for holder in (EDGE, SENDER)}
