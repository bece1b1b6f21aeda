"""Messages as they travelled (RFC 5322), from mbox files and from files of one message each.

Real mail is broken in many ways: bytes that are no text of the named charset, headers cut short, parts without end.
Nothing of that is an error; what cannot be decoded is replaced, what cannot be found is left empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message as Parsed
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from typing import IO, NamedTuple

from entrenous.words.reading.directory import addresses_in, folded, pieces_in
from entrenous.words.reading.groups.reply_threads import of_headers
from entrenous.words.reading.text.markup import decoded, without_marks

__all__ = ["Message", "instant", "parsed", "split_mbox"]

LIST_HEADERS = ("List-Post", "X-Mailing-List", "Mailing-List", "X-Loop")
THREAD_HEADERS = ("X-GM-THRID", "References", "In-Reply-To")  # the first is Google's number of a thread
RECIPIENT_HEADERS = ("To", "Cc", "Bcc")
_MBOX_LINE = re.compile(rb"From \S+.*\d\d:\d\d")
_ADDRESS = re.compile(r"[^\s<>:;,@]{1,256}@[^\s<>:;,?]+")
_ENCODED = re.compile(r"=\?[^?\s]*\?[bq]\?[^?]*\?=", re.IGNORECASE)
_BOM = b"\xef\xbb\xbf"


class Message(NamedTuple):
    """What is read of a message; addresses are folded, `instant` is in seconds since 1970.

    `thread` is what its headers, or a table, call the thread; None where only its subject tells. `guessed` are
    recipients who are not named: those who wrote in the same place.
    """

    id: str | None
    instant: int | None
    sender: str
    recipients: list[str]
    subject: str
    body: str
    lists: list[str] = []  # noqa: RUF012 - never changed: addresses that a header calls a mailing list
    thread: str | None = None
    guessed: bool = False


def split_mbox(lines: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield the messages of an mbox file: each begins with a "From " line after an empty one.

    >>> list(split_mbox([b"From a Mon 10:00\n", b"Subject: x\n", b"\n", b">From here\n", b"\n", b"From b 10:01\n"]))
    [b'Subject: x\n\nFrom here\n\n', b'']
    """
    held: list[bytes] | None = None
    after_blank = True
    for line in lines:
        if after_blank and line.startswith(b"From ") and _MBOX_LINE.match(line):
            if held is not None:
                yield b"".join(held)
            held = []
        elif held is not None:
            held.append(line[1:] if line.startswith(b">From ") else line)
        after_blank = line in {b"\n", b"\r\n"}
    if held is not None:
        yield b"".join(held)


def parsed(raw: bytes) -> Message:
    r"""Return the message that the bytes hold.

    >>> parsed(b"From: Ann <ann@example.org>\nTo: bob@example.org\nSubject: =?utf-8?q?caf=C3=A9?=\n\nTea?")[2:6]
    ('ann@example.org', ['bob@example.org'], 'café', 'Tea?')
    """
    raw = raw.removeprefix(_BOM)
    try:
        mail = message_from_bytes(raw)
        body = _body(mail)
    except RecursionError:  # hundreds of parts in parts
        mail, body = BytesParser().parsebytes(raw, headersonly=True), ""
    sender = _people(mail, "From") or _people(mail, "Sender")
    recipients = [address for name in RECIPIENT_HEADERS for address in _people(mail, name)]
    identity, subject = _header(mail, "Message-ID").strip("<> \t") or None, _header(mail, "Subject")
    known, references, answered = (_header(mail, name) for name in THREAD_HEADERS)
    return Message(
        id=identity,
        instant=instant(_header(mail, "Date")),
        sender=sender[0] if sender else "",
        recipients=list(dict.fromkeys(recipients)),
        subject=subject,
        body=body,
        lists=[
            found.lower().removeprefix("mailto:")
            for name in LIST_HEADERS
            for found in _ADDRESS.findall(_header(mail, name).replace("mailto:", ""))
        ],
        thread=of_headers(known, references, answered, identity, subject),
    )


def instant(text: str) -> int | None:
    """Return the seconds since 1970 of a date, as mail or ISO 8601 writes it; None if it is neither.

    >>> instant("1970-01-01T00:01:00Z"), instant("Thu, 1 Jan 1970 01:00:00 +0100"), instant("soon")
    (60, 0, None)
    """
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = parse(text)
            return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None


def lines_of(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file, with a bound on their length, so that one without line ends fits in memory."""
    while line := file.readline(1 << 20):
        yield line


def _header(mail: Parsed, name: str) -> str:
    """Return a header as text: all of that name, encoded words decoded, line breaks gone."""
    return " ".join(", ".join(map(_decoded, _values(mail, name))).split())


def _people(mail: Parsed, name: str) -> list[str]:
    """Return the folded addresses of a header.

    Commas and brackets within encoded words belong to a name, so that words are decoded last, and only where no
    address stands beside them.
    """
    header = " ".join(", ".join(_values(mail, name)).split())
    if "=?" not in header:
        return addresses_in(header)
    found: list[str] = []
    for piece in pieces_in(header):
        address, said = folded(_ENCODED.sub(" ", piece)), _decoded(piece)
        if "@" in address:
            found.append(address)
        else:
            found.extend(addresses_in(said) if "@" in said else [folded(said)])
    return list(dict.fromkeys(filter(None, found)))


def _values(mail: Parsed, name: str) -> list[str]:
    return [
        str(value).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        for value in mail.get_all(name, [])
    ]


def _decoded(raw: str) -> str:
    if "=?" not in raw:
        return raw
    try:
        pieces = decode_header(raw)
    except (HeaderParseError, ValueError):
        return raw
    return "".join(piece if isinstance(piece, str) else decoded(piece, charset) for piece, charset in pieces)


def _body(mail: Parsed) -> str:
    """Return the text of a message: its plain parts, or its HTML without marks; attachments are left out."""
    plain: list[str] = []
    rich: list[str] = []
    waiting = [mail]
    while waiting:
        part = waiting.pop(0)
        if part.get_content_maintype() == "message" and part is not mail:
            continue  # a message in a message is forwarded
        if part.is_multipart():
            waiting = [piece for piece in part.get_payload() if isinstance(piece, Parsed)] + waiting
            continue
        if _told(part.get_filename, "unknown") or part.get_content_disposition() == "attachment":
            continue
        kind = part.get_content_type()
        if part.get_content_maintype() == "multipart":
            kind = "text/plain"  # its parts were not found
        if kind in {"text/plain", "text/html"}:
            payload = part.get_payload(decode=True)
            content = payload if isinstance(payload, bytes) else b""
            (plain if kind == "text/plain" else rich).append(
                decoded(content, _told(part.get_content_charset, None))
            )
    return "\n".join(plain) if any(map(str.strip, plain)) else "\n".join(map(without_marks, rich))


def _told(ask: Callable[[], str | None], otherwise: str | None) -> str | None:
    """Return what a header says of a part; `otherwise` if it says it in a charset that is none."""
    try:
        return ask()
    except ValueError:
        return otherwise
