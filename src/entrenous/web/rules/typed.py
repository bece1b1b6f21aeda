"""Checks of what people type."""

from __future__ import annotations

import re
import unicodedata

from entrenous.errors import ArgumentError
from entrenous.web.rules.naming.characters import has_unseen, without_marks

__all__ = ["checked_email", "checked_handle", "checked_length", "checked_text"]

_HANDLE = re.compile(r"[a-z0-9][a-z0-9_.-]{1,39}")
# Neither "=" nor "?": together they write any sign, line ends among them, into the header of a mail (RFC 2047).
_EMAIL = re.compile(r"[a-z0-9.!#$%&'*+/^_`{|}~-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)*")


def checked_text(field: str, text: str, *, most: int, least: int = 1, lines: bool = False) -> str:
    """Return text normalized, without blanks around it; what nobody sees is refused, but line ends in `lines`.

    A text of one line has single blanks. Marks of direction are left out, since every text is shown isolated.

    >>> checked_text("title", "  a  day out ", most=120)
    'a day out'
    """
    if not isinstance(text, str):
        raise ArgumentError(field, "expected text")
    clean = without_marks(unicodedata.normalize("NFC", text.replace("\r\n", "\n"))).strip()
    if has_unseen(clean, lines=lines):
        raise ArgumentError(
            field, "expected text without control or invisible characters; type it instead of pasting it"
        )
    if not lines:
        clean = " ".join(clean.split())
    checked_length(field, clean, least, most)
    return clean


def checked_length(field: str, text: str, least: int, most: int) -> None:
    """Refuse text that is too short or too long."""
    if not least <= len(text) <= most:
        raise ArgumentError(field, f"expected {least} to {most} characters; got {len(text)}")


def checked_handle(handle: str) -> str:
    """Return a handle: 2 to 40 small letters, digits, dots, hyphens and underscores.

    >>> checked_handle(" Ann ")
    'ann'
    """
    clean = handle.strip().lower() if isinstance(handle, str) else ""
    if not _HANDLE.fullmatch(clean):
        raise ArgumentError(
            "handle",
            "expected 2 to 40 letters a-z, digits, dots, hyphens or underscores, a letter or digit first",
        )
    return clean


def checked_email(email: str | None) -> str | None:
    """Return an e-mail address in small letters, or None for none.

    >>> checked_email("Ann@Example.org")
    'ann@example.org'
    """
    clean = (email or "").strip().lower()
    if not clean:
        return None
    if len(clean) > 254 or not _EMAIL.fullmatch(clean):
        raise ArgumentError("email", "expected an e-mail address such as ann@example.org")
    return clean
