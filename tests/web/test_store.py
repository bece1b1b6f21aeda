"""The database: durable writes, waiting for one's turn, and trying again what left nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, OperationalError
from tests.web.conftest import register
from tests.web.crowd import Crowd

from entrenous.web import store
from entrenous.web.service import browsing
from entrenous.web.settings import Settings
from entrenous.web.store import schema
from entrenous.web.store.database import ATTEMPTS, Database


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.database.time, "sleep", lambda _seconds: None)


def lost(sqlstate: str | None = None) -> OperationalError:
    cause = psycopg.OperationalError("gone")
    if sqlstate is not None:
        cause = psycopg.errors.lookup(sqlstate)("passing")
    return OperationalError("SELECT 1", {}, cause, connection_invalidated=sqlstate is None)


def failing(times: int, error: DBAPIError) -> tuple[Any, list[int]]:
    tries: list[int] = []

    def work(_session: object) -> str:
        tries.append(1)
        if len(tries) <= times:
            raise error
        return "done"

    return work, tries


@pytest.mark.parametrize("sqlstate", [None, "40001", "40P01", "57P01"])
def test_what_left_nothing_behind_is_tried_again(database: Database, sqlstate: str | None) -> None:
    work, tries = failing(2, lost(sqlstate))
    assert database.write(work) == "done"
    assert len(tries) == 3


def test_trying_ends(database: Database) -> None:
    work, tries = failing(ATTEMPTS, lost())
    with pytest.raises(OperationalError):
        database.write(work)
    assert len(tries) == ATTEMPTS


def test_what_is_wrong_stays_wrong_and_is_not_tried_again(database: Database) -> None:
    work, tries = failing(1, lost("23505"))
    with pytest.raises(OperationalError):
        database.write(work)
    assert len(tries) == 1


@pytest.mark.parametrize("idempotent", [False, True])
def test_a_commit_of_unknown_fate_is_repeated_only_if_that_is_harmless(
    database: Database, monkeypatch: pytest.MonkeyPatch, idempotent: bool
) -> None:
    commit, commits = store.database.Session.commit, []

    def commit_then_lose(session: Any) -> None:
        commits.append(1)
        commit(session)
        if len(commits) == 1:
            raise lost()

    monkeypatch.setattr(store.database.Session, "commit", commit_then_lose)

    def act() -> None:
        database.write(lambda session: register_twin(session, len(commits)), idempotent=idempotent)

    if idempotent:
        act()
        assert len(commits) == 2
    else:
        with pytest.raises(OperationalError):
            act()
        assert len(commits) == 1


def register_twin(session: Any, number: int) -> None:
    store.credentials.count_hit(session, f"key {number}", store.credentials.KEPT)


def test_sqlite_is_set_up_to_keep_what_it_acknowledges(
    database: Database, durable: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store.database, "_prepare_sqlite", durable)
    database = Database(database.settings)
    with database.engine.connect() as connection:
        settings = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert settings == ["wal", 2, 1]
    database.close()


def test_writers_wait_for_each_other(either: Database) -> None:
    (person,) = register(either, "ann")

    def add(number: int) -> None:
        def work(session: Any) -> None:
            found = session.scalar(
                sa.select(schema.people.c.name).where(schema.people.c.id == person).with_for_update()
            )
            count = int(found) if found.isdigit() else 0
            session.execute(sa.update(schema.people).values(name=str(count + 1)))

        either.write(work)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(40)))
    with either.reading() as session:
        assert session.scalar(sa.select(schema.people.c.name)) == "40"


def test_hits_are_counted_per_window(either: Database, clock: Any) -> None:
    def hit(key: str) -> int:
        return either.write(
            lambda session: store.credentials.count_hit(session, key, store.credentials.KEPT / 24)
        )

    assert [hit("a"), hit("a"), hit("b"), hit("a")] == [1, 2, 1, 3]
    clock.turn(hours=1)
    assert hit("a") == 1
    either.write(store.credentials.purge)
    with either.reading() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(schema.hits)) == 1


def test_a_password_in_the_address_of_the_database_is_never_told(settings: Settings) -> None:
    database = Database(replace(settings, database="postgresql://ann:planted@127.0.0.1:1/none"))
    with pytest.raises(OperationalError) as caught, database.reading() as session:
        session.scalar(sa.select(1))
    assert "planted" not in str(caught.value)
    assert "planted" not in repr(database.engine)


@pytest.mark.parametrize("rested", [True, False])
def test_a_connection_that_rested_is_tried_before_it_is_used(
    settings: Settings, migrated_postgres_url: str, monkeypatch: pytest.MonkeyPatch, rested: bool
) -> None:
    monkeypatch.setattr(store.database, "RESTED", 0.0 if rested else 1e9)
    database = Database(replace(settings, database=migrated_postgres_url))

    def numbers() -> list[int]:
        with database.reading() as session:
            return list(session.scalars(sa.text("SELECT pg_backend_pid()")))

    before = numbers()
    with psycopg.connect(migrated_postgres_url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", before)
    if not rested:
        with pytest.raises(
            DBAPIError
        ):  # it was used a moment ago, so nobody asked; the next one is a new one
            numbers()
    assert numbers() != before
    database.close()


@pytest.mark.parametrize(
    ("error", "status"),
    [(lost(), 503), (lost("57P01"), 503), (lost("23505"), 500)],
    ids=["lost", "stopped", "taken"],
)
def test_a_database_that_is_away_is_told_as_that(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch, error: DBAPIError, status: int
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(browsing, "gallery", fail)
    answer = crowd.stranger.get("/gallery")
    assert (answer.status_code, "retry-after" in answer.headers) == (status, status == 503)
    assert "Look whether it was done" in answer.text
