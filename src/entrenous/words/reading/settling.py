"""From messages as they were read to edges: duplicates dropped, addresses resolved to persons, lists expanded."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from entrenous.errors import FormatError
from entrenous.words.reading.directory import Directory
from entrenous.words.reading.lists import inferred_lists

if TYPE_CHECKING:
    from entrenous.words.counting.engines import Engine, Lasting
    from entrenous.words.counting.engines.spark import Spark

__all__ = ["Summary", "read_summary", "reopen", "settle"]


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
        How many mailing lists were expanded, declared without members, and inferred.
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


# The first message of a Message-ID stays, and those of the first file that holds a (sender, date, recipients, body).
_DUPLICATES = """SELECT message FROM (
        SELECT message, row_number() OVER (PARTITION BY identity ORDER BY message) AS place
        FROM messages WHERE identity IS NOT NULL) WHERE place > 1
    UNION SELECT message FROM (
        SELECT message, source, min(source) OVER (PARTITION BY content) AS first
        FROM messages WHERE content IS NOT NULL) WHERE source <> first"""
_KEPT = "SELECT message, source, sender, recipients FROM messages ANTI JOIN duplicates USING (message)"
# Whom an address stands for when it sends, and when it receives: what the directory says, else itself.
_SENDS = (
    "SELECT address, coalesce(person, name) AS person FROM addresses LEFT JOIN directory_persons USING (name)"
)
_RECEIVES = """SELECT address, person FROM addresses JOIN directory_receivers USING (name)
    UNION ALL SELECT address, name AS person FROM addresses
    ANTI JOIN directory_names USING (name) ANTI JOIN inferred_lists USING (address)"""
_REACHED = """SELECT DISTINCT message, sends.person AS sender, receives.person AS recipient
    FROM (SELECT message, sender, unnest(recipients) AS address FROM kept) AS sent
    JOIN sends ON sends.address = sent.sender JOIN receives ON receives.address = sent.address"""
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
STEPS: tuple[tuple[str, str, Lasting], ...] = (
    ("sends", _SENDS, "temporary"),
    ("receives", _RECEIVES, "temporary"),
    ("reached", _REACHED, "temporary"),
    ("persons", _PERSONS, "table"),
    ("ties", _TIES, "temporary"),
    ("edges", _EDGES, "table"),
    ("edge_passages", _EDGE_PASSAGES, "table"),
    ("senders", _SENDERS, "table"),
    ("sender_passages", _SENDER_PASSAGES, "table"),
    ("texts", _TEXTS, "view"),
)


def settle(engine: Engine, directory: Directory, language: str | None = None) -> Summary:
    """Work out persons, edges and what passed on them from all messages of the store, anew; keep the summary.

    A language that was stated before stays if none is stated now.
    """
    import pyarrow as pa

    if language is None and engine.has("summary"):
        language = read_summary(engine).language
    with engine.transaction():
        engine.make("duplicates", _DUPLICATES, "temporary")
        engine.make("kept", _KEPT)
        _take_directory(engine, directory)
        for name, query, lasting in STEPS:
            engine.make(name, query, lasting)
        summary = replace(_summary(engine, directory), language=language)
        engine.take("summary", pa.table({"value": [json.dumps(summary.to_json())]}), "table")
    return summary


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


# What a summary counts; one query asks for all of it.
_DROPPED = {
    "duplicates": "SELECT (SELECT count(*) FROM messages) - (SELECT count(*) FROM kept)",
    "messages without a sender": "SELECT count(*) FROM kept WHERE sender IS NULL",
    "messages without a recipient": """SELECT count(*) FROM kept
        WHERE sender IS NOT NULL AND array_length(recipients) = 0""",
    "messages to lists without known members alone": """SELECT count(*) FROM kept ANTI JOIN reached USING (message)
        WHERE sender IS NOT NULL AND array_length(recipients) > 0""",
    "messages to the sender alone": """SELECT count(*) FROM (
        SELECT message FROM reached GROUP BY message HAVING bool_and(sender = recipient))""",
    "files that are no mail": "SELECT count(*) FROM sources WHERE kind IS NULL",
}
_KEPT_COUNTS = {
    "messages": "SELECT count(DISTINCT message) FROM edge_passages",
    "persons": "SELECT count(*) FROM persons",
    "edges": "SELECT count(*) FROM edges",
    "largest_neighbourhood": """SELECT coalesce(max(a.degree + b.degree - 2), 0) FROM edges
        JOIN degrees AS a ON a.person = u JOIN degrees AS b ON b.person = v""",
    "files": "SELECT count(*) FROM sources WHERE kind IS NOT NULL",
}
_INFERRED = """SELECT count(*) FROM addresses SEMI JOIN inferred_lists USING (address)
    ANTI JOIN directory_names USING (name)"""
_DEGREES = """SELECT person, count(*) AS degree FROM (
    SELECT u AS person FROM edges UNION ALL SELECT v AS person FROM edges) GROUP BY person"""


def _summary(engine: Engine, directory: Directory) -> Summary:
    queries = {**_KEPT_COUNTS, **_DROPPED, "inferred": _INFERRED}
    asked = ", ".join(f"({query})" for query in queries.values())
    answers = engine.rows(f"WITH degrees AS ({_DEGREES}) SELECT {asked}")[0]
    found = {name: int(value) for name, value in zip(queries, answers, strict=True)}
    lists = {
        "expanded by the directory": sum(bool(members) for members in directory.members.values()),
        "without members in the directory": sum(not members for members in directory.members.values()),
        "inferred": found["inferred"],
    }
    counts: dict[str, Any] = {name: found[name] for name in _KEPT_COUNTS}
    return Summary(
        **counts,
        dropped={reason: found[reason] for reason in _DROPPED if found[reason]},
        lists={kind: count for kind, count in lists.items() if count},
    )
