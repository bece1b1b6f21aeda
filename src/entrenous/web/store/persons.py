"""SQL about people and their accounts."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.database import insert_row
from entrenous.web.store.records import Person, Who
from entrenous.web.store.schema import (
    circle_members,
    circles,
    friend_requests,
    friendships,
    people,
    standing_lines,
)

__all__ = [
    "add_person",
    "administrators",
    "everybody",
    "find_person",
    "forget_person",
    "get_person",
    "has_shape",
    "heads_count",
    "named",
    "owner_of_address",
    "people_by_handle",
    "reachable_by_mail",
    "set_suspended",
    "update_person",
]

WHO: list[sa.Column[Any]] = [people.c.id, people.c.handle, people.c.name]
GONE = "somebody who left"


def person_from(row: sa.Row[*tuple[Any, ...]]) -> Person:
    """Return the person in a row of `people`."""
    return Person(
        id=row.id,
        handle=row.handle,
        name=row.name,
        email=row.email,
        claimed=row.claimed,
        admin=row.admin,
        mail=row.mail,
        suspended=row.suspended is not None,
        has_password=row.password_hash is not None,
        created=row.created,
    )


def who_from(row: sa.Row[*tuple[Any, ...]]) -> Who:
    """Return the person in a row with id, handle and name."""
    return Who(row.id, row.handle, row.name)


def add_person(session: Session, **values: Any) -> int:
    """Add a person and return their number; an IntegrityError says that handle or e-mail is taken."""
    return insert_row(session, people, **values)


def get_person(session: Session, person: int) -> Person | None:
    """Return a person who has not left."""
    query = sa.select(people).where(people.c.id == person, people.c.deleted.is_(None))
    row = session.execute(query).one_or_none()
    return None if row is None else person_from(row)


def find_person(session: Session, handle: str) -> Who | None:
    """Return the person with a handle, if they have neither left nor been suspended."""
    query = sa.select(*WHO).where(
        people.c.handle == handle, people.c.deleted.is_(None), people.c.suspended.is_(None)
    )
    row = session.execute(query).one_or_none()
    return None if row is None else who_from(row)


def has_shape(session: Session, shape: str) -> bool:
    """Return whether somebody has a handle that looks like this."""
    return session.scalar(sa.select(people.c.id).where(people.c.shape == shape)) is not None


def named(session: Session, ids: Collection[int]) -> dict[int, Who]:
    """Return people by number; somebody who left has no name any more."""
    rows = session.execute(sa.select(*WHO, people.c.deleted).where(people.c.id.in_(ids)))
    return {row.id: who_from(row) if row.deleted is None else Who(row.id, "", GONE) for row in rows}


def everybody(session: Session) -> tuple[Person, ...]:
    """Return all people who have not left, by handle."""
    return people_by_handle(session, None, None, back=False)


def people_by_handle(
    session: Session, edge: str | None, count: int | None, *, back: bool
) -> tuple[Person, ...]:
    """Return people who have not left, by handle, from an edge on, or `back` from it towards the first."""
    query = sa.select(people).where(people.c.deleted.is_(None))
    if edge is not None:
        query = query.where(people.c.handle < edge if back else people.c.handle > edge)
    rows = session.execute(query.order_by(people.c.handle.desc() if back else people.c.handle).limit(count))
    return tuple(person_from(row) for row in rows)


def reachable_by_mail(session: Session, persons: Collection[int]) -> list[int]:
    """Return which of some people have a confirmed address and want mail."""
    query = sa.select(people.c.id).where(
        people.c.id.in_(persons), people.c.mail.is_(True), people.c.email.is_not(None)
    )
    return list(session.scalars(query.order_by(people.c.id)))


def administrators(session: Session, *, lock: bool = False) -> tuple[Person, ...]:
    """Return who looks after the service and can sign in, by handle; locked, so that two cannot dismiss each other."""
    query = sa.select(people).where(
        people.c.admin.is_(True), people.c.deleted.is_(None), people.c.suspended.is_(None)
    )
    query = query.order_by(people.c.handle)
    return tuple(
        person_from(row) for row in session.execute(query.with_for_update() if lock else query).all()
    )


def owner_of_address(session: Session, address: str) -> int | None:
    """Return whose a confirmed address is."""
    query = sa.select(people.c.id).where(people.c.email == address, people.c.deleted.is_(None))
    return session.scalar(query)


def heads_count(session: Session) -> tuple[int, int]:
    """Return how many people there are, and how many of them are suspended."""
    query = sa.select(sa.func.count(), sa.func.count(people.c.suspended)).where(people.c.deleted.is_(None))
    row = session.execute(query).one()
    return row[0], row[1]


def update_person(session: Session, person: int, **values: Any) -> None:
    """Change fields of a person; an IntegrityError says that an e-mail is taken."""
    session.execute(sa.update(people).where(people.c.id == person).values(**values))


def set_suspended(session: Session, person: int, moment: datetime | None) -> None:
    """Suspend a person, or lift that."""
    update_person(session, person, suspended=moment)


def forget_person(session: Session, person: int, moment: datetime) -> None:
    """Remove all that is only about a person; the number stays, so that nobody gets it again."""
    own = sa.select(circles.c.id).where(circles.c.owner == person)
    session.execute(
        sa.delete(circle_members).where(
            sa.or_(circle_members.c.person == person, circle_members.c.circle.in_(own))
        )
    )
    session.execute(sa.delete(circles).where(circles.c.owner == person))
    session.execute(sa.delete(standing_lines).where(standing_lines.c.person == person))
    for table, columns in (
        (friendships, ("person", "friend")),
        (friend_requests, ("asker", "asked")),
    ):
        session.execute(sa.delete(table).where(sa.or_(*(table.c[name] == person for name in columns))))
    update_person(
        session,
        person,
        handle=f"-{person}",  # no handle begins with a hyphen, so that this one is nobody's
        shape=None,
        name="",
        skeleton="",
        email=None,
        claimed=None,
        password_hash=None,
        admin=False,
        mail=False,
        deleted=moment,
    )
