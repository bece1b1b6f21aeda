"""What the sender of a message newly wrote: what is quoted, forwarded or signed is cut.

Reply headers ("On ... wrote:", blocks of "From:", "Sent:", ...) are recognised by the patterns of
mail-parser-reply, in five languages, and by those of `reply_headers` in six more. What that library misses is added
here: forwarded messages of Lotus Notes and Outlook (it keeps five of six), quoted lines, and signatures, for which its
own rule takes any line that begins with a hyphen and so shortens every eighth message of newly written text. A search
for plain marks comes first; most messages have none, and are not looked at again.
"""

from __future__ import annotations

import re
from functools import cache

from entrenous.words.reading.text.reply_headers import SEPARATORS, attribution_start, block_start
from entrenous.words.reading.text.signatures import unsigned

__all__ = ["new_subject", "new_text"]

# Its Spanish pattern never matches, its Polish one takes any line with a date, and others know one client each.
LANGUAGES = ["en", "de", "fr", "it", "nl"]
# Plain marks that whatever is cut holds: looking for them costs next to nothing.
WROTE_MARKS = ("wrote:", "schrieb", "scritto:", "schreef:", "écrit")
HEADER_MARKS = ("From:", "To:", "Subject:", "Von:", "De:", "De :", "Da:", "Van:", "Od:")
# A block has one of them. This looks back from each colon: a text has few, and is gone through only once.
HEADER_MARK = re.compile(f":(?:{'|'.join(f'(?<={mark})' for mark in HEADER_MARKS)})")
HEADER_LINE = re.compile(r"^[ \t>*]*\w{1,12} ?:", re.MULTILINE)
SEPARATOR_MARKS = ("---", "___", "egin forwarded")
FORWARDED_MARKS = ("mensaje reenviado", "messaggio inoltrato", "doorgestuurd", "weitergeleitet")  # no hyphens
SEPARATOR = re.compile(
    rf"^[ \t>.]*(?:{SEPARATORS}| _{{20,}}[ ]*\n+[ \t>]*(?:From|Sent|To|Reply))",
    re.MULTILINE | re.VERBOSE | re.IGNORECASE,
)
# Lotus Notes: a line with the name, one with the date, then the header.
DATE_LINE = re.compile(
    r"/\d{2,4} \d{1,2}:\d{2}(?::\d{2})? [AP]M *\n+[ \t>]*(?:To|cc|Please respond to)\b", re.IGNORECASE
)
QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
REPLY_PREFIX = re.compile(
    r"(?:\s*(?:re|fwd?|aw|wg|tr|sv|antw|rv|res|enc|odp|pd|rif|отв|ответ|пересл|回复|回覆|答复|转发|轉寄|返信|転送)"
    r"\s*(?:\[\d+\])?[:\uff1a])+",
    re.IGNORECASE,
)


def new_text(body: str) -> str:
    r"""Return what the sender of a message wrote, without quoted and forwarded text and without signature.

    >>> new_text("Yes.\n\nRegards,\nAnn\n\n-----Original Message-----\nFrom: Bob\nShall we?")
    'Yes.'
    >>> new_text("> Shall we?\nYes.\n-- \nAnn, tel. 5")
    'Yes.'
    """
    text = body.replace("\r\n", "\n") if "\r" in body else body
    if _has(SEPARATOR_MARKS, text) or not text.isascii():
        text = _before(SEPARATOR, text)
    if ":" in text or "\uff1a" in text:  # as in every header
        headed = HEADER_MARK.search(text) is not None
        if headed:
            text = _before_dated_header(text)
            if _has(FORWARDED_MARKS, text):
                text = _before(SEPARATOR, text)
        if (headed and len(HEADER_LINE.findall(text)) > 1) or _has(WROTE_MARKS, text):
            text = _before(_reply_header(), text)
        if ":\n" in text or text.endswith(":") or not text.isascii():
            text = text[: attribution_start(text)]
        if headed or not text.isascii():
            text = text[: block_start(text)]
    if ">" in text:
        text = QUOTED_LINE.sub("", text)
    return unsigned(text).strip()


def new_subject(subject: str) -> str:
    """Return a subject without the marks of replies and forwarded mail.

    >>> new_subject("RE: Fwd: Lunch")
    ' Lunch'
    """
    found = REPLY_PREFIX.match(subject)
    return subject[found.end() :] if found else subject


def _has(marks: tuple[str, ...], text: str) -> bool:
    """Tell whether a text holds one of the marks; a plain loop, as this is done for every message."""
    for mark in marks:  # noqa: SIM110 - a generator takes twice as long
        if mark in text:
            return True
    return False


def _before(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return text if found is None else text[: found.start()]


def _before_dated_header(text: str) -> str:
    found = DATE_LINE.search(text)
    if found is None:
        return text
    dated = text.rfind("\n", 0, found.start())
    return text[: max(text.rfind("\n", 0, max(dated, 0)), 0)]


@cache
def _reply_header() -> re.Pattern[str]:
    """Return the pattern of mail-parser-reply for the headers that clients put above a quoted message."""
    from mailparser_reply import EmailMessage

    pattern: re.Pattern[str] = EmailMessage(text="", languages=list(LANGUAGES)).HEADER_REGEX
    return pattern
