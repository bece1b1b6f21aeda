"""Slow twins of lists: everything there is, looked at one by one, as the service did before it kept lists."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.rules import actions
from entrenous.web.rules.actions import Place, may
from entrenous.web.rules.states import present_state
from entrenous.web.rules.visibility import visible_ids
from entrenous.web.store.audit_trail import TOLD
from entrenous.web.store.database import now
from entrenous.web.store.items import ItemRow
from entrenous.web.store.schema import audit, change_voices, changes, items, owners


def needs(session: Session, person: int) -> dict[str, str]:
    """What each item wants of a person now, worked out from the item."""
    moment, found = now(session), {}
    own = store.items.owned_ids(session, person, ("accepted", "asked"))
    rows, places = store.items.get_items(session, own), store.items.owners_of(session, own)
    changing = waiting_changes(session, person, moment)
    seen = visible_ids(session, person, own)
    for item, row in rows.items():
        place = Place(session, person, places[item])
        if may(actions.ANSWER_TAG, place, row, moment):
            found[item] = "tag"
        elif place.state == "accepted" and item in seen:
            need = "change" if item in changing else one_need(place, row, moment)
            if need is not None:
                found[item] = need
    return found


def one_need(place: Place, row: ItemRow, moment: datetime) -> str | None:
    if may(actions.ANSWER, place, row, moment):
        if place.person not in store.items.answered(place.session, row.id, row.round):
            return "answer"
    elif may(actions.AGREE, place, row, moment):
        return "agree"
    claims = any(owner.state == "claiming" for owner in place.owners)
    return "claim" if claims and may(actions.DECIDE_CLAIM, place, row, moment) else None


def waiting_changes(session: Session, person: int, moment: datetime) -> set[str]:
    said = sa.select(change_voices.c.item).where(change_voices.c.person == person)
    query = (
        sa.select(changes.c.item)
        .join(items, items.c.id == changes.c.item)
        .join(owners, sa.and_(owners.c.item == changes.c.item, owners.c.person == person))
        .where(
            owners.c.state == "accepted",
            items.c.state.in_(("collecting", "proposed", "active", "no_agreement")),
            sa.or_(items.c.expires.is_(None), items.c.expires > moment),
            changes.c.until > moment,
            changes.c.item.not_in(said),
        )
    )
    return set(session.scalars(query))


def in_order(session: Session) -> dict[str, ItemRow]:
    """All items, the newest first, those of one moment by id."""
    rows = store.items.get_items(session, list(session.scalars(sa.select(items.c.id))))
    return {row.id: row for row in sorted(rows.values(), key=lambda row: (row.created, row.id), reverse=True)}


def gallery(session: Session, viewer: int | None) -> list[str]:
    """Every item in force that a reader may see."""
    rows, moment = in_order(session), now(session)
    visible = visible_ids(session, viewer, rows)
    places = store.items.owners_of(session, rows)
    co_owned = {
        item for item in rows if any(one.person == viewer and one.state == "accepted" for one in places[item])
    }
    return [
        item
        for item, row in rows.items()
        if item in visible and (item not in co_owned or present_state(row, moment) == "active")
    ]


def mine(session: Session, person: int, *, named: bool = False) -> list[str]:
    """Every item that a person sees as a co-owner, or is named in."""
    rows = in_order(session)
    own, places = visible_ids(session, person, rows), store.items.owners_of(session, rows)
    return [
        item
        for item in rows
        if item in own
        and any(
            one.person == person and one.state == "accepted" and (one.tagged or not named)
            for one in places[item]
        )
    ]


def history(session: Session, person: int) -> list[int]:
    """The numbers of all events of a person's history."""
    own = store.items.owned_ids(session, person, ("accepted",))
    about = sa.and_(audit.c.item.in_(own), audit.c.action.in_(TOLD))
    query = sa.select(audit.c.number).where(sa.or_(audit.c.actor == person, about))
    return list(session.scalars(query.order_by(audit.c.number.desc())))
