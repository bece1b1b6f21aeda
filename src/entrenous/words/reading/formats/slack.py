"""Exports of Slack: a folder or zip with users.json, channels.json and a folder of days for every channel.

A message goes to all members of its channel or group. Where an export does not name the members, everybody who wrote
there stands for them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

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
    root, _, name = file.folder.rpartition("/")
    export = None if file.around is None else _export(file.around, root)
    if file.around is None or export is None:
        raise FormatError(
            "expected a whole export of Slack, with users.json above its channels, as a folder or a zip; got a day "
            "without it; unpack a tar archive first",
            file=file.where,
        )
    people = export.people
    number, known = export.channels.get(name, (name, ()))
    members = [each for each in known or _writers(file.around, file.folder) if each not in export.programs]
    for row in _rows(file.content.read(), file.where):
        author, moment = row.get("user") or "", str(row.get("ts") or "")
        if (
            row.get("type", "message") != "message"
            or row.get("subtype") not in _PEOPLE
            or author in export.programs
        ):
            continue
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
            guessed=not known,
        )


class _Export(NamedTuple):
    """What an export says beside its messages.

    Attributes
    ----------
    people
        The address of everybody by their number, or the number where the address is not told.
    programs
        The numbers of those who are nobody.
    channels
        The number and the members of each channel by its name, and by its number; no members if they are not told.
    """

    people: dict[str, str]
    programs: frozenset[str]
    channels: dict[str, tuple[str, tuple[str, ...]]]


@lru_cache(maxsize=4)
def _export(around: Around, root: str) -> _Export | None:
    """Return what an export says, None if it does not say who its people are; read once, not for every day."""
    users = around.read(f"{root}/users.json".lstrip("/"))
    if users is None:
        return None
    rows = [row for row in _rows(users, "users.json") if isinstance(row.get("id"), str)]
    people = {
        row["id"]: folded((row.get("profile") or {}).get("email") or "") or row["id"].lower() for row in rows
    }
    programs = frozenset(row["id"] for row in rows if row.get("is_bot")) | {"USLACKBOT"}
    channels: dict[str, tuple[str, tuple[str, ...]]] = {}
    for name in _LISTS:
        content = around.read(f"{root}/{name}".lstrip("/"))
        for row in [] if content is None else _rows(content, name):
            number, members = str(row.get("id") or row.get("name")), row.get("members")
            known = (
                tuple(each for each in members if isinstance(each, str)) if isinstance(members, list) else ()
            )
            for called in (row.get("name"), row.get("id")):
                channels.setdefault(str(called), (number, known))
    return _Export(people, programs, channels)


@lru_cache(maxsize=16)
def _writers(around: Around, folder: str) -> tuple[str, ...]:
    """Return everybody who wrote in a channel, in the order of their numbers."""
    days = [name for name in around.names(folder) if _DAY.search(name)]
    contents = (around.read(f"{folder}/{name}") for name in days)
    found = {
        row.get("user") for content in contents for row in _rows(content or b"[]", "a day of the channel")
    }
    return tuple(sorted(each for each in found if isinstance(each, str) and each))


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
