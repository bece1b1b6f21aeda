"""What a person reads: lists of items, notifications and the history.

Every list goes through `visible_ids`, but for one: somebody who is asked whether they are in an item learns its title
and who put it up before they say yes, and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.rules import actions
from entrenous.web.rules.actions import Place, may
from entrenous.web.rules.states import accepted, audience_in_force, present_state
from entrenous.web.rules.visibility import knows_uploader, visible_ids
from entrenous.web.service.showing import tag_request
from entrenous.web.store.database import now
from entrenous.web.store.items import ItemRow
from entrenous.web.store.records import (
    Event,
    ItemCard,
    Notification,
)

__all__ = ["gallery", "history", "inbox", "mark_read", "mine", "notifications", "of_me", "unread"]

_TOLD = (
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

_LOOK, _LOOKS = 500, 20
"""How many times a page of the gallery looks further back for items the reader may see."""


def inbox(session: Session, person: int) -> tuple[ItemCard, ...]:
    """Return what wants something of a person, the most urgent first: views, tags, claims, outcomes."""
    moment = now(session)
    own = store.items.owned_ids(session, person, ("accepted", "asked"))
    rows = store.items.get_items(session, own)
    places = {
        item: Place(session, person, rows) for item, rows in store.items.owners_of(session, own).items()
    }
    cards = [
        tag_request(session, person, item)
        for item, row in rows.items()
        if may(actions.ANSWER_TAG, places[item], row, moment)
    ]
    changing = store.changes.waiting_for(session, person, moment)
    for card in _cards(session, person, [item for item in own if places[item].state == "accepted"]):
        need = "change" if card.id in changing else _need(places[card.id], rows[card.id], moment)
        if need is not None:
            cards.append(replace(card, need=need))
    order = {"change": 0, "answer": 1, "tag": 2, "claim": 3, "agree": 4}
    return tuple(sorted(cards, key=lambda card: (order[str(card.need)], card.deadline or moment, card.id)))


def _need(place: Place, row: ItemRow, moment: datetime) -> str | None:
    if may(actions.ANSWER, place, row, moment):
        if place.person not in store.items.answered(place.session, row.id, row.round):
            return "answer"
    elif may(actions.AGREE, place, row, moment):
        return "agree"
    claims = any(owner.state == "claiming" for owner in place.owners)
    return "claim" if claims and may(actions.DECIDE_CLAIM, place, row, moment) else None


def gallery(
    session: Session, viewer: int | None, *, before: datetime | None = None, limit: int = 50
) -> tuple[ItemCard, ...]:
    """Return items in force that a reader may see, the newest first; `before` goes on where a page ended."""
    cards: list[ItemCard] = []
    for _ in range(_LOOKS):
        ids = store.items.candidate_ids(session, before=before, limit=_LOOK)
        cards += [card for card in _cards(session, viewer, ids) if card.state in (None, "active")]
        if len(ids) < _LOOK or len(cards) >= limit:
            break
        before = min(row.created for row in store.items.get_items(session, ids).values())
    return tuple(cards[:limit])


def mine(session: Session, person: int) -> tuple[ItemCard, ...]:
    """Return the items a person decides about, the newest first."""
    return tuple(_cards(session, person, store.items.owned_ids(session, person, ("accepted",))))


def of_me(session: Session, person: int) -> tuple[ItemCard, ...]:
    """Return the items a person is named in."""
    own = store.items.owned_ids(session, person, ("accepted",))
    owners = store.items.owners_of(session, own)
    named = [item for item in own if any(one.person == person and one.tagged for one in owners[item])]
    return tuple(_cards(session, person, named))


def _cards(session: Session, viewer: int | None, ids: Collection[str]) -> list[ItemCard]:
    """Return cards of those of some items that a reader may see, in their order."""
    visible = visible_ids(session, viewer, ids)
    rows = store.items.get_items(session, visible)
    owners = store.items.owners_of(session, visible)
    names = store.persons.named(session, {row.originator for row in rows.values()})
    moment = now(session)
    cards = []
    for item in ids:
        if item not in visible:
            continue
        row = rows[item]
        mine = any(owner.person == viewer for owner in accepted(owners[item]))
        who = names[row.originator] if knows_uploader(viewer, row.originator, owners[item]) else None
        card = ItemCard(row.id, row.title, row.description, row.kind, who, None, None, row.created)
        if mine:
            card = replace(
                card,
                state=present_state(row, moment),
                audience=audience_in_force(row, owners[item], moment),
                deadline=row.deadline if row.state == "collecting" else row.objection_until,
            )
        cards.append(card)
    return cards


def notifications(session: Session, person: int, limit: int = 50) -> tuple[Notification, ...]:
    """Return the last notifications, the newest first."""
    rows = store.letters.notifications_of(session, person, limit)
    items = {row.item for row in rows if row.item is not None}
    titles = _titles(session, person, items)
    hidden = _hidden_uploaders(session, person, items)
    names = store.persons.named(session, {row.actor for row in rows if row.actor is not None})
    return tuple(
        Notification(
            id=row.id,
            kind=row.kind,
            item=row.item if row.item in titles else None,
            title=titles.get(row.item or "", ""),
            actor=None if hidden.get(row.item or "") == row.actor else names.get(row.actor or 0),
            created=row.created,
            read=row.read is not None,
        )
        for row in rows
    )


def _hidden_uploaders(session: Session, person: int, ids: Collection[str]) -> dict[str, int]:
    """Return who put up those of some items whose uploader is not for a person to know."""
    rows, owners = store.items.get_items(session, ids), store.items.owners_of(session, ids)
    return {
        item: row.originator
        for item, row in rows.items()
        if not knows_uploader(person, row.originator, owners[item])
    }


def unread(session: Session, person: int) -> int:
    """Return how many notifications are unread."""
    return store.letters.unread_count(session, person)


def mark_read(session: Session, person: int) -> None:
    """Mark all notifications as read."""
    store.letters.mark_read(session, person, now(session))


def history(session: Session, person: int, limit: int = 200) -> tuple[Event, ...]:
    """Return what a person did, and what happened to the items they decide about, the newest first."""
    own = store.items.owned_ids(session, person, ("accepted",))
    rows = store.audit_trail.events_about(session, person, own, _TOLD, limit)
    titles = _titles(session, person, {row.item for row in rows if row.item is not None})
    names = store.persons.named(session, {row.actor for row in rows if row.actor is not None})
    return tuple(
        Event(
            at=row.at,
            action=row.action,
            item=row.item if row.item in titles else None,
            title=titles.get(row.item, ""),
            actor=names.get(row.actor),
        )
        for row in rows
    )


def _titles(session: Session, person: int, ids: Collection[str]) -> dict[str, str]:
    """Return the titles of those of some items that a person may see, or is asked about."""
    known = visible_ids(session, person, ids)
    known |= set(ids) & set(store.items.owned_ids(session, person, ("asked",)))
    return {item: row.title for item, row in store.items.get_items(session, known).items()}
