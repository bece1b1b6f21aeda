"""Killed servers and restarted databases: what was acknowledged stays, and every round is mediated once."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.web.conftest import register, start_postgres

from entrenous.web import store
from entrenous.web.identity import tokens
from entrenous.web.rules import decisions, sealing
from entrenous.web.settings import Settings
from entrenous.web.store import audit_trail, schema
from entrenous.web.store.database import Database, utc_now

pytestmark = pytest.mark.faults
OWNERS = 4
CLIENTS = 16
PATIENCE = 300.0
"""Seconds after which a write that is still not taken means that the service did not recover."""


@dataclass
class Server:
    """The service as a process of its own, in a group of its own, so that it can be killed with its children."""

    database: str
    environment: dict[str, str]
    port: int = 0
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        if not self.port:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self.port = probe.getsockname()[1]
        arguments = [
            "access",
            "serve",
            "--database",
            self.database,
            "--port",
            str(self.port),
            "--processes",
            "2",
        ]
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from entrenous.cli import main; main()", *arguments],
            env=self.environment,
            start_new_session=True,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(3000):
            if self.answers():
                return
            time.sleep(0.1)
        raise AssertionError("the service did not start")

    def answers(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/ready")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def kill(self) -> None:
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@dataclass
class Writers:
    """Clients that write at once, and remember which writes the service acknowledged."""

    port: int
    tokens: list[str]
    acknowledged: set[tuple[str, int]] = field(default_factory=set)
    failures: int = 0
    over: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    def write_all(self, work: list[tuple[str, int]]) -> None:
        try:
            with ThreadPoolExecutor(CLIENTS) as pool:
                list(pool.map(self._write_share, [work[start::CLIENTS] for start in range(CLIENTS)]))
        finally:
            with self.changed:
                self.over = True
                self.changed.notify_all()

    def _write_share(self, share: list[tuple[str, int]]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        for item, place in share:
            deadline = time.monotonic() + PATIENCE
            while not self._written(connection, item, place):
                connection.close()
                assert time.monotonic() < deadline, "the service did not recover"
                time.sleep(0.1)
        connection.close()

    def _written(self, connection: http.client.HTTPConnection, item: str, place: int) -> bool:
        body = json.dumps({"scores": {"friends": 5, "friends-of-friends": place, "public": 0}})
        headers = {
            "Authorization": f"Bearer {self.tokens[place]}",
            "Content-Type": "application/json",
            "Idempotency-Key": f"{item}-{place}",
        }
        try:
            connection.request("PUT", f"/v1/items/{item}/view", body=body, headers=headers)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            answer = None
        if answer is None or answer.status >= 500:
            with self.changed:
                self.failures += 1
                self.changed.notify_all()
            return False
        assert answer.status == 200, content
        with self.changed:
            self.acknowledged.add((item, place))
            self.changed.notify_all()
        return True

    def wait_until(self, seen: Callable[[], bool]) -> None:
        """Wait until something is so that the writers bring about."""
        with self.changed:
            self.changed.wait_for(lambda: seen() or self.over)
            assert seen(), "the writers stopped early"


def prepare(database: Database, count: int) -> tuple[list[int], list[str], list[str]]:
    """Let four people share `count` items that wait for their views; return people, tokens and items."""
    ids = register(database, *(f"person{number}" for number in range(OWNERS)))
    secrets = [f"secret-{person}" for person in ids]
    items = [f"item-{number}" for number in range(count)]
    with database.writing() as session:
        for person, secret in zip(ids, secrets, strict=True):
            hashed = tokens.hash_secret(secret)
            store.credentials.create_token(session, person, "test", hashed, ["read", "write"], None)
        moment = utc_now()
        for item in items:
            store.items.add_item(
                session,
                id=item,
                originator=ids[0],
                title="Shared",
                description="",
                kind="photo",
                state="collecting",
                round=1,
                petitions=0,
                method="oc",
                vote={"rule": "consensus"},
                anchor="each",
                created=moment,
                deadline=moment.replace(year=moment.year + 1),
            )
            for person in ids:
                role = "originator" if person == ids[0] else "tagged"
                store.items.add_owner(
                    session,
                    item=item,
                    person=person,
                    role=role,
                    state="accepted",
                    tagged=True,
                    limit=None,
                    slot=f"slot-{person}",
                    since=moment,
                )
            sealing.begin(session, item, 1, store.items.owners_of(session, [item])[item])
    return ids, secrets, items


def check(database: Database, ids: list[int], items: list[str], acknowledged: set[tuple[str, int]]) -> None:
    """Every acknowledged view is there as it was sent, every round decided once, the audit unbroken."""
    with database.reading() as session:
        kept = {}
        for item in items:
            for slot, opening in sealing.open_round(session, item, 1).items():
                assert opening.scores is not None
                kept[item, ids.index(int(slot[5:]))] = opening.scores["friends-of-friends"]
        assert {write: write[1] for write in acknowledged}.items() <= kept.items()
        results = list(decisions.recompute(session))
        assert sorted(result.item for result in results) == sorted(items)
        assert all(result.same for result in results)
        assert audit_trail.verify(session) > 0
        answered = sa.select(schema.audit.c.item, schema.audit.c.actor).where(
            schema.audit.c.action == "answered"
        )
        audited = [(row.item, ids.index(row.actor)) for row in session.execute(answered)]
        assert sorted(audited) == sorted(acknowledged), "every write is in the audit, and once"
        told = sa.select(schema.audit.c.item).where(schema.audit.c.action == "decided")
        assert sorted(session.scalars(told)) == sorted(items)
        outcomes = sa.select(sa.func.count()).where(schema.notifications.c.kind == "outcome")
        assert session.scalar(outcomes) == len(items) * OWNERS


def under_load(
    writers: Writers, work: list[tuple[str, int]], *events: tuple[float, Callable[[], None]]
) -> None:
    """Let the writers write, and do each thing once the given share of all writes was acknowledged."""
    writing = threading.Thread(target=writers.write_all, args=(work,))
    writing.start()
    for share, event in events:
        enough = share * len(work)
        writers.wait_until(lambda enough=enough: len(writers.acknowledged) >= enough)  # type: ignore[misc]
        event()
    writing.join()
    assert len(writers.acknowledged) == len(work)
    assert writers.failures > 0, "nobody noticed: the fault came too late to test anything"


def all_writes(items: list[str]) -> list[tuple[str, int]]:
    """Every item's views next to each other, so that they are written at the same time by different clients."""
    return [(item, place) for item in items for place in range(OWNERS)]


@pytest.fixture
def server(
    request: pytest.FixtureRequest, settings: Settings, process_environment: dict[str, str]
) -> Iterator[tuple[Server, Database]]:
    url = settings.database
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url")
    database = Database(replace(settings, database=url))
    database.migrate()
    started = Server(url, process_environment | {"ENTRENOUS_KEYS": settings.keys})
    yield started, database
    started.kill()
    database.close()


@pytest.mark.parametrize(
    "server", ["sqlite", pytest.param("postgresql", marks=pytest.mark.thorough)], indirect=True
)
def test_killing_the_server_during_2000_writes_loses_nothing_acknowledged(
    server: tuple[Server, Database],
) -> None:
    running, database = server
    ids, tokens, items = prepare(database, 500)
    running.start()
    writers = Writers(running.port, tokens)

    def kill_and_restart() -> None:
        running.kill()
        running.start()

    under_load(writers, all_writes(items), (0.4, kill_and_restart))
    check(database, ids, items, writers.acknowledged)


def test_the_service_recovers_when_postgresql_restarts_under_load(
    settings: Settings, process_environment: dict[str, str]
) -> None:
    folder = tempfile.mkdtemp(prefix="entrenous-pg-")
    Path(folder).chmod(0o755)
    postgres: Any = start_postgres(f"{folder}/data")
    database = Database(replace(settings, database=postgres.get_uri()))
    database.migrate()
    ids, tokens, items = prepare(database, 60)
    running = Server(postgres.get_uri(), process_environment | {"ENTRENOUS_KEYS": settings.keys})
    running.start()
    writers = Writers(running.port, tokens)

    def restart() -> None:
        postgres.stop()
        writers.wait_until(lambda: writers.failures > 0)  # longer than one request tries by itself
        postgres.ensure_postgres_running()

    try:
        under_load(writers, all_writes(items), (0.3, restart))
        check(database, ids, items, writers.acknowledged)
    finally:
        running.kill()
        database.close()
        postgres.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
