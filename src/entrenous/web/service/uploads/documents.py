"""Documents: plain text, and PDF files written anew from what their pages show.

A PDF may name its author, keep earlier revisions, run scripts, fetch pages and carry other files. Looking for all of
that by name would miss what is spelled in a new way, so the file is read and written anew: see `pdf_program`. That runs
in a process of its own, since no limit holds inside a parser: one that takes too long or too much memory is ended.
"""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from pathlib import Path

from entrenous.web.rules.refusals import UploadRefused

__all__ = ["clean_document"]

PROGRAM = Path(__file__).with_name("pdf_program.py")
PATIENCE = 120.0
"""Seconds until a process that does not even get to work is ended; it ends itself after 20 seconds of work."""

_REFUSED = 3
_PRINT = "print it to a new PDF"
REASONS = {
    "encrypted": ("encrypted", f"the PDF is encrypted; {_PRINT}"),
    "layers": ("hidden_layers", f"the PDF has layers that are hidden; {_PRINT}"),
    "too_large": ("too_large", f"the PDF unpacks to far more than it seems; {_PRINT}"),
    "unreadable": ("unreadable", f"the PDF is broken, or made in an unusual way; {_PRINT}"),
}
"""What the process says in a word, for programs and for people."""

_ZIP_END = b"PK\x05\x06"
_ZIP_TAIL = 65_557  # where a reader of archives looks for their end


def clean_document(content: bytes) -> tuple[str, bytes]:
    """Return the media type of a document and what is kept of it, or raise `UploadRefused`.

    >>> clean_document(b"Dear all, here are the minutes.")
    ('text/plain', b'Dear all, here are the minutes.')
    """
    if content.startswith(b"%PDF-"):
        return "application/pdf", _clean_pdf(content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UploadRefused(
            "unknown_type", "expected a photo (JPEG, PNG, WebP), a PDF or plain text in UTF-8"
        ) from error
    if any(unicodedata.category(sign) == "Cc" and sign not in "\n\r\t\f" for sign in text):
        raise UploadRefused("unknown_type", "expected plain text; this has control characters in it")
    return "text/plain", content


def _clean_pdf(content: bytes) -> bytes:
    if not content.rstrip(b"\r\n\t \x00").endswith(b"%%EOF"):
        raise UploadRefused(
            "unreadable", "the PDF is cut off, or has something behind its end; save it again"
        )
    if _ZIP_END in content[-_ZIP_TAIL:]:
        raise UploadRefused("two_files", f"the PDF is an archive at the same time; {_PRINT}")
    try:
        done = subprocess.run(  # noqa: S603 - our own program, by its path
            [sys.executable, "-I", str(PROGRAM)],
            check=False,
            input=content,
            capture_output=True,
            timeout=PATIENCE,
            env={},
        )
    except subprocess.TimeoutExpired:
        raise UploadRefused(*REASONS["too_large"]) from None
    if done.returncode == 0:
        return done.stdout
    told = done.stderr.decode("ascii", "replace") if done.returncode == _REFUSED else ""
    # Ended by a signal: it took all the time or memory it may take.
    raise UploadRefused(*REASONS.get(told, REASONS["too_large" if done.returncode < 0 else "unreadable"]))
