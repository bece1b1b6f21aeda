"""A one-time link that was opened: its secret moves from the address into a cookie at once.

So it stands neither in the address of a page, nor in the header Referer of what that page loads, nor in the history for
longer than the moment of opening it.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

__all__ = ["drop_link", "held_link", "hold_link"]

MINUTES = 60


def hold_link(kind: str, secret: str, *, https: bool) -> Response:
    """Return the way from an opened link to its page, without the secret."""
    answer = RedirectResponse(f"/{kind}", 303, headers={"referrer-policy": "no-referrer"})
    answer.set_cookie(
        _name(kind), secret, max_age=MINUTES * 60, path="/", secure=https, httponly=True, samesite="lax"
    )
    return answer


def held_link(request: Request, kind: str) -> str | None:
    """Return the secret of the link of a kind that this browser opened, if any."""
    return request.cookies.get(_name(kind))


def drop_link(answer: Response, kind: str) -> Response:
    """Let the browser forget a link that was used."""
    answer.delete_cookie(_name(kind), path="/", httponly=True, samesite="lax")
    return answer


def _name(kind: str) -> str:
    return f"entrenous-{kind}"
