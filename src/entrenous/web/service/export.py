"""What leaves the service: a person's own data, and decisions for engines that enforce them.

OpenFGA and SpiceDB enforce grants; who gets them was decided here. Every item in force becomes tuples, one per person
who may see it, worked out by the one access function at the moment of export.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.rules import sealing
from entrenous.web.rules.refusals import NotFound
from entrenous.web.rules.states import accepted
from entrenous.web.rules.visibility import visible_ids
from entrenous.web.service import browsing, showing
from entrenous.web.store.items import OwnerRow
from entrenous.web.store.signing_in import devices, public_keys

__all__ = ["OPENFGA_MODEL", "SPICEDB_SCHEMA", "Grant", "grants", "my_data", "openfga", "spicedb"]

OPENFGA_MODEL = """\
model
  schema 1.1
type user
type item
  relations
    define owner: [user]
    define viewer: [user, user:*] or owner
"""
"""The authorization model the tuples fit, in the language of OpenFGA."""

SPICEDB_SCHEMA = """\
definition user {}

definition item {
    relation owner: user
    relation viewer: user | user:*
    permission view = viewer + owner
}
"""
"""The schema the relationships fit, in the language of SpiceDB."""

EVERYBODY = "*"
T = TypeVar("T")


@dataclass(frozen=True)
class Grant:
    """A person, by handle, or everybody, is an owner or a viewer of an item."""

    item: str
    relation: str
    user: str


def grants(session: Session) -> Iterator[Grant]:
    """Yield who owns and who sees each item, item by item, the owners first; an owner needs no second grant."""
    everyone = store.persons.everybody(session)
    ids = sorted(
        {item for person in everyone for item in store.items.owned_ids(session, person.id, ("accepted",))}
    )
    open_to_all = visible_ids(session, None, ids)
    seen = {
        person.handle: visible_ids(session, person.id, ids) for person in everyone if not person.suspended
    }
    owners = store.items.owners_of(session, ids)
    handles = {person.id: person.handle for person in everyone}
    for item in ids:
        own = sorted(handles[owner.person] for owner in accepted(owners[item]) if owner.person in handles)
        own = [handle for handle in own if item in seen.get(handle, ())]
        yield from (Grant(item, "owner", handle) for handle in own)
        if item in open_to_all:
            yield Grant(item, "viewer", EVERYBODY)
        else:
            others = sorted(
                handle for handle, visible in seen.items() if item in visible and handle not in own
            )
            yield from (Grant(item, "viewer", handle) for handle in others)


def openfga(session: Session) -> Iterator[dict[str, str]]:
    """Yield the grants as OpenFGA tuples, to be written with the model `OPENFGA_MODEL`."""
    for grant in grants(session):
        yield {"user": f"user:{grant.user}", "relation": grant.relation, "object": f"item:{grant.item}"}


def spicedb(session: Session) -> Iterator[str]:
    """Yield the grants as SpiceDB relationships, to be written with the schema `SPICEDB_SCHEMA`."""
    for grant in grants(session):
        # SpiceDB's ids have no dots; a slash is allowed there and never part of a handle.
        yield f"item:{grant.item}#{grant.relation}@user:{grant.user.replace('.', '/')}"


def my_data(session: Session, person: int) -> dict[str, Any]:
    """Return everything the service keeps about a person, ready for JSON: theirs alone, nobody else's answers.

    Left out is what is kept for minutes or a day to undo a step or to repeat an answer. Files are named by their
    addresses: all of them at once would not fit into the memory.
    """
    found = store.persons.get_person(session, person)
    if found is None:
        raise NotFound
    line = store.friendships.line_of(session, person)
    return {
        "person": _plain(asdict(found)),
        "identities": [list(pair) for pair in store.credentials.identities_of(session, person)],
        "sessions": [_plain(asdict(one)) for one in store.credentials.sessions_of(session, person)],
        "devices": [_plain(asdict(one)) for one in devices.devices_of(session, person)],
        "passkeys": [_plain(asdict(one)) for one in public_keys.passkeys_of(session, person)],
        "tokens": [_plain(asdict(one)) for one in store.credentials.tokens_of(session, person)],
        "friends": [_plain(asdict(friend)) for friend in store.friendships.friends_of(session, person)],
        "friend_requests": [
            _plain(asdict(one)) for one in store.friendships.friend_requests_of(session, person)
        ],
        "circles": [_plain(asdict(circle)) for circle in store.friendships.circles_of(session, person)],
        "standing_line": None if line is None else asdict(line),
        "webhooks": [_plain(asdict(one)) for one in store.letters.webhooks_of(session, person)],
        "items": _items(session, person),
        "notifications": [_plain(asdict(one)) for one in browsing.notifications(session, person, 10_000)],
        "history": [_plain(asdict(event)) for event in browsing.history(session, person, 100_000)],
    }


def _items(session: Session, person: int) -> list[dict[str, Any]]:
    """Return every item in which a person has a place, also one that was refused or withdrawn, with all they said."""
    own = store.own.everything_of(session, person)
    shown = visible_ids(session, person, [place.item for place in own.places if place.state == "accepted"])
    agreed, asked = _by_item(own.agreements, itemgetter(0)), _by_item(own.petitions, attrgetter("item"))
    entries = []
    for place in own.places:
        entry = _plain(asdict(place)) | {
            "answers": _answers(session, place),
            "agreements": [round_ for _, round_ in agreed.get(place.item, ())],
            "petitions": [
                {"round": one.round, "text": one.text, "created": one.created.isoformat()}
                for one in asked.get(place.item, ())
            ],
        }
        if place.item in shown:
            page = showing.item_page(session, person, place.item)
            entry["page"] = _plain(asdict(page)) | {"can": sorted(page.can)}
        if place.item in shown and place.role == "originator":
            entry["file"] = f"/items/{place.item}/file"
        entries.append(entry)
    return entries


def _by_item(rows: Iterable[T], item: Callable[[T], str]) -> dict[str, list[T]]:
    found: dict[str, list[T]] = {}
    for row in rows:
        found.setdefault(item(row), []).append(row)
    return found


def _answers(session: Session, place: OwnerRow) -> dict[int, Any]:
    """Return what a person answered, by round, as long as it can be opened."""
    row = store.items.get_item(session, place.item)
    found = {}
    for round_ in range(1, (row.round if row is not None else 0) + 1):
        opening = sealing.open_own(session, place.item, round_, place.slot)
        if opening is not None and opening.scores is not None:
            found[round_] = dict(opening.scores)
    return found


def _plain(value: Any) -> Any:
    """Return a value with moments as text and sets as lists, ready for JSON."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | frozenset):
        return [_plain(part) for part in value]
    return value
