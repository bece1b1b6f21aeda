"""The thread of a message: where its headers say that a conversation began, or else its subject and its people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from entrenous.words.reading.text import new_subject

__all__ = ["of_headers", "of_record", "of_subject"]

_REFERENCE = re.compile(r"<\s*([^<>\s]+)\s*>")
_STRIPPED = "<> \t\r\n"


def of_headers(known: str, references: str, answered: str, identity: str | None, subject: str) -> str | None:
    """Return what names the thread of a mail; None if its headers do not say.

    Parameters
    ----------
    known
        The number of the thread, where a mail program has written it down.
    references, answered
        The headers References, whose first is where the thread began, and In-Reply-To.
    identity, subject
        Of the mail itself: it begins a thread, unless its subject says that it answers.

    >>> of_headers("", "<1@x.org> <2@x.org>", "<2@x.org>", "3@x.org", "Re: tea")
    '1@x.org'
    >>> of_headers("", "", "", "1@x.org", "tea"), of_headers("", "", "", "4@x.org", "Re: tea")
    ('1@x.org', None)
    """
    if known:
        return known
    for header in (references, answered):
        found = _REFERENCE.search(header)
        if found:
            return found.group(1)
    return identity if identity and new_subject(subject) == subject else None


def of_record(record: Mapping[str, Any], columns: Mapping[str, str], subject: str) -> str | None:
    """Return what names the thread of a message in a table; None if it has no such columns, or they do not say."""
    known, references, answered = columns["thread"], columns["references"], columns["in_reply_to"]
    answers = references in record or answered in record
    if not answers and known not in record:  # as in most tables
        return None
    for column in (known, references, answered):
        name = _first(record.get(column))
        if name:
            return name
    if not answers:
        return None
    identity = record.get(columns["id"])
    return str(identity).strip(_STRIPPED) if identity and new_subject(subject) == subject else None


def of_subject(words: str, people: Iterable[str]) -> str | None:
    """Return what names a thread by the words of its subject, without reply marks, and by its people.

    >>> of_subject("tea", ["b", "a"]) == of_subject("tea", ["a", "b"]), of_subject("", ["a"])
    (True, None)
    """
    return "\n".join((words, *sorted(set(people)))) if words else None


def _first(value: Any) -> str:
    """Return the first reference that a value names."""
    if isinstance(value, list | tuple):
        value = next((item for item in value if isinstance(item, str) and item.strip()), None)
    if value is None or isinstance(value, dict):
        return ""
    text = str(value)
    found = _REFERENCE.search(text)
    return found.group(1) if found else next(iter(text.replace(",", " ").split()), "").strip(_STRIPPED)
