"""From messages as they were read to edges: duplicates dropped, addresses resolved to persons, lists expanded."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from entrenous.errors import FormatError
from entrenous.words.counting.once import VIEWS
from entrenous.words.reading.directory import Directory
from entrenous.words.reading.lists import inferred_lists
from entrenous.words.reading.mail_store import OLD_STORE
from entrenous.words.reading.sources import HOLDS

if TYPE_CHECKING:
    from entrenous.words.counting.engines import Engine, Lasting
    from entrenous.words.counting.engines.spark import Spark

__all__ = ["FILES_OF_WRITERS", "Summary", "read_summary", "reopen", "settle"]


@dataclass(frozen=True)
class Summary:
    """What was read, and what was dropped and why; for the curator, as its numbers are those of private mail.

    Attributes
    ----------
    messages, persons, edges
        What is left: messages on at least one edge, and the persons on edges.
    largest_neighbourhood
        The most edges that share a person with one edge.
    files
        How many files, or members of archives, were read.
    dropped
        How many messages, or files, were left out, by reason.
    lists
        How many mailing lists were expanded, declared without members, and inferred; and how many files hold chats
        whose members were inferred.
    language
        The BCP 47 code that the publisher states, if any; never worked out from the mail.
    """

    messages: int
    persons: int
    edges: int
    largest_neighbourhood: int
    files: int
    dropped: dict[str, int] = field(default_factory=dict)
    lists: dict[str, int] = field(default_factory=dict)
    language: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain values."""
        return asdict(self)


# Whatever is decided about a message here follows from what lies on its own edges: what is read for one edge must not
# depend on whether a copy on another edge is there.
# A message that an earlier file holds, with the same sender, date, recipients and body, is the same: on the same edges.
_DUPLICATES = """SELECT message FROM (
    SELECT message, source, min(source) OVER (PARTITION BY content) AS first
    FROM messages WHERE content IS NOT NULL) WHERE source <> first"""
# Copies of one Message-ID by one sender with the same words are one message, whose recipients are those of all copies.
_COPIES = """SELECT message, CASE WHEN identity IS NULL THEN message
        ELSE min(message) OVER (PARTITION BY identity, sender, wording) END AS first
    FROM messages ANTI JOIN duplicates USING (message)"""
# Copies of one Message-ID with other words (a footer, a mark in the subject) are kept beside each other, but on the way
# from one person to another only the first of them counts. They are one message all the same, so they are near-copies
# of whatever the first of them is a near-copy of.
_KEPT = """SELECT message, source, sender, thread AS thread_key,
        CASE WHEN identity IS NULL THEN alike
        ELSE first_value(alike) OVER (PARTITION BY identity, sender ORDER BY message) END AS alike_key
    FROM messages JOIN copies USING (message) WHERE message = first"""
_REWORDED = """SELECT identity FROM messages JOIN copies USING (message) WHERE identity IS NOT NULL
    GROUP BY identity HAVING count(DISTINCT first) > 1"""
# Whom an address stands for when it sends, and when it receives: what the directory says, else itself.
_SENDS = (
    "SELECT address, coalesce(person, name) AS person FROM addresses LEFT JOIN directory_persons USING (name)"
)
_RECEIVES = """SELECT address, person FROM addresses JOIN directory_receivers USING (name)
    UNION ALL SELECT address, name AS person FROM addresses
    ANTI JOIN directory_names USING (name) ANTI JOIN inferred_lists USING (address)"""
# Recipients are unnested before anything is joined: columns that a join of DuckDB 2.0.0 has brought end in an internal
# error when they are joined again behind an UNNEST, as when a few messages come to a corpus that is there.
_RECEIVED = """SELECT first AS message, message AS copy, identity, sends.person AS sender, receives.person AS recipient
    FROM (SELECT message, identity, sender, unnest(recipients) AS address FROM messages) AS sent
    JOIN copies USING (message)
    JOIN sends ON sends.address = sent.sender JOIN receives ON receives.address = sent.address"""
_REACHED = """SELECT message, sender, recipient FROM received ANTI JOIN reworded USING (identity)
    UNION SELECT message, sender, recipient FROM (
        SELECT message, sender, recipient, copy, min(copy) OVER (PARTITION BY identity, sender, recipient) AS earliest
        FROM received SEMI JOIN reworded USING (identity)) WHERE copy = earliest"""
# Numbers follow the order of names, so that they do not depend on the order in which mail was read.
_PERSONS = """SELECT (row_number() OVER (ORDER BY name) - 1)::INTEGER AS person, name FROM (
    SELECT sender AS name FROM reached WHERE sender <> recipient
    UNION SELECT recipient AS name FROM reached WHERE sender <> recipient)"""
_TIES = """SELECT message, sender.person AS sender, recipient.person AS recipient FROM reached
    JOIN persons AS sender ON sender.name = reached.sender
    JOIN persons AS recipient ON recipient.name = reached.recipient WHERE reached.sender <> reached.recipient"""
_EDGES = """SELECT (row_number() OVER (ORDER BY u, v) - 1)::INTEGER AS holder, u, v
    FROM (SELECT DISTINCT least(sender, recipient) AS u, greatest(sender, recipient) AS v FROM ties)"""
_EDGE_PASSAGES = """SELECT DISTINCT message, holder
    FROM ties JOIN edges ON u = least(sender, recipient) AND v = greatest(sender, recipient)"""
_SENDERS = """SELECT (row_number() OVER (ORDER BY sender) - 1)::INTEGER AS holder, sender AS u, sender AS v
    FROM (SELECT DISTINCT sender FROM ties)"""
_SENDER_PASSAGES = "SELECT DISTINCT message, holder FROM ties JOIN senders ON u = sender"
_TEXTS = """SELECT 2 * message AS text, message, subject AS words
    FROM messages SEMI JOIN sender_passages USING (message) WHERE subject <> ''
    UNION ALL SELECT 2 * message + 1 AS text, message, body AS words
    FROM messages SEMI JOIN sender_passages USING (message) WHERE body <> ''"""
# Who wrote each message, and the first message of its thread, and of its sender's near-copies of it.
_WRITTEN = """SELECT message, sender,
        CASE WHEN thread_key IS NULL THEN message ELSE min(message) OVER (PARTITION BY thread_key) END AS thread,
        min(message) OVER (PARTITION BY sender, alike_key) AS alike
    FROM (SELECT DISTINCT message, sender FROM ties) AS wrote
    JOIN (SELECT message, thread_key, alike_key FROM kept) AS keyed USING (message)"""
STEPS: tuple[tuple[str, str, Lasting], ...] = (
    ("sends", _SENDS, "temporary"),
    ("receives", _RECEIVES, "temporary"),
    ("reworded", _REWORDED, "temporary"),
    ("received", _RECEIVED, "temporary"),
    ("reached", _REACHED, "temporary"),
    ("persons", _PERSONS, "table"),
    ("ties", _TIES, "temporary"),
    ("edges", _EDGES, "table"),
    ("edge_passages", _EDGE_PASSAGES, "table"),
    ("senders", _SENDERS, "table"),
    ("sender_passages", _SENDER_PASSAGES, "table"),
    ("written", _WRITTEN, "table"),
    ("texts", _TEXTS, "view"),
    *((name, query, "view") for name, query in VIEWS),
)


def settle(
    engine: Engine, directory: Directory, language: str | None = None, *, empty: bool = False
) -> Summary:
    """Work out persons, edges and what passed on them from all messages of the store, anew; keep the summary.

    A language that was stated before stays if none is stated now. If no message went from one person to another, the
    run that read them fails, unless `empty` ones are fine.
    """
    import pyarrow as pa

    if language is None and engine.has("summary"):
        language = read_summary(engine).language
    with engine.transaction():
        engine.make("duplicates", _DUPLICATES, "temporary")
        engine.make("copies", _COPIES, "temporary")
        engine.make("kept", _KEPT, "temporary")
        _take_directory(engine, directory)
        for name, query, lasting in STEPS:
            engine.make(name, query, lasting)
        summary = replace(_summary(engine, directory), language=language)
        if not (summary.messages or empty):
            raise FormatError(_nothing(summary), file="mail")
        engine.take("summary", pa.table({"value": [json.dumps(summary.to_json())]}), "table")
    return summary


def _nothing(summary: Summary) -> str:
    """Say that nothing was read, what was found instead, and what to do."""
    found = ", ".join(f"{count} {reason}" for reason, count in summary.dropped.items()) or "no message at all"
    kinds = set(summary.dropped)
    if "messages to lists without known members alone" in kinds:
        advice = "say who is on the mailing lists with --directory"
    elif kinds & {"messages without a sender", "messages without a recipient"}:
        advice = "name the columns of a table with --columns, or look whether these are messages"
    else:
        advice = f"hand in {HOLDS}"
    return (
        f"expected messages from one person to another; got {summary.files} files with mail, of which nothing is left: "
        f"{found}; {advice}"
    )


def reopen(cluster: Spark) -> None:
    """Find the tables of a corpus in its folder: views are no files, and are said anew."""
    cluster.open(["digested", "summary", *(name for name, _, lasting in STEPS if lasting == "table")])
    for name, query, lasting in STEPS:
        if lasting == "view":
            cluster.make(name, query, lasting)


def read_summary(engine: Engine) -> Summary:
    """Return the summary of a store that was settled."""
    if not engine.has("summary"):
        raise FormatError(
            "expected a corpus that was read to its end; got an unfinished one; run `entrenous words read` again",
            file="store",
        )
    if not engine.has("written"):
        raise FormatError(OLD_STORE, file="store")
    return Summary(**json.loads(engine.rows("SELECT value FROM summary")[0][0]))


def _take_directory(engine: Engine, directory: Directory) -> None:
    """Hand over what the directory says, and which addresses it does not know are lists by their traffic."""
    import pyarrow as pa

    names = sorted(directory.person.keys() | directory.members.keys())
    receivers = [(name, person) for name in names for person in directory.expanded(name)]
    engine.take("directory_names", _texts_table(name=names))
    engine.take(
        "directory_persons", _texts_table(name=directory.person.keys(), person=directory.person.values())
    )
    engine.take(
        "directory_receivers",
        _texts_table(name=[name for name, _ in receivers], person=[person for _, person in receivers]),
    )
    mail = engine.number("SELECT count(*) FROM sources WHERE kind = 'mail'")
    inferred = sorted(inferred_lists(engine)) if mail else []
    engine.take("inferred_lists", pa.table({"address": pa.array(inferred, engine.address)}))


def _texts_table(**columns: Iterable[str]) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array(list(values), pa.string()) for name, values in columns.items()})


_MOST_RECIPIENTS = """SELECT first AS message, any_value(sender) AS sender, max(array_length(recipients)) AS most
    FROM messages JOIN copies USING (message) GROUP BY first"""
# What a summary counts; one query asks for all of it.
_DROPPED = {
    "duplicates": "SELECT (SELECT count(*) FROM messages) - (SELECT count(*) FROM kept)",
    "messages without a sender": "SELECT count(*) FROM kept WHERE sender IS NULL",
    "messages without a recipient": """SELECT count(*) FROM most_recipients
        WHERE sender IS NOT NULL AND most = 0""",
    "messages to lists without known members alone": """SELECT count(*) FROM most_recipients
        ANTI JOIN received USING (message) WHERE sender IS NOT NULL AND most > 0""",
    "copies of a message with other words": """SELECT count(DISTINCT message) FROM received
        ANTI JOIN reached USING (message)""",
    "messages to the sender alone": """SELECT count(*) FROM (
        SELECT message FROM reached GROUP BY message HAVING bool_and(sender = recipient))""",
}
_KEPT_COUNTS = {
    "messages": "SELECT count(DISTINCT message) FROM edge_passages",
    "persons": "SELECT count(*) FROM persons",
    "edges": "SELECT count(*) FROM edges",
    "largest_neighbourhood": """SELECT coalesce(max(a.degree + b.degree - 2), 0) FROM edges
        JOIN degrees AS a ON a.person = u JOIN degrees AS b ON b.person = v""",
    "files": "SELECT count(*) FROM sources WHERE kind IS NOT NULL",
}
_SKIPPED = """SELECT coalesce(skipped, 'files that are no mail'), count(*) FROM sources WHERE kind IS NULL
    GROUP BY 1 ORDER BY 1"""
_INFERRED = """SELECT count(*) FROM addresses SEMI JOIN inferred_lists USING (address)
    ANTI JOIN directory_names USING (name)"""
FILES_OF_WRITERS = "files of chats whose members are those who wrote"
_WRITERS = "SELECT count(*) FROM sources WHERE kind = 'writers'"
_DEGREES = """SELECT person, count(*) AS degree FROM (
    SELECT u AS person FROM edges UNION ALL SELECT v AS person FROM edges) GROUP BY person"""


def _summary(engine: Engine, directory: Directory) -> Summary:
    queries = {**_KEPT_COUNTS, **_DROPPED, "inferred": _INFERRED, FILES_OF_WRITERS: _WRITERS}
    asked = ", ".join(f"({query})" for query in queries.values())
    answers = engine.rows(
        f"WITH degrees AS ({_DEGREES}), most_recipients AS ({_MOST_RECIPIENTS}) SELECT {asked}"
    )[0]
    found = {name: int(value) for name, value in zip(queries, answers, strict=True)}
    skipped = {reason: int(count) for reason, count in engine.rows(_SKIPPED)}
    lists = {
        "expanded by the directory": sum(bool(members) for members in directory.members.values()),
        "without members in the directory": sum(not members for members in directory.members.values()),
        "inferred": found["inferred"],
        FILES_OF_WRITERS: found[FILES_OF_WRITERS],
    }
    counts: dict[str, Any] = {name: found[name] for name in _KEPT_COUNTS}
    return Summary(
        **counts,
        dropped={reason: found[reason] for reason in _DROPPED if found[reason]} | skipped,
        lists={kind: count for kind, count in lists.items() if count},
    )
