"""Documents: plain text, and PDF files that only show something.

A PDF may run scripts, start programs, fetch pages and carry other files. Each such feature has a name that must stand
in the file: those names are looked for, also inside compressed parts and however they are spelled. What has one, or
hides objects in a way that cannot be looked into, is refused.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator

from entrenous.web.refusals import UploadRefused

__all__ = ["check_document"]

ACTIVE = (
    b"EmbeddedFiles?",
    b"Encrypt",
    b"GoToE",
    b"GoToR",
    b"ImportData",
    b"JavaScript",
    b"Launch",
    b"Movie",
    b"Rendition",
    b"RichMedia",
    b"Sound",
    b"SubmitForm",
    b"XFA",
)
"""Names of PDF features that act, reach outside, carry files or hide from a look (ISO 32000-1, 12.6.4 and others).

What merely triggers an action (OpenAction, AA) is not among them: without one of these it opens a page of the file.
"""

MOST_UNPACKED = 200 * 1024 * 1024
"""Compressed parts may unpack to so many bytes in all; never more than a few of them are held at once."""

_ACTIVE = re.compile(rb"/(?:" + b"|".join(ACTIVE) + rb")(?![A-Za-z0-9_.-])")
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
_STREAM = re.compile(rb"stream\r?\n")
_PLAIN_FILTER = re.compile(rb"/Filter\s*\[?\s*/FlateDecode\b")
_PIECE = 64 * 1024
_OVERLAP = 64  # no name is longer, not even spelled out
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
    _check_names(content)
    left = MOST_UNPACKED
    for stream in _STREAM.finditer(content):
        _check_object_stream(content, stream.start())
        tail = b""
        for piece in _unpacked(memoryview(content)[stream.end() :]):
            left -= len(piece)
            if left < 0:
                raise UploadRefused(
                    "too_large", "the PDF unpacks to far more than it seems; print it to a new PDF"
                )
            _check_names(tail + piece)
            tail = piece[-_OVERLAP:]


def _unpacked(packed: memoryview) -> Iterator[bytes]:
    """Yield what a part unpacks to, piece by piece; nothing if it is not compressed, so that it was seen already."""
    reader = zlib.decompressobj()
    for start in range(0, len(packed), _PIECE):
        pending: bytes | memoryview = packed[start : start + _PIECE]
        while pending:
            try:
                yield reader.decompress(pending, 16 * _PIECE)
            except zlib.error:
                return
            if reader.eof:
                return
            pending = reader.unconsumed_tail


def _check_object_stream(content: bytes, stream: int) -> None:
    """Refuse objects packed in a way that `_unpacked` cannot look into."""
    head = _spelled_plainly(content[content.rfind(b"obj", max(0, stream - 4096), stream) : stream])
    if b"/ObjStm" not in head:
        return
    plain = b"/Filter" not in head or _PLAIN_FILTER.search(head)
    if not plain or b"/DecodeParms" in head or head.count(b"Decode") > 1:
        raise UploadRefused("unreadable", "the PDF is packed in an unusual way; print it to a new PDF")


def _check_names(content: bytes) -> None:
    if _ACTIVE.search(_spelled_plainly(content)):
        raise UploadRefused(
            "active_content",
            "the PDF can act by itself, is encrypted or carries files; print it to a new PDF",
        )


def _spelled_plainly(content: bytes) -> bytes:
    """Return content with signs that are written as their number (#41) written plainly (A)."""
    return _ESCAPE.sub(lambda code: bytes([int(code[1], 16)]), content) if b"#" in content else content
