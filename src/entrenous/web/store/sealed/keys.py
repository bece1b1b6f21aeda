"""The keys of rounds, in a database of their own that is never part of a dump of the service.

A key is made before the first answer of its round and destroyed once the decision stands. What it sealed is then lost
for good, also in every older copy of the service's database.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL

__all__ = ["KEY_BYTES", "KeyStore"]

KEY_BYTES = 32

_metadata = sa.MetaData()
_keys = sa.Table(
    "keys",
    _metadata,
    sa.Column("item", sa.String(32), primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("key", sa.LargeBinary, nullable=False),
    sa.Column("made", sa.DateTime(timezone=True), nullable=False),
)


class KeyStore:
    """The keys of one service.

    Parameters
    ----------
    url
        `sqlite:///file.keys`, or a PostgreSQL database other than the service's own.
    """

    def __init__(self, url: URL) -> None:
        self.engine = sa.create_engine(url, hide_parameters=True)
        if self.sqlite:
            event.listen(self.engine, "connect", _prepare_sqlite)
        self._ready = False

    @property
    def sqlite(self) -> bool:
        """Whether this is a file of SQLite."""
        return self.engine.dialect.name == "sqlite"

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def key_of(self, item: str, round_: int) -> bytes | None:
        """Return the key of a round, or None if there is none, or none any more."""
        query = sa.select(_keys.c.key).where(_keys.c.item == item, _keys.c.round == round_)
        with self._open().connect() as connection:
            found = connection.execute(query).scalar_one_or_none()
        return None if found is None else bytes(found)

    def make(self, item: str, round_: int, key: bytes, moment: datetime) -> bytes:
        """Keep a key for a round and return it; if the round has one already, that one."""
        insert = (sqlite.insert if self.sqlite else postgresql.insert)(_keys)
        row = insert.values(item=item, round=round_, key=key, made=moment).on_conflict_do_nothing()
        with self._open().begin() as connection:
            connection.execute(row)
        kept = self.key_of(item, round_)
        assert kept is not None, "just kept"
        return kept

    def destroy(self, item: str, kept: Collection[int] = ()) -> int:
        """Destroy the keys of an item but for some rounds, and return how many; doing so again harms nothing."""
        query = sa.delete(_keys).where(_keys.c.item == item, _keys.c.round.not_in(kept))
        with self._open().begin() as connection:
            count = connection.execute(query).rowcount
        if self.sqlite:
            with self.engine.connect() as connection:  # the log still holds the page with the key
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return count

    def items(self, before: datetime) -> list[str]:
        """Return the items that have keys made before a moment."""
        with self._open().connect() as connection:
            return list(connection.scalars(sa.select(_keys.c.item).where(_keys.c.made < before).distinct()))

    def _open(self) -> sa.Engine:
        """Return the engine, once the table is there."""
        if not self._ready:
            with self.engine.begin() as connection:
                _metadata.create_all(connection, checkfirst=True)
            self._ready = True
        return self.engine


def _prepare_sqlite(connection: Any, _entry: object) -> None:
    for setting in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "busy_timeout=30000"):
        connection.execute(f"PRAGMA {setting}")
