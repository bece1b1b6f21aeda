"""The store: messages as they were read, and how far reading has come.

Every file of mail is taken in one transaction (small ones several at once) and remembered by its path, size and time.
A process that is killed loses the transaction in hand; the next run takes up from there. Of a text only the words are
kept, in lower case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from entrenous.words.reading.messages import Message
from entrenous.words.reading.sources import Source, messages_of
from entrenous.words.reading.text import new_subject, new_text, words_of

if TYPE_CHECKING:
    from entrenous.words.engines import Engine

__all__ = ["SCHEMA", "Store"]

CHUNK = 8192  # messages held in memory before they are handed to the engine
TOGETHER = 2048  # small files are taken in one transaction until it holds so many messages
TICK = 512

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS sources (
        source INTEGER, key VARCHAR, size BIGINT, stamp BIGINT, mailbox VARCHAR, kind VARCHAR)""",
    "CREATE TABLE IF NOT EXISTS addresses (address INTEGER, name VARCHAR)",
    "CREATE TABLE IF NOT EXISTS list_headers (address INTEGER)",
    """CREATE TABLE IF NOT EXISTS messages (
        message BIGINT, source INTEGER, identity BIGINT, content BIGINT, sender INTEGER, recipients INTEGER[],
        subject VARCHAR, body VARCHAR)""",
)


class _Numbered(dict[str, int]):
    """Numbers for texts, given as they are first asked for."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


class Store:
    """The part of a database that holds messages; made if it is not there."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        for statement in SCHEMA:
            engine.execute(statement)
        self._ids = _Numbered(
            (name, number) for number, name in engine.rows("SELECT address, name FROM addresses")
        )
        self._known_ids = len(self._ids)
        self._message = 1 + engine.number("SELECT coalesce(max(message), -1) FROM messages")
        self._source = 1 + engine.number("SELECT coalesce(max(source), -1) FROM sources")

    def take(
        self,
        sources: Iterable[Source],
        columns: Mapping[str, str],
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Take the messages of all sources that are new or have changed; `progress` is told the bytes read."""
        known = {
            key: (size, stamp)
            for key, size, stamp in self._engine.rows("SELECT key, size, stamp FROM sources")
        }
        numbered = (
            (number, source)
            for number, source in enumerate(sources, start=1)
            if known.get(source.key) != (source.size, source.stamp)
        )
        more = True
        while more:
            with self._engine.transaction():
                more = self._take_some(numbered, columns, progress or (lambda _: None))

    def add(self, messages: Iterable[Message]) -> None:
        """Take messages that come from no file."""
        with self._engine.transaction():
            self._insert(messages, self._new_source("", 0, 0, "", "table"))

    def _take_some(
        self,
        numbered: Iterator[tuple[int, Source]],
        columns: Mapping[str, str],
        progress: Callable[[int], None],
    ) -> bool:
        """Take sources until there are enough messages for a transaction; tell whether there may be more."""
        first = self._message
        for number, source in numbered:
            self._forget(source.key)
            reading = messages_of(source, columns, f"file {number}")
            kind = None if reading is None else reading.kind
            place = self._new_source(source.key, source.size, source.stamp, source.mailbox, kind)
            if reading is not None:
                self._insert(reading.messages, place, partial(_tell, progress, source.before, reading.tell))
            if self._message - first >= TOGETHER:
                return True
        return False

    def _forget(self, key: str) -> None:
        """Drop what was taken of a file before it changed."""
        old = self._engine.rows("SELECT source FROM sources WHERE key = ?", key)
        for (source,) in old:
            self._engine.execute("DELETE FROM messages WHERE source = ?", source)
            self._engine.execute("DELETE FROM sources WHERE source = ?", source)

    def _new_source(self, key: str, size: int, stamp: int, mailbox: str, kind: str | None) -> int:
        place = self._source
        self._engine.execute("DROP TABLE IF EXISTS summary")  # unfinished until everything is settled again
        self._engine.execute(
            "INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?)", place, key, size, stamp, mailbox, kind
        )
        self._source += 1
        return place

    def _insert(
        self, messages: Iterable[Message], source: int, tick: Callable[[], None] = lambda: None
    ) -> None:
        rows: list[tuple[Any, ...]] = []
        list_headers: set[int] = set()
        with ThreadPoolExecutor(1) as engine:  # which takes in one chunk while the next is being read
            taken: Future[None] | None = None
            for count, message in enumerate(messages):
                rows.append(self._row(message, source))
                list_headers.update([self._ids[address] for address in message.lists])
                if len(rows) == CHUNK:
                    if taken is not None:
                        taken.result()
                    taken = engine.submit(self._flush, rows)
                    rows = []
                if not count % TICK:
                    tick()
            if taken is not None:
                taken.result()
        self._flush(rows)
        for address in sorted(list_headers):
            self._engine.execute("INSERT INTO list_headers VALUES (?)", address)

    def _row(self, message: Message, source: int) -> tuple[Any, ...]:
        number = self._message
        self._message += 1
        ids = self._ids
        recipients = [ids[address] for address in message.recipients]
        sender = ids[message.sender] if message.sender else None
        identity = message.id if message.id and "@" in message.id else None  # others may be row numbers
        content = None
        if message.instant is not None:
            content = _key(f"{message.sender}\n{message.instant}\n{sorted(recipients)}\n{message.body}")
        return (
            number,
            source,
            None if identity is None else _key(identity),
            content,
            sender,
            recipients,
            words_of(new_subject(message.subject)),
            words_of(new_text(message.body)),
        )

    def _flush(self, rows: list[tuple[Any, ...]]) -> None:
        import pyarrow as pa

        numbers, texts = pa.int64(), pa.string()
        kinds = (numbers, pa.int32(), numbers, numbers, pa.int32(), pa.list_(pa.int32()), texts, texts)
        names = ("message", "source", "identity", "content", "sender", "recipients", "subject", "body")
        if rows:
            columns = [
                pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), kinds, strict=True)
            ]
            self._engine.insert("messages", pa.table(columns, names=names))
        fresh = list(self._ids)[self._known_ids :]  # a copy at once: reading goes on meanwhile
        if fresh:
            ids = pa.array(range(self._known_ids, self._known_ids + len(fresh)), pa.int32())
            self._engine.insert(
                "addresses", pa.table([ids, pa.array(fresh, texts)], names=["address", "name"])
            )
            self._known_ids += len(fresh)


def _tell(progress: Callable[[int], None], before: int, tell: Callable[[], int]) -> None:
    progress(before + tell())


def _key(text: str) -> int:
    """Return 64 bits that tell texts apart."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
