"""How people appear on pages: a picture drawn from their handle, and text in which nothing hides.

Nobody uploads a picture, so nobody can copy another's. It is drawn from the handle alone, which is unique: two people
of one name have different pictures. It stands in the page itself and tells nobody who was looked at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache

from markupsafe import Markup

from entrenous.web.rules.naming.characters import shown
from entrenous.web.store.records import Person, Who

__all__ = ["COLOURS", "INK", "as_shown", "avatar", "people_in"]

COLOURS = (
    "#0a5c8a", "#17603c", "#8a4300", "#a3173a", "#5b3fa0", "#00666b",
    "#7a3b69", "#4a5a10", "#1f4fa8", "#8c3b1b", "#52606d", "#7d2a8c",
)  # fmt: skip
"""Grounds on which white is read easily, in the light and in the dark."""

INK = "#ffffff"
NOBODY = "#52606d"


@lru_cache(maxsize=4096)
def avatar(handle: str) -> Markup:
    """Return the picture of a handle: a mirrored pattern of five by five; somebody who left has a plain ground.

    >>> avatar("ann") == avatar("ann"), avatar("ann") == avatar("bob"), "<path" in avatar("")
    (True, False, False)
    """
    digest = hashlib.sha256(handle.encode()).digest()
    ground = COLOURS[digest[0] % len(COLOURS)] if handle else NOBODY
    bits = int.from_bytes(digest[1:3], "big") if handle else 0
    cells = [(x, place // 3) for place in range(15) if bits >> place & 1 for x in {place % 3, 4 - place % 3}]
    path = "".join(f"M{x + 1} {y + 1}h1v1h-1z" for x, y in sorted(cells))
    picture = f'<path fill="{INK}" d="{path}"/>' if path else ""
    return Markup(  # noqa: S704 - numbers and our own colours, nothing of the handle
        '<svg class="avatar" viewBox="0 0 7 7" width="24" height="24" shape-rendering="crispEdges" '
        f'aria-hidden="true" focusable="false"><rect width="7" height="7" fill="{ground}"/>{picture}</svg>'
    )


def as_shown(value: object) -> object:
    """Return what a template prints; in plain text nothing stays hidden, however long ago it was stored."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def people_in(value: object) -> Iterator[Who]:
    """Yield everybody a page is about to name, as often as it holds them, but for those who left."""
    if isinstance(value, Who):
        if value.handle:
            yield value
    elif isinstance(value, Person):
        yield value.who
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from people_in(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from people_in(part)
    elif is_dataclass(value) and type(value).__module__ == Who.__module__:
        for part in fields(value):
            if part.name != "like":  # a request says itself whom it is not from
                yield from people_in(getattr(value, part.name))
