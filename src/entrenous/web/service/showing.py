"""What a person reads about one item: its page, their own view of it, and the question whether they are in it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.rules import decisions
from entrenous.web.rules.actions import ANSWER_TAG, Place, may, offered
from entrenous.web.rules.refusals import NotFound
from entrenous.web.rules.states import accepted, audience_in_force, closes_now, present_state
from entrenous.web.rules.views import fitting_default, scored_by
from entrenous.web.rules.visibility import visible_ids
from entrenous.web.store.database import now, settings_of
from entrenous.web.store.items import ItemRow, OwnerRow
from entrenous.web.store.records import (
    ItemCard,
    ItemPage,
    MyView,
    Outcome,
    Owner,
    Petition,
    Who,
)

__all__ = ["item_page", "my_view", "tag_request"]


def item_page(session: Session, viewer: int | None, item: str) -> ItemPage:
    """Return an item for a reader who may see it; how the co-owners decide is for co-owners alone."""
    if item not in visible_ids(session, viewer, [item]):
        raise NotFound
    row = store.items.get_item(session, item)
    assert row is not None, "what is visible is there"
    owners = store.items.owners_of(session, [item])[item]
    place = Place(session, viewer, owners)
    me, co_owner = place.own, place.state == "accepted"
    names = store.persons.named(session, [owner.person for owner in owners])
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
        can=offered(place, row, moment),
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
    answered = store.items.answered(session, row.id, row.round)
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
    decided = store.items.decision_of(session, row.id)
    if decided is None:
        return None
    agreeing = store.items.agreeing(session, row.id, decided.round)
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
    found = store.items.petition_of(session, row.id, row.round - 1)
    if found is None:
        return None
    asks = tuple(names[person] for person in found.asks if person in names)
    return Petition(names[found.person], found.text, found.round, found.created, asks)


def my_view(session: Session, person: int, item: str) -> MyView:
    """Return one's own answer to the present round, or what it would begin from."""
    if item not in visible_ids(session, person, [item]):
        raise NotFound
    row = store.items.get_item(session, item)
    assert row is not None, "what is visible is there"
    owners = accepted(store.items.owners_of(session, [item])[item])
    me = next((owner for owner in owners if owner.person == person), None)
    if me is None:
        raise NotFound
    scored = scored_by(session, person, row.method)
    standing = store.friendships.default_of(session, person)
    own = store.items.answer_of(session, item, row.round, person)
    last = store.items.answer_of(session, item, row.round - 1, person)
    default = fitting_default(standing, row.method)
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
    row = store.items.get_item(session, item)
    owners = store.items.owners_of(session, [item])[item]
    if row is None or not may(ANSWER_TAG, Place(session, person, owners), row, now(session)):
        raise NotFound
    who = store.persons.named(session, [row.originator])[row.originator]
    return ItemCard(row.id, row.title, "", row.kind, who, None, None, row.created, need="tag")
