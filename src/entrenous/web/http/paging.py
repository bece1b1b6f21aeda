"""Pages of lists: the links to the next and the one before, and what they carry.

A link carries where a page ended, sealed with a key of this service for one list and one reader. What is inside is a
row that the reader has just seen, but its numbers count what everybody does, so that even those are not for reading.
Nobody can make up a place to begin from, and what somebody else's link says is not understood.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from fastapi import Query
from sqlalchemy.orm import Session
from starlette.requests import Request

from entrenous.web import store
from entrenous.web.http.problems import Problem
from entrenous.web.store.lists.windows import Listed, Position, Window

__all__ = ["Cursor", "Limit", "Links", "link_header", "links", "window"]

LONGEST = 800
Cursor = Annotated[
    str | None,
    Query(
        max_length=LONGEST,
        pattern=r"^[A-Za-z0-9_-]*$",
        description="From the header Link of a page beside this one",
    ),
]
"""Where a page begins, as links have it: `before` for what comes later in the list, `after` for what comes earlier."""

Limit = Annotated[int, Query(ge=1, le=100, description="How many rows a page has")]


@dataclass(frozen=True)
class Links:
    """The addresses of the pages beside a page, None at an end of the list, and of the first page."""

    onward: str | None
    back: str | None
    first: str


def window(session: Session, name: str, reader: int | None, before: str | None, after: str | None) -> Window:
    """Return where a page of a list begins; a link of another list or another reader is refused."""
    if before and after:
        raise _unknown("before")
    seal = _seal(session)
    return Window(
        _unsealed(seal, name, reader, before, "before"), _unsealed(seal, name, reader, after, "after")
    )


def links(request: Request, session: Session, name: str, reader: int | None, page: Listed[Any]) -> Links:
    """Return the links of a page; whatever else was asked for goes along."""
    kept = [(key, value) for key, value in request.query_params.multi_items() if key not in _OURS]
    seal = _seal(session)

    def address(key: str, position: Position | None) -> str | None:
        if position is None:
            return None
        words = json.dumps(position, ensure_ascii=False).encode()
        sealed = seal.encrypt(words, [_purpose(name, reader)])
        place = base64.urlsafe_b64encode(sealed).decode().rstrip("=")
        return f"{request.url.path}?{urlencode([*kept, (key, place)])}"

    first = f"{request.url.path}?{urlencode(kept)}" if kept else request.url.path
    return Links(address("before", page.onward), address("after", page.back), first)


def link_header(found: Links) -> dict[str, str]:
    """Return the header that tells programs where to go on."""
    named = (("next", found.onward), ("prev", found.back))
    words = ", ".join(f'<{address}>; rel="{name}"' for name, address in named if address is not None)
    return {"link": words} if words else {}


_OURS = ("before", "after", "done")


def _seal(session: Session) -> AESSIV:
    return AESSIV(store.shelving.page_key(session))


def _purpose(name: str, reader: int | None) -> bytes:
    return f"{name} {reader}".encode()


def _unsealed(seal: AESSIV, name: str, reader: int | None, sealed: str | None, key: str) -> Position | None:
    if not sealed:
        return None
    try:
        box = base64.urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))
        position: Position = json.loads(seal.decrypt(box, [_purpose(name, reader)]))
    except (ValueError, InvalidTag):
        raise _unknown(key) from None
    return position


def _unknown(key: str) -> Problem:
    expected = "one of the two, as a link on a page of this list has it"
    return Problem(
        422,
        "unknown-page",
        "This page of the list is not known. Begin at the first page.",
        [{"field": key, "expected": expected}],
    )
