"""Whose words are counted: an edge's, a sender's, a message's; and which units of privacy hide what one of them said.

A message to many lies on many edges. Where a unit hides messages as well, a message is counted once: on one of its
edges (a *pair*), with its thread, or for its sender.
"""

from __future__ import annotations

from dataclasses import dataclass

from entrenous.errors import ArgumentError
from entrenous.unit import Unit

__all__ = [
    "ALL",
    "EDGE",
    "EDGE_AND_MESSAGE",
    "HOLDERS",
    "MESSAGE",
    "NOTE",
    "SENDER",
    "THREAD",
    "Holder",
    "holder_of",
    "unit_of",
]


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
    changes
        How many additions and removals of whole holders the unit amounts to. To take one message off a pair turns the
        pair into another one: 2.
    messages
        Whether a vocabulary for it starts from messages, which share out their weight (`MessageTable`).
    """

    name: str
    unit: Unit
    replaced: Unit | None
    settled: str
    counts: str
    limits: str = ""
    changes: int = 1
    messages: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def squares(self) -> int:
        """By how many times the square of what one addition moves a count of several n-grams moves at most.

        Two holders that change may move the same counts: their movements add up, and the square of the sum counts.
        """
        return self.changes if self.changes <= 2 else self.changes**2 // 2

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


NEAR_COPIES = "Near-copies by one sender are taken for copies of one message."
COPIES = (
    f"{NEAR_COPIES} How many copies a message has, and which of them is counted, is taken as known: where some are "
    "taken away, the others stay as they are."
)
THREADS = f"{COPIES} The same goes for the messages of a thread."
EDGE_AND_MESSAGE = Holder(
    "pair",
    Unit.EDGE_AND_MESSAGE,
    None,
    "pair",
    "pairs of people; what one of them wrote to many at once counts for one of its pairs",
    f"{COPIES} What several people say, or one person says in several messages to different people, can be published.",
    changes=2,
    messages=True,
)
MESSAGE = Holder(
    "message",
    Unit.MESSAGE,
    None,
    "letter",
    "messages; near-copies by one sender count once",
    f"{NEAR_COPIES} What several people say, or one person says in several messages, can be published, even if all of "
    "them went to the same person.",
    messages=True,
)
THREAD = Holder(
    "thread",
    Unit.THREAD,
    None,
    "thread",
    "threads; near-copies by one sender count in one of them",
    f"{THREADS} What is said in several threads can be published, by several people or by one, even if all of it went "
    "to the same person.",
    changes=2,
    messages=True,
)
SENDER = Holder(
    "sender",
    Unit.SENDER,
    Unit.REPLACED_SENDER,
    "sender",
    "people who wrote it",
    "What several people say can be published, also where they repeat what one of them wrote to all.",
)
ALL = Holder(
    "writer",
    Unit.ALL_OF_MAIL,
    None,
    "writer",
    "people who wrote it in the first message of a thread",
    f"{THREADS} What several people say, in several threads, can be published.",
    changes=4,  # an edge has two writers, and each of them turns into another one
    messages=True,
)
EDGE = Holder(
    "edge",
    Unit.EDGE_CONTENT,
    Unit.REPLACED_CONTENT,
    "edge",
    "edges; a message to many counts on each of its edges",
    "A message to many people counts on each of its edges, and only what is named above is hidden: one such message "
    "can be enough to publish its own phrases.",
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


def unit_of(source: object) -> str | None:
    """Return the unit that a table was counted for; None for a corpus, which is counted as asked."""
    by = getattr(source, "by", None)
    return next((name for name, holder in HOLDERS.items() if holder == by), None)


def holder_of(unit: str | None, *, edges: bool = False) -> Holder:
    """Return whose words are hidden: as asked, else pairs and messages, or edges where nothing else is proven.

    >>> holder_of(None).name, holder_of(None, edges=True).name, holder_of("all").name
    ('pair', 'edge', 'writer')
    """
    if unit is None:
        return EDGE if edges else EDGE_AND_MESSAGE
    return Holder.named(unit, "unit")
