"""SQL about what people see of others: items in force, found by why somebody may see them.

An item that everybody may see is found by its reach. One for friends, or for friends of friends, is found by its crew:
those from whom distance is measured. There are far fewer crews than items, so that a friend's hundred thousand items
with somebody the reader does not know are one crew that is passed over at once.

What is found here is a superset of what a person sees without being a co-owner; `visible_ids` decides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.database import among, inserting
from entrenous.web.store.lists.list_tables import crew_members, crews, shelves, shown
from entrenous.web.store.schema import circle_members, circles, friendships, people

__all__ = ["ALLOWED", "BY_CIRCLES", "ShownRow", "candidates", "forget_shown", "replace_shown"]

ALLOWED, BY_CIRCLES = "allowed", "circles"
"""Reaches where circles decide: whoever is in no circle may see it, or only people in some circle may."""

_NEAREST, _FARTHEST = "~", ""
"""Places after and before all others."""


@dataclass(frozen=True)
class ShownRow:
    """An item that somebody beyond its co-owners may see; `members` is empty where it does not matter who asks."""

    item: str
    place: str
    reach: str
    members: frozenset[int]
    every: bool
    since: datetime
    until: datetime

    @property
    def key(self) -> str:
        """What names the crew: how far its items reach, who they are, and whether every one of them counts."""
        words = f"{self.reach} {self.every} {sorted(self.members)}"
        return hashlib.sha256(words.encode()).hexdigest()


# --- bringing it up to date ---------------------------------------------------------------------------------


def replace_shown(session: Session, ids: Collection[str], rows: Sequence[ShownRow]) -> None:
    """Say exactly this about who else may see some items."""
    left = _crews_of(session, ids)
    known = _crews(session, {row.key: row for row in rows if row.members})
    session.execute(sa.delete(shown).where(among(shown.c.item, "ids")), {"ids": list(ids)})
    values = [
        {
            "item": row.item,
            "place": row.place,
            "reach": row.reach,
            "crew": known[row.key] if row.members else None,
            "since": row.since,
            "until": row.until,
        }
        for row in rows
    ]
    if values:
        session.execute(sa.insert(shown), values)
    _dissolve(session, left - set(known.values()))


def forget_shown(session: Session, item: str) -> None:
    """Remove what is said about an item that is about to be erased."""
    replace_shown(session, [item], [])


def _crews_of(session: Session, ids: Collection[str]) -> set[int]:
    query = sa.select(shown.c.crew).where(among(shown.c.item, "ids"), shown.c.crew.is_not(None)).distinct()
    return set(session.scalars(query, {"ids": list(ids)}))


def _crews(session: Session, wanted: dict[str, ShownRow]) -> dict[str, int]:
    """Return the crews with some keys; those that are there are held, so that nobody dissolves them meanwhile."""
    if not wanted:
        return {}
    query = sa.select(crews.c.key, crews.c.id).where(among(crews.c.key, "keys")).order_by(crews.c.id)
    rows = session.execute(query.with_for_update(), {"keys": list(wanted)})
    known = {row.key: row.id for row in rows}
    for key in sorted(wanted.keys() - known.keys()):
        row = wanted[key]
        insert = inserting(session, crews).values(key=key, reach=row.reach, every=row.every)
        # Somebody else may have been faster: then theirs is ours.
        insert = insert.on_conflict_do_update(index_elements=[crews.c.key], set_={"every": row.every})
        known[key] = session.execute(insert.returning(crews.c.id)).scalar_one()
        members = [{"crew": known[key], "person": person} for person in sorted(row.members)]
        session.execute(inserting(session, crew_members).on_conflict_do_nothing(), members)
    return known


def _dissolve(session: Session, left: Collection[int]) -> None:
    """Remove crews that no item has any more: a number must not outlive its reason."""
    if not left:
        return
    numbers = {"left": sorted(left)}
    hold = sa.select(crews.c.id).where(among(crews.c.id, "left")).order_by(crews.c.id).with_for_update()
    session.execute(hold, numbers).all()
    used = sa.select(shown.c.crew).where(among(shown.c.crew, "left")).distinct()
    unused = {"left": sorted(set(left) - set(session.scalars(used, numbers)))}
    if unused["left"]:
        session.execute(sa.delete(crew_members).where(among(crew_members.c.crew, "left")), unused)
        session.execute(sa.delete(crews).where(among(crews.c.id, "left")), unused)


# --- finding candidates -------------------------------------------------------------------------------------


def candidates(
    session: Session, viewer: int | None, moment: datetime, edge: str | None, count: int, *, back: bool
) -> list[tuple[str, str]]:
    """Return items in force that a reader may see, as far as can be told here, each with its place.

    The newest first, from an edge on, or `back` from it towards the newest.
    """
    beyond = edge if edge is not None else (_FARTHEST if back else _NEAREST)
    given = {"viewer": viewer, "now": moment, "edge": beyond}
    if viewer is None:
        del given["viewer"]
    rows = session.execute(_candidates(count, known=viewer is not None, back=back), given)
    return [(row.item, row.place) for row in rows]


class _Walk:
    """One direction through places, so many rows at a time."""

    def __init__(self, count: int, *, back: bool) -> None:
        self.back = back
        # As parts of the text: a database that does not know how few rows are wanted plans for all of them.
        self.count: sa.ColumnClause[int] = sa.literal_column(str(count))
        self.last: sa.ColumnClause[int] = sa.literal_column(str(count - 1))

    def rows(self, table: sa.FromClause, *conditions: sa.ColumnElement[bool]) -> sa.Select[Any]:
        """Return the question for places and items in force beyond the edge."""
        edge, moment = sa.bindparam("edge", type_=sa.String), sa.bindparam("now", type_=shown.c.since.type)
        place = table.c.place
        return sa.select(table.c.item, place).where(
            *conditions,
            place > edge if self.back else place < edge,
            table.c.since <= moment,
            table.c.until > moment,
        )

    def ordered(self, query: sa.Select[Any], place: sa.ColumnElement[str]) -> sa.Select[Any]:
        """Return a question with its answers in the direction of the walk."""
        return query.order_by(place if self.back else place.desc())

    def first(self, query: sa.Select[Any], place: sa.ColumnElement[str]) -> sa.Select[Any]:
        """Return a question for so many rows, as a part of a larger one."""
        some = self.ordered(query, place).limit(self.count).subquery()
        return sa.select(some)


@cache
def _candidates(count: int, *, known: bool, back: bool) -> sa.Select[Any]:
    walk = _Walk(count, back=back)
    parts = [
        walk.first(walk.rows(shown, shown.c.reach == reach), shown.c.place) for reach in ("public", ALLOWED)
    ]
    if known:
        viewer = sa.bindparam("viewer", type_=people.c.id.type)
        own = walk.rows(shelves, shelves.c.person == viewer, shelves.c.decided == sa.true())
        parts.append(walk.first(own, shelves.c.place))
        friends = sa.select(friendships.c.friend).where(friendships.c.person == viewer)
        through = friends.join(people, people.c.id == friendships.c.friend).where(
            people.c.suspended.is_(None)
        )
        further = sa.select(friendships.c.person).where(friendships.c.friend.in_(through))
        holders = (
            sa.select(circles.c.owner)
            .join(circle_members, circle_members.c.circle == circles.c.id)
            .where(circle_members.c.person == viewer)
        )
        parts.append(_of_crews(walk, "friends", lambda: friends))
        parts.append(_of_crews(walk, "friends-of-friends", lambda: sa.union(friends, further)))
        parts.append(_of_crews(walk, BY_CIRCLES, lambda: holders))
    found = sa.union(*parts).subquery()
    return walk.ordered(sa.select(found.c.item, found.c.place), found.c.place).limit(walk.count)


def _of_crews(walk: _Walk, reach: str, near: Callable[[], Any]) -> sa.Select[Any]:
    """Return the question for items of crews that a reader is near to.

    Of all such crews only those with the newest items can be on the page: as many as the page has rows. Of each of them
    no more rows than that are looked at.
    """
    member, other = crew_members.alias(), crew_members.alias()
    stranger = sa.exists().where(other.c.crew == crews.c.id, other.c.person.not_in(near()))
    reached = (
        sa.select(crews.c.id)
        .where(
            crews.c.id.in_(sa.select(member.c.crew).where(member.c.person.in_(near()))),
            crews.c.reach == reach,
            sa.or_(crews.c.every == sa.false(), ~stranger),
        )
        .subquery()
    )
    head = shown.alias()
    newest = walk.ordered(walk.rows(head, head.c.crew == reached.c.id), head.c.place)
    newest = newest.with_only_columns(head.c.place).limit(1).correlate(reached)
    heads = sa.select(reached.c.id, newest.scalar_subquery().label("head")).subquery()
    chosen = walk.ordered(sa.select(heads.c.id).where(heads.c.head.is_not(None)), heads.c.head)
    chosen_crews = chosen.limit(walk.count).subquery()
    tail = shown.alias()
    last = walk.ordered(walk.rows(tail, tail.c.crew == chosen_crews.c.id), tail.c.place)
    last = last.with_only_columns(tail.c.place).limit(sa.literal_column("1")).offset(walk.last)
    bound = sa.func.coalesce(
        last.correlate(chosen_crews).scalar_subquery(), _NEAREST if walk.back else _FARTHEST
    )
    within = shown.c.place <= bound if walk.back else shown.c.place >= bound
    rows = walk.rows(shown, shown.c.crew == chosen_crews.c.id, within)
    return walk.first(rows, shown.c.place)
