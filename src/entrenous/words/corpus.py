"""A corpus: mail as edges between persons and the words that passed on them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entrenous import _check
from entrenous._files import private_files
from entrenous.errors import ArgumentError, MissingDataError
from entrenous.words.counting.holder import EDGE, EDGE_AND_MESSAGE, MESSAGE, NOTE, THREAD, Holder
from entrenous.words.reading.directory import Directory
from entrenous.words.reading.lists import INFERRED, WRITERS
from entrenous.words.reading.public_edges import PublicEdges
from entrenous.words.reading.settling import FILES_OF_WRITERS, Summary, read_summary, reopen, settle
from entrenous.words.reading.text.language import checked_language

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from entrenous.words.counting.engines import Engine
    from entrenous.words.counting.message_table import MessageTable
    from entrenous.words.counting.table import NeighbourCounts, Table

__all__ = ["Corpus"]

ENGINES = ("duckdb", "spark")
# Who is there, who writes to whom, and how many messages of how many characters passed on each edge.
_RECOGNISED_BY = (
    "SELECT name FROM persons ORDER BY name",
    "SELECT holder, u, v FROM edges ORDER BY holder",
    """SELECT holder, count(*), sum(size) FROM edge_passages JOIN (
        SELECT message, sum(length(words)::BIGINT) AS size FROM texts GROUP BY message) USING (message)
        GROUP BY holder ORDER BY holder""",
)
Progress = Callable[[int, int], None]


class Corpus:
    """Mail as edges between persons and the words that passed on them; confidential.

    Read one with `read`, open one that was read before with `open`, or take messages with `from_messages`. An edge
    joins two persons one of whom wrote to the other; it carries the words of every message that passed on it, subject
    and body, in lower case, without quoted and forwarded text and without signatures. N-grams never reach over the end
    of a subject or body.

    Examples
    --------
    >>> from entrenous import datasets
    >>> corpus = Corpus.from_messages(datasets.organization(30, seed=1).messages(200))
    >>> corpus.summary.messages, corpus.table(n=1).holders == corpus.edge_count
    (200, True)
    """

    def __init__(self, engine: Engine, summary: Summary, edges: PublicEdges | None = None) -> None:
        self._engine = engine
        self._edges = edges
        self.summary = summary
        self.progress: Progress | None = None
        self._messages: dict[int, MessageTable] = {}
        self._tables: dict[tuple[Holder, int, int | None, tuple[str, ...] | None], Table] = {}
        self._passages: dict[Holder, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def __repr__(self) -> str:
        kept = self.summary
        return f"Corpus(messages={kept.messages}, persons={kept.persons}, edges={kept.edges})"

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        columns: Mapping[str, str] | None = None,
        directory: str | Path | None = None,
        store: str | Path | None = None,
        progress: Progress | None = None,
        engine: str = "duckdb",
        master: str | None = None,
        language: str | None = None,
    ) -> Corpus:
        """Read mail and chats: files of many kinds, folders and archives (zip, tar) of them.

        Maildirs, mbox, .eml and .msg files, stores of Outlook, JSON lines, CSV, Parquet, exports of Slack, Teams and
        Google Chat. A run that finds no message from one person to another fails; `summary.dropped` tells what was
        passed over.

        Parameters
        ----------
        path
            A file, or a folder whose files are all read. On Spark any path that it knows ("hdfs://...", "s3a://...")
            of Parquet files or JSON lines.
        columns
            The column of a table for each of id, date, from, to, cc, bcc, subject, body, in_reply_to, references and
            thread, where it has another name.
        directory
            A public table of addresses: which belong to the same person, which are lists, and who is on them;
            see `entrenous.words.reading.directory.Directory.read`.
        store
            A file that keeps the corpus, for its owner alone. If it is there, reading continues: files that it
            has taken are not read again. Without a store the corpus is kept in memory. On Spark it is a new folder
            of Parquet tables, at any path that Spark knows.
        progress
            Called with the bytes read and all bytes; not on Spark.
        engine
            "duckdb", embedded, or "spark": both give the same tables.
        master
            The cluster of Spark, None for this machine; a session that runs already is used as it is.
        language
            The language of the mail as a BCP 47 code, such as "de" or "pt-BR". Cards say that the publisher states
            it; nothing is read differently because of it.
        """
        from entrenous.words.counting.engines import DuckDB
        from entrenous.words.reading.mail_store import Store
        from entrenous.words.reading.sources import sources_below
        from entrenous.words.reading.tables import checked_columns

        names, language = checked_columns(columns), checked_language(language)
        known = Directory() if directory is None else Directory.read(directory)
        if _check.one_of("engine", engine, ENGINES) == "spark":
            return cls._read_on_spark(
                str(path), names, known, None if store is None else str(store), master, language
            )
        total, sources = sources_below(Path(path))
        database = DuckDB(None if store is None else Path(store))
        tick = None if progress is None else lambda done: progress(done, total)
        try:
            with private_files():
                Store(database).take(sources, names, size=total, progress=tick)
                return cls(database, settle(database, known, language))
        except BaseException:
            database.close()
            raise

    @classmethod
    def _read_on_spark(
        cls,
        path: str,
        columns: Mapping[str, str],
        directory: Directory,
        store: str | None,
        master: str | None,
        language: str | None,
    ) -> Corpus:
        from entrenous.words.counting.engines.spark import Spark

        cluster = Spark(master, store=store)
        try:
            if store is not None:
                cluster.begin()
            cluster.read(path, columns)
            summary = settle(cluster, directory, language)
            if store is not None:
                cluster.finish()
            return cls(cluster, summary)
        except BaseException:
            cluster.close()
            raise

    @classmethod
    def open(cls, file: str | Path, *, engine: str = "duckdb", master: str | None = None) -> Corpus:
        """Open a corpus that was read into a store, by the same engine.

        Parameters
        ----------
        file
            The store; on Spark a folder at any path that it knows.
        engine, master
            As in `read`.
        """
        from entrenous.words.counting.engines import DuckDB

        missing = MissingDataError(
            "store: expected a corpus; there is none of this name; make one with `read`"
        )
        if _check.one_of("engine", engine, ENGINES) == "spark":
            from entrenous.words.counting.engines.spark import Spark

            cluster = Spark(master, store=str(file))
            if not cluster.finds_corpus():
                raise missing
            reopen(cluster)
            return cls(cluster, read_summary(cluster))
        if not Path(file).is_file():
            raise missing
        database = DuckDB(Path(file), read_only=True)
        return cls(database, read_summary(database))

    @classmethod
    def from_messages(
        cls,
        messages: Iterable[Mapping[str, Any]],
        *,
        directory: Directory | None = None,
        language: str | None = None,
    ) -> Corpus:
        """Take messages from memory: mappings with id, date, from, to, cc, subject and body."""
        from entrenous.words.counting.engines import DuckDB
        from entrenous.words.reading.mail_store import Store
        from entrenous.words.reading.tables import checked_columns, from_records

        stated, database = checked_language(language), DuckDB()
        Store(database).add(from_records(messages, checked_columns(None)))
        return cls(database, settle(database, directory or Directory(), stated, empty=True))

    def on_edges(self, edges: PublicEdges | str | Path) -> Corpus:
        """Return the same corpus, seen on the edges of a public list alone.

        Its tables have a row for every listed edge, with or without mail; mail between two persons who are not listed
        together is left out. Tables of senders have a row for every listed person, with all that they wrote. So how
        many edges there are is known without any mail, and a card may tell it.

        Parameters
        ----------
        edges
            The list, or the file of one: two addresses a line, see `PublicEdges.read`. It must not come from the mail.

        Examples
        --------
        >>> from entrenous import datasets
        >>> mail = Corpus.from_messages(datasets.organization(30, seed=1).messages(200))
        >>> seen = mail.on_edges(PublicEdges.of([("ann@example.org", "bob@example.org")]))
        >>> seen.edge_count, seen.table(n=1).holders, seen.left_out == mail.edge_count
        (1, 1, True)
        """
        listed = edges if isinstance(edges, PublicEdges) else PublicEdges.read(edges)
        return Corpus(self._engine, self.summary, listed)

    @property
    def edge_count(self) -> int:
        """How many pairs of persons write to each other: private, unless a public list says so."""
        return self.summary.edges if self._edges is None else len(self._edges)

    @property
    def largest_neighbourhood(self) -> int:
        """The most edges that share a person with one edge."""
        return (self.summary if self._edges is None else self._edges).largest_neighbourhood

    @cached_property
    def left_out(self) -> int:
        """How many edges of the mail a public list does not have: private, for the curator."""
        from entrenous.words.counting.tabulation import holder_ends

        if self._edges is None:
            return 0
        places = self._edges.places(self._names, holder_ends(self._engine, EDGE), EDGE)
        return int((places < 0).sum())

    @cached_property
    def _names(self) -> list[str]:
        """The persons of the mail in the order of their numbers."""
        from entrenous.words.counting.message_table import persons_of

        return persons_of(self._engine)

    @property
    def language(self) -> str | None:
        """The language that the publisher states, as a BCP 47 code; None if none was stated."""
        return self.summary.language

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What a card must say about how the edges were found."""
        told = {"inferred": INFERRED, FILES_OF_WRITERS: WRITERS}
        return tuple(sentence for kind, sentence in told.items() if self.summary.lists.get(kind))

    def table(
        self,
        *,
        by: Holder | str = EDGE,
        n: int = 2,
        contribution: int | None = None,
        listed: Sequence[str] | None = None,
    ) -> Table:
        """Return which edge, or which sender, carries which n-grams.

        Parameters
        ----------
        by
            "edge", or "sender": then a message counts once, for the person who wrote it.
        n
            The longest n-grams: 2 counts single words and pairs of neighbouring words.
        contribution
            Keep so many n-grams of each holder at most: those it says most often itself.
        listed
            Count the n-grams of this public list alone: the rest takes no place among those that a holder keeps, and
            no memory. The table also names what these consist of and begin with.
        """
        from entrenous.words.counting.message_table import widest_messages
        from entrenous.words.counting.tabulation import count

        by = Holder.named(by)
        n = _check.at_least("n", n, 1)
        if contribution is not None:
            contribution = _check.at_least("contribution", contribution, 1)
        wanted = (by, n, contribution, None if listed is None else tuple(listed))
        if wanted not in self._tables:
            whole = self._tables.get((by, n, None, None))
            if whole is not None and contribution is not None and listed is None:
                return whole.bounded(contribution)
            table = count(
                self._engine, by=by, n=n, contribution=contribution, listed=listed, progress=self.progress
            )
            widest = widest_messages(self._engine) if by == EDGE else None
            table = replace(table, widest=widest, assumptions=self.assumptions)
            self._tables[wanted] = table if self._edges is None else self._on_list(table, self._edges)
        return self._tables[wanted]

    def messages(self, *, by: Holder | str = EDGE_AND_MESSAGE, n: int = 2) -> MessageTable:
        """Return which message says which n-grams, and on which edges it lies.

        Parameters
        ----------
        by
            The unit that is to be hidden: "message", "thread", "edge-and-message" or "all".
        n
            The longest n-grams.
        """
        from entrenous.words.counting.message_table import message_table
        from entrenous.words.counting.tabulation import count

        by = Holder.named(by)
        if n not in self._messages:
            table = count(self._engine, by=NOTE, n=n, contribution=None, progress=self.progress)
            table = replace(table, assumptions=self.assumptions)
            self._messages[n] = message_table(self._engine, table, by, self._edges)
        return self._messages[n].seen_by(by)

    def passages(self, by: Holder | str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which message counts for which holder: numbers as in `messages` and in `table`, one pair a passage.

        Parameters
        ----------
        by
            As in `table`.
        """
        from entrenous.words.counting.message_table import passages_by

        by = Holder.named(by)
        if by not in self._passages:
            self._passages[by] = passages_by(self._engine, by, self._edges)
        return self._passages[by]

    def fingerprint(self, key: bytes) -> str:
        """Return by what a vault recognises this mail: who writes to whom, and how much, under its key.

        It does not depend on the order or the engine by which the mail was read. Mail in which only words of the same
        length were exchanged looks the same.
        """
        digest = hashlib.blake2b(key=key, digest_size=32)
        for query in _RECOGNISED_BY:
            for row in self._engine.rows(query):
                digest.update(f"{tuple(map(str, row))}\n".encode())
        return digest.hexdigest()

    def _on_list(self, table: Table, edges: PublicEdges) -> Table:
        """Return a table of the mail as one of listed edges, or of listed persons."""
        if table.by in (MESSAGE, THREAD):
            raise ArgumentError(
                "unit", f"a public list of edges says nothing of {table.by}s; leave out --edges"
            )
        places = edges.places(self._names, table.ends, table.by)
        return table.on_list(places, edges.holder_ends(table.by))

    def neighbour_counts(self, *, n: int = 2) -> NeighbourCounts:
        """Return how many neighbours of an edge carry an n-gram, for all edges and n-grams, exactly."""
        from entrenous.words.counting.neighbours import neighbour_counts

        return neighbour_counts(self.table(n=n))

    def close(self) -> None:
        """Close the store."""
        self._engine.close()
