"""Outlook's stores of mail (.pst, .ost), by libpff."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from io import SEEK_END
from typing import IO, Any

from entrenous.errors import FormatError, MissingExtraError
from entrenous.words.reading.formats.kind import File, Kind, plain_text, seconds
from entrenous.words.reading.formats.outlook_message import known_as, of_properties
from entrenous.words.reading.messages import Message
from entrenous.words.reading.text.rich_text import charset_of, of_rich_text

__all__ = ["STORE"]

_MAGIC = b"!BDN"
_LONG_PLACES = 20  # the first version of the format that has places of eight bytes
# What travels from one person to another; a store also holds people, appointments, tasks and what Outlook notes down.
_LETTERS = ("ipm.note", "ipm.schedule", "ipm.taskrequest", "ipm.sharing")
# Properties of MAPI: addresses and names of recipients and of the sender, and what a message is.
_SMTP, _ADDRESS, _NAME = 0x39FE, 0x3003, 0x3001
_SENDER_SMTP, _SENDER_ADDRESS = 0x5D01, 0x0C1F
_CLASS, _CODEPAGE = 0x001A, 0x3FDE
_TEXTS = frozenset((_SMTP, _ADDRESS, _NAME, _SENDER_SMTP, _SENDER_ADDRESS, _CLASS))


def _messages(file: File) -> Iterator[Message]:
    try:
        import pypff
    except ImportError:
        raise MissingExtraError("outlook", "reading .pst and .ost files") from None

    damaged = FormatError("expected a whole store of Outlook; got a damaged one", file=file.where)
    if not _is_whole(file.content):
        raise damaged
    try:
        store = pypff.open_file_object(file.content)
        waiting = [store.get_root_folder()]
    except Exception:  # noqa: BLE001 - of several kinds, and what they say names bytes
        raise damaged from None
    number = 0
    while waiting:
        folder = waiting.pop()
        try:
            waiting.extend(reversed([*folder.sub_folders]))
            count = folder.number_of_sub_messages
        except Exception:  # noqa: BLE001 - as above
            raise damaged from None
        for place in range(count):
            number += 1
            try:
                # One at a time: what the library read of an item stays with it.
                message = _message(folder.get_sub_message(place))
            except Exception:  # noqa: BLE001 - what a damaged store makes a library say may quote a message
                raise FormatError(
                    f"message {number}: expected one that can be read; got a damaged one", file=file.where
                ) from None
            if message is not None:
                yield message


def _is_whole(content: IO[bytes]) -> bool:
    """Tell whether a store is as long as its head says: of one that was cut the library reads what it still finds."""
    head = content.read(192)
    size = content.seek(0, SEEK_END)
    content.seek(0)
    if len(head) < 192:
        return False
    told = "<Q" if int.from_bytes(head[10:12], "little") >= _LONG_PLACES else "<I"
    return size >= int(struct.unpack_from(told, head, 184 if told == "<Q" else 168)[0])


def _message(item: Any) -> Message | None:
    """Return an item of a store as a message; None if it is none."""
    own, page = _properties(item)
    if not own.get(_CLASS, "").lower().startswith(_LETTERS) or not hasattr(item, "transport_headers"):
        return None
    people = [] if item.recipients is None else [_texts(each) for each in item.recipients.record_sets]
    return of_properties(
        item.transport_headers or "",
        sender=known_as(smtp=own.get(_SENDER_SMTP), address=own.get(_SENDER_ADDRESS), name=item.sender_name),
        recipients=[
            known_as(smtp=each.get(_SMTP), address=each.get(_ADDRESS), name=each.get(_NAME))
            for each in people
        ],
        instant=seconds(item.client_submit_time),
        subject=item.subject or "",
        body=_body(item, charset_of(page)),
    )


def _body(item: Any, charset: str) -> str:
    """Return the text of a message, which may be there as text, as HTML or as RTF."""
    if item.plain_text_body:
        return plain_text(item.plain_text_body, html=False)
    if item.html_body:
        return plain_text(item.html_body, html=True, charset=charset)
    return of_rich_text(item.rtf_body or b"")


def _properties(item: Any) -> tuple[dict[int, str], int | None]:
    """Return what an item says of itself, and the codepage of its HTML."""
    found: dict[int, str] = {}
    page = None
    for record in item.record_sets:
        found |= _texts(record)
        page = next((each.data_as_integer for each in record.entries if each.entry_type == _CODEPAGE), page)
    return found, page


def _texts(record: Any) -> dict[int, str]:
    """Return the addresses and names in a set of properties."""
    return {
        entry.entry_type: entry.data_as_string or "" for entry in record.entries if entry.entry_type in _TEXTS
    }


def _recognises(path: str, head: bytes) -> bool:
    return head.startswith(_MAGIC) or path.lower().endswith((".pst", ".ost"))


STORE = Kind("pst", "a store of Outlook (.pst, .ost)", _recognises, _messages, travelled=True)
