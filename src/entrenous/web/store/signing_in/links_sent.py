"""SQL about one-time links; what the caller hands in is already hashed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.database import now
from entrenous.web.store.signing_in.sign_in_tables import one_time_links

__all__ = ["LinkRow", "add_link", "forget_kind", "forget_links", "link_by_hash", "purge_links", "take_link"]


@dataclass(frozen=True)
class LinkRow:
    """Whose a link is, None for nobody's yet, and the address it was sent to confirm."""

    person: int | None
    address: str | None


def add_link(
    session: Session, secret_hash: str, kind: str, person: int | None, address: str | None, expires: datetime
) -> None:
    """Keep the hash of a link that is about to be handed out."""
    values = {"kind": kind, "person": person, "address": address, "expires": expires}
    session.execute(sa.insert(one_time_links).values(secret_hash=secret_hash, **values))


def link_by_hash(session: Session, secret_hash: str, kind: str) -> LinkRow | None:
    """Return a link that can still be used."""
    query = sa.select(one_time_links.c.person, one_time_links.c.address).where(
        one_time_links.c.secret_hash == secret_hash,
        one_time_links.c.kind == kind,
        one_time_links.c.expires > now(session),
    )
    row = session.execute(query).one_or_none()
    return None if row is None else LinkRow(row.person, row.address)


def take_link(session: Session, secret_hash: str, kind: str) -> LinkRow | None:
    """Return a link that can still be used, once: of two who open it at one moment the second gets None."""
    query = sa.delete(one_time_links).where(
        one_time_links.c.secret_hash == secret_hash, one_time_links.c.kind == kind
    )
    columns = (one_time_links.c.person, one_time_links.c.address, one_time_links.c.expires)
    row = session.execute(query.returning(*columns)).one_or_none()
    return None if row is None or row.expires <= now(session) else LinkRow(row.person, row.address)


def forget_links(session: Session, person: int, kind: str | None = None) -> None:
    """Make a person's links useless, all or those of a kind."""
    query = sa.delete(one_time_links).where(one_time_links.c.person == person)
    session.execute(query if kind is None else query.where(one_time_links.c.kind == kind))


def forget_kind(session: Session, kind: str) -> None:
    """Make all links of a kind useless."""
    session.execute(sa.delete(one_time_links).where(one_time_links.c.kind == kind))


def purge_links(session: Session, moment: datetime) -> None:
    """Remove links that have expired."""
    session.execute(sa.delete(one_time_links).where(one_time_links.c.expires <= moment))
