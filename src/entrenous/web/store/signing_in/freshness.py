"""SQL about when a session last proved whose it is."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.database import now
from entrenous.web.store.schema import sessions

__all__ = ["confirm_session", "proved"]


def proved(session: Session, session_id: int) -> datetime | None:
    """Return when somebody last signed in or confirmed in a session, None if it ended."""
    query = sa.select(sessions.c.confirmed, sessions.c.created).where(sessions.c.id == session_id)
    row = session.execute(query).one_or_none()
    return None if row is None else row.confirmed or row.created


def confirm_session(session: Session, session_id: int) -> None:
    """Note that whoever uses a session has just proved that it is theirs."""
    session.execute(sa.update(sessions).where(sessions.c.id == session_id).values(confirmed=now(session)))
