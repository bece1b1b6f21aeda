"""Archives: tar and zip, also one inside another, read member by member without unpacking them to disk.

What an archive unpacks to, and how deep archives lie in archives, is bounded: a small file can be made that unpacks to
any size.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from entrenous.errors import FormatError
from entrenous.words.reading.formats.kind import Around

__all__ = ["DAMAGES", "Allowance", "Member", "bounded", "is_archive", "members_of", "on_disk", "uncompressed"]

TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
DEEPEST = 4  # archives in archives
LEAST, MOST_TIMES = 1 << 30, 100  # bytes that any archive may unpack to, and how many times its own size
# What damaged archives and compressed files raise; zip files with odd methods or passwords, the last two.
DAMAGES = (
    tarfile.TarError,
    zipfile.BadZipFile,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    OSError,
    NotImplementedError,
    RuntimeError,
)


_COMPRESSED: tuple[tuple[bytes, Callable[[IO[bytes]], Any]], ...] = (
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
)


class Member(NamedTuple):
    """A file in an archive: its path, what tells whether it has changed, how to open it, and what lies around it."""

    path: str
    key: str
    size: int
    stamp: int
    open: Callable[[], IO[bytes]]
    around: Around | None


class Allowance:
    """How many bytes may still be unpacked from an archive, or a compressed file, of some bytes.

    `where` is what errors call the file.
    """

    def __init__(self, size: int, where: str) -> None:
        self.where = where
        self.limit = self.left = max(LEAST, MOST_TIMES * size)

    def take(self, count: int) -> None:
        """Count bytes that were unpacked, and refuse those that are too many."""
        self.left -= count
        if self.left < 0:
            raise FormatError(
                f"expected at most {self.limit:,} bytes when unpacked; got more, as from a file made to fill a disk; "
                "unpack it yourself if you trust it",
                file=self.where,
            )


class _Bounded(io.RawIOBase):
    """A file whose bytes are counted as they are unpacked."""

    def __init__(self, file: IO[bytes], allowance: Allowance) -> None:
        super().__init__()
        self._file, self._allowance = file, allowance

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any) -> int:
        content = self._file.read(len(buffer))
        self._allowance.take(len(content))
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        self._file.close()
        super().close()


class _Strict(tarfile.TarInfo):
    """A header of a tar archive; one that is cut or damaged ends the reading loudly, where tarfile would just stop."""

    @classmethod
    def fromtarfile(cls, tarfile: Any) -> Any:  # named as by its parent
        try:
            return super().fromtarfile(tarfile)
        except _CUT:
            raise _DAMAGED from None


_DAMAGED = tarfile.ReadError
_CUT = tuple(
    getattr(tarfile, name) for name in ("EmptyHeaderError", "InvalidHeaderError", "TruncatedHeaderError")
)


class _ZipAround:
    """The files of a zip archive."""

    def __init__(self, archive: zipfile.ZipFile, allowance: Allowance) -> None:
        self._archive, self._allowance = archive, allowance
        self._names = set(archive.namelist())

    def read(self, path: str) -> bytes | None:
        if path not in self._names:
            return None
        with bounded(self._archive.open(path), self._allowance) as file:
            return file.read()

    def names(self, folder: str) -> list[str]:
        start = f"{folder}/" if folder else ""
        inside = (name.removeprefix(start) for name in self._names if name.startswith(start))
        return sorted(name for name in inside if name and "/" not in name)


def is_archive(name: str) -> bool:
    """Tell by its name whether a file is an archive that is looked into.

    >>> is_archive("Mail.ZIP"), is_archive("letter.docx")
    (True, False)
    """
    return name.lower().endswith((".zip", *TARS))


def bounded(file: IO[bytes], allowance: Allowance) -> IO[bytes]:
    """Return a file whose unpacked bytes are counted."""
    return io.BufferedReader(_Bounded(file, allowance), 1 << 17)


def spooled(file: IO[bytes]) -> IO[bytes]:
    """Return the content of a file, which can only be read forwards, as a file on disk that seeks.

    The file has no name, so that nothing stays behind if the process is killed.
    """
    import shutil
    import tempfile

    copy = tempfile.TemporaryFile()  # noqa: SIM115 - closed by whoever asked for it
    try:
        shutil.copyfileobj(file, copy)
    except BaseException:
        copy.close()
        raise
    copy.seek(0)
    return copy


def on_disk(file: IO[bytes], closing: ExitStack) -> IO[bytes]:
    """Return a file that seeks fast: a member of a zip archive would be unpacked anew each time."""
    return closing.enter_context(spooled(file)) if isinstance(getattr(file, "raw", None), _Bounded) else file


def members_of(
    file: IO[bytes], name: str, key: str, allowance: Allowance, depth: int = 1
) -> Iterator[Member]:
    """Yield the files in an archive as they come, and those in archives inside it.

    A member can only be opened before the next one is asked for.
    """
    if depth > DEEPEST:
        raise FormatError(
            f"expected archives in archives, {DEEPEST} deep at most; got more; unpack it yourself",
            file=allowance.where,
        )
    times: Counter[str] = Counter()
    try:
        found = (_in_zip if name.lower().endswith(".zip") else _in_tar)(file, allowance)
        for member in found:
            times[member.path] += 1
            inner = f"{key}!{member.path}"
            if times[member.path] > 1:  # archives may hold several files of one name
                inner += f"!{times[member.path]}"
            if not is_archive(member.path) or Path(member.path).name.startswith("."):
                yield member._replace(key=inner)
                continue
            with member.open() as opened, spooled(opened) as content:
                for deeper in members_of(content, member.path, inner, allowance, depth + 1):
                    yield deeper._replace(
                        path=f"{member.path}/{deeper.path}", around=_below(member.path, deeper.around)
                    )
    except DAMAGES:
        raise FormatError("expected a whole archive; got a damaged one", file=allowance.where) from None


def _below(top: str, around: Around | None) -> Around | None:
    return None if around is None else _Below(top, around)


@dataclass(frozen=True)
class _Below:
    """The files of an archive inside another, by their paths from the outermost."""

    top: str
    around: Around

    def read(self, path: str) -> bytes | None:
        start = f"{self.top}/"
        return self.around.read(path.removeprefix(start)) if path.startswith(start) else None

    def names(self, folder: str) -> list[str]:
        start = f"{self.top}/"
        inside = f"{folder}/".startswith(start)
        return self.around.names(f"{folder}/".removeprefix(start).rstrip("/")) if inside else []


def _in_tar(file: IO[bytes], allowance: Allowance) -> Iterator[Member]:
    """Yield the members of a tar archive, and read it to its end, where compressed files have their check sums."""
    with ExitStack() as closing:
        content = closing.enter_context(bounded(uncompressed(file, closing) or file, allowance))
        members = closing.enter_context(tarfile.open(fileobj=content, mode="r|", tarinfo=_Strict))
        for member in members:
            if member.issparse():  # what it leaves out would be filled with zeros
                allowance.take(member.size)
            opened = members.extractfile(member) if member.isfile() else None
            if opened is not None:
                yield Member(member.name, "", member.size, int(member.mtime), partial(spooled, opened), None)
        while content.read(1 << 20):
            pass


def uncompressed(file: IO[bytes], closing: ExitStack) -> IO[bytes] | None:
    """Return the content of a file that is compressed by itself; None if it is not."""
    magic = file.read(6)
    file.seek(0)
    opened = next((opened for begins, opened in _COMPRESSED if magic.startswith(begins)), None)
    return None if opened is None else cast("IO[bytes]", closing.enter_context(opened(file)))


def _in_zip(file: IO[bytes], allowance: Allowance) -> Iterator[Member]:
    with zipfile.ZipFile(file) as archive:
        around = _ZipAround(archive, allowance)
        for info in archive.infolist():
            if info.is_dir() or info.filename.startswith("__MACOSX/"):
                continue
            if info.flag_bits & 1:
                raise FormatError(
                    "expected an archive without a password; got a protected one; unpack it first",
                    file=allowance.where,
                )
            yield Member(
                info.filename, "", info.file_size, info.CRC, _zip_opener(archive, info, allowance), around
            )


def _zip_opener(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, allowance: Allowance
) -> Callable[[], IO[bytes]]:
    return lambda: bounded(archive.open(info), allowance)
