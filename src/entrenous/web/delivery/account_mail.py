"""Mails about accounts: links to confirm an address or to choose a new password, and what an owner has to know.

A request writes into the outbox only that it was asked, the same whether an account or an address exists or not; what
is to be sent, and to whom, is found out here. So neither the answer nor its time tells. No letter holds a secret:
a link is made right before its mail is sent.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.delivery.mail_server import compose, send
from entrenous.web.rules import one_time_links
from entrenous.web.store.database import Database, now, settings_of
from entrenous.web.store.letters import Letter
from entrenous.web.store.records import Person

__all__ = ["deliver_account_mail", "forget_resets_sent", "write_account_letter"]

MOST_RESETS = 2
"""So many links for a new password go to somebody in an hour, which is how long each works: who is sent none has one.

A count for a day would let a stranger use it up in the first minute, and keep who forgot a password out until the next.
"""

MOST_CLAIMS, MOST_CLAIMS_OF_ALL = 5, 20
"""So many links to confirm an address go there in a day for one account, and for all who claim it together."""

HOUR, DAY = timedelta(hours=1), timedelta(days=1)

Mail = tuple[str, str, str]
"""To whom, the subject, and the text."""


def write_account_letter(session: Session, purpose: str, **details: object) -> None:
    """Note that something is to be sent, if there is a mail server; in the transaction of what it is about."""
    if not settings_of(session).smtp:
        return
    moment = now(session)
    payload = {"purpose": purpose, "at": moment.isoformat(), **details}
    store.letters.enqueue(session, [("account", payload)], moment)


def forget_resets_sent(session: Session, person: int) -> None:
    """Count the links of a person from nothing again, once those that were sent do not work any more."""
    store.credentials.forget_hits(session, _counted(f"reset {person}"))


def deliver_account_mail(database: Database, letter: Letter) -> str | None:
    """Find out what is to be sent, make the link for it, and send it; a letter that is moot is dropped."""
    if not database.settings.smtp:
        return None
    find = _PURPOSES[letter.payload["purpose"]]
    mail = database.write(lambda session: find(session, letter), idempotent=True)
    if mail is not None:
        send(database.settings, compose(database.settings, *mail, number=letter.id))
    return None


def _claim(session: Session, letter: Letter) -> Mail | None:
    """Send the link to whoever claims an address, or tell its owner that somebody does."""
    person = _there(session, letter)
    if person is None or person.claimed is None or _late(session, letter, one_time_links.CONFIRM):
        return None
    owner = store.persons.owner_of_address(session, person.claimed)
    if owner == person.id:
        return None
    own = _room(session, f"claim {person.id} {person.claimed}", letter, most=MOST_CLAIMS, window=DAY)
    if not own or not _room(session, f"claim {person.claimed}", letter, most=MOST_CLAIMS_OF_ALL, window=DAY):
        return None
    if owner is not None:
        return (
            person.claimed,
            "Somebody entered your e-mail address",
            (
                "Hello,\n\nsomebody entered your e-mail address in another account here. Nothing has changed: the "
                "address is yours, and they were not told that you have an account.\n\nIf that was you: you have an "
                f"account already. Sign in, or choose a new password: {_page(session, '/forgot')}\n"
            ),
        )
    link = one_time_links.new_link(session, one_time_links.CONFIRM, person=person.id, address=person.claimed)
    return (
        person.claimed,
        "Confirm your e-mail address",
        (
            "Hello,\n\nsomebody entered this address as theirs. If that was you, open this page and confirm it:\n\n"
            f"{link}\n\n"
            "The link works once, for two days. If it was not you, do nothing.\n"
        ),
    )


def _reset(session: Session, letter: Letter) -> Mail | None:
    """Send a link to choose a new password, if there is such an account with a confirmed address."""
    found = store.credentials.credentials(session, str(letter.payload["login"]))
    person = None if found is None else store.persons.get_person(session, found.person_id)
    if person is None or person.suspended or person.email is None:
        return None
    if _late(session, letter, one_time_links.RESET):
        return None
    if not _room(session, f"reset {person.id}", letter, most=MOST_RESETS, window=HOUR):
        return None
    link = one_time_links.new_link(session, one_time_links.RESET, person=person.id)
    return (
        person.email,
        "Choose a new password",
        (
            "Hello,\n\nsomebody asked for a new password for your account. If that was you, choose it here:\n\n"
            f"{link}\n\n"
            "The link works once, for an hour. If it was not you, do nothing: your password stays as it is.\n"
        ),
    )


def _password_changed(session: Session, letter: Letter) -> Mail | None:
    """Tell somebody that their password is another one now."""
    person = _there(session, letter)
    if person is None or person.email is None:
        return None
    return (
        person.email,
        "Your password was changed",
        (
            "Hello,\n\nthe password of your account was changed. Who was signed in elsewhere is signed out.\n\n"
            f"If it was not you, choose a new one at once: {_page(session, '/forgot')}\n"
        ),
    )


def _address_changed(session: Session, letter: Letter) -> Mail | None:
    """Tell the earlier address of an account that it is not any more."""
    if _there(session, letter) is None:
        return None
    return (
        str(letter.payload["to"]),
        "Your e-mail address was changed",
        (
            "Hello,\n\nyour account here has another e-mail address now, or none; nothing about it is sent to this one "
            "any more.\n\nIf it was not you, sign in, choose a new password and enter your address again: "
            f"{_page(session, '/account')}\n"
        ),
    )


_PURPOSES = {
    "address-changed": _address_changed,
    "claim": _claim,
    "password-changed": _password_changed,
    "reset": _reset,
}


def _there(session: Session, letter: Letter) -> Person | None:
    person = store.persons.get_person(session, int(letter.payload["person"]))
    return None if person is None or person.suspended else person


def _late(session: Session, letter: Letter, kind: str) -> bool:
    """Return whether a letter waited so long that its link would have ended by now."""
    asked = datetime.fromisoformat(str(letter.payload["at"]))
    return now(session) > asked + one_time_links.LIFETIMES[kind]


def _room(session: Session, key: str, letter: Letter, *, most: int, window: timedelta) -> bool:
    """Return whether another mail of a kind may go out by now; a letter that is tried again counts once."""
    if letter.attempts > 1:
        return True
    return store.credentials.count_hit(session, _counted(key), window) <= most


def _counted(key: str) -> str:
    return hashlib.sha256(f"mail {key}".encode()).hexdigest()


def _page(session: Session, path: str) -> str:
    return settings_of(session).address.rstrip("/") + path
