"""SQL about what co-owners propose to change in an item: at most one proposal per item, and who said yes to it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.database import among, inserting
from entrenous.web.store.schema import change_voices, changes, items

__all__ = [
    "Proposed",
    "add_change",
    "add_voice",
    "change_of",
    "changes_about",
    "lapsed_changes",
    "proposed_by",
    "remove_change",
    "remove_voices",
    "voices",
]

OPEN_STATES = ("collecting", "proposed", "active", "no_agreement")


@dataclass(frozen=True)
class Proposed:
    """A proposed change: of `parts`, the fields named so hold what is new."""

    item: str
    id: str
    proposer: int
    parts: Sequence[str]
    title: str
    description: str
    expires: datetime | None
    opened: datetime
    until: datetime


def add_change(session: Session, **values: Any) -> None:
    """Keep a proposal; the key (item) makes sure that there is one only."""
    session.execute(sa.insert(changes).values(**values))


def change_of(session: Session, item: str) -> Proposed | None:
    """Return the proposal about an item, also one whose time is over."""
    row = session.execute(sa.select(changes).where(changes.c.item == item)).one_or_none()
    return None if row is None else Proposed(**row._mapping)


def remove_change(session: Session, item: str) -> None:
    """Remove the proposal about an item, and who said yes to it."""
    for table in (change_voices, changes):
        session.execute(sa.delete(table).where(table.c.item == item))


def add_voice(session: Session, item: str, person: int, moment: datetime) -> None:
    """Keep that a person said yes; once more changes nothing."""
    insert = inserting(session, change_voices).values(item=item, person=person, given=moment)
    session.execute(insert.on_conflict_do_nothing())


def voices(session: Session, item: str) -> set[int]:
    """Return who said yes to the proposal about an item."""
    return set(session.scalars(sa.select(change_voices.c.person).where(change_voices.c.item == item)))


def remove_voices(session: Session, person: int) -> None:
    """Forget all a person said yes to."""
    session.execute(sa.delete(change_voices).where(change_voices.c.person == person))


def proposed_by(session: Session, person: int) -> list[str]:
    """Return the items about which a person proposed something."""
    return list(session.scalars(sa.select(changes.c.item).where(changes.c.proposer == person)))


def changes_about(session: Session, ids: Collection[str]) -> dict[str, Proposed]:
    """Return the proposals about some items, also those whose time is over."""
    rows = session.execute(sa.select(changes).where(among(changes.c.item, "ids")), {"ids": list(ids)})
    return {row.item: Proposed(**row._mapping) for row in rows}


def lapsed_changes(session: Session, moment: datetime, limit: int) -> list[str]:
    """Return items whose proposal is over: its time has passed, or the item's has."""
    query = (
        sa.select(changes.c.item)
        .join(items, items.c.id == changes.c.item)
        .where(sa.or_(changes.c.until <= moment, items.c.state == "expired"))
    )
    return list(session.scalars(query.order_by(changes.c.item).limit(limit)))
