"""Outlook's .msg files, one message each, by python-oxmsg."""

from __future__ import annotations

from collections.abc import Iterator

from entrenous.errors import FormatError, MissingExtraError
from entrenous.words.reading.directory import folded
from entrenous.words.reading.formats.kind import File, Kind, plain_text, seconds
from entrenous.words.reading.messages import Message, parsed
from entrenous.words.reading.text.rich_text import charset_of, of_rich_text, unpacked

__all__ = ["MSG", "known_as", "of_properties"]

# Properties of MAPI.
_HEADERS, _HTML, _RTF, _CODEPAGE = 0x007D, 0x1013, 0x1009, 0x3FDE
_SENDER_SMTP, _SENDER_ADDRESS, _SENDER_NAME, _REPRESENTED = 0x5D01, 0x0C1F, 0x0C1A, 0x0042
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

    Headers are missing where a message never left the house, and in copies of sent mail. Where they name recipients,
    what Outlook wrote down adds those alone of whom it has an address: the others are the same people by their names.
    """
    travelled = parsed(headers.replace("\r\n", "\n").strip("\n").encode("utf-8", "surrogateescape") + b"\n\n")
    return travelled._replace(
        sender=travelled.sender or sender,
        recipients=list(
            dict.fromkeys(
                [
                    *travelled.recipients,
                    *(each for each in recipients if "@" in each or (each and not travelled.recipients)),
                ]
            )
        ),
        instant=instant if travelled.instant is None else travelled.instant,
        subject=subject or travelled.subject,
        body=body,
    )


def known_as(*, smtp: str | None, address: str | None, name: str | None) -> str:
    """Return the address of a person, or the name: Exchange writes paths for addresses, of which the name is better.

    >>> known_as(smtp="", address="/O=X/CN=ANN", name="Day, Ann")
    'ann day'
    """
    return folded(smtp or (address if address and "@" in address else None) or name or "")


def _messages(file: File) -> Iterator[Message]:
    try:
        import oxmsg
    except ImportError:
        raise MissingExtraError("outlook", "reading .msg files") from None

    try:
        mail = oxmsg.Message.load(file.content.read())
        text, binary = mail.properties.str_prop_value, mail.properties.binary_prop_value
        charset = charset_of(mail.properties.int_prop_value(_CODEPAGE))
        body = mail.body or plain_text(binary(_HTML) or text(_HTML) or "", html=True, charset=charset)
        if not body and (packed := binary(_RTF)):
            body = of_rich_text(unpacked(packed))
        message = of_properties(
            text(_HEADERS) or "",
            sender=known_as(
                smtp=text(_SENDER_SMTP),
                address=text(_SENDER_ADDRESS),
                name=text(_SENDER_NAME) or text(_REPRESENTED),
            ),
            recipients=[
                known_as(
                    smtp=each.email_address if "@" in each.email_address else "", address="", name=each.name
                )
                for each in mail.recipients
            ],
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
