"""SQL about passkeys: of each, its public half alone, which opens nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.database import count_changed, insert_row, now
from entrenous.web.store.schema import passkeys, people

__all__ = [
    "PasskeyInfo",
    "PublicKey",
    "add_passkey",
    "handle_of",
    "lock_person",
    "lock_public_key",
    "note_use",
    "passkeys_of",
    "remove_passkey",
]


@dataclass(frozen=True)
class PasskeyInfo:
    """A passkey as its owner sees it in the list."""

    id: int
    name: str
    rp_id: str
    credential: str
    transports: tuple[str, ...]
    backed_up: bool
    created: datetime
    seen: datetime | None


@dataclass(frozen=True)
class PublicKey:
    """What an answer of a passkey is checked against; `here` is false for somebody who was suspended."""

    id: int
    person: int
    credential: str
    public_key: bytes
    user_handle: str
    sign_count: int
    here: bool


def add_passkey(session: Session, person: int, **values: Any) -> int:
    """Add a passkey and return its number; an IntegrityError says that it is known already."""
    return insert_row(session, passkeys, person=person, created=now(session), **values)


def passkeys_of(session: Session, person: int) -> tuple[PasskeyInfo, ...]:
    """Return a person's passkeys, the oldest first."""
    rows = session.execute(sa.select(passkeys).where(passkeys.c.person == person).order_by(passkeys.c.id))
    return tuple(
        PasskeyInfo(
            id=row.id,
            name=row.name,
            rp_id=row.rp_id,
            credential=row.credential,
            transports=tuple(row.transports),
            backed_up=row.backed_up,
            created=row.created,
            seen=row.seen,
        )
        for row in rows
    )


def handle_of(session: Session, person: int) -> str | None:
    """Return the random name by which a person's authenticators know them, if there is one yet."""
    query = sa.select(passkeys.c.user_handle).where(passkeys.c.person == person).order_by(passkeys.c.id)
    return session.scalar(query.limit(1))


def lock_public_key(session: Session, credential: str, rp_id: str) -> PublicKey | None:
    """Return the passkey of this name and keep others from using it until this transaction ends."""
    query = (
        sa.select(passkeys, people.c.suspended)
        .join(people, people.c.id == passkeys.c.person)
        .where(passkeys.c.credential == credential, passkeys.c.rp_id == rp_id, people.c.deleted.is_(None))
        .with_for_update(of=passkeys)
    )
    row = session.execute(query).one_or_none()
    if row is None:
        return None
    return PublicKey(
        id=row.id,
        person=row.person,
        credential=row.credential,
        public_key=row.public_key,
        user_handle=row.user_handle,
        sign_count=row.sign_count,
        here=row.suspended is None,
    )


def note_use(session: Session, passkey: int, sign_count: int, *, backed_up: bool) -> None:
    """Note that a passkey was used, and how often it says it was."""
    change = sa.update(passkeys).where(passkeys.c.id == passkey)
    session.execute(change.values(sign_count=sign_count, backed_up=backed_up, seen=now(session)))


def remove_passkey(session: Session, person: int, passkey: int) -> bool:
    """Remove one of a person's passkeys and return whether there was one."""
    query = sa.delete(passkeys).where(passkeys.c.person == person, passkeys.c.id == passkey)
    return bool(count_changed(session, query))


def lock_person(session: Session, person: int) -> bool | None:
    """Return whether a person has a password, None for nobody, and let nobody else change how they sign in."""
    query = sa.select(people.c.password_hash).where(people.c.id == person, people.c.deleted.is_(None))
    row = session.execute(query.with_for_update()).one_or_none()
    return None if row is None else row.password_hash is not None
