"""What a person may do about themselves and those they know.

How much one listens to a friend, which circles one keeps and what one's standing answer is are nobody else's business:
no function here returns them to anybody but their owner.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Collection, Mapping
from datetime import timedelta

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from entrenous import access
from entrenous.access.item import STRANGERS
from entrenous.errors import ArgumentError
from entrenous.web import (
    audit,
    store_audit,
    store_identity,
    store_items,
    store_media,
    store_outbox,
    store_people,
)
from entrenous.web.addresses import check_target
from entrenous.web.notices import KINDS, notify
from entrenous.web.records import Circle, Default, Friend, FriendRequest, Overview, Person, Webhook, Who
from entrenous.web.refusals import Conflict, NotFound
from entrenous.web.store import now, settings_of
from entrenous.web.texts import checked_email, checked_handle, checked_text
from entrenous.web.workflow import checked_scores, withdraw

__all__ = [
    "add_webhook",
    "answer_friend",
    "ask_friend",
    "circles",
    "clear_default",
    "create_circle",
    "default",
    "delete_account",
    "delete_circle",
    "end_friendship",
    "everybody",
    "find",
    "friends",
    "listen",
    "overview",
    "person",
    "register",
    "remove_webhook",
    "rename_circle",
    "requests",
    "set_default",
    "set_members",
    "suspend",
    "update_profile",
    "webhooks",
]

MOST_CIRCLES = 50
MOST_WEBHOOKS = 10
ASK_AGAIN = timedelta(days=1)
"""Who was refused, or took a request back, cannot knock again at once: every knock is told to who is asked."""


# --- accounts -----------------------------------------------------------------------------------------------


def register(
    session: Session,
    *,
    handle: str,
    name: str,
    email: str | None = None,
    password_hash: str | None = None,
    admin: bool = False,
) -> Person:
    """Add a person; the first one ever looks after the service."""
    first = not store_people.heads_count(session)[0]
    values = {
        "handle": checked_handle(handle),
        "name": checked_text("name", name, most=80),
        "email": checked_email(email),
        "password_hash": password_hash,
        "admin": admin or first,
        "mail": True,
        "created": now(session),
    }
    try:
        with session.begin_nested():
            number = store_people.add_person(session, **values)
    except IntegrityError:
        raise Conflict("taken", "this handle or e-mail address is taken") from None
    audit.record(session, "registered", actor=number)
    found = store_people.get_person(session, number)
    assert found is not None, "just added"
    return found


def person(session: Session, person_id: int) -> Person | None:
    """Return a person as they see themselves."""
    return store_people.get_person(session, person_id)


def find(session: Session, handle: str) -> Who | None:
    """Return who has a handle."""
    return store_people.find_person(session, handle.strip().lower())


def update_profile(session: Session, person: int, *, name: str, email: str | None, mail: bool) -> None:
    """Change the own name, address and whether to be told by mail."""
    values = {"name": checked_text("name", name, most=80), "email": checked_email(email), "mail": mail}
    try:
        with session.begin_nested():
            store_people.update_person(session, person, **values)
    except IntegrityError:
        raise Conflict("taken", "this e-mail address is taken") from None
    audit.record(session, "profile", actor=person)


def delete_account(session: Session, person: int) -> None:
    """Leave: own items go at once, and everything about the person; what was decided together stays decided.

    In items of others the person's hard limit goes on holding, since it protects what is shown, and nobody gets to see
    more than before: see `states.audience_in_force`. Their voice no longer counts, and their name is gone.
    """
    if store_people.get_person(session, person) is None:
        raise NotFound
    shared = set(store_items.owned_ids(session, person, ("accepted",)))
    for item in store_items.owned_ids(session, person, ("accepted", "asked", "claiming")):
        row = store_items.lock_item(session, item)
        assert row is not None, "a listed item stays"
        if row.originator == person:
            if row.state != "withdrawn":
                withdraw(session, person, item)
            store_media.remove_contents(session, item)
            store_items.forget_item(session, item)
            store_items.update_item(session, item, deadline=None)
        decides = item in shared
        store_items.update_owner(session, item, person, state="left" if decides else "declined", tagged=False)
    store_items.forget_answers(session, person)
    store_outbox.forget_told(session, person)
    store_identity.forget_identity(session, person)
    store_people.forget_person(session, person, now(session))
    audit.record(session, "left", actor=person)


# --- friends ------------------------------------------------------------------------------------------------


def friends(session: Session, person: int) -> tuple[Friend, ...]:
    """Return the own friends, each with how much one listens to them."""
    return store_people.friends_of(session, person)


def requests(session: Session, person: int) -> tuple[FriendRequest, ...]:
    """Return who asked to be a friend, and whom one asked."""
    return store_people.friend_requests_of(session, person)


def ask_friend(session: Session, person: int, handle: str) -> None:
    """Ask somebody to be a friend; if they asked first, that is a yes."""
    other = find(session, handle)
    if other is None:
        raise NotFound
    if other.id == person:
        raise Conflict("yourself", "that is you")
    if any(friend.who.id == other.id for friend in friends(session, person)):
        raise Conflict("already", "you are friends already")
    asked = {(request.who.id, request.incoming) for request in requests(session, person)}
    if (other.id, True) in asked:
        answer_friend(session, person, other.id, accept=True)
    elif (other.id, False) not in asked:
        if store_identity.count_hit(session, _knock(person, other.id), ASK_AGAIN) > 1:
            raise Conflict("too_soon", "you asked them already today; ask again another day")
        store_people.add_friend_request(session, person, other.id, now(session))
        audit.record(session, "friend_asked", actor=person, person=other.id)
        notify(session, [other.id], "friend_asked", actor=person)


def answer_friend(session: Session, person: int, other: int, *, accept: bool) -> None:
    """Accept or refuse somebody's request; a refusal is not told. Also takes back a request of one's own."""
    if not accept and store_people.remove_friend_request(session, person, other):
        return
    if not store_people.remove_friend_request(session, other, person):
        raise NotFound
    if accept:
        store_people.remove_friend_request(session, person, other)  # both may have asked at the same moment
        store_people.add_friendship(session, person, other, now(session))
        store_identity.forget_hits(session, _knock(other, person))
        audit.record(session, "friends", actor=person, person=other)
        notify(session, [other], "friend_accepted", actor=person)


def _knock(asker: int, asked: int) -> str:
    return f"friend {asker} {asked}"


def end_friendship(session: Session, person: int, other: int) -> None:
    """End a friendship, from the next request on; the other is not told."""
    if not store_people.remove_friendship(session, person, other):
        raise NotFound
    audit.record(session, "friends_no_more", actor=person, person=other)


def listen(session: Session, person: int, friend: int, percent: int) -> None:
    """Say how much a friend's wish moves the own one, in percent; they never see this."""
    if isinstance(percent, bool) or not isinstance(percent, int) or not 0 <= percent <= 100:
        raise ArgumentError("percent", "expected a whole number from 0 to 100")
    if not store_people.set_percent(session, person, friend, percent):
        raise NotFound
    audit.record(session, "listens", actor=person)


# --- circles and the standing answer ------------------------------------------------------------------------


def circles(session: Session, person: int) -> tuple[Circle, ...]:
    """Return the own circles."""
    return store_people.circles_of(session, person)


def create_circle(session: Session, person: int, name: str) -> Circle:
    """Begin a circle."""
    clean = _circle_name(name)
    if len(circles(session, person)) >= MOST_CIRCLES:
        raise Conflict("too_many_circles", f"at most {MOST_CIRCLES} circles")
    try:
        with session.begin_nested():
            number = store_people.add_circle(session, person, clean)
    except IntegrityError:
        raise Conflict("taken", "you have a circle of this name") from None
    return Circle(number, clean, ())


def rename_circle(session: Session, person: int, circle: int, name: str) -> None:
    """Rename an own circle."""
    clean = _circle_name(name)
    try:
        with session.begin_nested():
            found = store_people.rename_circle(session, person, circle, clean)
    except IntegrityError:
        raise Conflict("taken", "you have a circle of this name") from None
    if not found:
        raise NotFound


def set_members(session: Session, person: int, circle: int, members: Collection[int]) -> None:
    """Let an own circle hold exactly these friends, from the next request on."""
    if circle not in {mine.id for mine in circles(session, person)}:
        raise NotFound
    if not set(members) <= {friend.who.id for friend in friends(session, person)}:
        raise Conflict("not_friends", "only friends can be in a circle")
    store_people.replace_members(session, circle, set(members))


def delete_circle(session: Session, person: int, circle: int) -> None:
    """Remove an own circle."""
    if not store_people.remove_circle(session, person, circle):
        raise NotFound


def default(session: Session, person: int) -> Default | None:
    """Return what counts if one does not answer in time."""
    return store_people.default_of(session, person)


def set_default(session: Session, person: int, scores: Mapping[str, int] | None, limit: str | None) -> None:
    """Say what counts if one does not answer in time: a view on distances, a limit, or both."""
    if limit is not None and limit not in access.CHOICES:
        raise ArgumentError("limit", f"expected one of {', '.join(access.CHOICES)}")
    view = None if scores is None else checked_scores(scores, access.CHOICES[1:], "oc")
    store_people.set_default(session, person, view, limit)
    audit.record(session, "default", actor=person)


def clear_default(session: Session, person: int) -> None:
    """Let nothing count if one does not answer in time."""
    set_default(session, person, None, None)


def _circle_name(name: str) -> str:
    clean = checked_text("name", name, most=60)
    if clean == STRANGERS:
        raise ArgumentError("name", f"expected another name; {STRANGERS} are all those in no circle")
    return clean


# --- webhooks -----------------------------------------------------------------------------------------------


def webhooks(session: Session, person: int) -> tuple[Webhook, ...]:
    """Return where one wants to be told."""
    return store_outbox.webhooks_of(session, person)


def add_webhook(session: Session, person: int, url: str, events: Collection[str]) -> tuple[Webhook, str]:
    """Add an address to be told at, and return it with the secret that signs what is sent: shown this once."""
    check_target(url, private=settings_of(session).private_webhooks)
    if not events or not set(events) <= set(KINDS):
        raise ArgumentError("events", f"expected some of {', '.join(KINDS)}")
    if len(webhooks(session, person)) >= MOST_WEBHOOKS:
        raise Conflict("too_many_webhooks", f"at most {MOST_WEBHOOKS} webhooks")
    secret = "whsec_" + base64.b64encode(secrets.token_bytes(24)).decode()
    moment = now(session)
    number = store_outbox.add_webhook(session, person, url, secret, sorted(set(events)), moment)
    audit.record(session, "webhook", actor=person)
    return Webhook(number, url, tuple(sorted(set(events))), moment, 0), secret


def remove_webhook(session: Session, person: int, webhook: int) -> None:
    """Remove an address."""
    if not store_outbox.remove_webhook(session, person, webhook):
        raise NotFound


# --- looking after the service ------------------------------------------------------------------------------


def everybody(session: Session, admin: int) -> tuple[Person, ...]:
    """Return all people, for an administrator."""
    _require_admin(session, admin)
    return store_people.everybody(session)


def suspend(session: Session, admin: int, person: int, *, suspended: bool) -> None:
    """Lock somebody out, or let them in again; their sessions end at once."""
    _require_admin(session, admin)
    if store_people.get_person(session, person) is None or person == admin:
        raise NotFound
    store_people.set_suspended(session, person, now(session) if suspended else None)
    if suspended:
        store_identity.revoke_sessions(session, person)
    audit.record(session, "suspended" if suspended else "readmitted", actor=admin, person=person)


def overview(session: Session, admin: int) -> Overview:
    """Return the counts an administrator sees."""
    _require_admin(session, admin)
    heads, suspended = store_people.heads_count(session)
    pending, failed = store_outbox.counts(session)
    states = store_items.states(session)
    return Overview(heads, suspended, states, pending, failed, store_audit.count(session))


def _require_admin(session: Session, admin: int) -> None:
    found = store_people.get_person(session, admin)
    if found is None or not found.admin:
        raise NotFound
