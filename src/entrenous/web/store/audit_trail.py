"""The audit: who did what and when, each event chained to the one before by its hash.

Events name people by number and items by id; they never hold a score, a limit or a weight. Whoever changes or removes
an event breaks the chain for all later ones, which `verify` notices; keep the last digest somewhere else to also notice
that the end was cut off.

Events are collected during a transaction and written at its very end. The lock on the chain's head is therefore always
the last one taken, and two transactions cannot wait for each other in a circle.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.errors import PrivacyError
from entrenous.web.store.schema import audit, audit_head

__all__ = ["BrokenChain", "count", "decided_digests", "events_about", "record", "verify", "write_pending"]

START = "0" * 64
"""The digest before the first event."""


class BrokenChain(PrivacyError):  # noqa: N818 - reads as what happened
    """The audit was changed after it was written; `number` is the first event that does not fit."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"event {number} of the audit does not fit the one before; expected an unchanged chain. "
            "Compare with a backup"
        )
        self.number = number


@dataclass(frozen=True)
class Pending:
    """An event of a transaction that is not committed yet."""

    at: datetime
    actor: int | None
    action: str
    item: str | None
    details: str


def record(
    session: Session, action: str, *, actor: int | None, item: str | None = None, **details: object
) -> None:
    """Note an event; it is written when the transaction commits, or not at all."""
    pending: list[Pending] = session.info.setdefault("audit", [])
    moment: datetime = session.info["clock"]()
    pending.append(Pending(moment, actor, action, item, json.dumps(details, sort_keys=True)))


def write_pending(session: Session) -> None:
    """Chain the transaction's events to the audit; the last thing before the commit."""
    pending: list[Pending] = session.info.pop("audit", [])
    if not pending:
        return
    number, digest = _head(session, lock=True)
    rows = []
    for entry in pending:
        number += 1
        digest = chained(digest, number, entry.at, entry.actor, entry.action, entry.item, entry.details)
        rows.append(asdict(entry) | {"number": number, "digest": digest})
    _append(session, rows, number, digest)


def verify(session: Session) -> int:
    """Return the number of events if every one fits the one before, else raise `BrokenChain`."""
    digest, number = START, 0
    for row in _events(session):
        expected = chained(digest, number + 1, row.at, row.actor, row.action, row.item, row.details)
        if row.number != number + 1 or row.digest != expected:
            raise BrokenChain(number + 1)
        digest, number = expected, number + 1
    if _head(session) != (number, digest):
        raise BrokenChain(number + 1)
    return number


def chained(
    previous: str, number: int, at: datetime, actor: int | None, action: str, item: str | None, details: str
) -> str:
    """Return the digest of an event that follows the one with digest `previous`."""
    event = [previous, number, at.isoformat(), actor, action, item, details]
    return hashlib.sha256(json.dumps(event).encode()).hexdigest()


def _head(session: Session, *, lock: bool = False) -> tuple[int, str]:
    """Return the number and the digest of the last event; if it is locked, nobody else adds one meanwhile."""
    query = sa.select(audit_head.c.number, audit_head.c.digest)
    row = session.execute(query.with_for_update() if lock else query).one_or_none()
    return (0, START) if row is None else (row.number, row.digest)


def _append(session: Session, rows: Sequence[dict[str, Any]], number: int, digest: str) -> None:
    """Add events and move the head behind the last of them; the head's row comes with the tables."""
    session.execute(sa.insert(audit), list(rows))
    session.execute(sa.update(audit_head).values(number=number, digest=digest))


def _events(session: Session) -> Iterator[sa.Row[*tuple[Any, ...]]]:
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
