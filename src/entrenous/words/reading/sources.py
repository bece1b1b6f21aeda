"""What there is to read below a path: files of mail, folders and maildirs of them, and members of tar archives."""

from __future__ import annotations

import gzip
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from entrenous.errors import FormatError, MissingDataError
from entrenous.words.reading.messages import lines_of, split_mbox
from entrenous.words.reading.tables import csv_rows, parquet_rows

__all__ = ["Reading", "Source", "sources_below", "units_of"]

SNIFFED = 4096
_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_SUFFIXES = {
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".mbox": "mbox",
}
_HEADER_LINE = re.compile(rb"[!-9;-~]+:[ \t]")
_DAMAGES = (tarfile.TarError, EOFError, zlib.error, OSError)
_FLAGS = re.compile(r"[:;!]2,[A-Za-z]*$")  # of a maildir: they change as the mail is read


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
    open
        Opens it for reading. A member of an archive can only be read before the next one is asked for.
    before
        The bytes of all files that come before it.
    tell
        How many bytes of the archive were read; None if it is no member of one.
    """

    key: str
    size: int
    stamp: int
    mailbox: str
    name: str
    open: Callable[[], IO[bytes]]
    before: int
    tell: Callable[[], int] | None = None


class Reading(NamedTuple):
    """What a source holds, as it is read.

    Attributes
    ----------
    units
        Lines of JSON, rows of a table, or messages as bytes.
    form
        What they are: "jsonl", "csv", "parquet", "mbox" or "message".
    tell
        How many bytes of the file were read so far.
    """

    units: Iterator[Any]
    form: str
    tell: Callable[[], int]


def sources_below(path: Path) -> tuple[int, Iterator[Source]]:
    """Return the bytes of all files below a path, and the sources in them.

    Files come in order of their names, the members of an archive in the archive's order.
    """
    if not path.exists():
        raise MissingDataError("mail: expected a file or folder; there is none of this name")
    root = path.resolve()
    files = [root] if root.is_file() else sorted(file for file in root.rglob("*") if file.is_file())
    return sum(file.stat().st_size for file in files), _sources(root, files)


def units_of(source: Source, columns: Mapping[str, str], where: str) -> Reading | None:
    """Return what a source holds, or None if it is no mail; `where` is what errors call it."""
    closing = ExitStack()
    try:
        raw = closing.enter_context(source.open())
        file: IO[bytes] = raw
        if raw.read(2) == b"\x1f\x8b":
            raw.seek(0)
            file = cast("IO[bytes]", closing.enter_context(gzip.GzipFile(fileobj=raw)))
        else:
            raw.seek(0)
        head = file.read(SNIFFED)
        file.seek(0)
    except _DAMAGES:
        closing.close()
        raise FormatError("expected a whole file; got a damaged one", file=where) from None
    kind = _kind(source.name.removesuffix(".gz"), head)
    if kind is None:
        closing.close()
        return None
    units: Iterator[Any] = iter(file)
    if kind == "csv":
        units = csv_rows(file)
    elif kind == "parquet":
        units = parquet_rows(file, columns, where)
    elif kind == "mbox":
        units = split_mbox(lines_of(file))
    elif kind == "message":
        units = iter([file.read()])
    return Reading(_closed_after(units, closing, where), kind, source.tell or raw.tell)


def _closed_after(units: Iterator[Any], closing: ExitStack, where: str) -> Iterator[Any]:
    with closing:
        try:
            yield from units
        except _DAMAGES:
            raise FormatError("expected a whole file; got a damaged one", file=where) from None


def _sources(root: Path, files: list[Path]) -> Iterator[Source]:
    before = 0
    for file in files:
        state = file.stat()
        parts = file.relative_to(root).parts or (file.name,)
        if file.name.endswith(_ARCHIVES):
            yield from _members(file, before)
        elif not _is_ignored(
            parts, maildir=any((file.parent.parent / box).is_dir() for box in ("cur", "new"))
        ):
            mailbox = parts[0] if len(parts) > 1 else ""
            yield Source(
                _remembered(file),
                state.st_size,
                state.st_mtime_ns,
                mailbox,
                file.name,
                _opener(file),
                before,
            )
        before += state.st_size


def _kind(name: str, head: bytes) -> str | None:
    """Return the format by the name of a file, else by how it begins; None for what is no mail."""
    named = _SUFFIXES.get(Path(name).suffix.lower())
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


def _members(archive: Path, before: int) -> Iterator[Source]:
    """Yield the files in a tar archive as they come, without unpacking it."""
    try:
        with archive.open("rb") as disk, tarfile.open(fileobj=disk, mode="r|*") as members:
            for member in members:
                opened = members.extractfile(member) if member.isfile() else None
                parts = Path(member.name).parts
                if opened is None or _is_ignored(parts, maildir=True):
                    continue
                yield Source(
                    f"{archive}!{member.name}",
                    member.size,
                    int(member.mtime),
                    parts[-2] if len(parts) > 1 else "",
                    parts[-1],
                    _seekable(opened),
                    before,
                    disk.tell,
                )
    except _DAMAGES:
        raise FormatError("expected a whole tar archive; got a damaged one", file="archive") from None


def _seekable(member: IO[bytes]) -> Callable[[], IO[bytes]]:
    """Return an opener of an archive's member, which can only be read forwards, as a file on disk that seeks.

    The file has no name, so that nothing stays behind if the process is killed.
    """

    def opened() -> IO[bytes]:
        import shutil
        import tempfile

        file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by whoever asked for it
        shutil.copyfileobj(member, file)
        file.seek(0)
        return file

    return opened


def _opener(file: Path) -> Callable[[], IO[bytes]]:
    return lambda: file.open("rb")


def _remembered(file: Path) -> str:
    """Return a path without a maildir's state: whether a message is new, and its flags."""
    folder = file.parent.parent if file.parent.name in ("cur", "new") else file.parent
    return str(folder / _FLAGS.sub("", file.name))


def _is_ignored(parts: tuple[str, ...], *, maildir: bool) -> bool:
    """Tell whether a file is hidden, or still being delivered to a maildir, if it may lie in one."""
    return parts[-1].startswith(".") or (maildir and len(parts) > 1 and parts[-2] == "tmp")
