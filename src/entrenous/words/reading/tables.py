"""Messages from tables: JSON lines, CSV and Parquet, with names of columns as the table has them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import IO, Any

from entrenous.errors import ArgumentError, FormatError
from entrenous.words.reading.directory import addresses_in, folded
from entrenous.words.reading.groups.reply_threads import of_record
from entrenous.words.reading.messages import Message, instant

__all__ = [
    "FIELDS",
    "check_columns",
    "checked_columns",
    "csv_rows",
    "document_lines",
    "from_records",
    "json_records",
    "parquet_rows",
]

FIELDS = ("id", "date", "from", "to", "cc", "bcc", "subject", "body", "in_reply_to", "references", "thread")
LONGEST_FIELD = 1 << 27  # characters of one field of a CSV file
BATCH = 4096  # rows of a Parquet file held at once


def checked_columns(columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return the column of every field: its own name, unless another one is given.

    >>> checked_columns({"from": "sender"})["from"], checked_columns(None)["to"]
    ('sender', 'to')
    """
    wrong = set(columns or ()) - set(FIELDS)
    if wrong:
        raise ArgumentError(
            "columns", f"expected names among {', '.join(FIELDS)} for what is read; got {len(wrong)} others"
        )
    return {name: name for name in FIELDS} | dict(columns or {})


def json_records(lines: Iterable[bytes], where: str, *, first: int = 1) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON lines, empty ones for empty lines; `first` is the number of the first line."""
    for number, line in enumerate(lines, start=first):
        try:
            record = json.loads(_text_of(line)) if line.strip() else {}
        except (ValueError, RecursionError):  # undecodable bytes, too, and thousands of brackets
            record = None
        if not isinstance(record, dict):
            raise FormatError("expected a JSON object; got none", line=number, file=where)
        yield record


def _text_of(line: bytes) -> str | bytes:
    """Return a line as text if it begins as nearly all do: then it is UTF-8, and its encoding need not be guessed."""
    return str(line, "utf-8", "surrogatepass") if line.startswith(b'{"') else line


def document_lines(file: IO[bytes], where: str) -> Iterator[bytes]:
    """Yield the objects of one JSON document, a list of them or a single one, a line for each."""
    try:
        document = json.loads(file.read())
    except (ValueError, RecursionError):
        raise FormatError("expected a whole JSON document; got a damaged one", file=where) from None
    for record in document if isinstance(document, list) else [document]:
        yield json.dumps(record).encode()


def csv_rows(file: IO[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a CSV file whose first row names the columns."""
    csv.field_size_limit(LONGEST_FIELD)
    with io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="") as text:
        yield from csv.DictReader(text)


def parquet_rows(file: IO[bytes], columns: Mapping[str, str], where: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        table = ParquetFile(file)
    except ArrowException:
        raise FormatError("expected a whole Parquet file; got a damaged one", file=where) from None
    check_columns(table.schema_arrow.names, columns, where)
    wanted = [name for name in columns.values() if name in table.schema_arrow.names]
    batches = table.iter_batches(BATCH, columns=wanted)
    while True:
        try:
            rows = next(batches).to_pylist()
        except StopIteration:
            return
        except (ArrowException, OSError):
            raise FormatError("expected a whole Parquet file; got a damaged one", file=where) from None
        yield from rows


def check_columns(names: Collection[str], columns: Mapping[str, str], where: str, place: str = "") -> None:
    """Refuse a table, or the message at a place in it, without the columns of sender and body."""
    sender, body = columns["from"], columns["body"]
    if sender not in names or body not in names:
        raise FormatError(
            f"{place}expected at least the columns {sender} and {body}; got {len(names)} columns without one of them; "
            "name yours with --columns",
            file=where,
        )


def from_records(
    records: Iterable[Mapping[str, Any]],
    columns: Mapping[str, str],
    where: str = "messages",
    *,
    first: int = 1,
) -> Iterator[Message]:
    """Yield the messages of records, whose recipients are lists or texts with commas between; skip empty records."""
    sender, to, cc, bcc, identity, date, subject, body = (
        columns[field] for field in ("from", "to", "cc", "bcc", "id", "date", "subject", "body")
    )
    for number, record in enumerate(records, start=first):
        if not record:
            continue
        check_columns(record, columns, where, f"message {number}: ")
        recipients = _addresses(record.get(to)) + _addresses(record.get(cc)) + _addresses(record.get(bcc))
        told = (record[sender], record[body])
        if dict in map(type, told) or (not recipients and _hold_objects(map(record.get, (to, cc, bcc)))):
            raise FormatError(
                f"message {number}: expected text for sender, recipients and body; got objects with fields of their "
                "own; write the addresses and the text into the columns",
                file=where,
            )
        known_as, sent, about = record.get(identity), record.get(date), _text(record.get(subject))
        yield Message(
            None if known_as is None or known_as == "" else str(known_as),
            None if sent is None else instant(str(sent)),
            folded(_text(record[sender])),
            list(dict.fromkeys(recipients)),
            about,
            _text(record[body]),
            thread=of_record(record, columns, about),
        )


def _addresses(value: Any) -> list[str]:
    if not value:
        return []
    if isinstance(value, str):
        return addresses_in(value)
    if isinstance(value, Iterable):
        return [address for item in value if isinstance(item, str) and (address := folded(item))]
    return []


def _hold_objects(values: Iterable[Any]) -> bool:
    """Tell whether recipients are objects, or lists of them, whose addresses would be missed."""
    return any(
        isinstance(each, dict)
        for value in values
        for each in (value if isinstance(value, list | tuple) else [value])
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
