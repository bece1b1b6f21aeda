"""What a form sent, read once and handed on as plain text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, time
from typing import Annotated, BinaryIO

from fastapi import Depends, Request
from starlette.datastructures import FormData, UploadFile

from entrenous.errors import ArgumentError

__all__ = ["Form", "Sent"]

MOST_FIELDS = 400


class Form:
    """The fields of one form.

    >>> form = Form(FormData([("name", " Ann "), ("friend", "3"), ("friend", "x")]))
    >>> form.text("name"), form.text("nothing"), form.numbers("friend"), form.flag("name")
    ('Ann', '', (3,), True)
    """

    def __init__(self, data: FormData) -> None:
        self._data = data

    def text(self, name: str) -> str:
        """Return a field without surrounding space, empty if it was not sent; no database keeps a NUL."""
        value = self._data.get(name)
        return value.replace("\0", "").strip() if isinstance(value, str) else ""

    def secret(self, name: str) -> str:
        """Return a password as it was typed."""
        value = self._data.get(name)
        return value if isinstance(value, str) else ""

    def flag(self, name: str) -> bool:
        """Return whether a box was ticked."""
        return bool(self.text(name))

    def number(self, name: str) -> int | None:
        """Return a small whole number, or None."""
        return _whole(self.text(name))

    def numbers(self, name: str) -> tuple[int, ...]:
        """Return the whole numbers of a field sent several times."""
        found = (_whole(value) for value in self._data.getlist(name) if isinstance(value, str))
        return tuple(number for number in found if number is not None)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the values of a field sent several times."""
        return tuple(value for value in self._data.getlist(name) if isinstance(value, str))

    def named(self, prefix: str) -> dict[str, str]:
        """Return the fields whose name begins with `prefix`, by the rest of it."""
        return {name.removeprefix(prefix): self.text(name) for name in self._data if name.startswith(prefix)}

    def end_of_day(self, name: str) -> datetime | None:
        """Return the end of a chosen day, None if none was chosen."""
        value = self.text(name)
        if not value:
            return None
        try:
            return datetime.combine(date.fromisoformat(value), time(23, 59, 59), UTC)
        except ValueError:
            raise ArgumentError(name, "expected a day such as 2030-12-31") from None

    def file(self, name: str) -> tuple[BinaryIO, str] | None:
        """Return an uploaded file and the name it had, None if none was chosen."""
        value = self._data.get(name)
        return (value.file, value.filename) if isinstance(value, UploadFile) and value.filename else None


def _whole(value: str) -> int | None:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None


async def _read(request: Request) -> AsyncIterator[Form]:
    async with request.form(max_files=1, max_fields=MOST_FIELDS) as data:
        yield Form(data)


Sent = Annotated[Form, Depends(_read)]
"""The form of a request, as an argument of a page."""
