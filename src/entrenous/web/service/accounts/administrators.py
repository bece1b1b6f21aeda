"""Who looks after the service: several people, at least one, and the first by a link that the service prints."""

from __future__ import annotations

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.rules import one_time_links
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.store import audit_trail
from entrenous.web.store.records import Person
from entrenous.web.store.signing_in import links_sent

__all__ = [
    "administrators",
    "appoint",
    "become_first",
    "dismiss",
    "first_link",
    "may_become_first",
    "require_admin",
    "require_another",
    "set_administrator",
]


def administrators(session: Session) -> tuple[Person, ...]:
    """Return who looks after the service."""
    return store.persons.administrators(session)


def require_admin(session: Session, person: int) -> None:
    """Refuse whoever is no administrator, as if there were nothing."""
    found = store.persons.get_person(session, person)
    if found is None or not found.admin or found.suspended:
        raise NotFound


def require_another(session: Session, person: int) -> None:
    """Refuse to lose the only administrator; until the transaction ends nobody else can become or cease to be one."""
    if [one.id for one in store.persons.administrators(session, lock=True)] == [person]:
        raise Conflict(
            "only_administrator", "this is the only administrator: appoint another first, then try again"
        )


def set_administrator(session: Session, admin: int, person: int, *, appointed: bool) -> None:
    """Let somebody look after the service too, or no longer, in the name of an administrator."""
    require_admin(session, admin)
    found = store.persons.get_person(session, person)
    if found is None or found.suspended:
        raise NotFound
    (appoint if appointed else dismiss)(session, found.id, actor=admin)


def appoint(session: Session, person: int, *, actor: int | None) -> None:
    """Let a person look after the service; the command line acts for nobody in particular."""
    store.persons.administrators(session, lock=True)
    store.persons.update_person(session, person, admin=True)
    links_sent.forget_kind(session, one_time_links.ADMINISTER)
    audit_trail.record(session, "appointed", actor=actor, person=person)


def dismiss(session: Session, person: int, *, actor: int | None) -> None:
    """Let a person no longer look after the service, unless nobody would be left."""
    require_another(session, person)
    store.persons.update_person(session, person, admin=False)
    audit_trail.record(session, "dismissed", actor=actor, person=person)


def first_link(session: Session) -> str | None:
    """Return a fresh link for the first administrator, which makes earlier ones useless; None if there is one."""
    if store.persons.administrators(session, lock=True):
        return None
    return one_time_links.new_link(session, one_time_links.ADMINISTER)


def may_become_first(session: Session, secret: str | None) -> bool:
    """Return whether a link still makes whoever holds it the administrator."""
    valid = one_time_links.look_at(session, one_time_links.ADMINISTER, secret) is not None
    return valid and not store.persons.administrators(session)


def become_first(session: Session, person: int, secret: str | None) -> None:
    """Use the link: make a person the first administrator."""
    if one_time_links.take(session, one_time_links.ADMINISTER, secret) is None:
        raise NotFound
    if store.persons.administrators(session, lock=True):
        raise NotFound
    appoint(session, person, actor=person)
