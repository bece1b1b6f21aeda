"""The worker: delivers mail and webhooks from the outbox, and does what the clock asks for.

What has to be delivered is written in the transaction of what it tells about, and removed when it was delivered. A
worker that dies in between leaves it there: everything is delivered at least once, webhooks with an id by which a
receiver recognizes repetitions. Several workers may run; none waits for another.
"""

from __future__ import annotations

import logging
import smtplib
import ssl
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from entrenous.errors import ArgumentError
from entrenous.web import store_identity, store_items, store_media, store_outbox, store_people
from entrenous.web.notices import KINDS
from entrenous.web.records import Person
from entrenous.web.settings import Settings
from entrenous.web.store import Database, now
from entrenous.web.store_outbox import Letter
from entrenous.web.webhooks import post
from entrenous.web.workflow import advance_due

__all__ = ["Worker", "deliver_due", "tidy_up"]

ATTEMPTS = 8
"""After so many attempts, some two days, a letter is given up."""

LEASE = timedelta(minutes=5)
TIDYING = 300.0
"""Seconds between two looks for what can be removed."""

AT_ONCE = 20
_FIRST_WAIT = timedelta(minutes=1)
_TIMEOUT = 10.0

log = logging.getLogger(__name__)


class Worker:
    """A thread that works off what is due, every so many seconds.

    Parameters
    ----------
    database
        The database of the service.
    pause
        Seconds between two looks.
    """

    def __init__(self, database: Database, *, pause: float = 2.0) -> None:
        self.database = database
        self.pause = pause
        self._next_tidying = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="entrenous-worker", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """Finish what is under way, and stop."""
        self._stop.set()
        self._thread.join()

    def join(self) -> None:
        """Wait until the worker stops."""
        self._thread.join()

    def run_once(self) -> int:
        """Do all that is due now, and return how many things that were."""
        done = advance_due(self.database) + deliver_due(self.database)
        if time.monotonic() >= self._next_tidying:
            tidy_up(self.database)
            self._next_tidying = time.monotonic() + TIDYING
        return done

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                done = self.run_once()
            except Exception as error:  # noqa: BLE001 - nothing is lost, so the worker waits and looks again
                log.warning("the worker could not go on (%s); it tries again", type(error).__name__)
                done = 0
            self._stop.wait(0 if done >= AT_ONCE else self.pause)


def deliver_due(database: Database) -> int:
    """Deliver letters that are due, and return how many were tried."""
    letters = database.write(
        lambda session: store_outbox.claim_due(session, now(session), LEASE, AT_ONCE), idempotent=True
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


def tidy_up(database: Database) -> None:
    """Remove sessions that ended, and what was withdrawn for good."""

    def work(session: Session) -> None:
        moment = now(session)
        store_identity.purge(session)
        store_items.purge_steps(session, moment, timedelta(minutes=database.settings.undo_minutes))
        for item in store_media.withdrawn_before(session, moment):
            store_media.remove_contents(session, item)
            store_items.forget_item(session, item)

    database.write(work, idempotent=True)


def _settling(letter: Letter, error: str | None) -> Callable[[Session], None]:
    """Return what to write about a delivery: done, later, or given up; `error` is a kind, never content."""

    def work(session: Session) -> None:
        if "webhook" in letter.payload:
            store_outbox.set_failures(session, letter.payload["webhook"], failed=error is not None)
        if error is None:
            store_outbox.remove_delivered(session, letter.id)
            return
        again = letter.attempts < ATTEMPTS
        due = now(session) + _FIRST_WAIT * 4 ** (letter.attempts - 1) if again else None
        store_outbox.postpone(session, letter.id, due, error)

    return work


def _deliver_webhook(database: Database, letter: Letter) -> str | None:
    with database.reading() as session:
        target = store_outbox.webhook_targets(session, letter.payload["webhook"])
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
        reader = store_people.get_person(session, letter.payload["person"])
    settings = database.settings
    if reader is None or reader.suspended or not reader.mail or not reader.email or not settings.smtp:
        return None
    with _mail_server(settings) as server:
        server.send_message(_mail(settings, reader, letter))
    return None


def _mail(settings: Settings, reader: Person, letter: Letter) -> EmailMessage:
    """Return a mail that says what sort of thing happened and where to look, and nothing else."""
    sentence, item = KINDS[letter.payload["kind"]], letter.payload["item"]
    page = f"/items/{item}" if item else "/friends"
    mail = EmailMessage()
    mail["From"], mail["To"] = settings.mail_from, reader.email
    mail["Subject"] = sentence.split(".")[0]
    mail["Message-ID"] = f"<entrenous-{letter.id}@{urlsplit(settings.address).hostname}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(
        f"Hello,\n\n{sentence}\n\n{settings.address}{page}\n\n"
        f"You can stop these mails in your account: {settings.address}/account\n"
    )
    return mail


def _mail_server(settings: Settings) -> smtplib.SMTP:
    """Return a connection to the mail server; whoever gives a password gives it on an encrypted one alone."""
    parts = urlsplit(settings.smtp)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise ArgumentError("smtp", "expected smtp://host:port or smtps://user:password@host")
    if parts.scheme == "smtps":
        context = ssl.create_default_context()
        server: smtplib.SMTP = smtplib.SMTP_SSL(
            parts.hostname, parts.port or 465, timeout=_TIMEOUT, context=context
        )
    else:
        server = smtplib.SMTP(parts.hostname, parts.port or 25, timeout=_TIMEOUT)
        if parts.username:
            server.starttls(context=ssl.create_default_context())
    if parts.username:
        server.login(unquote(parts.username), unquote(parts.password or ""))
    return server


_DELIVERIES: dict[str, Callable[[Database, Letter], str | None]] = {
    "mail": _deliver_mail,
    "webhook": _deliver_webhook,
}
