"""An e-mail address becomes somebody's when they open a link that was sent to it, and not before.

Anybody may claim any address, so a claim is exclusive to nobody and answers nothing: it looks the same whether the
address is free, claimed by others or confirmed by somebody. The first to confirm owns it.
"""

from __future__ import annotations

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.delivery.account_mail import forget_resets_sent, write_account_letter
from entrenous.web.rules import one_time_links
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.rules.typed import checked_email
from entrenous.web.store import audit_trail
from entrenous.web.store.signing_in import links_sent

__all__ = ["ask_again", "claim", "confirm"]


def claim(session: Session, person: int, address: str | None) -> bool:
    """Claim an address, or do without one; return whether a link is to be sent to it.

    The confirmed address stays until another is confirmed; an empty one takes it away at once.
    """
    wanted = checked_email(address)
    me = store.persons.get_person(session, person)
    if me is None:
        raise NotFound
    if wanted is not None and wanted in (me.email, me.claimed):
        if wanted == me.email and me.claimed is not None:
            _drop_claim(session, person)
        return False
    links_sent.forget_links(session, person, one_time_links.CONFIRM)
    if wanted is None:
        store.persons.update_person(session, person, email=None, claimed=None)
        if me.email is not None:
            _moved(session, person, me.email)
        return False
    store.persons.update_person(session, person, claimed=wanted)
    write_account_letter(session, "claim", person=person)
    return True


def ask_again(session: Session, person: int) -> None:
    """Send the link once more to an address that waits to be confirmed."""
    me = store.persons.get_person(session, person)
    if me is not None and me.claimed is not None:
        write_account_letter(session, "claim", person=person)


def confirm(session: Session, secret: str | None) -> None:
    """Confirm the address a link was sent to; its account need not be signed in where the mail is read."""
    link = one_time_links.take(session, one_time_links.CONFIRM, secret)
    me = None if link is None or link.person is None else store.persons.get_person(session, link.person)
    if me is None or link is None or me.suspended or link.address is None or link.address != me.claimed:
        raise NotFound
    try:
        with session.begin_nested():
            store.persons.update_person(session, me.id, email=link.address, claimed=None)
    except IntegrityError:
        raise Conflict(
            "taken", "another account has confirmed this address; sign in there, or remove it there first"
        ) from None
    links_sent.forget_links(session, me.id)
    if me.email is not None:
        _moved(session, me.id, me.email)
    audit_trail.record(session, "address_confirmed", actor=me.id)


def _drop_claim(session: Session, person: int) -> None:
    links_sent.forget_links(session, person, one_time_links.CONFIRM)
    store.persons.update_person(session, person, claimed=None)


def _moved(session: Session, person: int, former: str) -> None:
    """Tell the former address: whoever took over a session must not take the account along unnoticed."""
    links_sent.forget_links(session, person, one_time_links.RESET)
    forget_resets_sent(session, person)
    write_account_letter(session, "address-changed", person=person, to=former)
