"""How files are written: those that are confidential for their owner alone, and tables that may carry a stamp."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

__all__ = ["private_files", "read_table", "write_table"]


@contextmanager
def private_files() -> Iterator[None]:
    """Let nobody but the owner read or write the files that are made inside.

    The mask belongs to the whole process: files that other threads make meanwhile are private as well, never the
    other way round.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with private_files():
    ...         _ = Path(folder, "kept").write_text("confidential")
    ...     oct(Path(folder, "kept").stat().st_mode & 0o777)
    '0o600'
    """
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def write_table(
    path: Path,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    stamp: str | None = None,
    delimiter: str = ",",
) -> None:
    """Write a table with a head, below the stamp if there is one."""
    with path.open("w", encoding="utf-8", newline="") as file:
        if stamp:
            file.write(f"# {stamp}\n")
        table = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        table.writerow(columns)
        table.writerows(rows)


def read_table(path: Path, *, stamped: bool, delimiter: str = ",") -> list[dict[str, str]]:
    """Read what `write_table` wrote, row by row.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(Path(folder, "t"), ["word", "count"], [("a,b", 3)], stamp="a rehearsal")
    ...     read_table(Path(folder, "t"), stamped=True)
    [{'word': 'a,b', 'count': '3'}]
    """
    with path.open(newline="", encoding="utf-8") as file:
        if stamped:
            file.readline()
        return list(csv.DictReader(file, delimiter=delimiter))
