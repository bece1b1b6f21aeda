"""From what a file holds to what is kept of its messages: addresses, keys that tell duplicates, and words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from entrenous.words.reading.groups.near_copies import near_copy_keys
from entrenous.words.reading.groups.reply_threads import of_subject
from entrenous.words.reading.messages import Message, parsed
from entrenous.words.reading.tables import from_records, json_records
from entrenous.words.reading.text import new_subject, new_text, words_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TABLES", "Block", "digest", "messages_in"]

TABLES = ("jsonl", "csv", "parquet")
READ = ("mail", "chat")  # units that are messages already
COLUMNS = (
    "identity", "content", "wording", "thread", "alike", "sender", "recipients", "lists", "subject", "body"
)  # fmt: skip
KEYS = 5  # the first columns are whole numbers


class Block(NamedTuple):
    """Some of what a source holds: units of one form, the number of the first, and what errors call the source."""

    form: str
    where: str
    first: int
    units: list[Any]


def messages_in(block: Block, columns: Mapping[str, str]) -> Iterator[Message]:
    """Yield the messages of a block."""
    if block.form in READ:
        return iter(block.units)
    if block.form not in TABLES:
        return map(parsed, block.units)
    rows = block.units
    records = json_records(rows, block.where, first=block.first) if block.form == "jsonl" else rows
    return from_records(records, columns, block.where, first=block.first)


def digest(messages: Iterable[Message]) -> pa.RecordBatch:
    """Return what is kept of messages as an arrow batch.

    `identity` and `content` are 64 bits of the Message-ID and of sender, date, recipients and body; they are missing
    where an id is none (it has no "@", and may be a row number) or the date is unknown. `wording` is of the words that
    are kept. `thread` and `alike` are the same for messages of a thread and for near-copies of a text; a message
    without subject that no header names has no thread.
    """
    import pyarrow as pa

    rows = [_row(message) for message in messages]
    names = pa.list_(pa.string())
    kinds = (*[pa.int64()] * KEYS, pa.string(), names, names, pa.string(), pa.string())
    values: list[Any] = list(zip(*rows, strict=True)) if rows else [()] * len(COLUMNS)
    values[COLUMNS.index("alike")] = near_copy_keys(values[-1], values[COLUMNS.index("wording")])
    arrays = [pa.array(column, kind) for column, kind in zip(values, kinds, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=list(COLUMNS))


def _row(message: Message) -> tuple[Any, ...]:
    identity = message.id if message.id and "@" in message.id else None
    content = None
    people = ",".join(sorted(message.recipients))
    if message.instant is not None:
        content = _key(f"{message.sender}\n{message.instant}\n{people}\n{message.body}")
    subject, body = words_of(new_subject(message.subject)), words_of(new_text(message.body))
    thread = message.thread or of_subject(subject, [message.sender, *message.recipients])
    plain = people.isascii()
    return (
        None if identity is None else _key(identity),
        content,
        _key(f"{subject}\n{body}"),
        None if thread is None else _key(thread),
        None,
        _storable(message.sender),
        message.recipients if plain else [_storable(address) for address in message.recipients],
        message.lists,
        subject,
        body,
    )


def _storable(address: str) -> str:
    """Return an address without what UTF-8 cannot say: halves of characters, from broken escapes."""
    return address if address.isascii() else address.encode("utf-8", "replace").decode()


def _key(text: str) -> int:
    """Return 64 bits that tell texts apart."""
    data = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(data, "big", signed=True)
