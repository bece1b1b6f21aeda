"""Messages and the edges they lie on: what vocabularies start from where a message counts once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import ArgumentError
from entrenous.words.counting.holder import EDGE, EDGE_AND_MESSAGE, NOTE, Holder
from entrenous.words.counting.program import PASSAGES
from entrenous.words.counting.table import Table

if TYPE_CHECKING:
    from entrenous.words.counting.engines import Engine
    from entrenous.words.reading.public_edges import PublicEdges

__all__ = ["MessageTable", "message_table", "passages_by", "persons_of", "widest_messages"]

Ids = NDArray[np.int32]
Numbers = NDArray[np.int64]
SPLITTER = np.uint64(0x9E3779B97F4A7C15)  # of splitmix64, which gives messages well-spread numbers


@dataclass(frozen=True, eq=False, repr=False)
class MessageTable(Table):
    """Which message says which n-grams, and on which edges it lies; its holders are messages.

    A row of `ends` holds the sender of a message, twice.

    Attributes
    ----------
    edges, notes
        A passage for each message and each edge it lies on: the edge and the message, sorted by edge, then by message.
    edge_ends
        The two persons of each edge.
    thread, alike
        For each message a number of its thread, and of its sender's near-copies of it.

    Examples
    --------
    >>> mail = MessageTable.of([{"budget": 1}, {"lunch": 2}], senders=[0, 1], recipients=[[1, 2], [0]])
    >>> mail.holders, mail.copies.tolist(), mail.edge_ends.tolist()
    (2, [2, 1], [[0, 1], [0, 2]])
    """

    edges: Ids = field(kw_only=True)
    notes: Ids = field(kw_only=True)
    edge_ends: Ids = field(kw_only=True)
    thread: Numbers = field(kw_only=True)
    alike: Numbers = field(kw_only=True)

    @property
    def public_holders(self) -> int | None:
        """How many edges there are, where a public list says so; else None."""
        return len(self.edge_ends) if self.listed else None

    @property
    def senders(self) -> Ids:
        """Who wrote each message."""
        return self.ends[:, 0]

    @cached_property
    def copies(self) -> Numbers:
        """On how many edges each message lies."""
        return np.bincount(self.notes, minlength=self.holders).astype(np.int64)

    @cached_property
    def message_keys(self) -> NDArray[np.uint64]:
        """Well-spread numbers of messages, by whose sums sets of messages are compared."""
        state = (np.arange(self.holders, dtype=np.uint64) + np.uint64(1)) * SPLITTER
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(state ^ (state >> np.uint64(31)))

    def seen_by(self, unit: Holder) -> MessageTable:
        """Return the same messages, counted for a unit that hides at least messages."""
        return _replaced(self, by=unit)

    def without_passages(self, gone: NDArray[np.bool_]) -> MessageTable:
        """Return the table without the passages that are marked, for tests and audits."""
        return _replaced(self, edges=self.edges[~gone], notes=self.notes[~gone])

    @classmethod
    def of(
        cls,
        said: Sequence[Mapping[str, int]],
        *,
        senders: Sequence[int],
        recipients: Sequence[Sequence[int]],
        threads: Sequence[int] | None = None,
        alike: Sequence[int] | None = None,
        by: Holder | str = EDGE_AND_MESSAGE,
        n: int | None = None,
    ) -> MessageTable:
        """Return the table of messages whose n-grams and persons are given, for examples and small corpora.

        Parameters
        ----------
        said
            For each message its n-grams, and how often it says each.
        senders, recipients
            The sender of each message, and who got it.
        threads, alike
            Equal numbers for messages of one thread, and for near-copies by one sender. (default: all differ)
        by
            The unit that is to be hidden.
        n
            The longest n-gram there may be; by default the longest there is.
        """
        if not len(said) == len(senders) == len(recipients):
            raise ArgumentError("senders, recipients", f"expected one of each for all {len(said)} messages")
        table = Table.from_counts(said, ends=[(sender, sender) for sender in senders], n=n, by=NOTE)
        passages = sorted(
            {
                (min(sender, other), max(sender, other), message)
                for message, (sender, others) in enumerate(zip(senders, recipients, strict=True))
                for other in others
                if other != sender
            }
        )
        rows = np.array(passages, np.int64).reshape(-1, 3)
        ends, edges = np.unique(rows[:, :2], axis=0, return_inverse=True)
        return cls(
            **_fields(table) | {"by": Holder.named(by)},
            edges=edges.reshape(-1).astype(np.int32),
            notes=rows[:, 2].astype(np.int32),
            edge_ends=ends.astype(np.int32).reshape(-1, 2),
            thread=np.arange(len(said)) if threads is None else np.asarray(threads, np.int64),
            alike=np.arange(len(said)) if alike is None else np.asarray(alike, np.int64),
        )


def message_table(engine: Engine, table: Table, by: Holder, edges: PublicEdges | None = None) -> MessageTable:
    """Return a table of messages with the edges they lie on, from a settled store.

    Parameters
    ----------
    engine
        Where the store is.
    table
        Its table by `NOTE`.
    by
        The unit that is to be hidden.
    edges
        A public list: what passed on other edges is left out.
    """
    import ibis

    from entrenous.words.counting.tabulation import columns, holder_ends

    numbered = ibis.table(PASSAGES, name="note_passages").rename(note="holder")
    lying = ibis.table(PASSAGES, name="edge_passages").join(numbered, "message")
    passages = columns(engine, lying.select("holder", "note").order_by("holder", "note"))
    grouped = ibis.table({"holder": "int32", "thread": "int64", "alike": "int64"}, name="notes")
    groups = columns(engine, grouped.order_by("holder").select("thread", "alike"))
    ends = holder_ends(engine, EDGE)
    on, notes = passages[0].astype(np.int32), passages[1].astype(np.int32)
    if edges is not None:
        places = edges.places(persons_of(engine), ends, EDGE)[on]
        order = np.argsort(places[places >= 0], kind="stable")
        on, notes = (places[places >= 0][order]).astype(np.int32), notes[places >= 0][order]
        ends = edges.ends
    thread, alike = (np.unique(group, return_inverse=True)[1].astype(np.int64) for group in groups)
    return MessageTable(
        **_fields(table) | {"by": by, "listed": edges is not None},
        edges=on,
        notes=notes,
        edge_ends=ends,
        thread=thread,
        alike=alike,
    )


def passages_by(engine: Engine, by: Holder, edges: PublicEdges | None = None) -> tuple[Numbers, Numbers]:
    """Return the message, by its number in a table by `NOTE`, and the holder of each passage of a settled store.

    Parameters
    ----------
    engine
        Where the store is.
    by
        Whose passages.
    edges
        A public list: holders have their places in it, and passages of others are left out.
    """
    import ibis

    from entrenous.words.counting.tabulation import columns, holder_ends

    numbered = ibis.table(PASSAGES, name="note_passages").rename(note="holder")
    lying = ibis.table(PASSAGES, name=f"{by.settled}_passages").join(numbered, "message")
    note, holder = columns(engine, lying.select("note", "holder").order_by("holder", "note"))
    note, holder = note.astype(np.int64), holder.astype(np.int64)
    if edges is None:
        return note, holder
    holder = edges.places(persons_of(engine), holder_ends(engine, by), by)[holder]
    return note[holder >= 0], holder[holder >= 0]


def widest_messages(engine: Engine) -> Ids:
    """Return for each edge of a settled store how many people got the widest message on it."""
    import ibis

    from entrenous.words.counting.tabulation import columns

    lying = ibis.table(PASSAGES, name="edge_passages")
    copies = lying.group_by("message").agg(copies=lambda t: t.count())
    found = lying.join(copies, "message").group_by("holder").agg(widest=lambda t: t.copies.max())
    return columns(engine, found.order_by("holder").select("widest"))[0].astype(np.int32)


def persons_of(engine: Engine) -> list[str]:
    """Return the persons of a settled store in the order of their numbers."""
    return [name for (name,) in engine.rows("SELECT name FROM persons ORDER BY person")]


def _fields(table: Table) -> dict[str, Any]:
    return {each.name: getattr(table, each.name) for each in fields(Table)}


def _replaced(table: MessageTable, **changes: Any) -> MessageTable:
    values = {each.name: getattr(table, each.name) for each in fields(MessageTable)}
    return MessageTable(**values | changes)
