"""The cookie by which an account recognizes a browser that signed in to it before.

It is no session: it opens nothing. It only lets the owner of a name that others guess at sign in without waiting for
them. It survives signing out, holds a random secret for each of the last few accounts of this browser, and the database
keeps hashes. A secret that was planted is worth nothing: a new one is drawn unless the account knows it already.
"""

from __future__ import annotations

import re

from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from entrenous.web.identity.tokens import hash_secret, new_secret
from entrenous.web.store.signing_in import devices

__all__ = ["carried_secrets", "recognize", "recognized", "set_device_cookie"]

MOST_ACCOUNTS = 5
"""A browser is recognized by so many accounts; a family may share one."""

DAYS = 400
"""As long as browsers keep any cookie."""

_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")


def carried_secrets(request: Request, *, https: bool) -> tuple[str, ...]:
    """Return the secrets a browser carries, the last used first."""
    sent = request.cookies.get(_cookie_name(https=https), "")
    return tuple(secret for secret in sent.split(".") if _SECRET.fullmatch(secret))[:MOST_ACCOUNTS]


def recognized(session: Session, person: int, secrets: tuple[str, ...]) -> int | None:
    """Return which of a person's known browsers this is, if it is one."""
    return devices.device_among(session, person, [hash_secret(one) for one in secrets]) if secrets else None


def recognize(session: Session, person: int, secrets: tuple[str, ...], agent: str) -> tuple[str, ...]:
    """Remember the browser in which a person has just signed in, and return the secrets it is to carry."""
    hashes = {hash_secret(one): one for one in secrets}
    known = recognized(session, person, secrets)
    if known is not None:
        devices.touch_device(session, known)
        mine = devices.secret_hash_of(session, known)
        others = [one for hashed, one in hashes.items() if hashed != mine]
        return (hashes[mine], *others)
    kept = devices.known_hashes(session, hashes)
    secret = new_secret()
    devices.add_device(session, person, hash_secret(secret), agent)
    others = [one for hashed, one in hashes.items() if hashed in kept]
    return (secret, *others)[:MOST_ACCOUNTS]


def set_device_cookie(response: Response, secrets: tuple[str, ...], *, https: bool) -> None:
    """Let the browser carry its secrets: not for scripts, not across sites."""
    response.set_cookie(
        _cookie_name(https=https),
        ".".join(secrets),
        max_age=DAYS * 86_400,
        path="/",
        secure=https,
        httponly=True,
        samesite="lax",
    )


def _cookie_name(*, https: bool) -> str:
    return "__Host-entrenous-device" if https else "entrenous-device"
