"""SQL about what people are told: notifications, webhooks and the outbox."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.database import count_changed, insert_row
from entrenous.web.store.records import Webhook
from entrenous.web.store.schema import notifications, outbox, people, webhooks

__all__ = [
    "Letter",
    "NotificationRow",
    "add_notifications",
    "add_webhook",
    "claim_due",
    "counts",
    "enqueue",
    "forget_told",
    "mark_read",
    "notifications_of",
    "postpone",
    "remove_delivered",
    "remove_webhook",
    "set_failures",
    "unread_count",
    "webhook_targets",
    "webhooks_for",
    "webhooks_of",
]


MOST_FAILURES = 20
"""A webhook that failed so often in a row is left alone; who wants it back adds it anew."""


@dataclass(frozen=True)
class Letter:
    """Something to deliver; `attempts` counts this one."""

    id: int
    kind: str
    payload: Mapping[str, Any]
    attempts: int


@dataclass(frozen=True)
class NotificationRow:
    """A stored notification."""

    id: int
    kind: str
    item: str | None
    actor: int | None
    created: datetime
    read: datetime | None


# --- notifications ------------------------------------------------------------------------------------------


def add_notifications(
    session: Session,
    persons: Collection[int],
    kind: str,
    item: str | None,
    actor: int | None,
    moment: datetime,
) -> None:
    """Tell people something."""
    shared: dict[str, Any] = {"kind": kind, "item": item, "actor": actor, "created": moment}
    session.execute(sa.insert(notifications), [shared | {"person": person} for person in persons])


def notifications_of(
    session: Session, person: int, edge: int | None, count: int, *, back: bool
) -> list[NotificationRow]:
    """Return a person's notifications, the newest first, from an edge on, or `back` from it towards the newest."""
    number = notifications.c.id
    columns = [notifications.c[name] for name in ("id", "kind", "item", "actor", "created", "read")]
    query = sa.select(*columns).where(notifications.c.person == person)
    if edge is not None:
        query = query.where(number > edge if back else number < edge)
    rows = session.execute(query.order_by(number if back else number.desc()).limit(count))
    return [NotificationRow(**row._mapping) for row in rows]


def unread_count(session: Session, person: int, most: int) -> int:
    """Return how many notifications a person has not read, but count no further than `most`."""
    unread = sa.select(notifications.c.id).where(
        notifications.c.person == person, notifications.c.read.is_(None)
    )
    return session.scalar(sa.select(sa.func.count()).select_from(unread.limit(most).subquery())) or 0


def mark_read(session: Session, person: int, moment: datetime) -> None:
    """Note that a person has read all notifications."""
    query = sa.update(notifications).where(notifications.c.person == person, notifications.c.read.is_(None))
    session.execute(query.values(read=moment))


def forget_told(session: Session, person: int) -> None:
    """Remove what a person was told, where they wanted to be told, and letters on their way to them or their names."""
    session.execute(sa.delete(notifications).where(notifications.c.person == person))
    session.execute(sa.update(notifications).where(notifications.c.actor == person).values(actor=None))
    session.execute(sa.delete(webhooks).where(webhooks.c.person == person))
    mails = sa.select(outbox.c.id, outbox.c.payload).where(outbox.c.kind.in_(("account", "mail")))
    names = {
        person,
        *session.execute(sa.select(people.c.handle, people.c.email).where(people.c.id == person)).one(),
    }
    theirs = [
        row.id
        for row in session.execute(mails)
        if (row.payload.get("person") or row.payload.get("login")) in names
    ]
    session.execute(sa.delete(outbox).where(outbox.c.id.in_(theirs)))


# --- webhooks -----------------------------------------------------------------------------------------------


def add_webhook(
    session: Session, person: int, url: str, secret: str, events: Sequence[str], moment: datetime
) -> int:
    """Add a webhook and return its number."""
    return insert_row(
        session,
        webhooks,
        person=person,
        url=url,
        secret=secret,
        events=list(events),
        failures=0,
        created=moment,
    )


def webhooks_of(session: Session, person: int) -> tuple[Webhook, ...]:
    """Return a person's webhooks."""
    rows = session.execute(sa.select(webhooks).where(webhooks.c.person == person).order_by(webhooks.c.id))
    return tuple(Webhook(row.id, row.url, tuple(row.events), row.created, row.failures) for row in rows)


def webhooks_for(session: Session, persons: Collection[int], kind: str) -> list[int]:
    """Return the webhooks of some people that want to be told of a kind of thing."""
    query = sa.select(webhooks.c.id, webhooks.c.events).where(
        webhooks.c.person.in_(persons), webhooks.c.failures < MOST_FAILURES
    )
    return [row.id for row in session.execute(query.order_by(webhooks.c.id)) if kind in row.events]


def remove_webhook(session: Session, person: int, webhook: int) -> bool:
    """Remove a webhook and return whether there was one."""
    query = sa.delete(webhooks).where(webhooks.c.person == person, webhooks.c.id == webhook)
    return bool(count_changed(session, query))


def webhook_targets(session: Session, webhook: int) -> tuple[str, str] | None:
    """Return where a webhook goes and the secret that signs it.

    None if it was removed, if its owner was suspended, or if it failed too often.
    """
    query = (
        sa.select(webhooks.c.url, webhooks.c.secret)
        .join(people, people.c.id == webhooks.c.person)
        .where(webhooks.c.id == webhook, people.c.suspended.is_(None), webhooks.c.failures < MOST_FAILURES)
    )
    row = session.execute(query).one_or_none()
    return None if row is None else (row.url, row.secret)


def set_failures(session: Session, webhook: int, *, failed: bool) -> None:
    """Count a failure of a webhook, or forget the earlier ones unless there were too many."""
    value = webhooks.c.failures + 1 if failed else 0
    query = sa.update(webhooks).where(webhooks.c.id == webhook, webhooks.c.failures < MOST_FAILURES)
    session.execute(query.values(failures=value))


# --- the outbox ---------------------------------------------------------------------------------------------


def enqueue(
    session: Session,
    letters: Sequence[tuple[str, Mapping[str, Any]]],
    moment: datetime,
    due: datetime | None = None,
) -> None:
    """Put letters, each of a kind, into the outbox, in the transaction of what they tell about."""
    rows = [
        {"kind": kind, "payload": dict(payload), "attempts": 0, "created": moment, "due": due or moment}
        for kind, payload in letters
    ]
    if rows:
        session.execute(sa.insert(outbox), rows)


def claim_due(session: Session, moment: datetime, lease: timedelta, limit: int) -> list[Letter]:
    """Take letters that are due; whoever takes them has so long to deliver before others try.

    Several workers may take at once: rows another one holds are skipped, not waited for.
    """
    due = sa.select(outbox.c.id).where(outbox.c.due <= moment).order_by(outbox.c.due, outbox.c.id)
    ids = list(session.scalars(due.limit(limit).with_for_update(skip_locked=True)))
    query = (
        sa.update(outbox)
        .where(outbox.c.id.in_(ids))
        .values(due=moment + lease, attempts=outbox.c.attempts + 1)
    )
    rows = session.execute(query.returning(outbox.c.id, outbox.c.kind, outbox.c.payload, outbox.c.attempts))
    return sorted((Letter(**row._mapping) for row in rows), key=lambda letter: letter.id)


def remove_delivered(session: Session, letter: int) -> None:
    """Remove a letter that was delivered, or whose recipient is gone."""
    session.execute(sa.delete(outbox).where(outbox.c.id == letter))


def postpone(session: Session, letter: int, due: datetime | None, error: str) -> None:
    """Try a letter again later, or never (None); `error` is a kind, never content."""
    session.execute(sa.update(outbox).where(outbox.c.id == letter).values(due=due, error=error))


def counts(session: Session) -> tuple[int, int]:
    """Return how many letters wait, and how many were given up."""
    query = sa.select(sa.func.count(outbox.c.due), sa.func.count()).select_from(outbox)
    waiting, every = session.execute(query).one()
    return waiting, every - waiting
