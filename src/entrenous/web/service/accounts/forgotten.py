"""A new password, for somebody who knows the present one or holds a one-time link."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.delivery.account_mail import forget_resets_sent, write_account_letter
from entrenous.web.identity.backoff import forgive_name
from entrenous.web.rules import one_time_links
from entrenous.web.rules.refusals import NotFound
from entrenous.web.store import audit_trail
from entrenous.web.store.signing_in import devices, links_sent

__all__ = ["ask_for_reset", "change_password", "reset_link", "reset_password"]

HANDED_OVER = timedelta(days=1)
"""A link that a person hands over takes longer than a mail."""


def ask_for_reset(session: Session, login: str) -> None:
    """Note that somebody wants a new password; whether there is such an account is found out when the mail is sent."""
    write_account_letter(session, "reset", login=login[:254])


def reset_link(session: Session, handle: str) -> str:
    """Return a link with which whoever holds it chooses a new password; for the command line."""
    found = store.persons.find_person(session, handle.strip().lower())
    if found is None:
        raise NotFound
    audit_trail.record(session, "reset_link", actor=None, person=found.id)
    return one_time_links.new_link(session, one_time_links.RESET, person=found.id, lifetime=HANDED_OVER)


def reset_password(session: Session, secret: str | None, password_hash: str) -> None:
    """Set the password of whoever a link belongs to. All sessions end, and no browser is known any more.

    Who could read the mail has shown who they are, so others' tries at the name no longer keep them waiting.
    """
    link = one_time_links.take(session, one_time_links.RESET, secret)
    person = None if link is None or link.person is None else store.persons.get_person(session, link.person)
    if person is None or person.suspended:
        raise NotFound
    change_password(session, person.id, password_hash)
    forgive_name(session, person.handle, person.email)


def change_password(session: Session, person: int, password_hash: str, *, keep: int | None = None) -> None:
    """Replace a password, end all sessions but one, forget all browsers, and tell the owner by mail.

    An address that waits to be confirmed goes as well: whoever is put out by the new password may have entered it, and
    would come back by its link.
    """
    store.credentials.set_password_hash(session, person, password_hash)
    store.credentials.revoke_sessions(session, person, keep=keep)
    devices.forget_devices(session, person)
    store.persons.update_person(session, person, claimed=None)
    links_sent.forget_links(session, person)
    forget_resets_sent(session, person)
    audit_trail.record(session, "password_changed", actor=person)
    write_account_letter(session, "password-changed", person=person)
