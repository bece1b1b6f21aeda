"""From the body of a message to the words its sender wrote: what is quoted, forwarded or signed is cut.

Reply headers ("On ... wrote:", blocks of "From:", "Sent:", ...) are recognised by the patterns of
mail-parser-reply, in six languages. What that library misses is added here: forwarded messages of Lotus Notes and
Outlook (it keeps five of six), quoted lines, and signatures, for which its own rule takes any line that begins with a
hyphen and so shortens every eighth message of newly written text. A search for plain marks comes first; most messages
have none, and are not looked at again.
"""

from __future__ import annotations

import re
from functools import cache

__all__ = ["new_subject", "new_text"]

LANGUAGES = ["en", "de", "fr", "es", "it", "nl"]
# Plain marks that whatever is cut holds: looking for them costs next to nothing.
WROTE_MARKS = ("wrote:", "schrieb", "\u00e9crit", "escribi\u00f3", "scritto:", "schreef:")
HEADER_MARKS = (
    "From:",
    "Sent:",
    "To:",
    "Subject:",
    "Von:",
    "An:",
    "De:",
    "De :",
    "Para:",
    "Da:",
    "Van:",
    "Aan:",
)
HEADER_LINE = re.compile(r"^[ \t>*]*\w{1,12} ?:", re.MULTILINE)
SEPARATOR_MARKS = ("---", "___", "egin forwarded")
SEPARATOR = re.compile(
    r"""^[ \t>.]*(?:
        -{2,}[ ]*(?:Original[ ](?:Message|Appointment)|Forwarded[ ](?:by|message)|Inline[ ]attachment)\b
      | Begin[ ]forwarded[ ]message:
      | _{20,}[ ]*\n+[ \t>]*(?:From|Sent|To|Reply)
    )""",
    re.MULTILINE | re.VERBOSE | re.IGNORECASE,
)
# Lotus Notes: a line with the name, one with the date, then the header.
DATE_LINE = re.compile(
    r"/\d{2,4} \d{1,2}:\d{2}(?::\d{2})? [AP]M *\n+[ \t>]*(?:To|cc|Please respond to)\b", re.IGNORECASE
)
QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
SIGNATURE_LINE = re.compile(r"^-- ?$", re.MULTILINE)
SENT_FROM = re.compile(r"^(?:Sent from my|Get Outlook for|Gesendet von) .*$", re.MULTILINE)
CLOSINGS = frozenset(
    """regards,best regards,kind regards,kindest regards,warm regards,with kind regards,thanks,many thanks,thanks again,
    thank you,cheers,sincerely,sincerely yours,yours sincerely,yours truly,best,best wishes,all the best,
    mit freundlichen gr\u00fc\u00dfen,viele gr\u00fc\u00dfe,cordialement,saludos,cordiali saluti""".replace(
        "\n    ", ""
    ).split(",")
)
CLOSING_LINES, CLOSING_WIDTH = 8, 60  # what follows a closing is a signature if it is no longer and no wider

REPLY_PREFIX = re.compile(r"(?:\s*(?:re|fwd?|aw|wg|tr|sv|antw)\s*(?:\[\d+\])?:)+", re.IGNORECASE)


def new_text(body: str) -> str:
    r"""Return what the sender of a message wrote, without quoted and forwarded text and without signature.

    >>> new_text("Yes.\n\nRegards,\nAnn\n\n-----Original Message-----\nFrom: Bob\nShall we?")
    'Yes.'
    >>> new_text("> Shall we?\nYes.\n-- \nAnn, tel. 5")
    'Yes.'
    """
    text = body.replace("\r\n", "\n") if "\r" in body else body
    if _has(SEPARATOR_MARKS, text):
        text = _before(SEPARATOR, text)
    if ":" in text:  # as in every header
        headed = _has(HEADER_MARKS, text)
        if headed:
            text = _before_dated_header(text)
        if (headed and len(HEADER_LINE.findall(text)) > 1) or _has(WROTE_MARKS, text):
            text = _before(_reply_header(), text)
    if ">" in text:
        text = QUOTED_LINE.sub("", text)
    return _unsigned(text).strip()


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


def _unsigned(text: str) -> str:
    """Cut the signature: after a line of two hyphens, or a closing with a few short lines below it."""
    if "\n--" in text or text.startswith("--"):
        text = _before(SIGNATURE_LINE, text)
    if "Sent from my" in text or "Get Outlook" in text or "Gesendet von" in text:
        text = SENT_FROM.sub("", text)
    return _before_closing(text)


def _before_closing(text: str) -> str:
    """Cut from the last closing on, if only a few short lines follow, the first of which begins anew."""
    lines = text.rstrip().split("\n")
    below: list[str] = []
    for place in range(len(lines) - 1, 0, -1):
        line = lines[place].strip()
        if line.rstrip(",.! ").lower() in CLOSINGS:
            goes_on = below and below[-1][0].islower()
            return text if goes_on else "\n".join(lines[:place])
        if line:
            below.append(line)
        if len(line) > CLOSING_WIDTH or len(below) > CLOSING_LINES:
            break
    return text
