"""Holders on which a message counts once, as queries of a settled store: pairs, letters, threads, writers.

A message to sixty people lies on sixty edges. A count that hides messages must not count it sixty times, so each
message counts on one of its edges, which a hash of its own words chooses. Of near-copies by one sender the first
counts alone. The queries are views: they cost nothing until somebody counts by them.
"""

from __future__ import annotations

__all__ = ["VIEWS"]

# Each message that stands for its near-copies, with the one of its edges on which it counts: chosen by its words and
# the names of the two persons. The number of an edge must not choose: it follows from what else was written.
_CHOSEN = """SELECT message, holder FROM (
    SELECT message, holder, row_number() OVER (
        PARTITION BY message
        ORDER BY md5(concat(wording::VARCHAR, ' ', one.name::VARCHAR, ' ', other.name::VARCHAR)), holder) AS place
    FROM edge_passages JOIN (SELECT message, wording FROM messages) AS worded USING (message)
    JOIN edges USING (holder) JOIN persons AS one ON one.person = u JOIN persons AS other ON other.person = v
    SEMI JOIN (SELECT message FROM written WHERE message = alike) AS firsts USING (message)) AS ranked
    WHERE place = 1"""
_LETTERS = """SELECT (row_number() OVER (ORDER BY alike) - 1)::INTEGER AS holder, alike, u, u AS v
    FROM (SELECT alike, min(sender) AS u FROM written GROUP BY alike) AS grouped"""
_THREADS = """SELECT (row_number() OVER (ORDER BY thread) - 1)::INTEGER AS holder, thread, u, u AS v
    FROM (SELECT thread, min(sender) AS u FROM written GROUP BY thread) AS grouped"""
# The messages themselves, near-copies as well: what vocabularies start from.
_NOTES = """SELECT (row_number() OVER (ORDER BY message) - 1)::INTEGER AS holder, message, sender AS u, sender AS v,
    thread, alike FROM written"""
#: Views by name, each after those it looks at.
VIEWS = (
    ("pairs", "SELECT holder, u, v FROM edges"),
    ("pair_passages", _CHOSEN),
    ("letters", _LETTERS),
    (
        "letter_passages",
        "SELECT message, holder FROM written JOIN (SELECT holder, alike FROM letters) AS l USING (alike)",
    ),
    ("threads", _THREADS),
    (
        "thread_passages",
        "SELECT message, holder FROM written JOIN (SELECT holder, thread FROM threads) AS t USING (thread)",
    ),
    ("writers", "SELECT holder, u, v FROM senders"),
    (
        "writer_passages",
        """SELECT message, holder FROM sender_passages
        SEMI JOIN (SELECT message FROM written WHERE message = thread AND message = alike) AS firsts USING (message)""",
    ),
    ("notes", _NOTES),
    ("note_passages", "SELECT message, holder FROM notes"),
)
