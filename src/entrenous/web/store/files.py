"""SQL about the bytes of items: the only file that names the table `contents`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.schema import contents, items

__all__ = [
    "Stored",
    "add_content",
    "fetch_content",
    "move_content",
    "remove_content",
    "remove_contents",
    "withdrawn_before",
]


@dataclass(frozen=True)
class Stored:
    """Bytes and what they are."""

    content: bytes
    media_type: str
    name: str


def add_content(session: Session, item: str, variant: str, stored: Stored) -> None:
    """Keep the bytes of an item."""
    session.execute(
        sa.insert(contents).values(
            item=item,
            variant=variant,
            media_type=stored.media_type,
            name=stored.name,
            content=stored.content,
        )
    )


def fetch_content(session: Session, item: str, variant: str) -> Stored | None:
    """Return the bytes of an item: only `media.read_file` calls this, after the access check."""
    query = sa.select(contents.c.content, contents.c.media_type, contents.c.name).where(
        contents.c.item == item, contents.c.variant == variant
    )
    row = session.execute(query).one_or_none()
    return None if row is None else Stored(**row._mapping)


def remove_content(session: Session, item: str, variant: str) -> None:
    """Remove one of the variants of an item's bytes, if it is there."""
    session.execute(sa.delete(contents).where(contents.c.item == item, contents.c.variant == variant))


def move_content(session: Session, item: str, variant: str, to: str) -> None:
    """Let one of the variants take the place of another; nothing takes its place where there is none."""
    remove_content(session, item, to)
    query = sa.update(contents).where(contents.c.item == item, contents.c.variant == variant)
    session.execute(query.values(variant=to))


def remove_contents(session: Session, item: str) -> None:
    """Remove the bytes of an item for good."""
    session.execute(sa.delete(contents).where(contents.c.item == item))


def withdrawn_before(session: Session, moment: datetime) -> list[str]:
    """Return withdrawn items that still have bytes and can no longer be brought back."""
    query = sa.select(items.c.id).where(
        items.c.state == "withdrawn",
        sa.or_(items.c.deadline.is_(None), items.c.deadline <= moment),
        items.c.id.in_(sa.select(contents.c.item)),
    )
    return list(session.scalars(query))
