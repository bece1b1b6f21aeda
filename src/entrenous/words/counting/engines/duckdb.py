"""DuckDB, embedded: counting within a bound of memory, with a private folder to spill to."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entrenous._files import private_files
from entrenous._parallel import memory, threads
from entrenous.errors import FormatError, InputError, MissingExtraError
from entrenous.words.counting.engines.spilling import spill_folder

if TYPE_CHECKING:
    from entrenous.words.counting.engines import Lasting

__all__ = ["DuckDB"]

BATCH = 1 << 20  # rows of a result held at once
SLICE = 1 << 27  # occurrences of n-grams that are counted at once
KINDS = {"table": "TABLE", "temporary": "TEMP TABLE", "view": "VIEW"}


class DuckDB:
    """A DuckDB database, in memory or in a file that only its owner may read.

    Parameters
    ----------
    file
        Where the database is kept; None keeps it in memory.
    read_only
        Open an existing file for counting only; several processes may do so at once.
    """

    slices: int | None = SLICE

    def __init__(self, file: Path | None = None, *, read_only: bool = False) -> None:
        duckdb = _duckdb()
        self.file = file
        settings = {
            "memory_limit": f"{memory() >> 20}MiB",  # of its buffers; what does not fit is spilled
            "threads": threads(),
            "temp_directory": spill_folder(),
            "preserve_insertion_order": False,
        }
        try:
            with private_files():
                self.connection = duckdb.connect(
                    ":memory:" if file is None else str(file), read_only=read_only, config=settings
                )
        except duckdb.Error as failure:
            raise _refusal(failure) from None
        self._folders: dict[str, Path] = {}
        self._end = weakref.finalize(self, self.connection.close)

    @property
    def address(self) -> Any:
        """The arrow type by which messages name addresses: numbers, for they are given as mail is read."""
        import pyarrow as pa

        return pa.int32()

    def execute(self, statement: str, *values: Any) -> None:
        """Run one statement of SQL."""
        self.rows(statement, *values)

    def rows(self, statement: str, *values: Any) -> list[Any]:
        """Run one statement of SQL and return the rows it answers with."""
        found: list[Any] = self.connection.execute(statement, list(values) or None).fetchall()
        return found

    def number(self, statement: str) -> int:
        """Run a query that answers with one whole number, and return it."""
        return int(self.rows(statement)[0][0])

    def insert(self, table: str, rows: Any) -> None:
        """Append the rows of an arrow table."""
        self.connection.register("incoming", rows)
        self.connection.execute(f"INSERT INTO {table} SELECT * FROM incoming")  # noqa: S608 - our own names
        self.connection.unregister("incoming")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all that is done inside, or nothing of it."""
        self.connection.begin()
        try:
            yield
        except BaseException:
            self.connection.rollback()
            raise
        self.connection.commit()

    def has(self, name: str) -> bool:
        """Tell whether the corpus has a table of this name."""
        return bool(self.rows("SELECT 1 FROM duckdb_tables() WHERE table_name = ?", name))

    def take(self, name: str, rows: Any, lasting: Lasting = "temporary") -> None:
        """Make a table of the rows of an arrow table."""
        self.connection.register("incoming", rows)
        self.make(name, "SELECT * FROM incoming", lasting)
        self.connection.unregister("incoming")

    def make(self, name: str, query: str, lasting: Lasting = "table") -> None:
        """Make a table of what a query answers with."""
        self.execute(f"CREATE OR REPLACE {KINDS[lasting]} {name} AS {query}")

    def tokens(self, n: int) -> Any:
        """Return the words of all texts, each with the n - 1 words that follow it.

        This is `entrenous.words.counting.program.split` in DuckDB's own words, which takes it a fraction of the time:
        lists that are unnested together go side by side, shorter ones with nothing at their end.
        """
        import ibis

        followers = "".join(f", unnest(list[{k}:]) AS word_{k}" for k in range(2, n + 1))
        self.execute(
            f"""CREATE OR REPLACE TEMP VIEW tokens AS SELECT message, unnest(list) AS word_1{followers}
            FROM (SELECT message, str_split(words, ' ') AS list FROM texts)"""  # noqa: S608 - our own names
        )
        return ibis.table(
            {"message": "int64"} | {f"word_{k}": "string" for k in range(1, n + 1)}, name="tokens"
        )

    def keep(self, name: str, expression: Any) -> Any:
        """Work out an ibis expression, keep its rows until the database is closed and return them as a table."""
        import ibis

        self.execute(f'CREATE OR REPLACE TEMP TABLE "{name}" AS {_sql(expression)}')
        return ibis.table(expression.schema(), name=name)

    def parted(self, name: str, expression: Any) -> dict[int, Any]:
        """Work out an ibis expression once, share its rows out by their `part` and return a table for each part.

        Each part has files of its own in the private folder, so that it is read without the others.
        """
        import ibis

        self.drop([name])
        self._folders[name] = folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=spill_folder()))
        self.execute(
            f"COPY ({_sql(expression)}) TO '{folder}' "
            "(FORMAT parquet, PARTITION_BY (part), COMPRESSION lz4_raw, OVERWRITE_OR_IGNORE)"
        )
        schema = ibis.schema(
            {column: kind for column, kind in expression.schema().items() if column != "part"}
        )
        parts = sorted(int(place.name.removeprefix("part=")) for place in folder.glob("part=*"))
        for part in parts:
            self.execute(
                f"""CREATE OR REPLACE TEMP VIEW {name}_{part} AS SELECT {", ".join(schema)}
                FROM read_parquet('{folder}/part={part}/*.parquet')"""  # noqa: S608 - our own names
            )
        return {part: ibis.table(schema, name=f"{name}_{part}") for part in parts}

    def drop(self, names: list[str]) -> None:
        """Let go of what was kept."""
        for name in names:
            if name in self._folders:
                shutil.rmtree(self._folders.pop(name))
            self.execute(f'DROP TABLE IF EXISTS temp."{name}"')

    def batches(self, expression: Any) -> Any:
        """Return the result of an ibis expression as a reader of arrow batches, made as they are asked for."""
        return self.connection.sql(_sql(expression)).to_arrow_reader(BATCH)

    def close(self) -> None:
        """Close the database."""
        self._end()


def _duckdb() -> Any:
    try:
        import duckdb
        import ibis  # noqa: F401 - one answer for both
    except ImportError:
        raise MissingExtraError("words", "reading and counting mail") from None
    return duckdb


def _sql(expression: Any) -> str:
    import ibis

    return str(ibis.to_sql(expression, dialect="duckdb"))


def _refusal(failure: Exception) -> InputError:
    if "configuration" in str(failure):
        return InputError(
            "store: expected a closed file; got one that this process has open; close that corpus first"
        )
    if "lock" in str(failure).lower():
        return InputError(
            "store: expected a file that no other process writes to; got one in use; wait for it"
        )
    return FormatError("expected a corpus that `entrenous words read` wrote; got another file", file="store")
