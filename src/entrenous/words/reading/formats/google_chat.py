"""Google Chat as Takeout exports it: a folder for each space or conversation, with messages.json and group_info.json.

A message goes to all members of its space. Where group_info.json does not name them, everybody who wrote there stands
for them. Takeout's mail is a plain mbox file and needs nothing from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from entrenous.errors import FormatError
from entrenous.words.reading.directory import folded
from entrenous.words.reading.formats.kind import File, Kind, json_in
from entrenous.words.reading.messages import Message, instant

__all__ = ["GOOGLE_CHAT"]

MONTHS = "january february march april may june july august september october november december"
_MONTHS = MONTHS.split()
_DATE = re.compile(r"(\w+) (\d{1,2}), (\d{4}) at (\d{1,2}):(\d\d):(\d\d)\s*([AP])M\s*UTC")


def _messages(file: File) -> Iterator[Message]:
    if file.around is None:
        raise FormatError(
            "expected Google Chat in a folder or a zip; got it in a tar archive; unpack it first",
            file=file.where,
        )
    document = json_in(file.content.read(), file.where)
    rows = document.get("messages") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise FormatError("expected messages of Google Chat; got another JSON document", file=file.where)
    info = file.beside(f"{file.folder}/group_info.json".lstrip("/"))
    members = [] if info is None else _persons(json_in(info, file.where))
    everybody = members or list(dict.fromkeys(filter(None, (_person(row.get("creator")) for row in rows))))
    space = file.folder.rpartition("/")[2]
    for row in rows:
        sender, topic, name = _person(row.get("creator")), row.get("topic_id"), row.get("message_id")
        yield Message(
            id=f"{name}@chat.google" if name else None,
            instant=_instant(str(row.get("created_date") or "")),
            sender=sender,
            recipients=[person for person in everybody if person != sender],
            subject="",
            body=str(row.get("text") or ""),
            thread=f"{space}/{topic}" if topic else None,
            guessed=not members,
        )


def _persons(info: Any) -> list[str]:
    members = info.get("members") if isinstance(info, dict) else None
    return list(dict.fromkeys(filter(None, map(_person, members if isinstance(members, list) else []))))


def _person(entry: Any) -> str:
    """Return the address of a person, or the name; nobody if it is a program."""
    if not isinstance(entry, dict) or str(entry.get("user_type") or "Human").lower() == "bot":
        return ""
    return folded(str(entry.get("email") or entry.get("name") or ""))


def _instant(date: str) -> int | None:
    """Return the seconds since 1970 of a date as Takeout writes it.

    >>> _instant("Monday, January 2, 2023 at 3:04:05 PM UTC")
    1672671845
    """
    found = _DATE.search(date)
    if found is None or found.group(1).lower() not in _MONTHS:
        return instant(date)
    day, year, hour, minute, second = (int(found.group(place)) for place in range(2, 7))
    month = 1 + _MONTHS.index(found.group(1).lower())
    try:
        moment = datetime(
            year, month, day, hour % 12 + 12 * (found.group(7) == "P"), minute, second, tzinfo=UTC
        )
    except ValueError:
        return None
    return int(moment.timestamp())


def _recognises(path: str, head: bytes) -> bool:
    return path.rpartition("/")[2] == "messages.json" and b'"creator"' in head


GOOGLE_CHAT = Kind("google chat", "Google Chat from Takeout (messages.json)", _recognises, _messages)
