"""SQL about browsers that signed in to an account before."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.database import count_changed, insert_row, now
from entrenous.web.store.records import DeviceInfo
from entrenous.web.store.signing_in.sign_in_tables import devices

__all__ = [
    "MOST_DEVICES",
    "add_device",
    "device_among",
    "devices_of",
    "forget_device",
    "forget_devices",
    "known_hashes",
    "secret_hash_of",
    "touch_device",
]

MOST_DEVICES = 20
"""So many are kept for a person; then the one not seen for longest is forgotten."""


def add_device(session: Session, person: int, secret_hash: str, agent: str) -> int:
    """Remember a browser and return its number."""
    moment = now(session)
    kept = [one.id for one in devices_of(session, person)]
    for number in kept[MOST_DEVICES - 1 :]:
        forget_device(session, person, number)
    return insert_row(
        session,
        devices,
        person=person,
        secret_hash=secret_hash,
        agent=agent[:200],
        created=moment,
        seen=moment,
    )


def device_among(session: Session, person: int, hashes: Collection[str]) -> int | None:
    """Return which of a person's known browsers holds one of some secrets."""
    query = sa.select(devices.c.id).where(devices.c.person == person, devices.c.secret_hash.in_(hashes))
    return session.scalar(query.order_by(devices.c.seen.desc()).limit(1))


def known_hashes(session: Session, hashes: Collection[str]) -> set[str]:
    """Return which secrets belong to a known browser of anybody."""
    return set(session.scalars(sa.select(devices.c.secret_hash).where(devices.c.secret_hash.in_(hashes))))


def secret_hash_of(session: Session, device: int) -> str:
    """Return the hash of a known browser's secret."""
    return str(session.scalar(sa.select(devices.c.secret_hash).where(devices.c.id == device)))


def devices_of(session: Session, person: int) -> tuple[DeviceInfo, ...]:
    """Return a person's known browsers, the last seen first."""
    query = sa.select(devices).where(devices.c.person == person)
    rows = session.execute(query.order_by(devices.c.seen.desc(), devices.c.id.desc()))
    return tuple(DeviceInfo(row.id, row.created, row.seen, row.agent) for row in rows)


def touch_device(session: Session, device: int) -> None:
    """Note that somebody signed in with a known browser."""
    session.execute(sa.update(devices).where(devices.c.id == device).values(seen=now(session)))


def forget_device(session: Session, person: int, device: int) -> bool:
    """Forget one of a person's browsers and return whether there was one."""
    query = sa.delete(devices).where(devices.c.person == person, devices.c.id == device)
    return bool(count_changed(session, query))


def forget_devices(session: Session, person: int, *, keep: int | None = None) -> int:
    """Forget all of a person's browsers but one, and return how many."""
    query = sa.delete(devices).where(devices.c.person == person, devices.c.id != (keep or 0))
    return count_changed(session, query)
