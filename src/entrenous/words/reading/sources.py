"""What there is to read below a path: files of mail, folders and maildirs of them, and members of archives."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

from entrenous.errors import FormatError, MissingDataError
from entrenous.words.reading.formats import KINDS, kind_of
from entrenous.words.reading.formats.archives import (
    DAMAGES,
    Allowance,
    bounded,
    is_archive,
    members_of,
    on_disk,
    uncompressed,
)
from entrenous.words.reading.formats.kind import Around, File, Kind
from entrenous.words.reading.messages import lines_of, split_mbox
from entrenous.words.reading.tables import csv_rows, document_lines, parquet_rows

__all__ = ["HOLDS", "Reading", "Source", "sources_below", "units_of"]

SNIFFED = 4096
HOLDS = (
    "maildirs, mbox and .eml files, JSON lines, CSV, Parquet, "
    f"{', '.join(each.holds for each in KINDS)}, folders and archives (zip, tar) of them"
)
_SUFFIXES = {
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".mbox": "mbox",
    ".eml": "message",
}
_ENDINGS = re.compile(r"\.(?:gz|bz2|xz)$", re.IGNORECASE)
_OTHER_ARCHIVES = (b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07")
_ABOUT = re.compile(
    r"(?:^|/)(?:users|channels|groups|mpims|dms|org_users|integration_logs|canvases|lists|group_info|user_info)\.json$"
)
_HEADER_LINE = re.compile(rb"[!-9;-~]+:[ \t]")
# A JSON document in one piece: a list, or an object that does not end with its line.
_DOCUMENT = re.compile(rb"\s*(?:\[|\{\s*$|\{\s*\n)")
_DAMAGES = (*DAMAGES, csv.Error)
BOXES = ("cur", "new")  # of a maildir: messages that were seen, and those that were not
_FLAGS = re.compile(r"[:;!]2,[A-Za-z]*$")  # of a maildir: they change as the mail is read
_CHATS = "chat"  # messages whose people are those the file names


@dataclass(frozen=True)
class Source:
    """A file of mail, or a member of an archive.

    Attributes
    ----------
    key
        What it is remembered by: its path, without what a mail program changes when a message is read.
    size, stamp
        What tells whether it has changed: bytes, and when it was written.
    mailbox
        The first folder below what is read: whose mail this is, as far as one can tell.
    path
        Where it lies, from what is read on.
    open
        Opens it for reading. A member of an archive can only be read before the next one is asked for.
    before
        The bytes of all files that come before it.
    around
        The files beside it, if they can be asked for.
    tell
        How many bytes of the archive were read; None if it is no member of one.
    """

    key: str
    size: int
    stamp: int
    mailbox: str
    path: str
    open: Callable[[], IO[bytes]]
    before: int
    around: Around | None = None
    tell: Callable[[], int] | None = None


class Reading(NamedTuple):
    """What a source holds, as it is read.

    Attributes
    ----------
    units
        Lines of JSON, rows of a table, messages as bytes, or messages that were read.
    form
        What they are: "jsonl", "csv", "parquet", "mbox", "message", "mail" or "chat".
    tell
        How many bytes of the file were read so far.
    """

    units: Iterator[Any]
    form: str
    tell: Callable[[], int]


class _Folder:
    """The files of a folder on disk, by their paths from it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, path: str) -> bytes | None:
        file = self._root / path
        return file.read_bytes() if file.is_file() else None

    def names(self, folder: str) -> list[str]:
        place = self._root / folder
        return sorted(file.name for file in place.iterdir() if file.is_file()) if place.is_dir() else []


def sources_below(path: Path) -> tuple[int, Iterator[Source]]:
    """Return the bytes of all files below a path, and the sources in them.

    Files come in order of their names, the members of an archive in the archive's order.
    """
    if not path.exists():
        raise MissingDataError("mail: expected a file or folder; there is none of this name")
    root = path.resolve()
    files = [root] if root.is_file() else sorted(file for file in root.rglob("*") if file.is_file())
    return sum(file.stat().st_size for file in files), _sources(root, files)


def units_of(source: Source, columns: Mapping[str, str], where: str) -> Reading | str:
    """Return what a source holds, or why it is passed over; `where` is what errors call it."""
    closing = ExitStack()
    try:
        raw = closing.enter_context(source.open())
        unpacked = uncompressed(raw, closing)
        allowance = Allowance(source.size, where)
        file = raw if unpacked is None else closing.enter_context(bounded(unpacked, allowance))
        head = file.read(SNIFFED)
        file.seek(0)
    except _DAMAGES:
        closing.close()
        raise FormatError("expected a whole file; got a damaged one", file=where) from None
    path = _ENDINGS.sub("", source.path)
    kind = kind_of(path, head)
    form = None if kind else _form(path, head)
    tell = source.tell or raw.tell
    if kind is not None:
        units: Iterator[Any] = _messages(kind, path, file, source, where)
        return Reading(_closed_after(units, closing, where), "mail" if kind.travelled else _CHATS, tell)
    if form is None or not head:
        closing.close()
        return _reason(path, head)
    units = iter(file)
    if form == "csv":
        units = csv_rows(file)
    elif form == "parquet":
        units = parquet_rows(on_disk(file, closing), columns, where)
    elif form == "mbox":
        units = _some_messages(split_mbox(lines_of(file)), where)
    elif form == "message":
        units = iter([file.read()])
    elif form == "document":
        form, units = "jsonl", document_lines(file, where)
    return Reading(_closed_after(units, closing, where), form, tell)


def _messages(kind: Kind, path: str, file: IO[bytes], source: Source, where: str) -> Iterator[Any]:
    with ExitStack() as closing:
        content = on_disk(file, closing) if kind.travelled else file
        try:
            yield from kind.messages(File(path, content, source.around, where))
        except (AttributeError, LookupError, TypeError, RecursionError):  # what they say may quote a message
            raise FormatError(f"expected {kind.holds}; got something else", file=where) from None


def _some_messages(messages: Iterator[bytes], where: str) -> Iterator[bytes]:
    """Yield the messages of an mbox file, which has some if it has anything."""
    first = next(messages, None)
    if first is None:
        raise FormatError(
            "expected an mbox file, where each message begins with a line From, sender and time; got none",
            file=where,
        )
    yield first
    yield from messages


def _closed_after(units: Iterator[Any], closing: ExitStack, where: str) -> Iterator[Any]:
    with closing:
        try:
            yield from units
        except _DAMAGES:
            raise FormatError("expected a whole file; got a damaged one", file=where) from None


def _sources(root: Path, files: list[Path]) -> Iterator[Source]:
    before, archives = 0, 0
    top = root if root.is_dir() else root.parent
    around = _Folder(top)
    for file in files:
        state = file.stat()
        parts = file.relative_to(top).parts
        if is_archive(file.name) and not file.name.startswith("."):
            archives += 1
            yield from _members(file, before, f"archive {archives}")
        elif not _is_ignored(parts, maildir=any((file.parent.parent / box).is_dir() for box in BOXES)):
            yield Source(
                _storable(_remembered(file)),
                state.st_size,
                state.st_mtime_ns,
                _storable(parts[0]) if len(parts) > 1 else "",
                "/".join(parts),
                _opener(file),
                before,
                around,
            )
        before += state.st_size


def _form(path: str, head: bytes) -> str | None:
    """Return the format by the name of a file, else by how it begins; None for what is no mail."""
    if _ABOUT.search(path):
        return None
    named = _SUFFIXES.get(Path(path).suffix.lower())
    if named == "jsonl" and _DOCUMENT.match(head):
        return "document"
    if named:
        return named
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"From "):
        return "mbox"
    if head.startswith(b"{"):
        return "jsonl"
    lines = head.split(b"\n", 3)[:2]
    return "message" if len(lines) == 2 and all(map(_HEADER_LINE.match, lines)) else None


def _reason(path: str, head: bytes) -> str:
    """Say why a file is passed over."""
    if not head.strip():
        return "empty files"
    if _ABOUT.search(path):
        return "files that tell of people and channels"
    if head.startswith(_OTHER_ARCHIVES):
        return "archives of a kind that is not read (7z, rar)"
    return "files that are no mail"


def _members(archive: Path, before: int, where: str) -> Iterator[Source]:
    """Yield the files in an archive as they come, without unpacking it."""
    with archive.open("rb") as disk:
        allowance = Allowance(archive.stat().st_size, where)
        for member in members_of(disk, archive.name, str(archive), allowance):
            parts = Path(member.path).parts
            if _is_ignored(parts, maildir=True):
                continue
            yield Source(
                _storable(member.key),
                member.size,
                member.stamp,
                _storable(parts[-2]) if len(parts) > 1 else "",
                member.path,
                member.open,
                before,
                member.around,
                disk.tell,
            )


def _opener(file: Path) -> Callable[[], IO[bytes]]:
    return lambda: file.open("rb")


def _remembered(file: Path) -> str:
    """Return a path without a maildir's state: whether a message is new, and its flags."""
    box = file.parent.parent
    if file.parent.name not in BOXES or not all((box / each).is_dir() for each in BOXES):
        return str(file)  # two files of a folder may differ by what would be flags of a maildir
    return str(box / _FLAGS.sub("", file.name))


def _storable(name: str) -> str:
    """Return a name as text that can be stored, also where its bytes are no UTF-8; different ones stay different."""
    return (
        name
        if name.isascii()
        else name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    )


def _is_ignored(parts: tuple[str, ...], *, maildir: bool) -> bool:
    """Tell whether a file is hidden, or still being delivered to a maildir, if it may lie in one."""
    return parts[-1].startswith(".") or (maildir and len(parts) > 1 and parts[-2] == "tmp")
