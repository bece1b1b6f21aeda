"""Messages as Microsoft Graph tells them: chats and channels of Teams, and mail.

A file holds one answer of Graph, a list of messages, or chats with their members and messages; or a message a line. A
message of a chat goes to all its members, those named beside it; where they are not named, to everybody who wrote in
that chat in the same file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from entrenous.errors import FormatError
from entrenous.words.reading.directory import folded
from entrenous.words.reading.formats.kind import File, Kind, json_in, plain_text
from entrenous.words.reading.messages import Message, instant

__all__ = ["GRAPH"]

_MAIL = re.compile(rb'"(?:toRecipients|internetMessageId|ccRecipients)"')
_CHAT = re.compile(rb'"(?:messageType|channelIdentity|chatType|chatMessage|userIdentityType)"')
_MENTION = re.compile(r"<at\b[^>]*>.*?</at>", re.DOTALL | re.IGNORECASE)
Item = Mapping[str, Any]


def _messages(file: File) -> Iterator[Message]:
    items = list(_items(_documents(file), {}))
    members: dict[str, dict[str, str]] = defaultdict(dict)
    writers: dict[str, dict[str, str]] = defaultdict(dict)
    for item, named in items:
        if not _is_mail(item):
            members[_place(item)] |= named
            number, person = _author(item)
            if number:
                writers[_place(item)].setdefault(number, person)
    for item, _ in items:
        if _is_mail(item):
            yield _mail(item)
        elif item.get("messageType", "message") == "message":
            yield _chat(item, members[_place(item)], writers[_place(item)])


def _documents(file: File) -> list[Any]:
    content = file.content.read()
    lines = content.splitlines()
    if len(lines) > 1 and lines[0].rstrip().endswith(b"}") and lines[0].startswith(b"{"):
        return [
            json_in(line, f"{file.where}, line {i}") for i, line in enumerate(lines, start=1) if line.strip()
        ]
    return [json_in(content, file.where)]


def _items(found: Iterable[Any], named: dict[str, str]) -> Iterator[tuple[Item, dict[str, str]]]:
    """Yield the messages in what Graph answers, with the members of their chat where those are named."""
    for each in found:
        if isinstance(each, list):
            yield from _items(each, named)
        elif isinstance(each, dict):
            here = named | _named(each.get("members"))
            if isinstance(each.get("body"), dict):
                yield each, here
            for inside in ("value", "messages", "replies", "chats", "channels"):
                if isinstance(each.get(inside), list):
                    yield from _items(each[inside], here)


def _named(members: Any) -> dict[str, str]:
    """Return the persons of a list of members by their numbers."""
    rows = [row for row in members if isinstance(row, dict)] if isinstance(members, list) else []
    persons = (
        (row.get("userId") or row.get("id"), row.get("email") or row.get("displayName")) for row in rows
    )
    return {str(number): folded(str(name or number)) for number, name in persons if number}


def _is_mail(item: Item) -> bool:
    return "toRecipients" in item or "internetMessageId" in item


def _mail(item: Item) -> Message:
    fields = ("toRecipients", "ccRecipients", "bccRecipients")
    recipients = [_address(each) for field in fields for each in item.get(field) or ()]
    known = item.get("internetMessageId")
    return Message(
        id=str(known).strip("<> ") if known else None,
        instant=instant(str(item.get("sentDateTime") or item.get("receivedDateTime") or "")),
        sender=_address(item.get("from")) or _address(item.get("sender")),
        recipients=list(dict.fromkeys(filter(None, recipients))),
        subject=str(item.get("subject") or ""),
        body=_body(item),
        thread=str(item["conversationId"]) if item.get("conversationId") else None,
    )


def _chat(item: Item, members: Mapping[str, str], writers: Mapping[str, str]) -> Message:
    number, person = _author(item)
    place, name = _place(item), str(item.get("id") or "")
    everybody = members or writers
    begun = item.get("replyToId") or name
    return Message(
        id=f"{place}-{name}@teams" if name else None,
        instant=instant(str(item.get("createdDateTime") or "")),
        sender=members.get(number, person),
        recipients=list(dict.fromkeys(each for who, each in everybody.items() if who != number)),
        subject=str(item.get("subject") or ""),
        body=_body(item),
        thread=f"{place}-{begun}@teams" if begun else None,
        guessed=not members,
    )


def _author(item: Item) -> tuple[str, str]:
    """Return the number and the person of who wrote a message of a chat; nobody if it was a program."""
    user = (item.get("from") or {}).get("user") or {}
    number = str(user.get("id") or "")
    return number, folded(
        str(user.get("email") or user.get("userPrincipalName") or user.get("displayName") or number)
    )


def _place(item: Item) -> str:
    """Return the chat, or the channel, of a message."""
    channel = item.get("channelIdentity") or {}
    return str(item.get("chatId") or channel.get("channelId") or "")


def _address(entry: Any) -> str:
    address = (entry or {}).get("emailAddress") or {} if isinstance(entry, dict) else {}
    return folded(str(address.get("address") or address.get("name") or ""))


def _body(item: Item) -> str:
    content = item["body"].get("content") or ""
    if not isinstance(content, str):
        return ""
    marked = str(item["body"].get("contentType") or "").lower() == "html"
    return plain_text(_MENTION.sub(" ", content), html=True) if marked else content


def _recognises(path: str, head: bytes) -> bool:
    named = path.lower().endswith((".json", ".jsonl", ".ndjson"))
    return named and head.lstrip()[:1] in (b"{", b"[") and bool(_MAIL.search(head) or _CHAT.search(head))


def _read(file: File) -> Iterator[Message]:
    try:
        yield from _messages(file)
    except (AttributeError, TypeError, KeyError):
        raise FormatError(
            "expected messages as Microsoft Graph has them; got others", file=file.where
        ) from None


GRAPH = Kind("graph", "chats of Teams and mail, as Microsoft Graph tells them (JSON)", _recognises, _read)
