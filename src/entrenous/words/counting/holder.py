"""Whose words are counted: an edge's, a sender's, a message's; and which units of privacy hide what one of them said.

A message to many lies on many edges. Where a unit hides messages as well, a message is counted once: on one of its
edges (a *pair*), with its thread, or for its sender.
"""

from __future__ import annotations

from dataclasses import dataclass

from entrenous.errors import ArgumentError
from entrenous.unit import Unit

__all__ = ["ALL", "EDGE", "EDGE_AND_MESSAGE", "HOLDERS", "MESSAGE", "NOTE", "SENDER", "THREAD", "Holder"]


@dataclass(frozen=True)
class Holder:
    """Whose words make up one row of a table.

    Attributes
    ----------
    name
        What it is called in tables and on cards.
    unit
        The unit of privacy that adds or removes all that one holder said.
    replaced
        The unit that replaces it by something else, where there is one.
    settled
        What the tables of a settled store are called: `settled`s, and `settled`_passages.
    counts
        What a count of it counts, in words.
    limits
        What a card says about messages to many: what can still be published, and what is taken as known.
    messages
        Whether a vocabulary for it starts from messages, which share out their weight (`MessageTable`).
    """

    name: str
    unit: Unit
    replaced: Unit | None
    settled: str
    counts: str
    limits: str = ""
    messages: bool = False

    def __str__(self) -> str:
        return self.name

    @classmethod
    def named(cls, name: object, argument: str = "by") -> Holder:
        """Return the holder of this name; a holder is returned as it is.

        >>> Holder.named("sender").unit.name, Holder.named("edge-and-message").settled
        ('sender', 'pair')
        """
        if isinstance(name, Holder):
            return name
        if not isinstance(name, str) or name not in HOLDERS:
            raise ArgumentError(argument, f"expected one of {', '.join(HOLDERS)}; got {name!r}")
        return HOLDERS[name]


COPIES = (
    "How many copies a message has is taken as known: where one edge is taken away, the copies that others got stay as "
    "they are."
)
EDGE_AND_MESSAGE = Holder(
    "pair",
    Unit.EDGE_AND_MESSAGE,
    None,
    "pair",
    "pairs of people; what one of them wrote to many at once counts for one of its pairs",
    f"{COPIES} What several people say, or one person says in several messages to different people, can be published.",
    messages=True,
)
MESSAGE = Holder(
    "message",
    Unit.MESSAGE,
    None,
    "letter",
    "messages; near-copies by one sender count once",
    "What one person says in several messages can be published, even if all of them went to the same person.",
    messages=True,
)
THREAD = Holder(
    "thread",
    Unit.THREAD,
    None,
    "thread",
    "threads",
    "What one person says in several threads can be published, even if all of them went to the same person.",
    messages=True,
)
SENDER = Holder("sender", Unit.SENDER, Unit.REPLACED_SENDER, "sender", "people who wrote it")
ALL = Holder(
    "writer",
    Unit.ALL_OF_MAIL,
    None,
    "writer",
    "people who wrote it in the first message of a thread",
    f"{COPIES} The same goes for how many copies the messages of a thread have together.",
    messages=True,
)
EDGE = Holder(
    "edge",
    Unit.EDGE_CONTENT,
    Unit.REPLACED_CONTENT,
    "edge",
    "edges; a message to many counts on each of its edges",
)
#: The messages themselves, near-copies as well: what vocabularies that count a message once start from.
NOTE = Holder("note", Unit.MESSAGE, None, "note", "messages", messages=True)
#: By the word for it on the command line, the default first; "edge" is short for the content of an edge.
HOLDERS = {
    "edge-and-message": EDGE_AND_MESSAGE,
    "message": MESSAGE,
    "thread": THREAD,
    "sender": SENDER,
    "all": ALL,
    "edge-content": EDGE,
    "edge": EDGE,
}
