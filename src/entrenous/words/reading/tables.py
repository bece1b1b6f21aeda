"""Messages from tables: JSON lines, CSV and Parquet, with names of columns as the table has them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from entrenous.errors import ArgumentError, FormatError
from entrenous.words.reading.messages import Message, instant
from entrenous.words.reading.people import addresses_in, folded

__all__ = ["FIELDS", "checked_columns", "from_csv", "from_json_lines", "from_parquet", "from_records"]

FIELDS = ("id", "date", "from", "to", "cc", "bcc", "subject", "body")
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


def from_json_lines(file: IO[bytes], columns: Mapping[str, str], where: str) -> Iterator[Message]:
    """Yield the messages of a file with one JSON object a line."""

    def records() -> Iterator[dict[str, Any]]:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError:  # undecodable bytes are one, too
                record = None
            if not isinstance(record, dict):
                raise FormatError("expected a JSON object; got none", line=number, file=where)
            yield record

    return from_records(records(), columns, where)


def from_csv(file: IO[bytes], columns: Mapping[str, str], where: str) -> Iterator[Message]:
    """Yield the messages of a CSV file with a row of column names."""
    csv.field_size_limit(LONGEST_FIELD)
    with io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="") as text:
        yield from from_records(csv.DictReader(text), columns, where)


def from_parquet(file: IO[bytes], columns: Mapping[str, str], where: str) -> Iterator[Message]:
    """Yield the messages of a Parquet file."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        table = ParquetFile(file)
    except ArrowException:
        raise FormatError("expected a whole Parquet file; got a damaged one", file=where) from None
    wanted = [name for name in columns.values() if name in table.schema_arrow.names]
    batches = table.iter_batches(BATCH, columns=wanted)
    yield from from_records((row for batch in batches for row in batch.to_pylist()), columns, where)


def from_records(
    records: Iterable[Mapping[str, Any]], columns: Mapping[str, str], where: str = "messages"
) -> Iterator[Message]:
    """Yield the messages of records, whose recipients are lists or texts with commas between."""
    sender, to, cc, bcc, identity, date, subject, body = (
        columns[field] for field in ("from", "to", "cc", "bcc", "id", "date", "subject", "body")
    )
    for number, record in enumerate(records, start=1):
        if sender not in record or body not in record:
            raise FormatError(
                f"message {number}: expected at least the columns {sender} and {body}; got {len(record)} columns "
                "without one of them; name yours with --columns",
                file=where,
            )
        recipients = _addresses(record.get(to)) + _addresses(record.get(cc)) + _addresses(record.get(bcc))
        known_as, sent = record.get(identity), record.get(date)
        yield Message(
            None if known_as is None or known_as == "" else str(known_as),
            None if sent is None else instant(str(sent)),
            folded(_text(record[sender])),
            list(dict.fromkeys(recipients)),
            _text(record.get(subject)),
            _text(record[body]),
        )


def _addresses(value: Any) -> list[str]:
    if not value:
        return []
    if isinstance(value, str):
        return addresses_in(value)
    if isinstance(value, Iterable):
        return [address for item in value if isinstance(item, str) and (address := folded(item))]
    return []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
