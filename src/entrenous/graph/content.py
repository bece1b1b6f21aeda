"""What a file holds, unpacked as it is read: whole lines block by block, or everything where a format needs that."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from entrenous.errors import FormatError, MissingDataError

__all__ = ["BLOCK", "Content", "ReadProgress"]

ReadProgress = Callable[[int, int], object]
"""Called with the bytes of a file that were read, and its size."""

BLOCK = 1 << 22  # bytes; the longest line, and what reading an edge list holds of its text
_GZIP = b"\x1f\x8b"
_TRUSTED = 1 << 28  # bytes that any gzip file may unpack to;
_RATIO = (
    50  # beyond, it may grow so much: edge lists grow three to ten times, a hostile file a thousand times
)


class Content:
    """The content of a file, decompressed if it is gzip, whatever its name.

    Parameters
    ----------
    path
        The file. It is opened anew for every pass; what can be read only once, such as a pipe, is kept.
    progress
        Called with bytes read and bytes in all.
    """

    def __init__(self, path: Path, progress: ReadProgress | None = None) -> None:
        self.path = path
        self.name = path.name[:255]
        self._progress = progress
        self._kept: bytes | None = None
        with self._opened() as file:
            if not file.seekable():
                self._kept = file.read()

    @classmethod
    def of_bytes(cls, name: str, data: bytes) -> Content:
        """Return content that was never in a file.

        >>> list(Content.of_bytes("friends.edges", b"0 1").blocks())
        [b'0 1']
        """
        content = cls.__new__(cls)
        content.path, content.name, content._progress, content._kept = Path(name), name, None, data
        return content

    @property
    def packed(self) -> bool:
        """Whether the file is compressed."""
        with self._opened() as file:
            return file.read(2) == _GZIP

    def head(self) -> bytes:
        """Return the first bytes, which tell the format."""
        return next(self._parts(), b"")[:4096]

    def blank(self) -> bool:
        """Tell whether there is nothing but white space."""
        return not any(part.strip() for part in self._parts())

    def whole(self) -> bytes:
        """Return everything at once."""
        return b"".join(self._parts())

    def blocks(self) -> Iterator[bytes]:
        """Yield the content in pieces that end where a line does.

        Raises
        ------
        FormatError
            If a line is longer than a block: no edge list has such lines.
        """
        rest, lines = b"", 1
        for part in self._parts():
            block = rest + part
            end = block.rfind(b"\n") + 1 or block.rfind(b"\r", 0, -1) + 1  # the last \r may be half of \r\n
            if not end and len(block) >= BLOCK:
                raise FormatError(
                    f"expected lines below {BLOCK} bytes; got a longer one", line=lines, file=self.name
                )
            if end:
                lines += block.count(b"\n", 0, end)
                yield block[:end]
            rest = block[end:]
        if rest:
            yield rest

    def _parts(self) -> Iterator[bytes]:
        """Yield the unpacked content in parts of one size, and guard against what grows without end."""
        with self._opened() as file:
            size = file.seek(0, io.SEEK_END)
            packed = file.seek(0) == 0 and file.read(2) == _GZIP
            file.seek(0)
            stream: IO[bytes] | gzip.GzipFile = gzip.GzipFile(fileobj=file) if packed else file
            unpacked = 0
            while part := self._read(stream):
                unpacked += len(part)
                if packed and unpacked > max(_TRUSTED, _RATIO * size):
                    raise FormatError(
                        f"expected a gzip file that grows at most {_RATIO} times; got one that grows more; unpack it "
                        "yourself if you trust where it comes from",
                        file=self.name,
                    )
                if self._progress is not None:
                    self._progress(file.tell(), size)
                yield part

    def _read(self, stream: IO[bytes] | gzip.GzipFile) -> bytes:
        try:
            return stream.read(BLOCK)
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise FormatError(
                "expected a whole gzip file; got a damaged or truncated one", file=self.name
            ) from None
        except OSError as failure:
            raise self._unreadable(failure) from None

    def _opened(self) -> IO[bytes]:
        if self._kept is not None:
            return io.BytesIO(self._kept)
        try:
            return self.path.open("rb")
        except FileNotFoundError:
            raise MissingDataError(
                f"{self.name}: expected a file; there is none of this name in its folder"
            ) from None
        except IsADirectoryError:
            raise FormatError("expected a file; got a folder", file=self.name) from None
        except (OSError, ValueError) as failure:
            raise self._unreadable(failure) from None

    def _unreadable(self, failure: Exception) -> FormatError:
        return FormatError(f"expected a readable file; got {type(failure).__name__}", file=self.name)
