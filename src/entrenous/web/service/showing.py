"""What a person reads about one item: its page, their own view of it, and the question whether they are in it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from entrenous.access.receipts import Receipt, opens
from entrenous.web import store
from entrenous.web.rules import decisions, sealing, viewers
from entrenous.web.rules.actions import ANSWER_TAG, Place, may, offered
from entrenous.web.rules.refusals import NotFound
from entrenous.web.rules.states import ASKED, accepted, audience_in_force, closes_now, present_state
from entrenous.web.rules.views import line_as_scores, scored_by
from entrenous.web.rules.visibility import knows_uploader, visible_ids
from entrenous.web.service.media import CURRENT, PROPOSED
from entrenous.web.store.database import now, settings_of
from entrenous.web.store.items import ItemRow, OwnerRow
from entrenous.web.store.records import (
    Change,
    Difference,
    ItemCard,
    ItemPage,
    MyView,
    Outcome,
    Owner,
    Petition,
    Who,
)

__all__ = [
    "RECORDED",
    "check_receipt",
    "item_page",
    "my_view",
    "record_of",
    "tag_request",
    "without_own_words",
]

RECORDED = (
    "agreed",
    "anchor",
    "choice",
    "commitments",
    "engine",
    "item",
    "method",
    "round",
    "slots",
    "version",
    "vote",
)
"""What co-owners read of a record."""


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
        originator=names[row.originator] if knows_uploader(viewer, row.originator, owners) else None,
        created=row.created,
        co_owner=co_owner,
        audience=audience_in_force(row, owners, moment),
        owners=tuple(_owner(owner, names) for owner in shown),
        can=offered(place, row, moment),
        sizes=_sizes(session, row, CURRENT),
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
    return replace(
        page,
        state=present_state(row, moment),
        round=row.round,
        rounds_left=max(0, settings_of(session).rounds - 1 - row.petitions),
        method=row.method,
        vote=decisions.vote_among(row.vote, len(voters)),
        anchor=row.anchor,
        deadline=row.deadline,
        objection_until=row.objection_until,
        expires=row.expires,
        answered=me.answered_round == row.round,
        voters=len(voters),
        outcome=_outcome(session, row, me, owners, names),
        petition=_petition(session, row, names),
        my_owner=_owner(me, names),
        overdue=closes_now(row, moment),
        open=row.open,
        change=_change(Place(session, me.person, list(owners)), row, names, moment),
    )


def _change(place: Place, row: ItemRow, names: dict[int, Who], moment: datetime) -> Change | None:
    """Return what is proposed; who said yes, and how many did, is told to nobody."""
    found = place.change(row, moment) if present_state(row, moment) in ASKED else None
    if found is None:
        return None
    return Change(
        id=found.id,
        by=names[found.proposer],
        differences=tuple(
            Difference(part, _text(getattr(row, part, None)), _text(getattr(found, part, None)))
            for part in found.parts
        ),
        opened=found.opened,
        until=found.until,
        agrees=place.person in store.changes.voices(place.session, row.id),
        sizes=_sizes(place.session, row, PROPOSED) if "file" in found.parts else {},
    )


def _sizes(session: Session, row: ItemRow, names: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Return which sizes a photo has; nothing for a document, and for one that was not measured yet."""
    if row.kind != "photo":
        return {}
    found = store.files.pictures(session, [row.id])[row.id]
    return {variant: found[kept] for variant, kept in names.items() if kept in found}


def _text(value: str | datetime | None) -> str | None:
    return value.isoformat() if isinstance(value, datetime) else value


def _shown(owner: OwnerRow, row: ItemRow, viewer: int | None, *, co_owner: bool) -> bool:
    """Return whether a reader learns of somebody's place: who said no is between them and who put it up."""
    if not co_owner:
        return owner.state == "accepted" and owner.tagged
    if viewer == row.originator:
        return owner.state not in ("left", "gone")
    return owner.state in ("accepted", "asked") or owner.person == viewer


def _owner(owner: OwnerRow, names: dict[int, Who]) -> Owner:
    return Owner(names[owner.person], owner.role, owner.state, owner.tagged)


def _outcome(
    session: Session, row: ItemRow, me: OwnerRow, owners: Collection[OwnerRow], names: dict[int, Who]
) -> Outcome | None:
    decided = store.items.decision_of(session, row.id)
    if decided is None:
        return None
    named = None
    if decided.named is not None:
        named = tuple(names[owner.person] for owner in owners if owner.slot in decided.named)
    return Outcome(
        round=decided.round,
        choice=decided.choice,
        agreed=decided.agreed,
        decided=decided.decided,
        reason=decisions.reason_for(session, decided, me),
        agrees=True if me.person in store.items.agreeing(session, row.id, decided.round) else None,
        named=named,
    )


def _petition(session: Session, row: ItemRow, names: dict[int, Who]) -> Petition | None:
    """Return the petition that brought on the present round."""
    found = store.items.petition_of(session, row.id, row.round - 1)
    if found is None:
        return None
    return Petition(names[found.person], found.text, found.round, found.created, found.audience)


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
    own = _own(session, row, me, row.round)
    last = _own(session, row, me, row.round - 1)
    starts = ((own, "mine"), (last, "last round"), (_from_line(session, row, person), "line"))
    scores, source = next((start for start in starts if start[0] is not None), (None, "none"))
    opening = sealing.open_own(session, item, row.round, me.slot)
    return MyView(
        item=item,
        round=row.round,
        method=row.method,
        scored=scored_by(session, person, row.method),
        scores=scores,
        limit=tuple(me.limit) if isinstance(me.limit, list) else me.limit,
        submitted=own is not None,
        source=source,
        nudge=_nudge(session, row, last),
        named=opening is not None and opening.named,
        receipt=sealing.receipt_of(session, item, row.round, me.slot),
    )


def check_receipt(session: Session, person: int, item: str, text: str) -> bool:
    """Return whether a receipt opens a commitment in the record of one of an item's decisions."""
    receipt = Receipt.from_text(text)
    return receipt.item == item and opens(receipt, record_of(session, person, item, receipt.round))


def record_of(session: Session, person: int, item: str, round_: int) -> dict[str, Any]:
    """Return the record of a decision, for a co-owner: the outcome, and a commitment for each slot.

    Whether an earlier outcome stood in that round is left out: it tells that somebody was silent.
    """
    page = item_page(session, person, item)
    decided = store.items.decision_of(session, item, round_)
    if not page.co_owner or decided is None:
        raise NotFound
    record: dict[str, Any] = json.loads(decided.record)
    return {name: record[name] for name in RECORDED}


def _own(session: Session, row: ItemRow, me: OwnerRow, round_: int) -> Mapping[str, int] | None:
    """Return what one answered in a round, as long as it can be opened."""
    opening = sealing.open_own(session, row.id, round_, me.slot)
    return None if opening is None else opening.scores


def _from_line(session: Session, row: ItemRow, person: int) -> dict[str, int] | None:
    line = store.friendships.line_of(session, person)
    return None if line is None or row.method == "circles" else line_as_scores(line.line, row.method)


def _nudge(session: Session, row: ItemRow, last: Mapping[str, int] | None) -> str | None:
    """Return what the reader alone is reminded of in a round that somebody asked for: their own last word."""
    found = store.items.petition_of(session, row.id, row.round - 1)
    if found is None or row.state != "collecting":
        return None
    if last is None:
        return "unknown"
    if found.audience is None:  # circles decide, or an earlier version asked
        return None
    return "fine" if last.get(found.audience, 0) >= viewers.ACCEPTED else "refused"


def without_own_words(session: Session, page: ItemPage) -> ItemPage:
    """Return a page whose words about the outcome do not tell what the reader answered."""
    decided = store.items.decision_of(session, page.id)
    if page.outcome is None or decided is None:
        return page
    return replace(page, outcome=replace(page.outcome, reason=decisions.reason_for(session, decided, None)))


def tag_request(session: Session, person: int, item: str) -> ItemCard:
    """Return what somebody learns who is asked whether they are in an item: its title, and who put it up."""
    row = store.items.get_item(session, item)
    owners = store.items.owners_of(session, [item])[item]
    if row is None or not may(ANSWER_TAG, Place(session, person, owners), row, now(session)):
        raise NotFound
    who = store.persons.named(session, [row.originator])[row.originator]
    return ItemCard(row.id, row.title, "", row.kind, who, None, None, row.created, need="tag")
