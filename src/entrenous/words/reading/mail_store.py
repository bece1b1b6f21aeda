"""The store: messages as they were read, and how far reading has come.

Mail is taken in transactions of many messages: several small files, or a part of a large one. A file is remembered by
its path, size and time, and by how much of it was taken. A process that is killed loses the transaction in hand; the
next run takes up from there. Of a text only the words are kept, in lower case.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from entrenous.errors import FormatError
from entrenous.words.reading.digest import TABLES, Block, digest
from entrenous.words.reading.messages import Message
from entrenous.words.reading.sources import Reading, Source, units_of
from entrenous.words.reading.workers import Workers

if TYPE_CHECKING:
    import pyarrow as pa

    from entrenous.words.counting.engines import DuckDB

__all__ = ["OLD_STORE", "SCHEMA", "Store"]

CHUNK, CHUNK_BYTES = 2048, 1 << 20  # messages, and bytes of them, that are digested and stored at once
TICK = 128  # messages after which the place in a file is looked up
TOGETHER = 2048  # small files are taken in one transaction until it holds so many messages
NAMED = (*TABLES, "chat")  # forms that say themselves who their people are
AT_MOST = 1 << 17  # messages of a large file that are taken in one transaction
OLD_STORE = (
    "expected a corpus with threads and near-copies; got one that an earlier version wrote; read the mail again into "
    "a new one"
)

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS sources (
        source INTEGER, key VARCHAR, size BIGINT, stamp BIGINT, mailbox VARCHAR, kind VARCHAR)""",
    "ALTER TABLE sources ADD COLUMN IF NOT EXISTS taken BIGINT",  # units of a file that is not taken to its end
    "ALTER TABLE sources ADD COLUMN IF NOT EXISTS skipped VARCHAR",  # why a file was passed over
    "CREATE TABLE IF NOT EXISTS addresses (address INTEGER, name VARCHAR)",
    "CREATE TABLE IF NOT EXISTS list_headers (address INTEGER)",
    """CREATE TABLE IF NOT EXISTS messages (
        message BIGINT, source INTEGER, identity BIGINT, content BIGINT, wording BIGINT, thread BIGINT, alike BIGINT,
        sender INTEGER, recipients INTEGER[], subject VARCHAR, body VARCHAR)""",
)


class _Numbered(dict[str, int]):
    """Numbers for texts, given as they are first asked for; `fresh` are the texts since it was last cleared."""

    def __init__(self, known: Iterable[tuple[str, int]]) -> None:
        super().__init__(known)
        self.fresh: list[str] = []

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        self.fresh.append(text)
        return number


class Store:
    """The part of a database that holds messages; made if it is not there."""

    def __init__(self, engine: DuckDB) -> None:
        self._engine = engine
        for statement in SCHEMA:
            engine.execute(statement)
        if not engine.number(
            "SELECT count(*) FROM duckdb_columns() WHERE table_name = 'messages' AND column_name = 'alike'"
        ):
            raise FormatError(OLD_STORE, file="store")
        self._ids = _Numbered(
            (name, number) for number, name in engine.rows("SELECT address, name FROM addresses")
        )
        self._message = 1 + engine.number("SELECT coalesce(max(message), -1) FROM messages")
        self._place = -1  # of the source in hand, which a transaction may leave unfinished
        self._source = 1 + engine.number("SELECT coalesce(max(source), -1) FROM sources")

    def take(
        self,
        sources: Iterable[Source],
        columns: Mapping[str, str],
        *,
        size: int = 0,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Take the messages of all sources that are new or have changed.

        Parameters
        ----------
        sources, columns
            What to read, and the column of each field of a table.
        size
            How many bytes there are.
        progress
            Is told the bytes read.
        """
        rows = self._engine.rows("SELECT key, size, stamp, taken FROM sources")
        known = {(key, size, stamp): taken for key, size, stamp, taken in rows}
        states = (
            (number, source, known.get((source.key, source.size, source.stamp), 0))
            for number, source in enumerate(sources, start=1)
        )
        numbered = ((number, source, taken) for number, source, taken in states if taken is not None)
        with Workers(columns, size) as workers:
            pieces = _ahead(_pieces(numbered, columns, workers), 2 * workers.count)
            more = True
            while more:
                with self._engine.transaction():
                    more = self._take_some(pieces, progress or (lambda _: None))

    def add(self, messages: Iterable[Message]) -> None:
        """Take messages that come from no file."""
        with self._engine.transaction():
            place = self._new_source("", 0, 0, "", "table")
            self._insert(digest(messages), place)

    def _take_some(self, pieces: Iterator[_Piece], progress: Callable[[int], None]) -> bool:
        """Take whole sources until there are enough messages for a transaction, or part of one that holds many.

        Returns whether there may be more.
        """
        first = self._message
        for piece in pieces:
            if piece.begins:
                self._place = self._begun(piece)
            if piece.batch is not None:
                self._insert(piece.batch.result(), self._place)
            if piece.kind == "writers":
                self._engine.execute("UPDATE sources SET kind = 'writers' WHERE source = ?", self._place)
            progress(piece.position)
            held = self._message - first
            if piece.ends or held >= AT_MOST:
                self._mark(self._place, None if piece.ends else piece.taken)
            if held >= (TOGETHER if piece.ends else AT_MOST):
                return True
        return False

    def _begun(self, piece: _Piece) -> int:
        """Return the number of the source that a piece is the first of: a new one, unless it was begun before."""
        source = piece.source
        if piece.resumed:
            return int(self._engine.rows("SELECT source FROM sources WHERE key = ?", source.key)[0][0])
        self._forget(source.key)
        return self._new_source(
            source.key, source.size, source.stamp, source.mailbox, piece.kind, piece.skipped
        )

    def _mark(self, source: int, taken: int | None) -> None:
        """Remember how much was taken of a source; None is all of it."""
        self._engine.execute("UPDATE sources SET taken = ? WHERE source = ?", taken, source)

    def _forget(self, key: str) -> None:
        """Drop what was taken of a file before it changed."""
        old = self._engine.rows("SELECT source FROM sources WHERE key = ?", key)
        for (source,) in old:
            self._engine.execute("DELETE FROM messages WHERE source = ?", source)
            self._engine.execute("DELETE FROM sources WHERE source = ?", source)

    def _new_source(
        self, key: str, size: int, stamp: int, mailbox: str, kind: str | None, skipped: str | None = None
    ) -> int:
        place = self._source
        self._engine.execute("DROP TABLE IF EXISTS summary")  # unfinished until everything is settled again
        self._engine.execute(
            "INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, NULL, ?)",
            place,
            key,
            size,
            stamp,
            mailbox,
            kind,
            skipped,
        )
        self._source += 1
        return place

    def _insert(self, batch: pa.RecordBatch, source: int) -> None:
        """Append a digested batch, with numbers for its messages and addresses."""
        import pyarrow as pa

        count = batch.num_rows
        recipients = batch.column("recipients")
        columns = {
            "message": pa.array(range(self._message, self._message + count), pa.int64()),
            "source": pa.array([source] * count, pa.int32()),
            **{name: batch.column(name) for name in ("identity", "content", "wording", "thread", "alike")},
            "sender": self._numbers(batch.column("sender")),
            "recipients": pa.ListArray.from_arrays(recipients.offsets, self._numbers(recipients.values)),
            "subject": batch.column("subject"),
            "body": batch.column("body"),
        }
        lists = self._numbers(batch.column("lists").flatten()).unique()
        self._engine.insert("messages", pa.table(columns))
        self._engine.insert("list_headers", pa.table({"address": lists}))
        fresh = self._ids.fresh
        ids = pa.array(range(len(self._ids) - len(fresh), len(self._ids)), pa.int32())
        self._engine.insert("addresses", pa.table({"address": ids, "name": pa.array(fresh, pa.string())}))
        fresh.clear()
        self._message += count

    def _numbers(self, addresses: pa.Array) -> pa.Array:
        """Return the numbers of addresses, none for the empty one."""
        import pyarrow as pa

        coded = addresses.dictionary_encode()
        numbers = [self._ids[name] if name else None for name in coded.dictionary.to_pylist()]
        return pa.array(numbers, pa.int32()).take(coded.indices)


class _Piece(NamedTuple):
    """Some of a source on its way into the store.

    Attributes
    ----------
    source, kind
        Where it comes from; "table", "mail" or None for what is neither. "writers" is a table whose recipients are,
        in some messages at least, those who wrote in the same place.
    skipped
        Why it is passed over, if it is.
    batch
        What is kept of its messages; None if there are none.
    begins, resumed, ends
        Whether it is the first that is read of the source now, whether others were taken before, and whether it is
        the last.
    taken
        How many units of the source are taken with it.
    position
        How many bytes were read.
    """

    source: Source
    kind: str | None
    skipped: str | None
    batch: Future[pa.RecordBatch] | None
    begins: bool
    resumed: bool
    ends: bool
    taken: int
    position: int


def _pieces(
    numbered: Iterable[tuple[int, Source, int]], columns: Mapping[str, str], workers: Workers
) -> Iterator[_Piece]:
    """Yield all sources piece by piece, each being digested, from what was taken of them on."""
    for number, source, before in numbered:
        where = f"file {number}"
        reading = units_of(source, columns, where)
        skipped = reading if isinstance(reading, str) else None
        blocks = iter(()) if isinstance(reading, str) else _blocks(reading, where, before)
        form = None if isinstance(reading, str) else reading.form
        kind = None if form is None else "table" if form in NAMED else "mail"
        begins, taken = True, before
        found = next(blocks, None)
        while begins or found is not None:
            following = next(blocks, None)
            block, position = found or (None, 0)
            batch = None if block is None else workers.digest(block)
            if form == "chat" and block is not None and any(unit.guessed for unit in block.units):
                kind = "writers"
            taken += 0 if block is None else len(block.units)
            place = source.before + position
            yield _Piece(source, kind, skipped, batch, begins, before > 0, following is None, taken, place)
            begins, found = False, following


def _blocks(reading: Reading, where: str, before: int) -> Iterator[tuple[Block, int]]:
    """Yield what a source holds, but for the units before, in blocks of so many units or bytes.

    Each comes with the bytes read so far, nearly.
    """
    units: list[Any] = []
    first, size, position = 1 + before, 0, 0
    for unit in islice(reading.units, before, None):
        if not len(units) % TICK:
            position = reading.tell()  # not at the end, where the file is closed
        units.append(unit)
        size += len(unit.body) if isinstance(unit, Message) else len(unit)
        if len(units) == CHUNK or size >= CHUNK_BYTES:
            yield Block(reading.form, where, first, units), position
            first, units, size = first + len(units), [], 0
    if units:
        yield Block(reading.form, where, first, units), position


def _ahead(pieces: Iterator[_Piece], count: int) -> Iterator[_Piece]:
    """Yield the same pieces, but ask for some more before each, so that they are digested meanwhile."""
    waiting: deque[_Piece] = deque()
    for piece in pieces:
        waiting.append(piece)
        if len(waiting) > count:
            yield waiting.popleft()
    yield from waiting
