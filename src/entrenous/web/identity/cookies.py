"""The cookie in which a browser carries the secret of a session."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

__all__ = ["clear_session_cookie", "session_secret", "set_session_cookie"]


def set_session_cookie(response: Response, secret: str, *, days: int, https: bool) -> None:
    """Let the browser carry a session: not for scripts, not across sites, over TLS only where there is TLS."""
    response.set_cookie(
        _cookie_name(https=https),
        secret,
        max_age=days * 86_400,
        path="/",
        secure=https,
        httponly=True,
        samesite="lax",
    )


def clear_session_cookie(response: Response, *, https: bool) -> None:
    """Let the browser forget its session."""
    response.delete_cookie(_cookie_name(https=https), path="/", secure=https, httponly=True, samesite="lax")


def session_secret(request: Request, *, https: bool) -> str | None:
    """Return the secret of the session a request carries, if any."""
    return request.cookies.get(_cookie_name(https=https))


def _cookie_name(*, https: bool) -> str:
    """Return the name: the prefix makes browsers refuse one set by another host or without TLS."""
    return "__Host-entrenous" if https else "entrenous"
