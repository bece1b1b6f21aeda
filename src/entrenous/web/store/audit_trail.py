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
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from entrenous.errors import PrivacyError
from entrenous.web import store

__all__ = ["BrokenChain", "record", "verify", "write_pending"]

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
    number, digest = store.audit_rows.lock_head(session) or (0, START)
    rows = []
    for entry in pending:
        number += 1
        digest = chained(digest, number, entry.at, entry.actor, entry.action, entry.item, entry.details)
        rows.append(
            {
                "number": number,
                "at": entry.at,
                "actor": entry.actor,
                "action": entry.action,
                "item": entry.item,
                "details": entry.details,
                "digest": digest,
            }
        )
    store.audit_rows.append(session, rows, number, digest)


def verify(session: Session) -> int:
    """Return the number of events if every one fits the one before, else raise `BrokenChain`."""
    digest, number = START, 0
    for row in store.audit_rows.events(session):
        expected = chained(digest, number + 1, row.at, row.actor, row.action, row.item, row.details)
        if row.number != number + 1 or row.digest != expected:
            raise BrokenChain(number + 1)
        digest, number = expected, number + 1
    if (store.audit_rows.head(session) or (0, START)) != (number, digest):
        raise BrokenChain(number + 1)
    return number


def chained(
    previous: str, number: int, at: datetime, actor: int | None, action: str, item: str | None, details: str
) -> str:
    """Return the digest of an event that follows the one with digest `previous`."""
    event = [previous, number, at.isoformat(), actor, action, item, details]
    return hashlib.sha256(json.dumps(event).encode()).hexdigest()
