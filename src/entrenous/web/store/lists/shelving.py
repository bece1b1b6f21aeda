"""SQL about each person's own lists: what waits for them, and the items they decide about."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.audit_trail import last_told
from entrenous.web.store.database import among
from entrenous.web.store.lists.list_tables import page_keys, shelves, waiting
from entrenous.web.store.schema import agreements, change_voices, items

__all__ = [
    "ShelfRow",
    "WaitingRow",
    "agreements_about",
    "hold_items",
    "on_shelf",
    "page_key",
    "replace_rows",
    "voices_about",
    "waiting_count",
    "waiting_for",
]


@dataclass(frozen=True)
class WaitingRow:
    """What an item wants of a person, from one moment to another."""

    person: int
    item: str
    since: datetime
    until: datetime
    need: str
    place: str


@dataclass(frozen=True)
class ShelfRow:
    """An item that a person decides about.

    `seen` is false where it was withdrawn by somebody else, `named` says that the person's name is on it, `decided`
    that there is an outcome, which is in force from one moment to another.
    """

    person: int
    item: str
    place: str
    seen: bool
    named: bool
    decided: bool
    since: datetime
    until: datetime


# --- bringing them up to date -------------------------------------------------------------------------------

_LOCK = sa.select(items.c.id).where(among(items.c.id, "ids")).order_by(items.c.id).with_for_update()
_AGREEMENTS = sa.select(agreements.c.item, agreements.c.round, agreements.c.person).where(
    among(agreements.c.item, "ids")
)
_VOICES = sa.select(change_voices.c.item, change_voices.c.person).where(among(change_voices.c.item, "ids"))


def hold_items(session: Session, ids: Collection[str]) -> None:
    """Keep others from changing items, in an order that all transactions share."""
    session.execute(_LOCK, {"ids": list(ids)}).all()


def agreements_about(session: Session, ids: Collection[str]) -> dict[tuple[str, int], set[int]]:
    """Return who agrees with the outcomes of items, by item and round."""
    found: dict[tuple[str, int], set[int]] = {}
    for row in session.execute(_AGREEMENTS, {"ids": list(ids)}):
        found.setdefault((row.item, row.round), set()).add(row.person)
    return found


def voices_about(session: Session, ids: Collection[str]) -> dict[str, set[int]]:
    """Return who said yes to what is proposed about items."""
    found: dict[str, set[int]] = {}
    for row in session.execute(_VOICES, {"ids": list(ids)}):
        found.setdefault(row.item, set()).add(row.person)
    return found


def replace_rows(
    session: Session, ids: Collection[str], waits: Sequence[WaitingRow], places: Sequence[ShelfRow]
) -> None:
    """Let everybody's lists say exactly this about some items."""
    told = last_told(session, ids)
    for table in (waiting, shelves):
        session.execute(sa.delete(table).where(among(table.c.item, "ids")), {"ids": list(ids)})
    if waits:
        session.execute(sa.insert(waiting), [vars(row) for row in waits])
    if places:
        session.execute(sa.insert(shelves), [vars(row) | {"told": told.get(row.item, 0)} for row in places])


# --- reading them -------------------------------------------------------------------------------------------


def _now(table: sa.Table, moment: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(table.c.since <= moment, table.c.until > moment)


def waiting_count(session: Session, person: int, moment: datetime, most: int) -> int:
    """Return how many items want something of a person at a moment, but count no further than `most`."""
    some = sa.select(waiting.c.item).where(waiting.c.person == person, _now(waiting, moment)).limit(most)
    return session.scalar(sa.select(sa.func.count()).select_from(some.subquery())) or 0


def waiting_for(
    session: Session, person: int, moment: datetime, edge: str | None, count: int, *, back: bool
) -> list[WaitingRow]:
    """Return what items want of a person at a moment, the most urgent first, or back from an edge."""
    query = sa.select(*(waiting.c[one.name] for one in fields(WaitingRow))).where(
        waiting.c.person == person, _now(waiting, moment)
    )
    place = waiting.c.place
    if edge is not None:
        query = query.where(place < edge if back else place > edge)
    rows = session.execute(query.order_by(place.desc() if back else place).limit(count))
    return [WaitingRow(*row) for row in rows]


def on_shelf(
    session: Session, person: int, which: str, edge: str | None, count: int, *, back: bool
) -> list[tuple[str, str]]:
    """Return the items that a person sees as a co-owner, or is named in, each with its place, the newest first."""
    place = shelves.c.place
    query = sa.select(shelves.c.item, place).where(shelves.c.person == person, shelves.c[which] == sa.true())
    if edge is not None:
        query = query.where(place > edge if back else place < edge)
    rows = session.execute(query.order_by(place if back else place.desc()).limit(count))
    return [(row.item, row.place) for row in rows]


def page_key(session: Session) -> bytes:
    """Return the key that seals where pages ended; it is read once by each process."""
    kept: dict[str, Any] = session.info["kept"]
    if "page key" not in kept:
        kept["page key"] = session.scalar(sa.select(page_keys.c.key))
    key: bytes = kept["page key"]
    return key
