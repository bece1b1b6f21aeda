"""What a task of a cluster does to its share of the messages: the same as a reader on one machine, by the same rules.

A message gets its number from where it stands: the file in the order of names, then the row, or the byte. So the number
is the same however often a task is done again, and whoever does it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from entrenous.errors import FormatError, MissingExtraError
from entrenous.words.reading.digest import digest
from entrenous.words.reading.tables import from_records, json_records

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FILE", "LINE", "PLACE", "SCHEMA", "digested", "form_of", "named", "pattern_of"]

# No table has columns of these names.
FILE, PLACE, LINE = "entrenous_file", "entrenous_place", "entrenous_line"
MOST_PLACES = 1 << 40  # bytes, or rows, that one file may have: numbers of messages leave room for so many
# What comes out of a task, in the words of Spark; `failed` says what is wrong with a message, and nothing else.
SCHEMA = (
    "message BIGINT, source INT, identity BIGINT, content BIGINT, wording BIGINT, thread BIGINT, "
    "alike BIGINT, sender STRING, recipients ARRAY<STRING>, "
    "subject STRING, body STRING, failed STRING"
)
SUFFIXES = {".parquet": "parquet", ".json": "jsonl", ".jsonl": "jsonl", ".ndjson": "jsonl"}
DIGESTED = ("identity", "content", "wording", "thread", "alike", "sender", "recipients", "subject", "body")


def digested(
    batches: Iterable[pa.RecordBatch], *, form: str, files: Mapping[str, int], columns: Mapping[str, str]
) -> Iterator[pa.RecordBatch]:
    """Yield what is kept of messages, with their numbers.

    Parameters
    ----------
    batches
        Rows with their file and their place. Of "parquet" that is the row in the file, and the other columns are
        those of the table. Of "jsonl" it is the byte where a share of the file begins; the lines of a share follow
        each other in order.
    form
        "jsonl" or "parquet".
    files
        The number of each file, by its name as `named` returns it.
    columns
        The column of each field.
    """
    lines: Counter[tuple[str, int]] = Counter()
    for batch in batches:
        rows = batch.to_pylist()
        if form == "parquet":
            for file, group in groupby(rows, key=lambda row: row.pop(FILE)):
                records = list(group)
                yield _batch([row.pop(PLACE) for row in records], records, files[named(file)], columns)
            continue
        for share, group in groupby(rows, key=lambda row: (row[FILE], row[PLACE])):
            units = [row[LINE] for row in group]
            yield _lines(units, files[named(share[0])], share[1], lines[share], columns)
            lines[share] += len(units)


def form_of(file: str) -> str | None:
    """Return the format of a file by its name; None for what is not read."""
    return SUFFIXES.get(PurePosixPath(file.lower().removesuffix(".gz")).suffix)


def pattern_of(form: str) -> str:
    """Return the pattern of names of a form, in upper or lower case.

    >>> pattern_of("parquet")
    '*.{[pP][aA][rR][qQ][uU][eE][tT]}{,.[gG][zZ]}'
    """
    suffixes = [suffix.removeprefix(".") for suffix, kind in SUFFIXES.items() if kind == form]
    either = ("".join(f"[{letter}{letter.upper()}]" for letter in suffix) for suffix in suffixes)
    return f"*.{{{','.join(either)}}}{{,.[gG][zZ]}}"


@cache
def named(uri: str) -> str:
    """Return the name of a file that Spark writes in several ways.

    >>> named("file:/mail/a%20b.json") == named("file:///mail/a b.json") == "/mail/a b.json"
    True
    """
    parts = urlsplit(uri)
    return parts.netloc + unquote(parts.path)


def _lines(
    units: list[bytes], source: int, start: int, before: int, columns: Mapping[str, str]
) -> pa.RecordBatch:
    """Digest lines of a share; their places are bytes of the file, or less.

    A line with a message takes more than one byte. So the first byte of a share and the number of the line in it add
    up to less than where the next share begins.
    """
    where = f"file {source + 1}" + (f", from byte {start} on" if start else "")
    try:
        records = list(json_records(units, where, first=before + 1))
    except FormatError as problem:
        return _failed(str(problem), source)
    numbered = [(start + before + i, record) for i, record in enumerate(records) if record]
    return _batch([place for place, _ in numbered], [record for _, record in numbered], source, columns)


def _batch(
    places: list[int], records: list[dict[str, Any]], source: int, columns: Mapping[str, str]
) -> pa.RecordBatch:
    import pyarrow as pa

    where = f"file {source + 1}"
    try:
        batch = digest(from_records(records, columns, where))
    except (FormatError, MissingExtraError) as problem:
        return _failed(str(problem), source)
    except Exception as problem:  # noqa: BLE001 - told by its kind: its text may quote a message
        return _failed(
            f"{where}: expected messages that can be read; got {type(problem).__name__} in one", source
        )
    count = batch.num_rows
    arrays = [
        pa.array([source * MOST_PLACES + place for place in places], pa.int64()),
        pa.array([source] * count, pa.int32()),
        *(batch.column(name) for name in DIGESTED),
        pa.nulls(count, pa.string()),
    ]
    return pa.RecordBatch.from_arrays(arrays, names=["message", "source", *DIGESTED, "failed"])


def _failed(reason: str, source: int) -> pa.RecordBatch:
    """Return a batch that says what is wrong; work that failed would be tried again, and its error quote messages."""
    import pyarrow as pa

    empty = digest([])
    columns = {name: pa.nulls(1, empty.schema.field(name).type) for name in DIGESTED}
    place = {"message": pa.array([source * MOST_PLACES]), "source": pa.array([source], pa.int32())}
    return pa.RecordBatch.from_pydict(place | columns | {"failed": pa.array([reason])})
