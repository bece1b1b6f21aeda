"""Outlook's stores of mail (.pst, .ost), by libpff."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from entrenous.errors import FormatError, MissingExtraError
from entrenous.words.reading.directory import folded
from entrenous.words.reading.formats.kind import File, Kind, plain_text, seconds
from entrenous.words.reading.formats.outlook_message import of_properties
from entrenous.words.reading.messages import Message

__all__ = ["STORE"]

_MAGIC = b"!BDN"
# Properties of MAPI: addresses and names of recipients and of the sender.
_SMTP, _ADDRESS, _NAME = 0x39FE, 0x3003, 0x3001
_SENDER_SMTP, _SENDER_ADDRESS = 0x5D01, 0x0C1F


def _messages(file: File) -> Iterator[Message]:
    try:
        import pypff
    except ImportError:
        raise MissingExtraError("outlook", "reading .pst and .ost files") from None

    damaged = FormatError("expected a whole store of Outlook; got a damaged one", file=file.where)
    try:
        store = pypff.open_file_object(file.content)
        waiting = [store.get_root_folder()]
    except OSError:  # what the library says names bytes
        raise damaged from None
    number = 0
    while waiting:
        folder = waiting.pop()
        try:
            waiting.extend(reversed([*folder.sub_folders]))
            items = [*folder.sub_messages]
        except OSError:
            raise damaged from None
        for item in items:
            number += 1
            try:
                yield _message(item)
            except Exception:  # noqa: BLE001 - what a damaged store makes a library say may quote a message
                raise FormatError(
                    f"message {number}: expected one that can be read; got a damaged one", file=file.where
                ) from None


def _message(item: Any) -> Message:
    body = item.plain_text_body
    text = plain_text(body, html=False) if body else plain_text(item.html_body or b"", html=True)
    own = _properties(item)
    return of_properties(
        item.transport_headers or "",
        sender=folded(own.get(_SENDER_SMTP) or _with_at(own.get(_SENDER_ADDRESS)) or item.sender_name or ""),
        recipients=[
            folded(each.get(_SMTP) or _with_at(each.get(_ADDRESS)) or each.get(_NAME) or "")
            for each in _recipients(item)
        ],
        instant=seconds(item.client_submit_time),
        subject=item.subject or "",
        body=text,
    )


def _recipients(item: Any) -> list[dict[int, str]]:
    table = item.recipients
    return [] if table is None else [_entries(each) for each in table.record_sets]


def _properties(item: Any) -> dict[int, str]:
    found: dict[int, str] = {}
    for each in item.record_sets:
        found |= _entries(each)
    return found


def _entries(record: Any) -> dict[int, str]:
    """Return the addresses and names in a set of properties."""
    wanted = (_SMTP, _ADDRESS, _NAME, _SENDER_SMTP, _SENDER_ADDRESS)
    return {
        entry.entry_type: entry.data_as_string or "" for entry in record.entries if entry.entry_type in wanted
    }


def _with_at(address: str | None) -> str | None:
    """Return an address of mail; Exchange writes paths instead, of which the name is better."""
    return address if address and "@" in address else None


def _recognises(path: str, head: bytes) -> bool:
    return head.startswith(_MAGIC) or path.lower().endswith((".pst", ".ost"))


STORE = Kind("pst", "a store of Outlook (.pst, .ost)", _recognises, _messages, travelled=True)
