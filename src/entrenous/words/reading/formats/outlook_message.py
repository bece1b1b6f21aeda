"""Outlook's .msg files, one message each, by python-oxmsg."""

from __future__ import annotations

from collections.abc import Iterator

from entrenous.errors import FormatError, MissingExtraError
from entrenous.words.reading.directory import addresses_in, folded
from entrenous.words.reading.formats.kind import File, Kind, plain_text, seconds
from entrenous.words.reading.messages import Message, parsed

__all__ = ["MSG", "of_properties"]

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def of_properties(
    headers: str,
    *,
    sender: str,
    recipients: list[str],
    instant: int | None,
    subject: str,
    body: str,
) -> Message:
    """Return a message of Outlook: what its headers say as it travelled, else what Outlook wrote down.

    Headers are missing where a message never left the house, and in copies of sent mail.
    """
    travelled = parsed(headers.replace("\r\n", "\n").strip("\n").encode("utf-8", "surrogateescape") + b"\n\n")
    return travelled._replace(
        sender=travelled.sender or sender,
        recipients=list(dict.fromkeys([*travelled.recipients, *filter(None, recipients)])),
        instant=instant if travelled.instant is None else travelled.instant,
        subject=subject or travelled.subject,
        body=body,
    )


def _messages(file: File) -> Iterator[Message]:
    try:
        import oxmsg
    except ImportError:
        raise MissingExtraError("outlook", "reading .msg files") from None

    try:
        mail = oxmsg.Message.load(file.content.read())
        body = mail.body or plain_text(mail.html_body or "", html=True)
        headers = mail.message_headers
        message = of_properties(
            "\n".join(f"{name}: {' '.join(value.split())}" for name, value in headers.items()),
            sender=next(iter(addresses_in(mail.sender or "")), ""),
            recipients=[folded(each.email_address or each.name) for each in mail.recipients],
            instant=seconds(mail.sent_date),
            subject=mail.subject,
            body=body,
        )
    except Exception:  # noqa: BLE001 - the library has no error of its own, and what it says may quote a message
        raise FormatError("expected a whole Outlook message; got a damaged one", file=file.where) from None
    yield message


def _recognises(path: str, head: bytes) -> bool:
    """By its name: Word and Excel write files that begin alike."""
    return path.lower().endswith(".msg") and (head.startswith(_OLE) or b"\0" in head or not head)


MSG = Kind("msg", "a message of Outlook (.msg)", _recognises, _messages, travelled=True)
