"""Migrations: they make the tables the code speaks of, on both kinds of databases, and can be taken back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from entrenous.errors import ArgumentError
from entrenous.web.settings import Settings
from entrenous.web.store.database import Database, _alembic, healthy
from entrenous.web.store.schema import metadata


def tables(database: Database) -> set[str]:
    with database.engine.connect() as connection:
        return set(sa.inspect(connection).get_table_names())


def differences(database: Database) -> list[Any]:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, metadata))


def test_the_tables_are_those_the_code_speaks_of(either: Database) -> None:
    assert tables(either) == {*metadata.tables, "alembic_version"}
    assert differences(either) == []


def test_a_missing_column_would_be_noticed(database: Database) -> None:
    with database.writing() as session:
        session.execute(sa.text("ALTER TABLE items DROP COLUMN description"))
    assert differences(database)


def test_back_and_forth_again(either: Database) -> None:
    with either._writing.begin() as connection:
        command.downgrade(_alembic(connection), "base")
    assert tables(either) == {"alembic_version"}
    with either.reading() as session:
        assert not healthy(session)
    either.migrate()
    either.migrate()  # nothing to do is no error
    assert differences(either) == []
    with either.reading() as session:
        assert healthy(session)


def test_several_processes_may_migrate_at_once(settings: Settings, postgres_url: str) -> None:
    databases = [Database(replace(settings, database=postgres_url)) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(Database.migrate, databases))
    assert tables(databases[0]) == {*metadata.tables, "alembic_version"}
    for database in databases:
        database.close()


@pytest.mark.parametrize("url", ["mysql://a/b", "sqlite://", "sqlite:///:memory:", "nonsense"])
def test_other_databases_are_refused_without_quoting_a_password(url: str) -> None:
    with pytest.raises(ArgumentError, match="database: expected") as caught:
        Database(Settings(database=url.replace("//a", "//a:secret@b")))
    assert "secret" not in str(caught.value)
