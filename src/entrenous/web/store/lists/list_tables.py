"""The tables behind lists and counts.

`place` is an item's place in every list: the moment it was put up and its id, as one text. So a list has one order,
items of the same moment included, and going on where a page ended is one comparison in an index.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, LargeBinary, String, Table

from entrenous.web.store.schema import Instant, Serial, metadata

__all__ = [
    "EARLIEST",
    "LATEST",
    "crew_members",
    "crews",
    "page_keys",
    "place_of",
    "shelves",
    "shown",
    "waiting",
]

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(9999, 1, 1, tzinfo=UTC)
"""Moments before and after everything: rows that hold from the beginning, or without an end."""

Place = String(64).with_variant(String(64, collation="C"), "postgresql")
"""Compared letter by letter on every database, as Python does."""


def place_of(moment: datetime, item: str) -> str:
    """Return the place of an item in a list that is ordered by a moment.

    >>> place_of(datetime(2030, 5, 1, 12, tzinfo=UTC), "abc")
    '20300501120000000000abc'
    """
    return moment.astimezone(UTC).strftime("%Y%m%d%H%M%S%f") + item


def _person(**options: Any) -> Column[int]:
    return Column("person", Serial, ForeignKey("people.id"), **({"autoincrement": False} | options))


def _item(**options: Any) -> Column[str]:
    return Column("item", String(32), ForeignKey("items.id"), **options)


waiting = Table(
    "waiting",
    metadata,
    _person(primary_key=True),
    _item(primary_key=True, index=True),
    Column("since", Instant(), primary_key=True),
    Column("until", Instant(), nullable=False),
    Column("need", String(12), nullable=False),
    Column("place", Place, nullable=False),
    Index("ix_waiting_person_until", "person", "until"),
    Index("ix_waiting_person_place", "person", "place"),
)
"""What an item wants of a person, from one moment to another; `place` begins with how urgent it is."""

shelves = Table(
    "shelves",
    metadata,
    _person(primary_key=True),
    _item(primary_key=True, index=True),
    Column("place", Place, nullable=False),
    Column("seen", Boolean, nullable=False),
    Column("named", Boolean, nullable=False),
    Column("decided", Boolean, nullable=False),
    Column("since", Instant(), nullable=False),
    Column("until", Instant(), nullable=False),
    Column("told", Serial, nullable=False),
    Index("ix_shelves_person_seen_place", "person", "seen", "place"),
    Index("ix_shelves_person_named_place", "person", "named", "place"),
    Index("ix_shelves_person_decided_place", "person", "decided", "place"),
    Index("ix_shelves_person_told", "person", "told"),
)
"""The items a person decides about; `told` is the number of the last event that co-owners may know of."""

crews = Table(
    "crews",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False, unique=True),
    Column("reach", String(20), nullable=False),
    Column("every", Boolean, nullable=False),
)
"""Groups from whom distance is measured, from every one of them or from any; one for each reach of their items."""

crew_members = Table(
    "crew_members",
    metadata,
    Column("crew", Serial, ForeignKey("crews.id"), primary_key=True, autoincrement=False),
    _person(primary_key=True),
    Index("ix_crew_members_person_crew", "person", "crew"),
)

shown = Table(
    "shown",
    metadata,
    _item(primary_key=True),
    Column("place", Place, nullable=False),
    Column("reach", String(20), nullable=False),
    Column("crew", Serial, ForeignKey("crews.id")),
    Column("since", Instant(), nullable=False),
    Column("until", Instant(), nullable=False),
    Index("ix_shown_reach_place", "reach", "place"),
    Index("ix_shown_crew_place", "crew", "place"),
)
"""The items that somebody beyond their co-owners may see, from one moment to another, and how far they reach."""

page_keys = Table(
    "page_keys",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("key", LargeBinary, nullable=False),
)
"""The key that seals where a page of a list ended."""
