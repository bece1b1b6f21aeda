"""Style, script and icon: under an address that holds a hash of what is in them, kept by browsers for a year.

A changed file has another address, so nobody sees an old one and nobody asks for a known one again. The plain address
works too, and is asked about every few minutes; so does one with a hash of another version, which a page that was
loaded before an update may still name.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

__all__ = ["HashedFiles", "static"]

FOLDER = Path(__file__).parent.parent.parent / "static"
FOREVER = "public, max-age=31536000, immutable"
SHORTLY = "public, max-age=300"
_HASHED = re.compile(r"(?P<stem>[\w-]+)\.(?P<hash>[0-9a-f]{16})\.(?P<ending>\w+)")


@cache
def _hash(name: str) -> str:
    return hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()[:16]


@cache
def static(name: str) -> str:
    """Return the address of a file of ours.

    >>> static("style.css").startswith("/static/style.")
    True
    """
    stem, _, ending = name.rpartition(".")
    return f"/static/{stem}.{_hash(name)}.{ending}"


class HashedFiles(StaticFiles):
    """The files of a folder, under their names and under names with a hash."""

    def __init__(self) -> None:
        super().__init__(directory=FOLDER)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with a file; how long it may be kept depends on whether its address can ever mean another."""
        named, caching = _HASHED.fullmatch(path), SHORTLY
        if named is not None:
            path = f"{named['stem']}.{named['ending']}"
            if (FOLDER / path).is_file() and _hash(path) == named["hash"]:
                caching = FOREVER
        answer = await super().get_response(path, scope)
        if answer.status_code in (200, 206, 304):
            answer.headers["cache-control"] = caching
        return answer
