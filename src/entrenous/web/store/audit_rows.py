"""SQL of the audit."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.schema import audit, audit_head

__all__ = ["append", "count", "decided_digests", "events", "events_about", "head", "lock_head"]


def lock_head(session: Session) -> tuple[int, str] | None:
    """Return the number and the digest of the last event, and keep others from adding one."""
    row = session.execute(sa.select(audit_head.c.number, audit_head.c.digest).with_for_update()).one_or_none()
    return None if row is None else (row.number, row.digest)


def head(session: Session) -> tuple[int, str] | None:
    """Return the number and the digest of the last event."""
    row = session.execute(sa.select(audit_head.c.number, audit_head.c.digest)).one_or_none()
    return None if row is None else (row.number, row.digest)


def append(session: Session, rows: Sequence[dict[str, Any]], number: int, digest: str) -> None:
    """Add events and move the head behind the last of them; the head's row comes with the tables."""
    session.execute(sa.insert(audit), list(rows))
    session.execute(sa.update(audit_head).values(number=number, digest=digest))


def events(session: Session) -> Iterator[sa.Row[*tuple[Any, ...]]]:
    """Yield all events from the first to the last."""
    yield from session.execute(
        sa.select(audit).order_by(audit.c.number), execution_options={"yield_per": 1000}
    )


def events_about(
    session: Session, person: int, items: Collection[str], public: Collection[str], limit: int
) -> list[sa.Row[*tuple[Any, ...]]]:
    """Return the last events by a person, and those in `public` about the given items, the newest first."""
    about = sa.and_(audit.c.item.in_(items), audit.c.action.in_(public))
    query = sa.select(audit).where(sa.or_(audit.c.actor == person, about))
    return list(session.execute(query.order_by(audit.c.number.desc()).limit(limit)))


def decided_digests(session: Session, item: str | None = None) -> dict[tuple[str, int], str]:
    """Return the digest of every decision, or of one item's, by item and round, as the audit has it."""
    query = sa.select(audit.c.item, audit.c.details).where(audit.c.action == "decided")
    if item is not None:
        query = query.where(audit.c.item == item)
    kept = ((row.item, json.loads(row.details)) for row in session.execute(query.order_by(audit.c.number)))
    return {(name, details["round"]): details["digest"] for name, details in kept}


def count(session: Session) -> int:
    """Return how many events there are."""
    return session.scalar(sa.select(sa.func.count()).select_from(audit)) or 0
