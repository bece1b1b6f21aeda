"""The outbox: mail and webhooks on their way.

What has to be delivered is written in the transaction of what it tells about, and removed when it was delivered. A
worker that dies in between leaves it there: everything is delivered at least once, webhooks with an id by which a
receiver recognizes repetitions. Several workers may run; none waits for another.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from email.message import EmailMessage

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.delivery.account_mail import deliver_account_mail
from entrenous.web.delivery.mail_server import compose, send
from entrenous.web.delivery.notices import KINDS
from entrenous.web.delivery.webhooks import post
from entrenous.web.rules import sealing
from entrenous.web.rules.decisions import recompute, rounds_behind
from entrenous.web.rules.refusals import NotFound
from entrenous.web.rules.states import present_state
from entrenous.web.settings import Settings
from entrenous.web.store import audit_trail
from entrenous.web.store.blobs.objects import ObjectsAway
from entrenous.web.store.database import Database, now
from entrenous.web.store.items import ItemRow
from entrenous.web.store.letters import Letter
from entrenous.web.store.records import Person
from entrenous.web.store.sealed import boxes

__all__ = ["deliver_due", "destroy_unneeded"]

ATTEMPTS = 8
"""After so many attempts, some two days, a letter is given up."""

LEASE = timedelta(minutes=5)

AT_ONCE = 20
_FIRST_WAIT = timedelta(minutes=1)


def deliver_due(database: Database) -> int:
    """Deliver letters that are due, and return how many were tried."""
    letters = database.write(
        lambda session: store.letters.claim_due(session, now(session), LEASE, AT_ONCE), idempotent=True
    )
    for letter in letters:
        database.write(_settling(letter, _deliver(database, letter)), idempotent=True)
    return len(letters)


def _deliver(database: Database, letter: Letter) -> str | None:
    """Deliver a letter and return None, or what kind of error was in the way; it keeps no other letter waiting."""
    try:
        return _DELIVERIES[letter.kind](database, letter)
    except DBAPIError:
        raise
    except Exception as error:  # noqa: BLE001 - a mail or a receiver may fail in any way
        return type(error).__name__


def _settling(letter: Letter, error: str | None) -> Callable[[Session], None]:
    """Return what to write about a delivery: done, later, or given up; `error` is a kind, never content."""

    def work(session: Session) -> None:
        if "webhook" in letter.payload:
            store.letters.set_failures(session, letter.payload["webhook"], failed=error is not None)
        if error is None:
            store.letters.remove_delivered(session, letter.id)
            return
        again = letter.attempts < ATTEMPTS
        due = now(session) + _FIRST_WAIT * 4 ** (letter.attempts - 1) if again else None
        store.letters.postpone(session, letter.id, due, error)

    return work


def _deliver_webhook(database: Database, letter: Letter) -> str | None:
    with database.reading() as session:
        target = store.letters.webhook_targets(session, letter.payload["webhook"])
        moment = now(session)
    if target is None:
        return None
    url, secret = target
    body = {
        "type": letter.payload["kind"],
        "timestamp": letter.payload["at"],
        "data": {"item": letter.payload["item"]},
    }
    private = database.settings.private_webhooks
    return post(url, secret, f"entrenous_{letter.id}", body, moment=moment, private=private)


def _deliver_mail(database: Database, letter: Letter) -> str | None:
    with database.reading() as session:
        reader = store.persons.get_person(session, letter.payload["person"])
    settings = database.settings
    if reader is None or reader.suspended or not reader.mail or not reader.email or not settings.smtp:
        return None
    send(settings, _mail(settings, reader, letter))
    return None


def _mail(settings: Settings, reader: Person, letter: Letter) -> EmailMessage:
    """Return a mail that says what sort of thing happened and where to look, and nothing else."""
    sentence, item = KINDS[letter.payload["kind"]], letter.payload["item"]
    page = f"/items/{item}" if item else "/friends"
    text = (
        f"Hello,\n\n{sentence}\n\n{settings.address}{page}\n\n"
        f"You can stop these mails in your account: {settings.address}/account\n"
    )
    return compose(settings, str(reader.email), sentence.split(".")[0], text, number=letter.id)


def _destroy_keys(database: Database, letter: Letter) -> str | None:
    destroy_unneeded(database, letter.payload["item"])
    return None


def destroy_unneeded(database: Database, item: str) -> None:
    """Destroy the keys of an item if its answers need not be opened again; checked once more right before."""

    def work(session: Session) -> None:
        row = store.items.lock_item(session, item)
        kept = None if row is None else _rounds_needed(session, row)
        if row is not None and kept is None:
            return
        if row is not None and boxes.has_boxes(session, item, kept or ()):
            checked: list[bool] = []
            with suppress(NotFound):  # withdrawn before anything was decided
                checked = [one.same for one in recompute(session, item)]
            audit_trail.record(session, "answers_destroyed", actor=None, item=item, recomputed=all(checked))
        sealing.destroy(session, item, kept or ())

    database.write(work, idempotent=True)


def _discard_object(database: Database, letter: Letter) -> str | None:
    """Remove an object whose row is gone; checked once more right before."""
    name = letter.payload["object"]
    with database.reading() as session:
        if store.files.named_objects(session, [name]):
            return None
    if database.objects is None:
        raise ObjectsAway
    database.objects.delete(name)
    return None


def _rounds_needed(session: Session, row: ItemRow) -> set[int] | None:
    """Return the rounds of an item whose answers have to be opened again; None for all of them."""
    if not sealing.needed(row, now(session)):
        return set()
    decided = store.items.decision_of(session, row.id)
    if present_state(row, now(session)) != "active" or decided is None:
        return None
    return rounds_behind(decided)  # where circles decide: what a later round replaced is not asked again


_DELIVERIES: dict[str, Callable[[Database, Letter], str | None]] = {
    "account": deliver_account_mail,
    "destroy": _destroy_keys,
    "discard": _discard_object,
    "mail": _deliver_mail,
    "webhook": _deliver_webhook,
}
