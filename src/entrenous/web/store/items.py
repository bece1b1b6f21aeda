"""SQL about items: who owns them together, who has answered, and what was decided.

What people answered is not here: it lies sealed in `sealed.boxes`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store import files
from entrenous.web.store.database import among
from entrenous.web.store.lists.crewing import forget_shown
from entrenous.web.store.schema import (
    agreements,
    change_voices,
    changes,
    decisions,
    items,
    metadata,
    owners,
    petitions,
    steps,
)
from entrenous.web.store.standings import Part, Standing

__all__ = [
    "Decided",
    "ItemRow",
    "OwnerRow",
    "Petitioned",
    "Step",
    "add_agreement",
    "add_decision",
    "add_item",
    "add_owner",
    "add_petition",
    "add_step",
    "agreeing",
    "answered",
    "asked_among",
    "decision_of",
    "decisions_in_order",
    "due_items",
    "erase_item",
    "forget_item",
    "forget_steps",
    "forget_voice",
    "get_item",
    "get_items",
    "last_decisions",
    "last_step",
    "lock_item",
    "owned_ids",
    "owners_of",
    "petition_of",
    "remove_owner",
    "remove_petition",
    "remove_step",
    "states",
    "update_item",
    "update_owner",
]


@dataclass(frozen=True)
class ItemRow(Standing):
    """An item as it is stored; `state` may be behind the clock, see `states.present_state`."""

    title: str
    description: str
    kind: str
    round: int
    petitions: int
    vote: Mapping[str, Any]
    open: bool
    created: datetime
    deadline: datetime | None


@dataclass(frozen=True)
class OwnerRow(Part):
    """One person's place in an item, in full."""

    item: str
    role: str
    tagged: bool
    answered_round: int | None
    since: datetime


@dataclass(frozen=True)
class Decided:
    """A stored decision; `record` holds a commitment for each slot, `named` whom an open round named, by slot."""

    item: str
    round: int
    choice: str
    agreed: bool
    record: str
    named: Sequence[str] | None
    digest: str
    decided: datetime


@dataclass(frozen=True)
class Petitioned:
    """A stored petition for the round after `round`."""

    item: str
    round: int
    person: int
    text: str
    audience: str | None
    created: datetime


@dataclass(frozen=True)
class Step:
    """Something a person did and may take back; `before` is what to go back to."""

    id: int
    action: str
    before: Mapping[str, Any]
    made: datetime


# --- items --------------------------------------------------------------------------------------------------


def add_item(session: Session, **values: Any) -> None:
    """Add an item."""
    session.execute(sa.insert(items).values(**values))


def get_item(session: Session, item: str) -> ItemRow | None:
    """Return an item."""
    return get_items(session, [item]).get(item)


_ITEMS = sa.select(*(items.c[one.name] for one in fields(ItemRow))).where(among(items.c.id, "ids"))
_OWNERS = sa.select(*(owners.c[one.name] for one in fields(OwnerRow))).where(among(owners.c.item, "ids"))


def get_items(session: Session, ids: Collection[str]) -> dict[str, ItemRow]:
    """Return items by id."""
    return {row.id: ItemRow(*row) for row in session.execute(_ITEMS, {"ids": list(ids)})}


def lock_item(session: Session, item: str) -> ItemRow | None:
    """Return an item and keep others from changing it until this transaction ends."""
    row = session.execute(sa.select(items).where(items.c.id == item).with_for_update()).one_or_none()
    return None if row is None else ItemRow(**row._mapping)


def update_item(session: Session, item: str, **values: Any) -> None:
    """Change fields of an item."""
    session.execute(sa.update(items).where(items.c.id == item).values(**values))


def due_items(session: Session, moment: datetime, limit: int, item: str | None = None) -> list[str]:
    """Return items whose deadline, window or expiry has passed, the given one alone if one is given."""
    closed = ("withdrawn", "expired", "draft")
    due = sa.or_(
        sa.and_(items.c.state == "collecting", items.c.deadline <= moment),
        sa.and_(items.c.state == "proposed", items.c.objection_until <= moment),
        sa.and_(items.c.state.not_in(closed), items.c.expires <= moment),
    )
    query = sa.select(items.c.id).where(due)
    if item is not None:
        query = query.where(items.c.id == item)
    return list(session.scalars(query.order_by(items.c.id).limit(limit)))


def states(session: Session) -> dict[str, int]:
    """Return how many items are in each state."""
    rows = session.execute(sa.select(items.c.state, sa.func.count()).group_by(items.c.state))
    return {row[0]: row[1] for row in rows}


# --- owners -------------------------------------------------------------------------------------------------


def owners_of(session: Session, ids: Collection[str]) -> dict[str, list[OwnerRow]]:
    """Return the owners of items, the originator first, then by number."""
    found: dict[str, list[OwnerRow]] = {item: [] for item in ids}
    for row in session.execute(_OWNERS, {"ids": list(ids)}):
        found[row.item].append(OwnerRow(*row))
    for rows in found.values():
        rows.sort(key=lambda owner: (owner.role != "originator", owner.person))
    return found


def add_owner(session: Session, **values: Any) -> None:
    """Add a person's place in an item."""
    session.execute(sa.insert(owners).values(**values))


def update_owner(session: Session, item: str, person: int, **values: Any) -> None:
    """Change a person's place in an item."""
    query = sa.update(owners).where(owners.c.item == item, owners.c.person == person)
    session.execute(query.values(**values))


def owned_ids(session: Session, person: int, owner_states: Collection[str]) -> list[str]:
    """Return the items in which a person has a place of one of these states, the newest first."""
    query = (
        sa.select(items.c.id)
        .join(owners, owners.c.item == items.c.id)
        .where(owners.c.person == person, owners.c.state.in_(owner_states))
        .order_by(items.c.created.desc(), items.c.id)
    )
    return list(session.scalars(query))


def asked_among(session: Session, person: int, ids: Collection[str]) -> set[str]:
    """Return which of some items a person is asked about."""
    query = sa.select(owners.c.item).where(
        among(owners.c.item, "ids"), owners.c.person == person, owners.c.state == "asked"
    )
    return set(session.scalars(query, {"ids": list(ids)}))


def remove_owner(session: Session, item: str, person: int) -> None:
    """Remove a person's place in an item, and with it who their slot is."""
    session.execute(sa.delete(owners).where(owners.c.item == item, owners.c.person == person))


def answered(session: Session, item: str, round_: int) -> set[int]:
    """Return who has answered a round."""
    query = sa.select(owners.c.person).where(owners.c.item == item, owners.c.answered_round == round_)
    return set(session.scalars(query))


# --- decisions, agreements, petitions -----------------------------------------------------------------------


def add_decision(session: Session, **values: Any) -> None:
    """Keep a decision; the key (item, round) makes sure that there is one only."""
    session.execute(sa.insert(decisions).values(**values))


def decision_of(session: Session, item: str, round_: int | None = None) -> Decided | None:
    """Return the decision of a round, the last one unless told."""
    query = sa.select(decisions).where(decisions.c.item == item)
    if round_ is not None:
        query = query.where(decisions.c.round == round_)
    row = session.execute(query.order_by(decisions.c.round.desc()).limit(1)).one_or_none()
    return None if row is None else Decided(**row._mapping)


def decisions_in_order(session: Session, item: str | None = None) -> list[tuple[str, int]]:
    """Return item and round of all decisions, or of one item's."""
    query = sa.select(decisions.c.item, decisions.c.round)
    if item is not None:
        query = query.where(decisions.c.item == item)
    rows = session.execute(query.order_by(decisions.c.decided, decisions.c.item, decisions.c.round))
    return [(row.item, row.round) for row in rows]


def last_decisions(session: Session, ids: Collection[str]) -> dict[str, Decided]:
    """Return the last decision of each of some items."""
    query = sa.select(decisions).where(decisions.c.item.in_(ids)).order_by(decisions.c.round)
    return {row.item: Decided(**row._mapping) for row in session.execute(query)}


def add_agreement(session: Session, item: str, round_: int, person: int, moment: datetime) -> None:
    """Keep that a person agrees with the outcome of a round."""
    session.execute(sa.insert(agreements).values(item=item, round=round_, person=person, given=moment))


def agreeing(session: Session, item: str, round_: int) -> set[int]:
    """Return who agrees with the outcome of a round."""
    query = sa.select(agreements.c.person).where(agreements.c.item == item, agreements.c.round == round_)
    return set(session.scalars(query))


def add_petition(
    session: Session,
    item: str,
    round_: int,
    person: int,
    text: str,
    audience: str | None,
    moment: datetime,
) -> None:
    """Keep that a person asks for a wider audience than a round gave."""
    session.execute(
        sa.insert(petitions).values(
            item=item, round=round_, person=person, text=text, audience=audience, created=moment
        )
    )


def petition_of(session: Session, item: str, round_: int) -> Petitioned | None:
    """Return the petition against the outcome of a round."""
    query = sa.select(petitions).where(petitions.c.item == item, petitions.c.round == round_)
    row = session.execute(query).one_or_none()
    return None if row is None else Petitioned(**row._mapping)


def remove_petition(session: Session, item: str, round_: int) -> None:
    """Remove the petition against the outcome of a round."""
    session.execute(sa.delete(petitions).where(petitions.c.item == item, petitions.c.round == round_))


# --- steps that may be taken back ---------------------------------------------------------------------------


def add_step(
    session: Session, item: str, person: int, action: str, before: Mapping[str, Any], moment: datetime
) -> None:
    """Keep a step, instead of earlier ones of the same person in the same item."""
    session.execute(sa.delete(steps).where(steps.c.item == item, steps.c.person == person))
    session.execute(
        sa.insert(steps).values(item=item, person=person, action=action, before=dict(before), made=moment)
    )


def last_step(session: Session, item: str, person: int, since: datetime) -> Step | None:
    """Return a person's last step in an item, if it was made since a moment."""
    query = sa.select(steps.c.id, steps.c.action, steps.c.before, steps.c.made).where(
        steps.c.item == item, steps.c.person == person, steps.c.made >= since
    )
    row = session.execute(query.order_by(steps.c.id.desc()).limit(1)).one_or_none()
    return None if row is None else Step(**row._mapping)


def remove_step(session: Session, step: int) -> None:
    """Forget a step."""
    session.execute(sa.delete(steps).where(steps.c.id == step))


def forget_steps(session: Session, item: str, action: str) -> None:
    """Forget everybody's steps of one kind in an item: they can no longer be taken back."""
    session.execute(sa.delete(steps).where(steps.c.item == item, steps.c.action == action))


def forget_item(session: Session, item: str) -> None:
    """Remove what was said about an item and in it; the records of its decisions stay."""
    for table in (agreements, change_voices, changes, petitions, steps):
        session.execute(sa.delete(table).where(table.c.item == item))
    session.execute(sa.update(owners).where(owners.c.item == item).values(answered_round=None))
    update_item(session, item, title="", description="")


def erase_item(session: Session, item: str) -> None:
    """Remove an item and every row about it; what people were told stays, without it."""
    forget_shown(session, item)
    files.remove_contents(session, item)  # objects are named by its rows alone
    for table in reversed(metadata.sorted_tables):
        about = [column for column in table.c if column.references(items.c.id)]
        for column in about:
            here = column == item
            change = sa.update(table).values({column: None}) if column.nullable else sa.delete(table)
            session.execute(change.where(here))
    session.execute(sa.delete(items).where(items.c.id == item))


def forget_voice(session: Session, person: int) -> None:
    """Remove all agreements and petitions of a person, and what they could still take back."""
    for table in (agreements, petitions, steps):
        session.execute(sa.delete(table).where(table.c.person == person))


def purge_steps(session: Session, moment: datetime, kept: timedelta) -> None:
    """Forget steps that can no longer be taken back."""
    session.execute(sa.delete(steps).where(steps.c.made < moment - kept))
