"""Documents: plain text, and PDF files that only show something.

A PDF may run scripts, start programs, fetch pages and carry other files. The names of all such features are looked for,
also inside compressed parts and however they are spelled; what has one, or cannot be looked into, is refused.
"""

from __future__ import annotations

import re
import unicodedata
import zlib

from entrenous.web.refusals import UploadRefused

__all__ = ["check_document"]

ACTIVE = (
    b"AA",
    b"EmbeddedFile",
    b"EmbeddedFiles",
    b"Encrypt",
    b"GoToE",
    b"GoToR",
    b"ImportData",
    b"JS",
    b"JavaScript",
    b"Launch",
    b"Movie",
    b"OpenAction",
    b"RichMedia",
    b"Rendition",
    b"Sound",
    b"SubmitForm",
    b"XFA",
)
"""Names of PDF features that act by themselves, reach outside, carry files or hide from a look (ISO 32000-1)."""

MOST_UNPACKED = 200 * 1024 * 1024
"""Compressed parts may unpack to so many bytes in all."""

_ACTIVE = re.compile(rb"/(?:" + b"|".join(ACTIVE) + rb")(?![A-Za-z0-9_.-])")
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
_STREAM = re.compile(rb"stream\r?\n")
_ZIP_END = b"PK\x05\x06"
_ZIP_TAIL = 65_557  # where a reader of archives looks for their end


def check_document(content: bytes) -> str:
    """Return the media type of a document that is safe to keep, or raise `UploadRefused`.

    >>> check_document(b"Dear all, here are the minutes.")
    'text/plain'
    """
    if content.startswith(b"%PDF-"):
        _check_pdf(content)
        return "application/pdf"
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UploadRefused(
            "unknown_type", "expected a photo (JPEG, PNG, WebP), a PDF or plain text in UTF-8"
        ) from error
    if any(unicodedata.category(sign) == "Cc" and sign not in "\n\r\t\f" for sign in text):
        raise UploadRefused("unknown_type", "expected plain text; this has control characters in it")
    return "text/plain"


def _check_pdf(content: bytes) -> None:
    if not content.rstrip(b"\r\n\t \x00").endswith(b"%%EOF"):
        raise UploadRefused(
            "unreadable", "the PDF is cut off, or has something behind its end; save it again"
        )
    if _ZIP_END in content[-_ZIP_TAIL:]:
        raise UploadRefused("two_files", "the PDF is an archive at the same time; print it to a new PDF")
    left = MOST_UNPACKED
    _check_names(content)
    for start in _STREAM.finditer(content):
        try:
            unpacked = zlib.decompressobj().decompress(content[start.end() :], left + 1)
        except zlib.error:
            continue  # not compressed this way, so that its names, if it has any, were seen above
        left -= len(unpacked)
        if left < 0:
            raise UploadRefused(
                "too_large", "the PDF unpacks to far more than it seems; print it to a new PDF"
            )
        _check_names(unpacked)


def _check_names(content: bytes) -> None:
    """Refuse names of active features, also where signs are written as their number."""
    plain = _ESCAPE.sub(lambda code: bytes([int(code[1], 16)]), content)
    if _ACTIVE.search(plain):
        raise UploadRefused(
            "active_content",
            "the PDF can act by itself, is encrypted or carries files; print it to a new PDF",
        )
