"""What a person reads: pages about items, lists, notifications, history.

Every list goes through `visible_ids`, but for one: somebody who is asked whether they are in an item learns its title
and who put it up before they say yes, and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from entrenous.web import decisions, store_audit, store_items, store_outbox, store_people
from entrenous.web.records import (
    Event,
    ItemCard,
    ItemPage,
    MyView,
    Notification,
    Outcome,
    Owner,
    Petition,
    Who,
)
from entrenous.web.refusals import NotFound
from entrenous.web.states import LIVE, accepted, audience_in_force, closes_now, present_state
from entrenous.web.store import now, settings_of
from entrenous.web.store_items import ItemRow, OwnerRow
from entrenous.web.visibility import visible_ids
from entrenous.web.workflow import scored_by

__all__ = [
    "gallery",
    "history",
    "inbox",
    "item_page",
    "mark_read",
    "mine",
    "my_view",
    "notifications",
    "of_me",
    "tag_request",
    "unread",
]

_TOLD = (
    "active",
    "created",
    "decided",
    "edited",
    "expired",
    "joined",
    "no_agreement",
    "opened",
    "petition",
    "round",
    "withdrawn",
)
"""What co-owners may know of each other's doings; who answered, agreed or set a limit is not among it."""

_LOOK, _LOOKS = 500, 20
"""How many times a page of the gallery looks further back for items the reader may see."""


# --- one item -----------------------------------------------------------------------------------------------


def item_page(session: Session, viewer: int | None, item: str) -> ItemPage:
    """Return an item for a reader who may see it; how the co-owners decide is for co-owners alone."""
    if item not in visible_ids(session, viewer, [item]):
        raise NotFound
    row = store_items.get_item(session, item)
    assert row is not None, "what is visible is there"
    owners = store_items.owners_of(session, [item])[item]
    me = next((owner for owner in owners if owner.person == viewer), None)
    co_owner = me is not None and me.state == "accepted"
    names = store_people.named(session, [owner.person for owner in owners])
    moment = now(session)
    shown = [owner for owner in owners if _shown(owner, row, viewer, co_owner=co_owner)]
    page = ItemPage(
        id=row.id,
        title=row.title,
        description=row.description,
        kind=row.kind,
        originator=names[row.originator],
        created=row.created,
        co_owner=co_owner,
        audience=audience_in_force(row, owners, moment),
        owners=tuple(_owner(owner, names) for owner in shown),
        can=_can(session, row, me, viewer, moment),
    )
    if me is None or not co_owner:
        # Others are not told how far an item goes: that they see it says enough.
        return replace(page, audience=None, my_owner=None if me is None else _owner(me, names))
    return _for_co_owner(session, page, row, owners, names, me, moment)


def _for_co_owner(
    session: Session,
    page: ItemPage,
    row: ItemRow,
    owners: Collection[OwnerRow],
    names: dict[int, Who],
    me: OwnerRow,
    moment: datetime,
) -> ItemPage:
    voters = accepted(owners)
    answered = store_items.answered(session, row.id, row.round)
    return replace(
        page,
        state=present_state(row, moment),
        round=row.round,
        rounds_left=max(0, settings_of(session).rounds - 1 - row.petitions),
        method=row.method,
        vote=row.vote,
        anchor=row.anchor,
        deadline=row.deadline,
        objection_until=row.objection_until,
        expires=row.expires,
        answered=sum(owner.person in answered for owner in voters),
        voters=len(voters),
        outcome=_outcome(session, row, me.person),
        petition=_petition(session, row, names),
        my_owner=_owner(me, names),
        overdue=closes_now(row, moment),
    )


def _shown(owner: OwnerRow, row: ItemRow, viewer: int | None, *, co_owner: bool) -> bool:
    """Return whether a reader learns of somebody's place: who said no is between them and who put it up."""
    if not co_owner:
        return owner.state == "accepted" and owner.tagged
    if viewer == row.originator:
        return owner.state not in ("left", "gone")
    return owner.state in ("accepted", "asked") or owner.person == viewer


def _owner(owner: OwnerRow, names: dict[int, Who]) -> Owner:
    return Owner(names[owner.person], owner.role, owner.state, owner.tagged)


def _outcome(session: Session, row: ItemRow, reader: int) -> Outcome | None:
    decided = store_items.decision_of(session, row.id)
    if decided is None:
        return None
    agreeing = store_items.agreeing(session, row.id, decided.round)
    return Outcome(
        round=decided.round,
        choice=decided.choice,
        rule=decided.rule,
        agreed=decided.agreed,
        decided=decided.decided,
        reason=decisions.reason_for(decided, reader),
        agrees=True if reader in agreeing else None,
        agreeing=len(agreeing),
    )


def _petition(session: Session, row: ItemRow, names: dict[int, Who]) -> Petition | None:
    """Return the petition that brought on the present round."""
    found = store_items.petition_of(session, row.id, row.round - 1)
    if found is None:
        return None
    asks = tuple(names[person] for person in found.asks if person in names)
    return Petition(names[found.person], found.text, found.round, found.created, asks)


def _can(
    session: Session, row: ItemRow, me: OwnerRow | None, viewer: int | None, moment: datetime
) -> frozenset[str]:
    """Return what a reader may do with an item now; the functions of `workflow` have the last word."""
    state = present_state(row, moment)
    if viewer is None:
        return frozenset()
    if me is None or me.state != "accepted":
        new = me is None or me.state == "declined"
        return frozenset({"claim"} if new and state in LIVE else ())
    can: set[str] = set()
    if state in LIVE:
        can |= {"limit", "untag" if me.tagged else "retag"}
        if row.originator == viewer:
            can |= {"edit", "tag", "expire", "decide_claim"}
    if row.originator == viewer and state != "withdrawn":
        can.add("withdraw")
    if row.originator == viewer and state == "draft":
        can.add("open")
    if state == "collecting" and not closes_now(row, moment):
        can.add("answer")
    if state in ("proposed", "active", "no_agreement") and row.petitions < settings_of(session).rounds - 1:
        can.add("petition")
    if state == "proposed" and viewer not in store_items.agreeing(session, row.id, row.round):
        can.add("agree")
    since = moment - timedelta(minutes=settings_of(session).undo_minutes)
    step = store_items.last_step(session, row.id, viewer, since)
    if step is not None and (step.action != "answer" or state == "collecting"):
        can.add("undo")
    return frozenset(can)


def my_view(session: Session, person: int, item: str) -> MyView:
    """Return one's own answer to the present round, or what it would begin from."""
    if item not in visible_ids(session, person, [item]):
        raise NotFound
    row = store_items.get_item(session, item)
    assert row is not None, "what is visible is there"
    owners = accepted(store_items.owners_of(session, [item])[item])
    me = next((owner for owner in owners if owner.person == person), None)
    if me is None:
        raise NotFound
    scored = scored_by(session, person, row.method)
    standing = store_people.default_of(session, person)
    own = store_items.answer_of(session, item, row.round, person)
    last = store_items.answer_of(session, item, row.round - 1, person)
    default = decisions.fitting_default(standing, row.method)
    starts = ((own, "mine"), (last, "last round"), (default, "default"))
    scores, source = next((start for start in starts if start[0] is not None), (None, "none"))
    limit = me.limit
    if limit is None and own is None and row.method != "circles" and standing is not None and row.round <= 1:
        limit = standing.limit
    return MyView(
        item=item,
        round=row.round,
        method=row.method,
        scored=scored,
        scores=scores,
        limit=tuple(limit) if isinstance(limit, list) else limit,
        submitted=own is not None,
        source=source,
    )


def tag_request(session: Session, person: int, item: str) -> ItemCard:
    """Return what somebody learns who is asked whether they are in an item: its title, and who put it up."""
    row = store_items.get_item(session, item)
    owners = store_items.owners_of(session, [item])[item]
    asked = any(owner.person == person and owner.state == "asked" for owner in owners)
    if row is None or not asked or row.state not in LIVE:
        raise NotFound
    who = store_people.named(session, [row.originator])[row.originator]
    return ItemCard(row.id, row.title, "", row.kind, who, None, None, row.created, need="tag")


# --- lists --------------------------------------------------------------------------------------------------


def inbox(session: Session, person: int) -> tuple[ItemCard, ...]:
    """Return what wants something of a person, the most urgent first: views, tags, claims, outcomes."""
    asked = store_items.owned_ids(session, person, ("asked",))
    cards = []
    for item, row in store_items.get_items(session, asked).items():
        if row.state in LIVE:
            cards.append(tag_request(session, person, item))
    moment = now(session)
    own = store_items.owned_ids(session, person, ("accepted",))
    owners = store_items.owners_of(session, own)
    rows = store_items.get_items(session, own)
    for card in _cards(session, person, own):
        need = _need(session, rows[card.id], owners[card.id], person, moment)
        if need is not None:
            cards.append(replace(card, need=need))
    order = {"answer": 0, "tag": 1, "claim": 2, "agree": 3}
    return tuple(sorted(cards, key=lambda card: (order[str(card.need)], card.deadline or moment, card.id)))


def _need(
    session: Session, row: ItemRow, owners: Iterable[OwnerRow], person: int, moment: datetime
) -> str | None:
    state = present_state(row, moment)
    if state == "collecting" and not closes_now(row, moment):
        if person not in store_items.answered(session, row.id, row.round):
            return "answer"
    elif state == "proposed" and person not in store_items.agreeing(session, row.id, row.round):
        return "agree"
    claims = row.originator == person and any(owner.state == "claiming" for owner in owners)
    return "claim" if claims and state in LIVE else None


def gallery(
    session: Session, viewer: int | None, *, before: datetime | None = None, limit: int = 50
) -> tuple[ItemCard, ...]:
    """Return items in force that a reader may see, the newest first; `before` goes on where a page ended."""
    cards: list[ItemCard] = []
    for _ in range(_LOOKS):
        ids = store_items.candidate_ids(session, before=before, limit=_LOOK)
        cards += [card for card in _cards(session, viewer, ids) if card.state in (None, "active")]
        if len(ids) < _LOOK or len(cards) >= limit:
            break
        before = min(row.created for row in store_items.get_items(session, ids).values())
    return tuple(cards[:limit])


def mine(session: Session, person: int) -> tuple[ItemCard, ...]:
    """Return the items a person decides about, the newest first."""
    return tuple(_cards(session, person, store_items.owned_ids(session, person, ("accepted",))))


def of_me(session: Session, person: int) -> tuple[ItemCard, ...]:
    """Return the items a person is named in."""
    own = store_items.owned_ids(session, person, ("accepted",))
    owners = store_items.owners_of(session, own)
    named = [item for item in own if any(one.person == person and one.tagged for one in owners[item])]
    return tuple(_cards(session, person, named))


def _cards(session: Session, viewer: int | None, ids: Collection[str]) -> list[ItemCard]:
    """Return cards of those of some items that a reader may see, in their order."""
    visible = visible_ids(session, viewer, ids)
    rows = store_items.get_items(session, visible)
    owners = store_items.owners_of(session, visible)
    names = store_people.named(session, {row.originator for row in rows.values()})
    moment = now(session)
    cards = []
    for item in ids:
        if item not in visible:
            continue
        row = rows[item]
        mine = any(owner.person == viewer for owner in accepted(owners[item]))
        card = ItemCard(
            row.id, row.title, row.description, row.kind, names[row.originator], None, None, row.created
        )
        if mine:
            card = replace(
                card,
                state=present_state(row, moment),
                audience=audience_in_force(row, owners[item], moment),
                deadline=row.deadline if row.state == "collecting" else row.objection_until,
            )
        cards.append(card)
    return cards


# --- what a person is told ----------------------------------------------------------------------------------


def notifications(session: Session, person: int, limit: int = 50) -> tuple[Notification, ...]:
    """Return the last notifications, the newest first."""
    rows = store_outbox.notifications_of(session, person, limit)
    titles = _titles(session, person, {row.item for row in rows if row.item is not None})
    names = store_people.named(session, {row.actor for row in rows if row.actor is not None})
    return tuple(
        Notification(
            id=row.id,
            kind=row.kind,
            item=row.item if row.item in titles else None,
            title=titles.get(row.item or "", ""),
            actor=names.get(row.actor or 0),
            created=row.created,
            read=row.read is not None,
        )
        for row in rows
    )


def unread(session: Session, person: int) -> int:
    """Return how many notifications are unread."""
    return store_outbox.unread_count(session, person)


def mark_read(session: Session, person: int) -> None:
    """Mark all notifications as read."""
    store_outbox.mark_read(session, person, now(session))


def history(session: Session, person: int, limit: int = 200) -> tuple[Event, ...]:
    """Return what a person did, and what happened to the items they decide about, the newest first."""
    own = store_items.owned_ids(session, person, ("accepted",))
    rows = store_audit.events_about(session, person, own, _TOLD, limit)
    titles = _titles(session, person, {row.item for row in rows if row.item is not None})
    names = store_people.named(session, {row.actor for row in rows if row.actor is not None})
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
    known |= set(ids) & set(store_items.owned_ids(session, person, ("asked",)))
    return {item: row.title for item, row in store_items.get_items(session, known).items()}
