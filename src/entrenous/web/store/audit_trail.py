"""The audit: who did what and when, each event chained to the one before by its hash.

Events name people by number and items by id; they never hold a score, a limit or a weight. Whoever changes or removes
an event breaks the chain for all later ones, which `verify` notices; keep the last digest somewhere else to also notice
that the end was cut off.

The chain holds a salted hash of each event. So the events of somebody who leaves can be erased, content and salt, and
the chain still verifies: what is left cannot be guessed. How many were erased is an event of its own.

Events are collected during a transaction and written at its very end. The lock on the chain's head is therefore always
the last one taken, and two transactions cannot wait for each other in a circle.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.errors import PrivacyError
from entrenous.web.store.lists.list_tables import shelves
from entrenous.web.store.schema import audit, audit_head

__all__ = [
    "TOLD",
    "BrokenChain",
    "count",
    "decided_digests",
    "erase",
    "events_about",
    "last_told",
    "record",
    "verify",
    "write_pending",
]

START = "0" * 64
"""The digest before the first event."""


TOLD = (
    "active",
    "change_agreed",
    "change_ended",
    "change_proposed",
    "created",
    "decided",
    "edited",
    "expired",
    "expiry",
    "joined",
    "no_agreement",
    "opened",
    "petition",
    "retagged",
    "round",
    "tag_asked",
    "untagged",
    "withdrawn",
)
"""What co-owners may know of each other's doings; who answered, agreed or set a limit is not among it."""


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
    """An event of a transaction that is not committed yet; `subject` is the other person it is about."""

    at: datetime
    actor: int | None
    subject: int | None
    action: str
    item: str | None
    details: str


def record(
    session: Session,
    action: str,
    *,
    actor: int | None,
    item: str | None = None,
    person: int | None = None,
    **details: object,
) -> None:
    """Note an event; it is written when the transaction commits, or not at all."""
    pending: list[Pending] = session.info.setdefault("audit", [])
    moment: datetime = session.info["clock"]()
    pending.append(Pending(moment, actor, person, action, item, json.dumps(details, sort_keys=True)))


def write_pending(session: Session) -> None:
    """Chain the transaction's events to the audit; the last thing before the commit."""
    pending: list[Pending] = session.info.pop("audit", [])
    if not pending:
        return
    number, digest = _head(session, lock=True)
    rows = []
    for entry in pending:
        number += 1
        salt = secrets.token_hex(32)
        content = salted(salt, entry)
        digest = chained(digest, number, content)
        rows.append(asdict(entry) | {"number": number, "salt": salt, "content": content, "digest": digest})
    _append(session, rows, number, digest)


def verify(session: Session) -> int:
    """Return the number of events if every one fits the one before, else raise `BrokenChain`."""
    digest, number, erased, told = _start(session), 0, 0, 0
    for row in _events(session):
        content = row.content
        if row.salt is None:
            erased += 1
        else:
            content = salted(
                row.salt, Pending(row.at, row.actor, row.subject, row.action, row.item, row.details)
            )
            told += json.loads(row.details).get("events", 0) if row.action == "erased" else 0
        expected = chained(digest, number + 1, content)
        if row.number != number + 1 or (row.content, row.digest) != (content, expected):
            raise BrokenChain(number + 1)
        digest, number = expected, number + 1
    if _head(session) != (number, digest) or erased != told:
        raise BrokenChain(number + 1)
    return number


def erase(session: Session, *, person: int | None = None, item: str | None = None) -> None:
    """Erase all events by a person and about them, or about an item, and note how many there were."""
    pending: list[Pending] = session.info.get("audit", [])
    if person is not None:
        theirs = sa.or_(audit.c.actor == person, audit.c.subject == person)
        kept = [one for one in pending if person not in (one.actor, one.subject)]
    else:
        theirs = audit.c.item == item
        kept = [one for one in pending if one.item != item]
    blank = dict.fromkeys(("at", "actor", "subject", "action", "item", "details", "salt"))
    changed = session.execute(sa.update(audit).where(theirs, audit.c.salt.is_not(None)).values(**blank))
    session.info["audit"] = kept
    record(session, "erased", actor=None, events=cast("sa.CursorResult[Any]", changed).rowcount)


def salted(salt: str, event: Pending) -> str:
    """Return what stands for an event in the chain."""
    content = [
        event.at.isoformat(),
        event.actor,
        event.subject,
        event.action,
        event.item,
        event.details,
    ]
    return hashlib.sha256((salt + json.dumps(content)).encode()).hexdigest()


def chained(previous: str, number: int, content: str) -> str:
    """Return the digest of an event that follows the one with digest `previous`."""
    return hashlib.sha256(json.dumps([previous, number, content]).encode()).hexdigest()


def _start(session: Session) -> str:
    """Return the digest before the first event: zeros, or what an older chain was sealed into."""
    return session.scalar(sa.select(audit_head.c.start)) or START


def _head(session: Session, *, lock: bool = False) -> tuple[int, str]:
    """Return the number and the digest of the last event; if it is locked, nobody else adds one meanwhile."""
    query = sa.select(audit_head.c.number, audit_head.c.digest)
    row = session.execute(query.with_for_update() if lock else query).one_or_none()
    return (0, START) if row is None else (row.number, row.digest)


def _append(session: Session, rows: Sequence[dict[str, Any]], number: int, digest: str) -> None:
    """Add events and move the head behind the last of them; the head's row comes with the tables."""
    session.execute(sa.insert(audit), list(rows))
    session.execute(sa.update(audit_head).values(number=number, digest=digest))
    for item, last in {row["item"]: row["number"] for row in rows if row["action"] in TOLD}.items():
        session.execute(sa.update(shelves).where(shelves.c.item == item).values(told=last))


def _events(session: Session) -> Iterator[sa.Row[*tuple[Any, ...]]]:
    """Yield all events from the first to the last."""
    yield from session.execute(
        sa.select(audit).order_by(audit.c.number), execution_options={"yield_per": 1000}
    )


def events_about(
    session: Session, person: int, edge: int | None, count: int, *, back: bool
) -> list[sa.Row[*tuple[Any, ...]]]:
    """Return events by a person, and those co-owners may know of about items they decide about.

    The newest first, from an edge on, or `back` from it towards the newest.
    """
    beyond = edge if edge is not None else 2**62
    number = audit.c.number
    side = number > beyond if back else number < beyond
    order = number if back else number.desc()
    own = sa.select(number).where(audit.c.actor == person, side).order_by(order).limit(count).subquery()
    about = (
        sa.select(number)
        .where(
            audit.c.item.in_(_recent_items(person, beyond, count, back=back)), audit.c.action.in_(TOLD), side
        )
        .order_by(order)
        .limit(count)
        .subquery()
    )
    found = sa.union(sa.select(own.c.number), sa.select(about.c.number)).subquery()
    query = sa.select(audit).where(number.in_(sa.select(found.c.number)))
    return list(session.execute(query.order_by(order).limit(count)))


def _recent_items(person: int, beyond: int, count: int, *, back: bool) -> sa.Select[Any]:
    """Return the items that the next `count` events about a person's items can be about.

    Those are the items whose last event is newer than the edge, and behind it the `count` items whose last events are
    the newest: each of them has an event that comes before those of any other.
    """
    mine = sa.select(shelves.c.item).where(shelves.c.person == person, shelves.c.told > 0)
    if back:
        return mine.where(shelves.c.told > beyond)
    behind = mine.with_only_columns(shelves.c.told).where(shelves.c.told < beyond)
    least = behind.order_by(shelves.c.told.desc()).limit(1).offset(count - 1).scalar_subquery()
    return mine.where(shelves.c.told >= sa.func.coalesce(least, 0))


def last_told(session: Session, ids: Collection[str]) -> dict[str, int]:
    """Return the number of the last event that co-owners may know of, by item."""
    query = sa.select(audit.c.item, sa.func.max(audit.c.number)).where(
        audit.c.item.in_(ids), audit.c.action.in_(TOLD)
    )
    return {row[0]: row[1] for row in session.execute(query.group_by(audit.c.item))}


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
