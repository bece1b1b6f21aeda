"""What a person may do about themselves and those they know.

How much one listens to a friend, which circles one keeps and where one's standing line is are nobody else's business:
no function here returns them to anybody but their owner.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Collection

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from entrenous.access import CHOICES
from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.delivery.addresses import check_target
from entrenous.web.delivery.notices import KINDS
from entrenous.web.identity.backoff import forgive_name
from entrenous.web.rules import sealing
from entrenous.web.rules.naming.characters import shown
from entrenous.web.rules.naming.lookalikes import handle_shape, skeleton
from entrenous.web.rules.naming.names import checked_name, checked_new_handle
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.rules.typed import checked_email
from entrenous.web.service.accounts.administrators import require_admin, require_another
from entrenous.web.service.accounts.own_address import claim
from entrenous.web.service.proposals import forget_proposals
from entrenous.web.service.workflow import withdraw
from entrenous.web.store import audit_trail
from entrenous.web.store.database import now, settings_of
from entrenous.web.store.items import ItemRow
from entrenous.web.store.lists.windows import FIRST, Listed, Position, Window, cut
from entrenous.web.store.records import Overview, Person, Webhook, Who
from entrenous.web.store.sealed import boxes

__all__ = [
    "add_webhook",
    "delete_account",
    "everybody",
    "find",
    "overview",
    "person",
    "register",
    "remove_webhook",
    "suspend",
    "update_profile",
    "webhooks",
]

MOST_WEBHOOKS = 10


# --- accounts -----------------------------------------------------------------------------------------------


def register(
    session: Session,
    *,
    handle: str,
    name: str,
    email: str | None = None,
    confirmed: bool = False,
    password_hash: str | None = None,
    admin: bool = False,
) -> Person:
    """Add a person. An address is theirs once they confirmed it, or if a provider did (`confirmed`) and it is free."""
    address, clean = checked_email(email), checked_new_handle(handle)
    values = {
        "handle": clean,
        "shape": handle_shape(clean),
        **_naming(name),
        "email": address if confirmed else None,
        "password_hash": password_hash,
        "admin": admin,
        "mail": True,
        "created": now(session),
    }
    try:
        with session.begin_nested():
            number = store.persons.add_person(session, **values)
    except IntegrityError:
        raise Conflict(
            "taken", "this short name, or one that looks like it, is taken; choose another"
        ) from None
    audit_trail.record(session, "registered", actor=number)
    if not confirmed:
        claim(session, number, address)
    found = store.persons.get_person(session, number)
    assert found is not None, "just added"
    return found


def person(session: Session, person_id: int) -> Person | None:
    """Return a person as they see themselves."""
    return store.persons.get_person(session, person_id)


def find(session: Session, handle: str) -> Who | None:
    """Return who has a handle."""
    return store.persons.find_person(session, handle.strip().lower())


def update_profile(session: Session, person: int, *, name: str, email: str | None, mail: bool) -> bool:
    """Change the own name and whether to be told by mail, claim an address, and return whether a link is sent to it."""
    found = store.persons.get_person(session, person)
    # A name from before the rules may stay; the form holds it as it is shown.
    same = found is not None and name.strip() in (found.name, shown(found.name))
    store.persons.update_person(session, person, **({} if same else _naming(name)), mail=mail)
    audit_trail.record(session, "profile", actor=person)
    return claim(session, person, email)


def _naming(name: str) -> dict[str, str]:
    """Return a name as it is kept, with what it looks like."""
    clean = checked_name(name)
    return {"name": clean, "skeleton": skeleton(clean)}


def delete_account(session: Session, person: int) -> None:
    """Leave: own items go at once, and everything about the person; what was decided together stays decided.

    In items of others the person's hard limit goes on holding, since it protects what is shown: it becomes part of the
    item's cap, which is nobody's. Nobody gets to see more than before: see `states.audience_in_force`. What is left in
    records is a random slot, and in the audit hashes whose salts are gone.
    """
    found = store.persons.get_person(session, person)
    if found is None:
        raise NotFound
    require_another(session, person)
    shared = set(store.items.owned_ids(session, person, ("accepted",)))
    for item in store.items.owned_ids(session, person, PLACES):
        row = store.items.lock_item(session, item)
        assert row is not None, "a listed item stays"
        if row.originator == person:
            if row.state != "withdrawn":
                withdraw(session, person, item)
            store.items.erase_item(session, item)
            audit_trail.erase(session, item=item)
            sealing.destroy_later(session, item)
        else:
            _leave(session, row, person, decides=item in shared)
    forget_proposals(session, person, shared)
    store.items.forget_voice(session, person)
    store.letters.forget_told(session, person)
    store.credentials.forget_identity(session, person)
    store.credentials.forget_counts(session, person)
    store.credentials.forget_replies(session, found.handle)
    forgive_name(session, found.handle, found.email)  # tries are counted under a hash of what was typed
    store.persons.forget_person(session, person, now(session))
    audit_trail.erase(session, person=person)


PLACES = ("accepted", "asked", "claiming", "declined", "refused")
"""All ways of having a place in an item."""


def _leave(session: Session, row: ItemRow, person: int, *, decides: bool) -> None:
    """Take a person out of an item: their answer, their slot, and a limit that lives on as nobody's."""
    me = next(owner for owner in store.items.owners_of(session, [row.id])[row.id] if owner.person == person)
    boxes.remove_box(session, row.id, me.slot)
    if decides:
        cap = row.cap
        if me.limit is not None:
            # Who was in their circles is forgotten with them, so nobody is in the circles they limited it to.
            limit = me.limit if isinstance(me.limit, str) else CHOICES[0]
            cap = limit if cap is None else min(cap, limit, key=CHOICES.index)
        store.items.update_item(session, row.id, cap=cap, incomplete=True)
    store.items.remove_owner(session, row.id, person)


# --- webhooks -----------------------------------------------------------------------------------------------


def webhooks(session: Session, person: int) -> tuple[Webhook, ...]:
    """Return where one wants to be told."""
    return store.letters.webhooks_of(session, person)


def add_webhook(session: Session, person: int, url: str, events: Collection[str]) -> tuple[Webhook, str]:
    """Add an address to be told at, and return it with the secret that signs what is sent: shown this once."""
    check_target(url, private=settings_of(session).private_webhooks)
    if not events or not set(events) <= set(KINDS):
        raise ArgumentError("events", f"expected some of {', '.join(KINDS)}")
    if len(webhooks(session, person)) >= MOST_WEBHOOKS:
        raise Conflict("too_many_webhooks", f"at most {MOST_WEBHOOKS} webhooks")
    secret = "whsec_" + base64.b64encode(secrets.token_bytes(24)).decode()
    moment = now(session)
    number = store.letters.add_webhook(session, person, url, secret, sorted(set(events)), moment)
    audit_trail.record(session, "webhook", actor=person)
    return Webhook(number, url, tuple(sorted(set(events))), moment, 0), secret


def remove_webhook(session: Session, person: int, webhook: int) -> None:
    """Remove an address."""
    if not store.letters.remove_webhook(session, person, webhook):
        raise NotFound


# --- looking after the service ------------------------------------------------------------------------------


def everybody(session: Session, admin: int, *, window: Window = FIRST, limit: int = 100) -> Listed[Person]:
    """Return people by handle, for an administrator."""
    require_admin(session, admin)

    def fetch(edge: Position | None, count: int, *, back: bool) -> tuple[Person, ...]:
        return store.persons.people_by_handle(session, edge[0] if edge else None, count, back=back)

    return cut(fetch, lambda person: [person.handle], window, limit)


def suspend(session: Session, admin: int, person: int, *, suspended: bool) -> None:
    """Lock somebody out, or let them in again; their sessions end at once."""
    require_admin(session, admin)
    if store.persons.get_person(session, person) is None:
        raise NotFound
    if suspended:
        require_another(session, person)
    store.persons.set_suspended(session, person, now(session) if suspended else None)
    if suspended:
        store.credentials.revoke_sessions(session, person)
    audit_trail.record(session, "suspended" if suspended else "readmitted", actor=admin, person=person)


def overview(session: Session, admin: int) -> Overview:
    """Return the counts an administrator sees."""
    require_admin(session, admin)
    heads, suspended = store.persons.heads_count(session)
    pending, failed = store.letters.counts(session)
    states = store.items.states(session)
    return Overview(heads, suspended, states, pending, failed, store.audit_trail.count(session))
