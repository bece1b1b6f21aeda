"""SQL of the access check: what it depends on, and no more, since it is asked with every request.

Queries are put together once and take their lists as one parameter: a query that is put together anew takes longer than
the database needs to answer it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import datetime
from operator import attrgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.database import among
from entrenous.web.store.schema import circle_members, circles, friendships, items, owners, people

__all__ = ["Part", "Standing", "circle_profile", "near", "standings"]


@dataclass(frozen=True)
class Standing:
    """What the access to an item depends on, but for its owners."""

    id: str
    originator: int
    state: str
    method: str
    anchor: str
    choice: str | None
    cap: str | None
    incomplete: bool
    objection_until: datetime | None
    expires: datetime | None


@dataclass(frozen=True)
class Part:
    """One person's part in an item; `limit` is a choice, or with circles a list of own circles.

    `slot` is a random name for this part. Records of decisions know it and not the person.
    """

    person: int
    state: str
    limit: Any
    slot: str


_WIDTH = len(fields(Standing))
_STANDINGS = (
    sa.select(
        *(items.c[one.name] for one in fields(Standing)),
        *(owners.c[one.name].label(f"owner_{one.name}") for one in fields(Part)),
    )
    .join(owners, owners.c.item == items.c.id)
    .where(among(items.c.id, "ids"))
)
"""Without an order: SQLite would go through all owners there are, by person, rather than sort a few."""


def standings(session: Session, ids: Collection[str]) -> dict[str, tuple[Standing, list[Part]]]:
    """Return those of some items that exist, each with everybody's part in it; who put it up always has one."""
    found: dict[str, tuple[Standing, list[Part]]] = {}
    for row in session.execute(_STANDINGS, {"ids": list(ids)}).all():
        if row[0] not in found:
            found[row[0]] = Standing(*row[:_WIDTH]), []
        found[row[0]][1].append(Part(*row[_WIDTH:]))
    for _, parts in found.values():
        parts.sort(key=attrgetter("person"))
    return found


def _nearness() -> sa.CompoundSelect[int, int]:
    """Return the question who of a group is one step from a viewer, and who two."""
    mine = sa.select(friendships.c.friend).where(friendships.c.person == sa.bindparam("viewer"))
    first = mine.add_columns(sa.literal_column("1").label("steps")).where(
        among(friendships.c.friend, "group")
    )
    through = mine.join(people, people.c.id == friendships.c.friend).where(people.c.suspended.is_(None))
    second = sa.select(friendships.c.person, sa.literal_column("2")).where(
        among(friendships.c.person, "group"), friendships.c.friend.in_(through)
    )
    return sa.union(first, second)


_NEAR = _nearness()


def near(session: Session, viewer: int, group: Collection[int]) -> tuple[set[int], set[int]]:
    """Return which of some people are friends of the viewer, and which are friends of such friends."""
    rows = session.execute(_NEAR, {"viewer": viewer, "group": list(group)}).all()
    friends = {person for person, steps in rows if steps == 1}
    return friends, {person for person, _ in rows} - friends


_PROFILE = (
    sa.select(circles.c.owner, circles.c.name)
    .join(circle_members, circle_members.c.circle == circles.c.id)
    .where(circle_members.c.person == sa.bindparam("viewer"), among(circles.c.owner, "group"))
    .order_by(circles.c.name)
)


def circle_profile(session: Session, viewer: int, group: Collection[int]) -> dict[int, tuple[str, ...]]:
    """Return for each of some people the names of their circles that hold the viewer."""
    found: dict[int, tuple[str, ...]] = dict.fromkeys(group, ())
    for owner, name in session.execute(_PROFILE, {"viewer": viewer, "group": list(group)}).all():
        found[owner] = (*found[owner], name)
    return found
