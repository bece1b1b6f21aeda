"""What a person reads: lists of items, notifications and the history.

Every list goes through `visible_ids`, but for one: somebody who is asked whether they are in an item learns its title
and who put it up before they say yes, and nothing else.

Lists are read a page at a time. A page ends at a row that is on it, so that where it ended says nothing about what the
reader may not see, and it is full unless it is the last, so that its length does not either.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.rules.actions import ANSWER_TAG, Place, may
from entrenous.web.rules.states import accepted, audience_in_force, present_state
from entrenous.web.rules.visibility import knows_uploader, visible_ids
from entrenous.web.store.database import now
from entrenous.web.store.letters import NotificationRow
from entrenous.web.store.lists.shelving import WaitingRow
from entrenous.web.store.lists.windows import FIRST, Listed, Position, Window, cut
from entrenous.web.store.records import (
    Event,
    ItemCard,
    Notification,
)

__all__ = [
    "gallery",
    "history",
    "inbox",
    "mark_read",
    "mine",
    "notifications",
    "of_me",
    "unread",
    "waiting_count",
]

_LOOK, _FURTHER = 128, 512
"""So many candidates are looked at first, and again if too few of them are for the reader to see."""

Found = tuple[str, str]
"""An item and its place in the list."""


def inbox(session: Session, person: int, *, window: Window = FIRST, limit: int = 50) -> Listed[ItemCard]:
    """Return what wants something of a person, the most urgent first: changes, views, tags, claims, outcomes."""
    moment = now(session)

    def fetch(edge: Position | None, count: int, *, back: bool) -> Sequence[WaitingRow]:
        return store.shelving.waiting_for(session, person, moment, _one(edge), count, back=back)

    page = cut(fetch, lambda row: [row.place], window, limit)
    needs = {row.item: row.need for row in page}
    cards = {
        card.id: card for card in _cards(session, person, [row.item for row in page if row.need != "tag"])
    }
    cards |= _tag_requests(session, person, [row.item for row in page if row.need == "tag"])
    rows = [replace(cards[item], need=need) for item, need in needs.items() if item in cards]
    return Listed(rows, page.onward, page.back)


def waiting_count(session: Session, person: int, most: int) -> int:
    """Return how many items want something of a person, but count no further than `most`."""
    return store.shelving.waiting_count(session, person, now(session), most)


def _tag_requests(session: Session, person: int, ids: Collection[str]) -> dict[str, ItemCard]:
    """Return what somebody learns who is asked whether they are in some items: titles, and who put them up."""
    rows, owners = store.items.get_items(session, ids), store.items.owners_of(session, ids)
    names = store.persons.named(session, {row.originator for row in rows.values()})
    moment = now(session)
    return {
        item: ItemCard(item, row.title, "", row.kind, names[row.originator], None, None, row.created)
        for item, row in rows.items()
        if may(ANSWER_TAG, Place(session, person, owners[item]), row, moment)
    }


def gallery(
    session: Session, viewer: int | None, *, window: Window = FIRST, limit: int = 50
) -> Listed[ItemCard]:
    """Return items in force that a reader may see, the newest first."""
    moment = now(session)
    cards: dict[str, ItemCard] = {}

    def fetch(edge: Position | None, count: int, *, back: bool) -> list[Found]:
        found, place, look = list[Found](), _one(edge), _LOOK
        while True:
            some = store.crewing.candidates(session, viewer, moment, place, look, back=back)
            seen = {card.id: card for card in _cards(session, viewer, [item for item, _ in some])}
            cards.update({item: card for item, card in seen.items() if card.state in (None, "active")})
            found += [(item, at) for item, at in some if item in cards]
            if len(some) < look or len(found) >= count:
                return found[:count]
            # Where this look ended may be an item that is not for the reader to see; it is not told.
            place, look = some[-1][1], max(look, min(_FURTHER, 4 * look))

    page = cut(fetch, _place, window, limit)
    return Listed([cards[item] for item, _ in page], page.onward, page.back)


def mine(session: Session, person: int, *, window: Window = FIRST, limit: int = 50) -> Listed[ItemCard]:
    """Return the items a person decides about, the newest first."""
    return _shelf(session, person, "seen", window, limit)


def of_me(session: Session, person: int, *, window: Window = FIRST, limit: int = 50) -> Listed[ItemCard]:
    """Return the items a person is named in, the newest first."""
    return _shelf(session, person, "named", window, limit)


def _shelf(session: Session, person: int, which: str, window: Window, limit: int) -> Listed[ItemCard]:
    def fetch(edge: Position | None, count: int, *, back: bool) -> Sequence[Found]:
        return store.shelving.on_shelf(session, person, which, _one(edge), count, back=back)

    page = cut(fetch, _place, window, limit)
    return Listed(_cards(session, person, [item for item, _ in page]), page.onward, page.back)


def _one(edge: Position | None) -> Any:
    """Return the one value of a position that has no more."""
    return None if edge is None else edge[0]


def _place(found: Found) -> Position:
    return [found[1]]


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


def notifications(
    session: Session, person: int, limit: int = 50, *, window: Window = FIRST
) -> Listed[Notification]:
    """Return notifications, the newest first."""

    def fetch(edge: Position | None, count: int, *, back: bool) -> Sequence[NotificationRow]:
        return store.letters.notifications_of(session, person, _one(edge), count, back=back)

    page = cut(fetch, lambda row: [row.id], window, limit)
    items = {row.item for row in page if row.item is not None}
    titles = _titles(session, person, items)
    hidden = _hidden_uploaders(session, person, items)
    names = store.persons.named(session, {row.actor for row in page if row.actor is not None})
    rows = (
        Notification(
            id=row.id,
            kind=row.kind,
            item=row.item if row.item in titles else None,
            title=titles.get(row.item or "", ""),
            actor=None if hidden.get(row.item or "") == row.actor else names.get(row.actor or 0),
            created=row.created,
            read=row.read is not None,
        )
        for row in page
    )
    return Listed(rows, page.onward, page.back)


def _hidden_uploaders(session: Session, person: int, ids: Collection[str]) -> dict[str, int]:
    """Return who put up those of some items whose uploader is not for a person to know."""
    rows, owners = store.items.get_items(session, ids), store.items.owners_of(session, ids)
    return {
        item: row.originator
        for item, row in rows.items()
        if not knows_uploader(person, row.originator, owners[item])
    }


def unread(session: Session, person: int, most: int) -> int:
    """Return how many notifications are unread, but count no further than `most`."""
    return store.letters.unread_count(session, person, most)


def mark_read(session: Session, person: int) -> None:
    """Mark all notifications as read."""
    store.letters.mark_read(session, person, now(session))


def history(session: Session, person: int, limit: int = 200, *, window: Window = FIRST) -> Listed[Event]:
    """Return what a person did, and what happened to the items they decide about, the newest first."""

    def fetch(edge: Position | None, count: int, *, back: bool) -> Sequence[Any]:
        return store.audit_trail.events_about(session, person, _one(edge), count, back=back)

    page = cut(fetch, lambda row: [row.number], window, limit)
    titles = _titles(session, person, {row.item for row in page if row.item is not None})
    names = store.persons.named(session, {row.actor for row in page if row.actor is not None})
    rows = (
        Event(
            at=row.at,
            action=row.action,
            item=row.item if row.item in titles else None,
            title=titles.get(row.item, ""),
            actor=names.get(row.actor),
        )
        for row in page
    )
    return Listed(rows, page.onward, page.back)


def _titles(session: Session, person: int, ids: Collection[str]) -> dict[str, str]:
    """Return the titles of those of some items that a person may see, or is asked about."""
    known = visible_ids(session, person, ids) | store.items.asked_among(session, person, ids)
    return {item: row.title for item, row in store.items.get_items(session, known).items()}
