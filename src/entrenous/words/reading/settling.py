"""From messages as they were read to edges: duplicates dropped, addresses resolved to persons, lists expanded."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from entrenous.errors import FormatError
from entrenous.words.reading.lists import inferred_lists
from entrenous.words.reading.people import Directory

if TYPE_CHECKING:
    from entrenous.words.engines import Engine

__all__ = ["Summary", "read_summary", "settle"]


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
    """

    messages: int
    persons: int
    edges: int
    largest_neighbourhood: int
    files: int
    dropped: dict[str, int] = field(default_factory=dict)
    lists: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain values."""
        return asdict(self)


# The first message of a Message-ID stays, and those of the first file that holds a (sender, date, recipients, body).
_KEPT = """CREATE OR REPLACE TABLE kept AS SELECT message, source, sender, recipients FROM messages
    QUALIFY (identity IS NULL OR row_number() OVER (PARTITION BY identity ORDER BY message) = 1)
    AND (content IS NULL OR source = min(source) OVER (PARTITION BY content))"""
_REACHED = """CREATE OR REPLACE TEMP TABLE reached AS
    SELECT DISTINCT message, sends.person AS sender, receives.person AS recipient
    FROM (SELECT message, sender, unnest(recipients) AS address FROM kept) AS sent
    JOIN sends ON sends.address = sent.sender JOIN receives ON receives.address = sent.address"""
# Numbers follow the order of names, so that they do not depend on the order in which mail was read.
_STEPS = (
    """CREATE OR REPLACE TABLE persons AS
    SELECT (row_number() OVER (ORDER BY name) - 1)::INTEGER AS person, name FROM (
        SELECT DISTINCT unnest([sender, recipient]) AS name FROM reached WHERE sender <> recipient)""",
    """CREATE OR REPLACE TEMP TABLE ties AS
    SELECT message, sender.person AS sender, recipient.person AS recipient FROM reached
    JOIN persons AS sender ON sender.name = reached.sender
    JOIN persons AS recipient ON recipient.name = reached.recipient WHERE reached.sender <> reached.recipient""",
    """CREATE OR REPLACE TABLE edges AS SELECT (row_number() OVER (ORDER BY u, v) - 1)::INTEGER AS holder, u, v
    FROM (SELECT DISTINCT least(sender, recipient) AS u, greatest(sender, recipient) AS v FROM ties)""",
    """CREATE OR REPLACE TABLE edge_passages AS SELECT DISTINCT message, holder
    FROM ties JOIN edges ON u = least(sender, recipient) AND v = greatest(sender, recipient)""",
    """CREATE OR REPLACE TABLE senders AS SELECT (row_number() OVER (ORDER BY sender) - 1)::INTEGER AS holder,
    sender AS u, sender AS v FROM (SELECT DISTINCT sender FROM ties)""",
    """CREATE OR REPLACE TABLE sender_passages AS SELECT DISTINCT message, holder
    FROM ties JOIN senders ON u = sender""",
    """CREATE OR REPLACE VIEW texts AS SELECT * FROM (
        SELECT 2 * message + unnest([0, 1]) AS text, message, unnest([subject, body]) AS words FROM messages
        WHERE message IN (SELECT message FROM edge_passages)) WHERE words <> ''""",
)


def settle(engine: Engine, directory: Directory) -> Summary:
    """Work out persons, edges and what passed on them from all messages of the store, anew; keep the summary."""
    with engine.transaction():
        engine.execute(_KEPT)
        inferred = _resolve(engine, directory)
        engine.execute(_REACHED)
        for statement in _STEPS:
            engine.execute(statement)
        summary = _summary(engine, directory, inferred)
        engine.execute("CREATE OR REPLACE TABLE summary (value VARCHAR)")
        engine.execute("INSERT INTO summary VALUES (?)", json.dumps(summary.to_json()))
    return summary


def read_summary(engine: Engine) -> Summary:
    """Return the summary of a store that was settled."""
    there = {name for (name,) in engine.rows("SELECT table_name FROM duckdb_tables()")}
    if "summary" not in there:
        raise FormatError(
            "expected a corpus that was read to its end; got an unfinished one; run `entrenous words read` again",
            file="store",
        )
    return Summary(**json.loads(engine.rows("SELECT value FROM summary")[0][0]))


def _resolve(engine: Engine, directory: Directory) -> int:
    """Say whom each address stands for when it sends and when it receives; return how many lists were inferred."""
    import pyarrow as pa

    inferred = inferred_lists(engine)
    sends: list[tuple[int, str]] = []
    receives: list[tuple[int, str]] = []
    known = set(directory.members)
    guessed = 0
    for address, name in engine.rows("SELECT address, name FROM addresses"):
        sends.append((address, directory.person.get(name, name)))
        if name in directory.person or name in known or address not in inferred:
            receives.extend((address, person) for person in directory.expanded(name))
        else:
            guessed += 1
    for table, rows in (("sends", sends), ("receives", receives)):
        engine.execute(f"CREATE OR REPLACE TEMP TABLE {table} (address INTEGER, person VARCHAR)")
        ids, names = (
            pa.array([row[0] for row in rows], pa.int32()),
            pa.array([row[1] for row in rows], pa.string()),
        )
        engine.insert(table, pa.table([ids, names], names=["address", "person"]))
    return guessed


def _summary(engine: Engine, directory: Directory, inferred: int) -> Summary:
    number = engine.number
    dropped = {
        "duplicates": number("SELECT (SELECT count(*) FROM messages) - (SELECT count(*) FROM kept)"),
        "messages without a sender": number("SELECT count(*) FROM kept WHERE sender IS NULL"),
        "messages without a recipient": number(
            "SELECT count(*) FROM kept WHERE sender IS NOT NULL AND len(recipients) = 0"
        ),
        "messages to lists without known members alone": number(
            """SELECT count(*) FROM kept WHERE sender IS NOT NULL AND len(recipients) > 0
            AND message NOT IN (SELECT message FROM reached)"""
        ),
        "messages to the sender alone": number(
            """SELECT count(*) FROM (
                SELECT message FROM reached GROUP BY message HAVING bool_and(sender = recipient))"""
        ),
        "files that are no mail": number("SELECT count(*) FROM sources WHERE kind IS NULL"),
    }
    lists = {
        "expanded by the directory": sum(bool(members) for members in directory.members.values()),
        "without members in the directory": sum(not members for members in directory.members.values()),
        "inferred": inferred,
    }
    return Summary(
        messages=number("SELECT count(DISTINCT message) FROM edge_passages"),
        persons=number("SELECT count(*) FROM persons"),
        edges=number("SELECT count(*) FROM edges"),
        largest_neighbourhood=number(
            """WITH degrees AS (SELECT person, count(*) AS degree FROM (
                SELECT unnest([u, v]) AS person FROM edges) GROUP BY person)
            SELECT coalesce(max(a.degree + b.degree - 2), 0) FROM edges
            JOIN degrees AS a ON a.person = u JOIN degrees AS b ON b.person = v"""
        ),
        files=number("SELECT count(*) FROM sources WHERE kind IS NOT NULL"),
        dropped={reason: count for reason, count in dropped.items() if count},
        lists={kind: count for kind, count in lists.items() if count},
    )
