"""Mail and webhooks: delivered at least once, signed, to public places alone, and without anybody's views."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import sqlalchemy as sa
from aiosmtpd.controller import Controller
from tests.web.conftest import Clock, befriend, confirm_address, register
from tests.web.stories import answer, four_friends, put_up

from entrenous.web import store
from entrenous.web.delivery import outbox, webhooks
from entrenous.web.delivery.outbox import deliver_due
from entrenous.web.delivery.webhooks import post
from entrenous.web.rules import decisions
from entrenous.web.service import befriending, membership, workflow
from entrenous.web.service.worker import Worker
from entrenous.web.settings import Settings
from entrenous.web.store import schema
from entrenous.web.store.database import Database

SECRET = "whsec_" + base64.b64encode(b"k" * 24).decode()
MOMENT = datetime(2030, 5, 1, tzinfo=UTC)


class Receiver(BaseHTTPRequestHandler):
    """Takes webhooks and remembers them; answers with the status the path names."""

    received: list[tuple[dict[str, str], bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.received.append((dict(self.headers), body))  # type: ignore[attr-defined]
        status = int(self.path.strip("/") or 200)
        self.send_response(status)
        if status == 302:
            self.send_header("location", f"http://127.0.0.1:{self.server.server_port}/200")  # type: ignore[attr-defined]
        self.end_headers()

    def log_message(self, *_arguments: Any) -> None:
        pass


@contextmanager
def receiving() -> Iterator[Any]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.received = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


class Mailbox:
    def __init__(self) -> None:
        self.mails: list[Any] = []

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        self.mails.append((envelope.rcpt_tos, message_from_bytes(envelope.content)))
        return "250 OK"


@pytest.fixture
def mailbox() -> Iterator[tuple[Mailbox, str]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    box = Mailbox()
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    yield box, f"smtp://127.0.0.1:{port}"
    controller.stop()


# --- webhooks -----------------------------------------------------------------------------------------------


def test_a_webhook_arrives_signed_and_says_what_happened_and_no_more(database: Database) -> None:
    ids = four_friends(database)
    with receiving() as server:
        url = f"http://127.0.0.1:{server.server_port}/200"
        with database.writing() as session:
            webhook, secret = membership.add_webhook(session, ids["bob"], url, ["view_needed"])
        item = put_up(database, list(ids.values()))
        assert deliver_due(database) == 1
        assert deliver_due(database) == 0
        ((headers, body),) = server.received
    assert json.loads(body)["type"] == "view_needed"
    assert json.loads(body)["data"] == {"item": item}
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert webhook.failures == 0


def test_what_fails_is_tried_again_later_with_the_same_id_and_given_up_in_the_end(
    database: Database, clock: Clock
) -> None:
    ids = four_friends(database)
    with receiving() as server:
        url = f"http://127.0.0.1:{server.server_port}/500"
        with database.writing() as session:
            membership.add_webhook(session, ids["bob"], url, ["view_needed"])
        put_up(database, list(ids.values()))
        tried = []
        for _ in range(outbox.ATTEMPTS + 2):
            tried.append(deliver_due(database))
            clock.turn(days=20)
        names = {headers["webhook-id"] for headers, _ in server.received}
    assert tried == [1] * outbox.ATTEMPTS + [0, 0]
    assert len(names) == 1
    with database.reading() as session:
        assert store.letters.counts(session) == (0, 1)
        assert membership.webhooks(session, ids["bob"])[0].failures == outbox.ATTEMPTS


def test_a_webhook_that_always_fails_is_left_alone(database: Database) -> None:
    ids = four_friends(database)
    with receiving() as server:
        with database.writing() as session:
            url = f"http://127.0.0.1:{server.server_port}/200"
            webhook = membership.add_webhook(session, ids["bob"], url, ["view_needed"])[0]
        put_up(database, list(ids.values()))
        with database.writing() as session:
            for _ in range(store.letters.MOST_FAILURES):
                store.letters.set_failures(session, webhook.id, failed=True)
        put_up(database, list(ids.values()))
        assert deliver_due(database) == 1  # the one from before, which goes nowhere
        assert server.received == []
    with database.reading() as session:
        assert membership.webhooks(session, ids["bob"])[0].failures == store.letters.MOST_FAILURES


def test_who_answers_a_byte_at_a_time_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks, "_TIMEOUT", 0.5)
    over = threading.Event()

    def drip(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            while not over.wait(0.05):
                connection.sendall(b"H")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=drip, args=(listening,))
        thread.start()
        begun = time.monotonic()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        error = post(url, SECRET, "id", {}, moment=MOMENT, private=True)
        took = time.monotonic() - begun
        over.set()
        thread.join()
    assert error is not None
    assert took < 60  # a patient reader would take 65,536 of those bytes, an hour, before it gave up


def test_a_letter_that_breaks_its_delivery_keeps_no_other_waiting(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    delivered: list[int] = []

    def deliver(_database: Database, letter: store.letters.Letter) -> None:
        if not delivered and letter.attempts == 1:
            delivered.append(0)
            raise ValueError("a value that nobody is to read")
        delivered.append(letter.id)

    monkeypatch.setitem(outbox._DELIVERIES, "mail", deliver)
    with database.writing() as session:
        store.letters.enqueue(session, [("mail", {}), ("mail", {})], clock())
    assert deliver_due(database) == 2
    assert len(delivered) == 2
    with database.reading() as session:
        assert store.letters.counts(session) == (1, 0)
        assert session.scalar(sa.select(schema.outbox.c.error)) == "ValueError"


def test_an_item_that_cannot_be_advanced_keeps_no_other_waiting(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (ann,) = register(database, "ann")
    first, second = sorted(put_up(database, [ann]) for _ in range(2))
    mediate = decisions.mediate_round

    def failing(session: Any, item: Any, voters: Any) -> Any:
        if item.id == first:
            raise RuntimeError("a value that nobody is to read")
        return mediate(session, item, voters)

    monkeypatch.setattr(decisions, "mediate_round", failing)
    clock.turn(days=8)
    assert workflow.advance_due(database) == 1
    with database.reading() as session:
        assert store.items.get_items(session, [first])[first].state == "collecting"
        assert store.items.get_items(session, [second])[second].state == "active"
    assert "RuntimeError" in caplog.text
    assert "a value" not in caplog.text


def test_a_worker_outlives_an_error(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    enough = threading.Event()

    def failing(_database: Database) -> int:
        looks.append(1)
        if len(looks) > 2:
            enough.set()
        raise RuntimeError

    monkeypatch.setattr("entrenous.web.service.worker.advance_due", failing)
    worker = Worker(database, pause=0.01)
    worker.start()
    assert enough.wait(10)
    worker.stop()


def test_redirects_are_not_followed() -> None:
    with receiving() as server:
        url = f"http://127.0.0.1:{server.server_port}/302"
        assert post(url, SECRET, "id", {}, moment=MOMENT, private=True) == "status 302"
        assert len(server.received) == 1


def test_a_worker_that_died_leaves_its_letters_to_others(database: Database, clock: Clock) -> None:
    with database.writing() as session:
        store.letters.enqueue(session, [("webhook", {"webhook": 1})], clock())
    with database.writing() as session:
        assert len(store.letters.claim_due(session, clock(), outbox.LEASE, 10)) == 1
    with database.writing() as session:
        assert store.letters.claim_due(session, clock(), outbox.LEASE, 10) == []
    clock.turn(minutes=6)
    with database.writing() as session:
        (letter,) = store.letters.claim_due(session, clock(), outbox.LEASE, 10)
    assert letter.attempts == 2


def test_several_workers_deliver_everything_once(either: Database, clock: Clock) -> None:
    with either.writing() as session:
        store.letters.enqueue(session, [("webhook", {"webhook": number}) for number in range(60)], clock())

    def work(_: int) -> list[int]:
        taken: list[int] = []
        while letters := either.write(
            lambda session: store.letters.claim_due(session, clock(), outbox.LEASE, 7)
        ):
            taken += [letter.payload["webhook"] for letter in letters]
        return taken

    with ThreadPoolExecutor(4) as pool:
        taken = [number for share in pool.map(work, range(4)) for number in share]
    assert sorted(taken) == list(range(60))


def test_on_postgresql_a_held_letter_is_skipped_not_waited_for(
    settings: Settings, postgres_url: str, clock: Clock
) -> None:
    database = Database(replace(settings, database=postgres_url), clock=clock)
    database.migrate()
    with database.writing() as session:
        store.letters.enqueue(session, [("webhook", {"webhook": number}) for number in range(2)], clock())
    with database.writing() as one, database.writing() as other:
        first = store.letters.claim_due(one, clock(), outbox.LEASE, 1)
        second = store.letters.claim_due(other, clock(), outbox.LEASE, 5)
    assert [len(first), len(second)] == [1, 1]
    assert first != second
    database.close()


# --- mail ---------------------------------------------------------------------------------------------------


def test_mail_says_what_sort_of_thing_happened_and_names_nobody(
    settings: Settings, clock: Clock, mailbox: tuple[Mailbox, str]
) -> None:
    box, server = mailbox
    database = Database(replace(settings, smtp=server), clock=clock)
    database.migrate()
    ann, bob = register(database, "ann", "bob")
    befriend(database, ann, bob)
    with database.writing() as session:
        confirm_address(session, bob, "bob@example.org")
    item = put_up(database, [ann, bob], title="A planted title")
    worker = Worker(database)
    assert worker.run_once() == 2
    assert worker.run_once() == 0
    assert [to for to, _ in box.mails] == [["bob@example.org"]] * 2
    for _, mail in box.mails:
        text = mail.get_payload() + str(mail["subject"])
        assert f"{settings.address}/items/{item}" in text
        assert "planted" not in text
        assert "Ann" not in text
    assert len({mail["message-id"] for _, mail in box.mails}) == 2
    with database.writing() as session:
        confirm_address(session, bob, "bob@example.org", mail=False)
        workflow.withdraw(session, ann, item)
    worker.run_once()
    assert len(box.mails) == 2
    database.close()


def test_mail_waits_while_its_server_is_away(settings: Settings, clock: Clock) -> None:
    database = Database(replace(settings, smtp="smtp://127.0.0.1:1"), clock=clock)
    database.migrate()
    ann, bob = register(database, "ann", "bob")
    with database.writing() as session:
        confirm_address(session, bob, "bob@example.org")
        befriending.ask_friend(session, ann, "bob")
    assert deliver_due(database) == 1
    with database.reading() as session:
        assert store.letters.counts(session) == (1, 0)
        assert session.scalar(sa.select(schema.outbox.c.error)) == "ConnectionRefusedError"
    database.close()


def test_a_worker_in_its_thread_lets_outcomes_take_effect_and_removes_withdrawn_bytes(
    database: Database, clock: Clock
) -> None:
    ann, bob = register(database, "ann", "bob")
    befriend(database, ann, bob)
    item = put_up(database, [ann, bob])
    answer(database, item, bob, (5, 5, 5))
    with database.writing() as session:
        workflow.withdraw(session, ann, item)

    def kept() -> int:
        with database.reading() as session:
            return session.scalar(sa.select(sa.func.count()).select_from(schema.contents)) or 0

    worker = Worker(database, pause=0.01)
    worker.run_once()
    assert kept() == 2  # it can still be brought back
    clock.turn(minutes=11)
    worker = Worker(database, pause=0.01)
    worker.start()
    for _ in range(500):
        if not kept():
            break
        threading.Event().wait(0.01)
    worker.stop()
    assert kept() == 0
    with database.reading() as session:
        assert store.items.get_items(session, [item])[item].title == ""
        assert store.items.answered(session, item, 1) == set()
