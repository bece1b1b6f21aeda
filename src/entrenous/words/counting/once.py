"""Holders on which a message counts once, as queries of a settled store: pairs, letters, threads, writers.

A message to sixty people lies on sixty edges. A count that hides messages must not count it sixty times, so each
message counts on one of its edges, which a hash of its own words chooses. Of near-copies by one sender the first
counts alone, in its thread too: one text sent one by one begins a thread with everybody who got it. The queries are
views: they cost nothing until somebody counts by them.
"""

from __future__ import annotations

__all__ = ["VIEWS"]

# Each message that stands for its near-copies, with the one of its edges on which it counts: chosen by its words and
# the names of the two persons. The number of an edge must not choose: it follows from what else was written.
_CHOSEN = """SELECT message, holder AS edge FROM (
    SELECT message, holder, row_number() OVER (
        PARTITION BY message
        ORDER BY md5(concat(wording::VARCHAR, ' ', one.name::VARCHAR, ' ', other.name::VARCHAR)), holder) AS place
    FROM edge_passages JOIN (SELECT message, wording FROM messages) AS worded USING (message)
    JOIN edges USING (holder) JOIN persons AS one ON one.person = u JOIN persons AS other ON other.person = v
    SEMI JOIN (SELECT message FROM written WHERE message = alike) AS firsts USING (message)) AS ranked
    WHERE place = 1"""
_PAIRS = """SELECT (row_number() OVER (ORDER BY edge) - 1)::INTEGER AS holder, edge, u, v
    FROM (SELECT DISTINCT edge FROM chosen) AS used
    JOIN (SELECT holder AS edge, u, v FROM edges) AS ends USING (edge)"""
# The first message of each thread, unless it is a near-copy of another one.
_OPENING = """SELECT message, holder AS person FROM sender_passages
    SEMI JOIN (SELECT message FROM written WHERE message = thread AND message = alike) AS firsts USING (message)"""
_WRITERS = """SELECT (row_number() OVER (ORDER BY person) - 1)::INTEGER AS holder, person, u, v
    FROM (SELECT DISTINCT person FROM opening) AS used
    JOIN (SELECT holder AS person, u, v FROM senders) AS ends USING (person)"""
_LETTERS = """SELECT (row_number() OVER (ORDER BY alike) - 1)::INTEGER AS holder, alike, u, u AS v
    FROM (SELECT alike, min(sender) AS u FROM written GROUP BY alike) AS grouped"""
_THREADS = """SELECT (row_number() OVER (ORDER BY thread) - 1)::INTEGER AS holder, thread, u, u AS v
    FROM (SELECT thread, min(sender) AS u FROM written WHERE message = alike GROUP BY thread) AS grouped"""
# The messages themselves, near-copies as well: what vocabularies start from.
_NOTES = """SELECT (row_number() OVER (ORDER BY message) - 1)::INTEGER AS holder, message, sender AS u, sender AS v,
    thread, alike FROM written"""
#: Views by name, each after those it looks at.
VIEWS = (
    ("chosen", _CHOSEN),
    ("pairs", _PAIRS),
    (
        "pair_passages",
        "SELECT message, holder FROM chosen JOIN (SELECT holder, edge FROM pairs) AS p USING (edge)",
    ),
    ("letters", _LETTERS),
    (
        "letter_passages",
        "SELECT message, holder FROM written JOIN (SELECT holder, alike FROM letters) AS l USING (alike)",
    ),
    ("threads", _THREADS),
    (
        "thread_passages",
        """SELECT message, holder FROM written JOIN (SELECT holder, thread FROM threads) AS t USING (thread)
    WHERE message = alike""",
    ),
    ("opening", _OPENING),
    ("writers", _WRITERS),
    (
        "writer_passages",
        "SELECT message, holder FROM opening JOIN (SELECT holder, person FROM writers) AS w USING (person)",
    ),
    ("notes", _NOTES),
    ("note_passages", "SELECT message, holder FROM notes"),
)
