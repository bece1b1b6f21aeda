"""SQL about the bytes of items: the only file that names the table `contents`.

Bytes are in the row, or in the object store under the name that the row says. The object is written before the row is
committed, and removed by a letter of the outbox after the row is gone: see `objects`.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store import letters
from entrenous.web.store.blobs.objects import ObjectsAway
from entrenous.web.store.database import among, count_changed, inserting, now, objects_of
from entrenous.web.store.schema import contents, items, object_owners

__all__ = [
    "CLEANING",
    "Kept",
    "Stored",
    "add_content",
    "any_placed",
    "fetch_content",
    "fetch_unchecked",
    "find_content",
    "mark_of",
    "move_content",
    "named_objects",
    "next_elsewhere",
    "not_yet_sized",
    "pictures",
    "put_content",
    "remove_content",
    "remove_contents",
    "set_measures",
    "set_place",
    "withdrawn_before",
]

CLEANING = 1
"""The version of the cleaning that makes what is kept: 0 knew no size for the screen, and left PDFs as they were."""


@dataclass(frozen=True)
class Stored:
    """Bytes and what they are; `place` is the object's name if they were put into the object store already."""

    content: bytes
    media_type: str
    name: str
    width: int | None = None
    height: int | None = None
    place: str | None = None


@dataclass(frozen=True)
class Kept:
    """What is known of kept bytes without reading them; `tag` is random, and another one for other bytes."""

    item: str
    variant: str
    media_type: str
    name: str
    size: int
    tag: str
    place: str | None
    width: int | None
    height: int | None


_KEPT = tuple(contents.c[name] for name in Kept.__dataclass_fields__)


def put_content(session: Session, content: bytes) -> str | None:
    """Put bytes where this service keeps them, and return the object's name; None if that is the row."""
    objects = objects_of(session)
    return None if objects is None else objects.put(content)


def add_content(session: Session, item: str, variant: str, stored: Stored) -> None:
    """Keep the bytes of an item."""
    place = stored.place or put_content(session, stored.content)
    session.execute(
        sa.insert(contents).values(
            item=item,
            variant=variant,
            media_type=stored.media_type,
            name=stored.name,
            content=stored.content if place is None else b"",
            place=place,
            size=len(stored.content),
            tag=secrets.token_hex(16),
            width=stored.width,
            height=stored.height,
            cleaned=CLEANING,
        )
    )


def find_content(session: Session, item: str, variant: str) -> Kept | None:
    """Return what is known of an item's bytes, without them."""
    query = sa.select(*_KEPT).where(contents.c.item == item, contents.c.variant == variant)
    row = session.execute(query).one_or_none()
    return None if row is None else Kept(**row._mapping)


def fetch_content(session: Session, kept: Kept, start: int, stop: int) -> bytes:
    """Return a part of the bytes of an item: only `media` calls this, after the access check."""
    return fetch_unchecked(session, kept, start, stop)


def fetch_unchecked(session: Session, kept: Kept, start: int = 0, stop: int | None = None) -> bytes:
    """Return a part of the bytes for work that shows them to nobody: other sizes, another place."""
    stop = kept.size if stop is None else stop
    if kept.place is not None:
        objects = objects_of(session)
        if objects is None:
            raise ObjectsAway
        return objects.get(kept.place, start, stop)
    part = sa.func.substr(contents.c.content, start + 1, stop - start, type_=sa.LargeBinary)
    query = sa.select(part).where(*_same(kept))
    return bytes(session.execute(query).scalar_one_or_none() or b"")


def _same(kept: Kept) -> tuple[sa.ColumnElement[bool], ...]:
    return contents.c.item == kept.item, contents.c.variant == kept.variant, contents.c.tag == kept.tag


def remove_content(session: Session, item: str, variant: str) -> None:
    """Remove one of the variants of an item's bytes, if it is there."""
    _remove(session, contents.c.item == item, contents.c.variant == variant)


def move_content(session: Session, item: str, variant: str, to: str) -> None:
    """Let one of the variants take the place of another; nothing takes its place where there is none."""
    remove_content(session, item, to)
    query = sa.update(contents).where(contents.c.item == item, contents.c.variant == variant)
    session.execute(query.values(variant=to))


def remove_contents(session: Session, item: str) -> None:
    """Remove the bytes of an item for good."""
    _remove(session, contents.c.item == item)


def _remove(session: Session, *which: sa.ColumnElement[bool]) -> None:
    """Remove rows, and have their objects removed once that is committed."""
    places = session.scalars(sa.select(contents.c.place).where(*which, contents.c.place.is_not(None)))
    _discard(session, [place for place in places if place is not None])
    session.execute(sa.delete(contents).where(*which))


def _discard(session: Session, places: Collection[str]) -> None:
    letters.enqueue(session, [("discard", {"object": place}) for place in places], now(session))


def withdrawn_before(session: Session, moment: datetime) -> list[str]:
    """Return withdrawn items that still have bytes and can no longer be brought back."""
    query = sa.select(items.c.id).where(
        items.c.state == "withdrawn",
        sa.or_(items.c.deadline.is_(None), items.c.deadline <= moment),
        items.c.id.in_(sa.select(contents.c.item)),
    )
    return list(session.scalars(query))


# --- sizes --------------------------------------------------------------------------------------------------


def pictures(session: Session, ids: Collection[str]) -> Mapping[str, Mapping[str, tuple[int, int]]]:
    """Return which measured sizes items have, by variant: width and height."""
    query = sa.select(contents.c.item, contents.c.variant, contents.c.width, contents.c.height).where(
        among(contents.c.item, "ids"), contents.c.width.is_not(None)
    )
    found: dict[str, dict[str, tuple[int, int]]] = {item: {} for item in ids}
    for item, variant, width, height in session.execute(query, {"ids": list(ids)}):
        found[item][variant] = (width, height)
    return found


def not_yet_sized(session: Session, variants: Collection[str], limit: int) -> list[Kept]:
    """Return photos in their own size that an earlier version kept, without a size for the screen."""
    query = sa.select(*_KEPT).where(
        contents.c.cleaned < CLEANING,
        contents.c.variant.in_(variants),
        contents.c.media_type.like("image/%"),
    )
    return [Kept(**row._mapping) for row in session.execute(query.order_by(contents.c.item).limit(limit))]


def set_measures(session: Session, kept: Kept, width: int | None, height: int | None) -> bool:
    """Note how large a photo is, and return whether it is still there."""
    query = sa.update(contents).where(*_same(kept))
    return bool(count_changed(session, query.values(width=width, height=height, cleaned=CLEANING)))


# --- places -------------------------------------------------------------------------------------------------


def any_placed(session: Session) -> bool:
    """Return whether any bytes are in an object store."""
    query = sa.select(contents.c.item).where(contents.c.place.is_not(None)).limit(1)
    return session.execute(query).first() is not None


def named_objects(session: Session, names: Collection[str]) -> set[str]:
    """Return which of some objects are named by a row."""
    query = sa.select(contents.c.place).where(among(contents.c.place, "names"))
    return {place for place in session.scalars(query, {"names": list(names)}) if place is not None}


def next_elsewhere(session: Session, *, in_objects: bool, after: tuple[str, str]) -> Kept | None:
    """Return the next bytes, in order of item and variant, that are in objects, or are not."""
    placed = contents.c.place.is_not(None) if in_objects else contents.c.place.is_(None)
    behind = sa.or_(
        contents.c.item > after[0], sa.and_(contents.c.item == after[0], contents.c.variant > after[1])
    )
    query = sa.select(*_KEPT).where(placed, behind).order_by(contents.c.item, contents.c.variant).limit(1)
    row = session.execute(query).one_or_none()
    return None if row is None else Kept(**row._mapping)


def set_place(session: Session, kept: Kept, place: str | None, content: bytes) -> bool:
    """Note where bytes are from now on, and return whether they still were where they had been."""
    here = contents.c.place.is_(None) if kept.place is None else contents.c.place == kept.place
    query = sa.update(contents).where(*_same(kept), here).values(place=place, content=content)
    if not count_changed(session, query):
        return False
    if kept.place is not None:
        _discard(session, [kept.place])
    return True


def mark_of(session: Session, url: str) -> str:
    """Return the mark of this database in an object store, made when it is first asked for."""
    insert = inserting(session, object_owners).values(url=url, mark=secrets.token_hex(16))
    session.execute(insert.on_conflict_do_nothing())
    query = sa.select(object_owners.c.mark).where(object_owners.c.url == url)
    return str(session.execute(query).scalar_one())
