"""What every kind of file says of itself, and what lies around a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any, NamedTuple, Protocol

from entrenous.errors import FormatError
from entrenous.words.reading.messages import Message
from entrenous.words.reading.text.markup import decoded, without_marks

__all__ = ["Around", "File", "Kind", "json_in", "plain_text", "seconds"]


class Around(Hashable, Protocol):
    """The files beside one, in a folder or in an archive that can be read in any order.

    It has a hash, so that what a file of it says about all others is read once.
    """

    def read(self, path: str) -> bytes | None:
        """Return the content of a file, by its path from the root of what is read; None if there is none."""

    def names(self, folder: str) -> list[str]:
        """Return the names of the files in a folder."""


class File(NamedTuple):
    """A file that is read: its path from the root, its content, its neighbours, and what errors call it."""

    path: str
    content: IO[bytes]
    around: Around | None
    where: str

    @property
    def folder(self) -> str:
        """The folder of the file."""
        return self.path.rpartition("/")[0]

    def beside(self, path: str) -> bytes | None:
        """Return the content of a file by its path from the root."""
        return self.around.read(path) if self.around is not None else None


@dataclass(frozen=True)
class Kind:
    """A kind of file that holds messages: a module in this folder defines it, and `KINDS` finds it there.

    Attributes
    ----------
    name
        The word for the kind.
    holds
        What a file is, in a few words.
    recognises
        Tells by path and first bytes whether a file is of the kind.
    messages
        Yields the messages of a file, or raises a FormatError that names the place.
    travelled
        Whether it is mail as it travelled, so that its lists are recognised; else it says itself who its people are.
    """

    name: str
    holds: str
    recognises: Callable[[str, bytes], bool]
    messages: Callable[[File], Iterator[Message]]
    travelled: bool = False


def json_in(content: bytes, where: str) -> Any:
    """Return what a whole JSON document says."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise FormatError("expected a whole JSON document; got a damaged one", file=where) from None


def plain_text(content: str | bytes, *, html: bool, charset: str = "utf-8") -> str:
    """Return the text of a message, without marks if it is HTML; bytes are read by the charset, as far as they fit.

    >>> plain_text("<p>tea&nbsp;time</p>", html=True).split()
    ['tea', 'time']
    """
    text = content if isinstance(content, str) else decoded(content, charset)
    return without_marks(text) if html else text


def seconds(moment: datetime | None) -> int | None:
    """Return the seconds since 1970 of a moment, which is in UTC if it does not say."""
    if moment is None:
        return None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
