"""Links that work once: to confirm an address, to choose a new password, to become the first administrator.

The database keeps a hash, so that nobody who reads it, a dump or a log can use a link. The secret of a mailed link is
drawn when the mail is sent, and is nowhere but in that mail: the outbox says only that somebody is to get one.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Final

from sqlalchemy.orm import Session

from entrenous.web.store.database import now, settings_of
from entrenous.web.store.signing_in import links_sent
from entrenous.web.store.signing_in.links_sent import LinkRow

__all__ = ["ADMINISTER", "CONFIRM", "LIFETIMES", "RESET", "look_at", "new_link", "take"]

CONFIRM, RESET, ADMINISTER = "confirm", "reset", "administer"

LIFETIMES: Final = {CONFIRM: timedelta(days=2), RESET: timedelta(hours=1), ADMINISTER: timedelta(days=7)}
"""How long a link works."""


def new_link(
    session: Session,
    kind: str,
    *,
    person: int | None = None,
    address: str | None = None,
    lifetime: timedelta | None = None,
) -> str:
    """Return the address of a fresh page that works once; of administrators' links only the newest works."""
    if kind == ADMINISTER:
        links_sent.forget_kind(session, kind)
    secret = secrets.token_urlsafe(32)
    expires = now(session) + (lifetime or LIFETIMES[kind])
    links_sent.add_link(session, _hashed(kind, secret), kind, person, address, expires)
    return f"{settings_of(session).address.rstrip('/')}/{kind}/{secret}"


def look_at(session: Session, kind: str, secret: str | None) -> LinkRow | None:
    """Return whose a link is, if it still works; looking does not use it up."""
    return links_sent.link_by_hash(session, _hashed(kind, secret), kind) if secret else None


def take(session: Session, kind: str, secret: str | None) -> LinkRow | None:
    """Use a link up and return whose it was, None if it does not work any more."""
    return links_sent.take_link(session, _hashed(kind, secret), kind) if secret else None


def _hashed(kind: str, secret: str) -> str:
    """Return what is kept of a link: a hash that fits no other kind of secret."""
    return hashlib.sha256(f"entrenous {kind} {secret}".encode()).hexdigest()
