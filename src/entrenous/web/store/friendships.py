"""SQL about friends, circles, and what each person keeps about them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.database import count_changed, insert_row, inserting
from entrenous.web.store.persons import WHO, who_from
from entrenous.web.store.records import Circle, Friend, FriendRequest, StandingLine, Who
from entrenous.web.store.schema import (
    circle_members,
    circles,
    friend_requests,
    friendships,
    people,
    standing_lines,
)

__all__ = [
    "add_circle",
    "add_friend_request",
    "add_friendship",
    "circles_of",
    "friend_requests_of",
    "friends_by_name",
    "friends_like",
    "friends_of",
    "let_count",
    "line_of",
    "lines_of",
    "listening",
    "remove_circle",
    "remove_friend_request",
    "remove_friendship",
    "rename_circle",
    "replace_members",
    "set_counts",
    "set_line",
    "set_percent",
]


def friends_of(session: Session, person: int) -> tuple[Friend, ...]:
    """Return a person's friends by name, each with how much this person listens to them."""
    return friends_by_name(session, person, None, None, back=False)


def friends_by_name(
    session: Session, person: int, edge: tuple[str, int] | None, count: int | None, *, back: bool
) -> tuple[Friend, ...]:
    """Return friends by name, from an edge on, or `back` from it towards the first."""
    name, number = people.c.name, people.c.id
    query = (
        sa.select(*WHO, friendships.c.since, friendships.c.percent, friendships.c.counts_line)
        .join(friendships, friendships.c.friend == number)
        .where(friendships.c.person == person)
    )
    if edge is not None:
        both, there = sa.tuple_(name, number), sa.tuple_(*edge)
        query = query.where(both < there if back else both > there)
    order = (name.desc(), number.desc()) if back else (name, number)
    rows = session.execute(query.order_by(*order).limit(count))
    return tuple(Friend(who_from(row), row.since, row.percent, row.counts_line) for row in rows)


def add_friendship(session: Session, one: int, other: int, moment: datetime) -> None:
    """Make two people friends; they may be already."""
    rows = [
        {"person": a, "friend": b, "percent": 0, "since": moment} for a, b in ((one, other), (other, one))
    ]
    session.execute(inserting(session, friendships).on_conflict_do_nothing(), rows)


def remove_friendship(session: Session, one: int, other: int) -> bool:
    """End a friendship, take both out of each other's circles, and return whether there was one."""
    pairs = ((one, other), (other, one))
    for a, b in pairs:
        own = sa.select(circles.c.id).where(circles.c.owner == a)
        session.execute(
            sa.delete(circle_members).where(circle_members.c.circle.in_(own), circle_members.c.person == b)
        )
    query = sa.delete(friendships).where(sa.tuple_(friendships.c.person, friendships.c.friend).in_(pairs))
    return bool(count_changed(session, query))


def add_friend_request(session: Session, asker: int, asked: int, moment: datetime) -> None:
    """Note that one person asked another to be a friend."""
    session.execute(sa.insert(friend_requests).values(asker=asker, asked=asked, created=moment))


def remove_friend_request(session: Session, asker: int, asked: int) -> bool:
    """Remove a request and return whether there was one."""
    query = sa.delete(friend_requests).where(
        friend_requests.c.asker == asker, friend_requests.c.asked == asked
    )
    return bool(count_changed(session, query))


def friend_requests_of(session: Session, person: int, limit: int | None = None) -> tuple[FriendRequest, ...]:
    """Return the open requests to and by a person, the oldest first; at most `limit` of each kind."""
    found = []
    for mine, theirs, incoming in (("asked", "asker", True), ("asker", "asked", False)):
        query = (
            sa.select(*WHO, friend_requests.c.created)
            .join(friend_requests, friend_requests.c[theirs] == people.c.id)
            .where(friend_requests.c[mine] == person)
            .order_by(friend_requests.c.created, people.c.id)
            .limit(limit)
        )
        found += [FriendRequest(who_from(row), row.created, incoming) for row in session.execute(query)]
    return tuple(sorted(found, key=lambda request: request.asked))


def friends_like(session: Session, person: int, others: Collection[int]) -> dict[int, tuple[Who, ...]]:
    """Return for each of some people those friends of a person whose name looks like theirs."""
    other = people.alias()
    query = (
        sa.select(*WHO, other.c.id.label("other"))
        .join(friendships, friendships.c.friend == people.c.id)
        .join(other, other.c.skeleton == people.c.skeleton)
        .where(friendships.c.person == person, other.c.id.in_(others), other.c.id != people.c.id)
        .order_by(people.c.id)
    )
    found: dict[int, tuple[Who, ...]] = {}
    for row in session.execute(query):
        found[row.other] = (*found.get(row.other, ()), who_from(row))
    return found


def set_percent(session: Session, person: int, friend: int, percent: int) -> bool:
    """Set how much a person listens to a friend, and return whether they are friends."""
    query = sa.update(friendships).where(friendships.c.person == person, friendships.c.friend == friend)
    return bool(count_changed(session, query.values(percent=percent)))


def listening(session: Session, group: Collection[int]) -> dict[int, dict[int, int]]:
    """Return how much each of some people listens to each other who is a friend, in percent, without zeros."""
    query = sa.select(friendships.c.person, friendships.c.friend, friendships.c.percent).where(
        friendships.c.person.in_(group), friendships.c.friend.in_(group), friendships.c.percent > 0
    )
    found: dict[int, dict[int, int]] = {person: {} for person in group}
    for row in session.execute(query.order_by(friendships.c.person, friendships.c.friend)):
        found[row.person][row.friend] = row.percent
    return found


def circles_of(session: Session, person: int) -> tuple[Circle, ...]:
    """Return a person's circles with their members, both by name."""
    names = session.execute(
        sa.select(circles.c.id, circles.c.name).where(circles.c.owner == person).order_by(circles.c.name)
    ).all()
    members: dict[int, list[Who]] = {row.id: [] for row in names}
    query = (
        sa.select(*WHO, circle_members.c.circle)
        .join(circle_members, circle_members.c.person == people.c.id)
        .where(circle_members.c.circle.in_(members))
        .order_by(people.c.name, people.c.id)
    )
    for row in session.execute(query):
        members[row.circle].append(who_from(row))
    return tuple(Circle(row.id, row.name, tuple(members[row.id])) for row in names)


def add_circle(session: Session, person: int, name: str) -> int:
    """Add a circle and return its number; an IntegrityError says that the name is taken."""
    return insert_row(session, circles, owner=person, name=name)


def rename_circle(session: Session, person: int, circle: int, name: str) -> bool:
    """Rename an own circle and return whether there is one."""
    query = sa.update(circles).where(circles.c.id == circle, circles.c.owner == person).values(name=name)
    return bool(count_changed(session, query))


def replace_members(session: Session, circle: int, members: Collection[int]) -> None:
    """Let a circle hold exactly these people."""
    session.execute(sa.delete(circle_members).where(circle_members.c.circle == circle))
    if members:
        rows = [{"circle": circle, "person": person} for person in sorted(members)]
        session.execute(sa.insert(circle_members), rows)


def remove_circle(session: Session, person: int, circle: int) -> bool:
    """Remove an own circle and return whether there was one."""
    own = sa.select(circles.c.id).where(circles.c.id == circle, circles.c.owner == person)
    session.execute(sa.delete(circle_members).where(circle_members.c.circle.in_(own)))
    query = sa.delete(circles).where(circles.c.id == circle, circles.c.owner == person)
    return bool(count_changed(session, query))


def line_of(session: Session, person: int) -> StandingLine | None:
    """Return how far a person lets things go when they do not answer."""
    return lines_of(session, [person]).get(person)


def lines_of(session: Session, persons: Collection[int]) -> dict[int, StandingLine]:
    """Return how far each of some people lets things go when they do not answer, where they said so."""
    rows = session.execute(sa.select(standing_lines).where(standing_lines.c.person.in_(persons)))
    return {row.person: StandingLine(row.line, row.confirmed, row.possible, row.uses) for row in rows}


def set_line(session: Session, person: int, line: StandingLine | None) -> None:
    """Replace a person's standing line, or remove it."""
    session.execute(sa.delete(standing_lines).where(standing_lines.c.person == person))
    if line is not None:
        session.execute(sa.insert(standing_lines).values(person=person, **asdict(line)))


def set_counts(session: Session, person: int, friends: Collection[int]) -> None:
    """Say in whose items a person's standing line may count: those of exactly these friends."""
    mine = friendships.c.person == person
    session.execute(sa.update(friendships).where(mine).values(counts_line=friendships.c.friend.in_(friends)))


def let_count(session: Session, uploader: int, persons: Collection[int]) -> set[int]:
    """Return who of some people lets their standing line count in what a person puts up."""
    query = sa.select(friendships.c.person).where(
        friendships.c.friend == uploader,
        friendships.c.person.in_(persons),
        friendships.c.counts_line.is_(True),
    )
    return set(session.scalars(query))
