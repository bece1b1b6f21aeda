"""How a file is sent: not again if the browser has it, and only the part that was asked for (RFC 9110).

Whoever gets here has passed the access check: it runs at every request, also at one that ends in "not modified". A
browser may keep a file and must ask before it shows it again (`no-cache`), so that a narrowed limit counts at the next
request here too. Longer than that nothing is promised: what somebody has seen, their browser may hold.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from entrenous.web.http.problems import Problem
from entrenous.web.store.records import StoredFile

__all__ = ["FILE_ANSWERS", "answer_file"]

CACHING = "private, no-cache"
VARY = "Cookie, Authorization"
FILE_ANSWERS: dict[int | str, dict[str, Any]] = {
    206: {"description": "The part that was asked for (Range)."},
    304: {"description": "Not changed since it was sent with this tag (If-None-Match)."},
    412: {"description": "Changed since it was sent with this tag (If-Match)."},
    416: {"description": "No such part."},
}
"""What the answers mean that only files have."""

_RANGE = re.compile(r"bytes\s*=\s*(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))", re.IGNORECASE)
_TAG = re.compile(r'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")')


def answer_file(request: Request, stored: StoredFile, *, download: bool = False) -> Response:
    """Return a file, a part of it, or that it has not changed; bytes are read for the first two alone."""
    tag = f'"{stored.tag}"'
    headers = {"cache-control": CACHING, "vary": VARY, "etag": tag}
    asked = request.headers
    if "if-match" in asked and not _matches(asked["if-match"], tag, weakly=False):
        raise Problem(412, "changed", "The file is another one by now; fetch it anew.", headers=headers)
    if "if-none-match" in asked and _matches(asked["if-none-match"], tag, weakly=True):
        return Response(status_code=304, headers=headers)
    way = "inline" if stored.inline and not download else "attachment"
    headers |= {
        "accept-ranges": "bytes",
        "content-disposition": f"{way}; filename*=UTF-8''{quote(stored.name)}",
        "content-security-policy": "default-src 'none'; sandbox",
        "content-type": stored.media_type + ("; charset=utf-8" if stored.media_type == "text/plain" else ""),
    }
    if request.method == "HEAD":
        return Response(headers=headers | {"content-length": str(stored.size)})
    wanted = _wanted(asked.get("range", ""), stored.size) if asked.get("if-range", tag) == tag else None
    if wanted is None:
        return Response(stored.content, headers=headers)
    start, stop = wanted
    if start >= stop:
        size = {"content-range": f"bytes */{stored.size}"}
        raise Problem(416, "no-such-part", "The file has no such part; ask for another one.", headers=size)
    headers["content-range"] = f"bytes {start}-{stop - 1}/{stored.size}"
    return Response(stored.fetch(start, stop), 206, headers=headers)


def _matches(field: str, tag: str, *, weakly: bool) -> bool:
    """Return whether a list of tags holds this one; a weak tag (W/) is the same one only if that is enough."""
    if field.strip() == "*":
        return True
    found = _TAG.finditer(field)
    return any(one[1] == tag and (weakly or not one[0].startswith("W/")) for one in found)


def _wanted(field: str, size: int) -> tuple[int, int] | None:
    """Return from where to where bytes are asked for; nothing in between if there are none, None for all.

    Several parts at once, and what is no range at all, are answered with the whole file, as the RFC allows.

    >>> _wanted("bytes=2-5", 10), _wanted("bytes=7-", 10), _wanted("bytes=-4", 10), _wanted("bytes=0-1,3-4", 10)
    ((2, 6), (7, 10), (6, 10), None)
    """
    asked = _RANGE.fullmatch(field.strip())
    if asked is None:
        return None
    first, last, suffix = asked.groups()
    if suffix is not None:
        return max(0, size - int(suffix)), size
    start, stop = int(first), int(last) + 1 if last else size
    if last and stop <= start:
        return None  # not a range by the grammar: the last byte stands before the first
    return (start, min(stop, size)) if start < size else (size, size)
