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

from entrenous.web.rules.refusals import UploadRefused

__all__ = ["check_document"]

ACTIVE = (
    b"EmbeddedFile",
    b"EmbeddedFiles",
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

MOST_UNPACKED = 100 * 1024 * 1024
"""Compressed parts may unpack to so many bytes in all; never more than a few of them are held at once."""

MOST_READ = 4
"""Parts lie behind one another, so that reading all takes little more than the file; parts inside parts take more."""

MOST_NUMBERED = 2_000_000
"""So many signs # are looked at: each may begin a letter that is written as its number."""

# A search for one fixed beginning is quick whatever it goes through; one for all names at once stops at every slash.
_ACTIVE = {b"/" + name: re.compile(b"/" + name + rb"(?![A-Za-z0-9_.-])") for name in ACTIVE}
_NUMBERED = re.compile(rb"#([0-9A-Fa-f]{2})")
_LETTERS = {b"%02x" % code: b"%c" % code for code in range(256)}
_PACKED_OBJECTS = re.compile(rb"/(?:ObjStm|First)(?![A-Za-z0-9_.-])")
_PLAIN_HEAD = re.compile(rb"obj\s*<<[\sA-Za-z0-9/\[\]]*>>\s*")
_PLAIN_FILTER = re.compile(rb"/Filter\s*(?:/FlateDecode\b|\[\s*/FlateDecode\s*\])")
_STREAM = re.compile(rb"(?<!end)stream[ \t]{0,16}(?:\r\n?|\n)")
_HEAD, _LOOK = 4096, 128
_FIRST_PIECE, _PIECE = 64, 64 * 1024
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
    _Look(content).check()


class _Look:
    """A look through one PDF file, which ends when it takes more than an honest file could need."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.to_read = MOST_READ * len(content) + _PIECE
        self.to_unpack = MOST_UNPACKED
        self.to_spell = MOST_NUMBERED

    def check(self) -> None:
        """Refuse what has an active name anywhere, or objects packed so that they cannot be looked into."""
        plain = self._spelled_plainly(self.content)
        _check_names(plain)
        object_streams = 0
        for stream in _STREAM.finditer(self.content):
            object_streams += self._check_head(stream.start())
            seen = b""
            for piece, read in _unpacked(memoryview(self.content)[stream.end() :]):
                self._spend(read, len(piece))
                seen += piece
                _check_names(self._spelled_plainly(seen))
                seen = seen[-_OVERLAP:]
        if object_streams != plain.count(b"/ObjStm"):
            raise _unusual()  # one of them lies behind a head that was not recognized as such

    def _check_head(self, end: int) -> int:
        """Return how often the head of a part calls it a pack of objects; refuse one `_unpacked` cannot open."""
        start = self.content.rfind(b"obj", max(0, end - _HEAD), end)
        raw = self.content[start:end] if start >= 0 else b""
        self._spend(len(raw) + _LOOK)
        head = self._spelled_plainly(raw)
        if not _PACKED_OBJECTS.search(head):
            return 0
        packed_plainly = b"/Filter" not in head or _PLAIN_FILTER.search(head)
        if not _PLAIN_HEAD.fullmatch(head) or not packed_plainly or b"/DecodeParms" in head:
            raise _unusual()
        return head.count(b"/ObjStm")

    def _spelled_plainly(self, content: bytes) -> bytes:
        """Return content with signs that are written as their number (#41) written plainly (A)."""
        numbered = content.count(b"#")
        if not numbered:
            return content
        self.to_spell -= numbered
        self._spend()
        return _NUMBERED.sub(lambda code: _LETTERS[code[1].lower()], content)

    def _spend(self, read: int = 0, unpacked: int = 0) -> None:
        self.to_read -= read
        self.to_unpack -= unpacked
        if min(self.to_read, self.to_unpack, self.to_spell) < 0:
            raise UploadRefused(
                "too_large", "the PDF unpacks to far more than it seems; print it to a new PDF"
            )


def _unpacked(packed: memoryview) -> Iterator[tuple[bytes, int]]:
    """Yield what a part unpacks to, piece by piece, with the bytes read for it.

    A part that is not compressed was seen already: its first bytes show it, so little is read at first.
    """
    reader, start, size = zlib.decompressobj(), 0, _FIRST_PIECE
    while start < len(packed) and not reader.eof:
        pending: bytes | memoryview = packed[start : start + size]
        start, size = start + size, min(2 * size, _PIECE)
        while pending and not reader.eof:
            try:
                piece = reader.decompress(pending, 16 * _PIECE)
            except zlib.error:
                yield b"", len(pending)
                return
            left = reader.unconsumed_tail
            yield piece, len(pending) - len(left) - len(reader.unused_data)
            pending = left


def _check_names(content: bytes) -> None:
    if any(name in content and pattern.search(content) for name, pattern in _ACTIVE.items()):
        raise UploadRefused(
            "active_content",
            "the PDF can act by itself, is encrypted or carries files; print it to a new PDF",
        )


def _unusual() -> UploadRefused:
    return UploadRefused("unreadable", "the PDF is packed in an unusual way; print it to a new PDF")
