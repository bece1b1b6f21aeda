"""The database: one engine per process, one transaction per request, and what happens when it goes away.

Only this folder holds SQL. A write is acknowledged when it is committed, never earlier: on SQLite with
`synchronous=FULL`, on PostgreSQL with its default. Every writing transaction on SQLite begins with BEGIN IMMEDIATE, so
that it waits for its turn instead of failing half-way; on PostgreSQL whoever changes an item locks its row first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy import TypeDecorator, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError as UrlError
from sqlalchemy.exc import DBAPIError, InvalidatePoolError, NoSuchModuleError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from entrenous.errors import ArgumentError
from entrenous.web.settings import Settings
from entrenous.web.store.audit_trail import write_pending
from entrenous.web.store.blobs.objects import ObjectsAway, ObjectStore
from entrenous.web.store.lists.touched import settle, settle_all
from entrenous.web.store.schema import metadata
from entrenous.web.store.sealed.keys import KeyStore

__all__ = [
    "Database",
    "among",
    "count_changed",
    "healthy",
    "insert_row",
    "inserting",
    "is_away",
    "keys_of",
    "now",
    "objects_of",
    "settings_of",
    "utc_now",
]

ATTEMPTS = 6
"""How often a transaction that failed through no fault of its own is tried."""

PATIENCE = 30.0
"""Seconds a writer waits for its turn on SQLite."""

RESTED = 1.0
"""Seconds after which a connection is asked whether it still lives before it is used."""

_TRANSIENT = {"40001", "40P01", "55P03", "57P01", "57P02", "57P03"}
"""PostgreSQL: serialization failure, deadlock, lock not available, and the three ways of being shut down."""

MIGRATIONS = Path(__file__).parent.parent / "migrations"
_MIGRATING = 1_162_760_014  # any number all processes of this service agree on
Result = TypeVar("Result")


def utc_now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


def now(session: Session) -> datetime:
    """Return the moment by the clock of the session's database."""
    clock: Callable[[], datetime] = session.info["clock"]
    return clock()


def settings_of(session: Session) -> Settings:
    """Return how the service of this session is set up."""
    settings: Settings = session.info["settings"]
    return settings


def keys_of(session: Session) -> KeyStore:
    """Return where the keys of sealed answers are kept."""
    keys: KeyStore = session.info["keys"]
    return keys


def objects_of(session: Session) -> ObjectStore | None:
    """Return where the bytes of files are kept; None if that is the database."""
    objects: ObjectStore | None = session.info["objects"]
    return objects


class Database:
    """The database of one service.

    Parameters
    ----------
    settings
        How the service is set up; `settings.database` is `sqlite:///file.db` or
        `postgresql://user:password@host/name`.
    clock
        What tells the time; tests bring their own.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> database = Database(Settings(database=f"sqlite:///{folder.name}/service.db"))
    >>> database.migrate()
    >>> with database.reading() as session:
    ...     healthy(session)
    True
    >>> database.close()
    >>> folder.cleanup()
    """

    def __init__(self, settings: Settings, *, clock: Callable[[], datetime] = utc_now) -> None:
        self.settings = settings
        self.clock = clock
        self.engine = _open(_checked_url(settings.database))
        self.keys = KeyStore(_key_url(settings))
        self.objects = ObjectStore(settings) if settings.files else None
        self.info = {
            "clock": clock,
            "settings": settings,
            "keys": self.keys,
            "objects": self.objects,
            "kept": {},
        }
        self._writing = self.engine.execution_options(entrenous_writing=True)
        level = {} if self.sqlite else {"isolation_level": "REPEATABLE READ"}
        self._reading = self.engine.execution_options(**level)

    @property
    def sqlite(self) -> bool:
        """Whether this is SQLite."""
        return self.engine.dialect.name == "sqlite"

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()
        self.keys.close()

    def empty_log(self) -> None:
        """Move the log of SQLite into its file and empty it: what was removed from the file stays in the log.

        Whoever reads at this moment keeps it full until the next time; it waits a moment for them, and no longer.
        """
        for engine in (self.engine, self.keys.engine):
            if engine.dialect.name == "sqlite":
                with closing(engine.raw_connection()) as connection:
                    patience = connection.cursor().execute("PRAGMA busy_timeout").fetchone()[0]
                    connection.cursor().execute("PRAGMA busy_timeout=500")
                    connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                    connection.cursor().execute(f"PRAGMA busy_timeout={patience}")

    def migrate(self, sealing: object = None) -> None:
        """Bring the tables to the present version; several processes may start at once.

        `sealing` is what `migrations.sealing_up` does to a database of a version that kept answers in the clear.
        """
        from alembic import command
        from alembic.migration import MigrationContext

        with self._writing.begin() as connection:
            if not self.sqlite:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATING)))
            config = _alembic(connection)
            config.attributes["sealing"] = sealing
            before = MigrationContext.configure(connection).get_current_revision()
            command.upgrade(config, "head")
            if before != MigrationContext.configure(connection).get_current_revision():
                with Session(connection, info=dict(self.info)) as session:
                    settle_all(session)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a session that sees one state of the database and writes nothing."""
        with Session(self._reading, info=dict(self.info)) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open one transaction, committed when the block ends without an error."""
        with Session(self._writing, info=dict(self.info)) as session, session.begin():
            yield session
            _finish(session)

    def write(self, work: Callable[[Session], Result], *, idempotent: bool = False) -> Result:
        """Run `work` in one transaction and return its result once that is committed.

        A transaction that lost a race, or its connection before the commit, left nothing behind and is tried again.
        If the connection is lost during the commit nobody knows whether it took place: then only work that may
        harmlessly be done twice (`idempotent`) is tried again.
        """
        for attempt in range(1, ATTEMPTS + 1):
            committing = False
            try:
                with Session(self._writing, info=dict(self.info)) as session:
                    result = work(session)
                    _finish(session)
                    committing = True
                    session.commit()
                    return result
            except DBAPIError as error:
                unknown = committing and error.connection_invalidated and not idempotent
                if attempt == ATTEMPTS or unknown or not _passing(error):
                    raise
            time.sleep(0.05 * 2**attempt)  # 3 seconds in all: a PostgreSQL restart takes about one
        raise AssertionError("the last attempt returns or raises")


def _finish(session: Session) -> None:
    """Do what every transaction ends with: lists follow what it changed, then the audit, whose lock is the last."""
    settle(session)
    write_pending(session)


def insert_row(session: Session, table: sa.Table, **values: Any) -> int:
    """Add a row to a table that counts its rows itself, and return the row's number."""
    return int(session.execute(sa.insert(table).values(**values).returning(table.c.id)).scalar_one())


def inserting(session: Session, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """Return an insert that can say what to do where the row is there already."""
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    return insert(table)


class ListOf(TypeDecorator[Any]):
    """A list as one parameter: an array on PostgreSQL, JSON on SQLite, which knows no arrays."""

    impl = sa.JSON
    cache_ok = True

    def __init__(self, part: sa.types.TypeEngine[Any]) -> None:
        super().__init__()
        self.part = part

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        """Return how the database takes it."""
        kind = sa.JSON() if dialect.name == "sqlite" else postgresql.ARRAY(self.part)
        return dialect.type_descriptor(kind)


class _Among(FunctionElement[bool]):
    type = sa.Boolean()
    inherit_cache = True

    def self_group(self, against: Any = None) -> Any:  # noqa: ARG002
        """Stand for itself: `... = 1`, as SQLite gets conditions of other kinds, would keep it from its index."""
        return self


@compiles(_Among, "postgresql")
def _in_array(element: _Among, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(part, **options) for part in element.clauses)
    return f"{column} = ANY ({values})"


@compiles(_Among, "sqlite")
def _in_json(element: _Among, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(part, **options) for part in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({values}))"  # noqa: S608 - both come from the compiler


def among(column: sa.Column[Any], parameter: str) -> sa.ColumnElement[bool]:
    """Return whether a column holds one of a list of values: one text of SQL, however long the list is.

    `IN` with a parameter for each value is another text for every length, put together and planned each time.
    """
    return _Among(column, sa.bindparam(parameter, type_=ListOf(column.type)))


def count_changed(session: Session, change: sa.Update | sa.Delete) -> int:
    """Change or remove rows, and return how many."""
    return cast("sa.CursorResult[Any]", session.execute(change)).rowcount


def healthy(session: Session) -> bool:
    """Return whether the database answers and has the tables of this version."""
    from alembic.script import ScriptDirectory

    connection = session.connection()
    head = ScriptDirectory(str(MIGRATIONS)).get_current_head()
    table = sa.table("alembic_version", sa.column("version_num"))
    if not sa.inspect(connection).has_table("alembic_version"):
        return False
    return bool(session.scalar(sa.select(table.c.version_num)) == head)


def _checked_url(url: str) -> URL:
    try:
        parsed = make_url(url)
        name = parsed.get_backend_name()
    except (UrlError, NoSuchModuleError, ValueError):
        name = ""
    if name not in ("sqlite", "postgresql"):
        raise ArgumentError("database", "expected sqlite:///file.db or postgresql://user:password@host/name")
    return parsed.set(drivername="postgresql+psycopg") if name == "postgresql" else parsed


def _key_url(settings: Settings) -> URL:
    """Return where the keys are: where the settings say, or in a file beside that of the database."""
    url = _checked_url(settings.database)
    if settings.keys:
        keys = _checked_url(settings.keys)
        if keys == url:
            raise ArgumentError("keys", "expected another place than the database's own")
        return keys
    if url.get_backend_name() != "sqlite" or not url.database:
        raise ArgumentError(
            "keys", "expected a place apart from the database, such as sqlite:///entrenous.keys"
        )
    return url.set(database=str(Path(url.database).with_suffix(".keys")))


def _open(url: URL) -> sa.Engine:
    if url.get_backend_name() == "postgresql":
        return _watched(sa.create_engine(url, pool_size=10, max_overflow=10, hide_parameters=True))
    if url.database in (None, "", ":memory:"):
        raise ArgumentError("database", "expected a file, as in sqlite:///file.db; memory is not kept")
    engine = sa.create_engine(url, connect_args={"timeout": PATIENCE}, hide_parameters=True)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _watched(engine: sa.Engine) -> sa.Engine:
    """Ask a connection that rested for a while whether it still lives; if not, the pool replaces all of them.

    One that was used a moment ago is not asked: under load that is one more question with every request.
    """

    @event.listens_for(engine, "checkin")
    def note_rest(_connection: Any, entry: ConnectionPoolEntry) -> None:
        entry.info["resting"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def try_rested(connection: Any, entry: ConnectionPoolEntry, _fairy: object) -> None:
        moment = time.monotonic()
        if moment - entry.info.get("resting", moment) < RESTED:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error:
            raise InvalidatePoolError from None

    return engine


def _prepare_sqlite(connection: Any, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # transactions begin where `_begin_sqlite` says so, nowhere else
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
        connection.execute(f"PRAGMA {setting}")


def _begin_sqlite(connection: sa.Connection) -> None:
    writing = connection.get_execution_options().get("entrenous_writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def is_away(error: Exception) -> bool:
    """Return whether an error says that the database, or the object store, is away, or has no connection left."""
    if isinstance(error, sa.exc.TimeoutError | ObjectsAway):
        return True
    return isinstance(error, DBAPIError) and _passing(error)


def _passing(error: DBAPIError) -> bool:
    """Return whether the same work may well succeed when tried again."""
    state = getattr(error.orig, "sqlstate", None)
    busy = "database is locked" in str(error.orig)
    return error.connection_invalidated or state in _TRANSIENT or busy or _refused(error)


def _refused(error: DBAPIError) -> bool:
    """Return whether no connection could be made: the server restarts, or is not up yet."""
    return isinstance(error, sa.exc.OperationalError) and error.statement is None


def _alembic(connection: sa.Connection) -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    config.attributes["metadata"] = metadata
    return config
