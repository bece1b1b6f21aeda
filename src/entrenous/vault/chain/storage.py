"""The file of a vault: SQLite, one append-only chain of entries, and the key that fingerprints data.

Any number of processes may use one vault at once: each charge is one transaction that checks and writes together.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from entrenous._files import private_files
from entrenous.errors import DiskFull, OutputExistsError, VaultError
from entrenous.vault.chain.entry import FIRST, Entry, chained, digest_of
from entrenous.vault.chain.upgrade import old_entries

__all__ = ["Chain", "Storage"]

WAIT_SECONDS = 60.0  # how long a process waits while another one charges
MARK = 0x656E7472  # "entr": tells our files from any other SQLite file
VERSION = 2  # of the schema; 0 is the ledger that vaults grew from
SCHEMA = """
CREATE TABLE secret (key BLOB NOT NULL);
CREATE TABLE entry (
    number INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    digest TEXT NOT NULL
);
"""


class Chain:
    """All entries inside one transaction; what is added is written with it."""

    def __init__(self, connection: sqlite3.Connection, entries: list[Entry]) -> None:
        self._connection = connection
        self.entries = entries

    def add(self, kind: str, body: Mapping[str, Any], *, time: str | None = None) -> Entry:
        """Append an entry. A nonce keeps anybody from guessing what it says from its digest."""
        time = datetime.now(UTC).isoformat(timespec="seconds") if time is None else time
        text = json.dumps({**body, "nonce": secrets.token_hex(16)}, sort_keys=True)
        before = self.entries[-1].digest if self.entries else FIRST
        number = len(self.entries) + 1
        digest = digest_of(before, number, time, kind, text)
        self._connection.execute(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?)", (number, time, kind, text, digest)
        )
        (entry,) = chained([(number, time, kind, text, digest)], before, number)
        self.entries.append(entry)
        return entry


class Storage:
    """The file of a vault. It reads each entry once, and checks the seals of what it has not read yet."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.key = b""  # read with the entries
        self._read: list[Entry] = []

    @contextmanager
    def transaction(self) -> Iterator[Chain]:
        """Hold the write lock from the first read to the commit, so that check and charge are one step."""
        connection = None
        try:
            connection = sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)
            connection.execute("PRAGMA synchronous = EXTRA")  # an entry survives kill -9 and a power cut
            connection.execute("BEGIN IMMEDIATE")
            chain = self._opened(connection)
            yield chain
            connection.execute("COMMIT")
            self._read = chain.entries
        except sqlite3.DatabaseError as problem:
            raise self._refusal(problem) from None
        except UnicodeDecodeError:  # from a damaged schema
            raise VaultError(f"{self.path.name} is damaged, or no vault") from None
        finally:
            if connection is not None:
                connection.close()  # whatever was not committed is rolled back

    def _opened(self, connection: sqlite3.Connection) -> Chain:
        if connection.execute("PRAGMA application_id").fetchone()[0] != MARK:
            raise VaultError(f"{self.path.name} is not a vault made by entrenous")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            self._upgrade(connection)
        elif version != VERSION:
            raise VaultError(f"{self.path.name} was made by a later version of entrenous")
        keys = connection.execute("SELECT key FROM secret").fetchall()
        if len(keys) != 1 or not isinstance(keys[0][0], bytes):
            raise VaultError(f"{self.path.name} is damaged: its key is missing")
        self.key = keys[0][0]
        return Chain(connection, self._entries(connection))

    def _entries(self, connection: sqlite3.Connection) -> list[Entry]:
        """Return all entries. Those read before are not parsed again if the last of them is still what it was."""
        known = self._read
        if known:
            last = connection.execute(
                "SELECT digest FROM entry WHERE number = ?", (known[-1].number,)
            ).fetchone()
            if last is None or last[0] != known[-1].digest:
                known = []
        rows = connection.execute(
            "SELECT number, time, kind, body, digest FROM entry WHERE number > ? ORDER BY number",
            (len(known),),
        ).fetchall()
        before = known[-1].digest if known else FIRST
        return [*known, *chained(rows, before, len(known) + 1)]

    def verify(self) -> list[Entry]:
        """Read every entry anew and check all seals."""
        self._read = []
        with self.transaction() as chain:
            return chain.entries

    def _upgrade(self, connection: sqlite3.Connection) -> None:
        """Turn a ledger of an earlier version into a vault, in the same transaction: nothing is lost on the way."""
        entries = old_entries(connection, self.path.name)
        self.path.chmod(0o600)  # from now on it holds a key
        connection.execute("ALTER TABLE entry RENAME TO old_entry")
        _lay_out(connection)
        chain = Chain(connection, [])
        for kind, time, body in entries:
            chain.add(kind, body, time=time)
        connection.execute("DROP TABLE old_entry")
        connection.execute("DROP TABLE budget")

    def _refusal(self, problem: sqlite3.DatabaseError) -> VaultError | DiskFull:
        """Name what is wrong with the file."""
        if getattr(problem, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            return DiskFull(self.path.parent, f"{self.path.name} could not be written; nothing was charged")
        return VaultError(f"{self.path.name} cannot be used as a vault: it is damaged, locked or no vault")

    @classmethod
    def create(cls, path: Path, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> Storage:
        """Make a new file with its first entries, complete or not at all; one that is there is never overwritten."""
        aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        try:
            with private_files():  # its key, and what was asked when, are nobody else's business
                _write_new(aside, entries)
            path.hardlink_to(aside)  # complete or not there at all; fails if the name is taken
        except FileExistsError:
            raise OutputExistsError(f"{path.name} is already there; a vault is never overwritten") from None
        except (OSError, sqlite3.DatabaseError):
            raise VaultError(f"{path.name} cannot be created; is its folder there and writable?") from None
        finally:
            with suppress(OSError):
                aside.unlink()
        return cls(path)


def _write_new(path: Path, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("BEGIN")
        connection.execute(f"PRAGMA application_id = {MARK}")
        _lay_out(connection)
        chain = Chain(connection, [])
        for kind, body in entries:
            chain.add(kind, body)
        connection.execute("COMMIT")
    finally:
        connection.close()


def _lay_out(connection: sqlite3.Connection) -> None:
    """Make the tables, and a key of 256 random bits that never leaves the file."""
    for statement in SCHEMA.split(";"):
        if statement.strip():
            connection.execute(statement)
    connection.execute("INSERT INTO secret VALUES (?)", (secrets.token_bytes(32),))
    connection.execute(f"PRAGMA user_version = {VERSION}")
