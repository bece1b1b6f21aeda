"""What lists and counts say about an item, worked out anew whenever a transaction touched it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from entrenous.access import CHOICES
from entrenous.access.item import ALLOW
from entrenous.web import store
from entrenous.web.rules.duties import NEEDS, Known, spans
from entrenous.web.rules.states import CIRCLES, accepted, audience_in_force
from entrenous.web.store.items import ItemRow, OwnerRow
from entrenous.web.store.lists.crewing import ALLOWED, BY_CIRCLES, ShownRow
from entrenous.web.store.lists.list_tables import EARLIEST, LATEST, place_of
from entrenous.web.store.lists.shelving import ShelfRow, WaitingRow
from entrenous.web.store.lists.touched import refresh_with, settle_all

__all__ = ["recount", "refresh"]

PRIVATE, PUBLIC = CHOICES[0], CHOICES[-1]


@refresh_with
def refresh(session: Session, ids: Sequence[str]) -> None:
    """Bring everybody's lists up to date about some items."""
    store.shelving.hold_items(session, ids)
    rows = store.items.get_items(session, ids)
    owners = store.items.owners_of(session, ids)
    agreed = store.shelving.agreements_about(session, ids)
    proposed = store.changes.changes_about(session, ids)
    voices = store.shelving.voices_about(session, ids)
    waits, places, shown = list[WaitingRow](), list[ShelfRow](), list[ShownRow]()
    for item, row in rows.items():
        for owner in owners[item]:
            place = Known(
                session,
                owner.person,
                owners[item],
                agreed.get((item, row.round), ()),
                proposed.get(item),
                voices.get(item, ()),
            )
            waits += _waits(place, row)
        places += [_shelf(row, owner) for owner in accepted(owners[item])]
        shown += _shown(row, owners[item])
    store.shelving.replace_rows(session, ids, waits, places)
    store.crewing.replace_shown(session, ids, shown)


def recount(session: Session) -> None:
    """Work everybody's lists out anew, as after a repair by hand."""
    settle_all(session)


def _waits(place: Known, row: ItemRow) -> Iterator[WaitingRow]:
    assert place.person is not None, "an owner is a person"
    due = (row.deadline if row.state == "collecting" else row.objection_until) or LATEST
    for since, until, need in spans(place, row):
        order = f"{NEEDS.index(need)}{place_of(due, row.id)}"
        yield WaitingRow(place.person, row.id, since, until, need, order)


def _shelf(row: ItemRow, owner: OwnerRow) -> ShelfRow:
    seen = row.state != "withdrawn" or row.originator == owner.person
    return ShelfRow(
        person=owner.person,
        item=row.id,
        place=place_of(row.created, row.id),
        seen=seen,
        named=seen and owner.tagged,
        decided=_decided(row),
        since=_from(row),
        until=row.expires or LATEST,
    )


def _shown(row: ItemRow, owners: Sequence[OwnerRow]) -> Iterator[ShownRow]:
    """Yield how far an item reaches once it is in force, unless that is no further than its co-owners."""
    if not _decided(row):
        return
    in_force = replace(row, state="active", objection_until=None, expires=None)
    audience = audience_in_force(in_force, owners, EARLIEST)
    members, every = frozenset(owner.person for owner in accepted(owners)), row.anchor != "any"
    if audience == PRIVATE:
        return
    if audience == CIRCLES:
        audience, every = (ALLOWED if row.choice == ALLOW else BY_CIRCLES), False
    elif row.anchor == "originator":
        members = frozenset([row.originator])
    if audience in (PUBLIC, ALLOWED):
        members = frozenset()
    place = place_of(row.created, row.id)
    yield ShownRow(row.id, place, audience, members, every, _from(row), row.expires or LATEST)


def _decided(row: ItemRow) -> bool:
    return row.state in ("active", "proposed")


def _from(row: ItemRow) -> datetime:
    """Return since when an outcome is in force, or will be."""
    return EARLIEST if row.state != "proposed" else row.objection_until or LATEST
