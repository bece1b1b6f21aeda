"""A one-time link that was opened: its secret moves from the address into a cookie at once.

So it stands neither in the address of a page, nor in the header Referer of what that page loads, nor in the history for
longer than the moment of opening it.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from entrenous.web.http.visits import service

__all__ = ["drop_link", "held_link", "hold_link"]

MINUTES = 60


def hold_link(request: Request, kind: str, secret: str) -> Response:
    """Return the way from an opened link to its page, without the secret."""
    answer = RedirectResponse(f"/{kind}", 303, headers={"referrer-policy": "no-referrer"})
    answer.set_cookie(
        _name(request, kind),
        secret,
        max_age=MINUTES * 60,
        path="/",
        secure=service(request).settings.secure,
        httponly=True,
        samesite="lax",
    )
    return answer


def held_link(request: Request, kind: str) -> str | None:
    """Return the secret of the link of a kind that this browser opened, if any."""
    return request.cookies.get(_name(request, kind))


def drop_link(request: Request, answer: Response, kind: str) -> Response:
    """Let the browser forget a link that was used."""
    secure = service(request).settings.secure
    answer.delete_cookie(_name(request, kind), path="/", secure=secure, httponly=True, samesite="lax")
    return answer


def _name(request: Request, kind: str) -> str:
    """Return the name: with the prefix no neighbour of this host can put a link of its own in its place."""
    return f"{'__Host-' if service(request).settings.secure else ''}entrenous-{kind}"
