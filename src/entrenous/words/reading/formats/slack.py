"""Exports of Slack: a folder or zip with users.json, channels.json and a folder of days for every channel.

A message goes to all members of its channel or group. Where an export does not name the members, everybody who wrote
there stands for them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from entrenous.errors import FormatError
from entrenous.words.reading.directory import folded
from entrenous.words.reading.formats.kind import Around, File, Kind, json_in
from entrenous.words.reading.messages import Message

__all__ = ["SLACK"]

_DAY = re.compile(r"(?:^|/)\d{4}-\d\d-\d\d\.json$")
_LISTS = ("channels.json", "groups.json", "mpims.json", "dms.json")
_MENTION = re.compile(r"<[@!#][^<>]*>")
_LINK = re.compile(r"<[^<>|]*\|([^<>]*)>|<[a-z]+:[^<>]*>")
_EMOJI = re.compile(r":[a-z0-9_+\-']+:")
# What a program or Slack itself says is nobody's word.
_PEOPLE = frozenset(
    {None, "", "thread_broadcast", "me_message", "file_share", "file_comment", "reply_broadcast"}
)


def _messages(file: File) -> Iterator[Message]:
    root, _, channel = file.folder.rpartition("/")
    around = file.around
    users = None if around is None else around.read(f"{root}/users.json".lstrip("/"))
    if around is None or users is None:
        raise FormatError(
            "expected a whole export of Slack, with users.json above its channels, as a folder or a zip; got a day "
            "without it; unpack a tar archive first",
            file=file.where,
        )
    people = _people(users, file.where)
    number, members = _channel(around, root, channel, file.where)
    rows = _rows(file.content.read(), file.where)
    if members is None:
        members = _writers(around, file.folder, file.where)
    for row in rows:
        if row.get("type", "message") != "message" or row.get("subtype") not in _PEOPLE:
            continue
        author, moment = row.get("user") or "", str(row.get("ts") or "")
        begun = row.get("thread_ts") or moment
        yield Message(
            id=f"{number}-{moment}@slack" if moment else None,
            instant=_instant(moment),
            sender=people.get(author, author.lower()),
            recipients=list(
                dict.fromkeys(people.get(each, each.lower()) for each in members if each != author)
            ),
            subject="",
            body=_plain(str(row.get("text") or "")),
            thread=f"{number}-{begun}@slack" if begun else None,
        )


@lru_cache(maxsize=4)
def _people(users: bytes, where: str) -> dict[str, str]:
    """Return the address of everybody, or their number where an export does not tell it."""
    rows = _rows(users, where)
    return {
        row["id"]: folded((row.get("profile") or {}).get("email") or "") or row["id"].lower()
        for row in rows
        if isinstance(row.get("id"), str)
    }


def _channel(around: Around, root: str, folder: str, where: str) -> tuple[str, list[str] | None]:
    """Return the number of a channel and its members, None if an export does not tell them."""
    for name in _LISTS:
        content = around.read(f"{root}/{name}".lstrip("/"))
        for row in _rows(content, where) if content is not None else ():
            if folder in (row.get("name"), row.get("id")):
                members = row.get("members")
                return str(row.get("id") or folder), members if isinstance(
                    members, list
                ) and members else None
    return folder, None


def _writers(around: Around, folder: str, where: str) -> list[str]:
    """Return everybody who wrote in a channel, in the order of their numbers."""
    days = [name for name in around.names(folder) if _DAY.search(name)]
    contents = (around.read(f"{folder}/{name}") for name in days)
    found = {row.get("user") for content in contents for row in _rows(content or b"[]", where)}
    return sorted(each for each in found if isinstance(each, str) and each)


def _rows(content: bytes, where: str) -> list[dict[str, Any]]:
    found = json_in(content, where)
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise FormatError(
            "expected a list of JSON objects, as Slack exports it; got something else", file=where
        )
    return found


def _instant(moment: str) -> int | None:
    try:
        return int(float(moment))
    except (ValueError, OverflowError):
        return None


def _plain(text: str) -> str:
    """Return a text without Slack's marks.

    >>> _plain("<@U1> see <https://x.org|the plan> :tea: &amp; come")
    '  see the plan   & come'
    """
    text = _LINK.sub(lambda found: found.group(1) or " ", _MENTION.sub(" ", text))
    return html.unescape(_EMOJI.sub(" ", text))


def _recognises(path: str, head: bytes) -> bool:
    return bool(_DAY.search(path)) and head.lstrip().startswith(b"[")


SLACK = Kind("slack", "an export of Slack (a folder or zip)", _recognises, _messages)
