"""Who somebody is: passwords, secrets of sessions and tokens, and the cookie that carries them.

The database keeps hashes only. A password is slow to check on purpose, also where nobody has that address,
so that the time of an answer does not tell who has an account.
"""

from __future__ import annotations

import hashlib
import secrets
from threading import BoundedSemaphore
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from starlette.requests import Request
from starlette.responses import Response

from entrenous.errors import ArgumentError

__all__ = [
    "SCOPES",
    "bearer_secret",
    "clear_session_cookie",
    "hash_password",
    "hash_secret",
    "new_secret",
    "password_fits",
    "session_secret",
    "set_session_cookie",
]

SCOPES: Final = {
    "mediate": "mediate groups that are sent along; nothing stored is touched",
    "check": "ask whether you may see items",
    "read": "read what you can read on the pages",
    "write": "do what you can do on the pages, in your name",
}
"""What a token may be allowed to do."""

SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 200

_hasher = PasswordHasher()
_dummy_hash = _hasher.hash(secrets.token_hex(16))
_room = BoundedSemaphore(2)
"""Every check takes 64 MB for a moment; a crowd at the door waits instead of filling the memory."""


def hash_password(password: str) -> str:
    """Return what to store for a new password; one that is too short or too long is refused."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise ArgumentError(
            "password",
            f"expected {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters; a short sentence is a good one",
        )
    with _room:
        return _hasher.hash(password)


def password_fits(password: str, stored: str | None) -> bool:
    """Return whether a password is the stored one; None, for nobody's, takes as long and is false.

    >>> password_fits("correct horse", hash_password("correct horse")), password_fits("correct horse", None)
    (True, False)
    """
    with _room:
        try:
            return _hasher.verify(stored or _dummy_hash, password[:LONGEST_PASSWORD]) and stored is not None
        except (VerificationError, InvalidHashError):
            return False


def new_secret() -> str:
    """Return a random secret for a session, a token or a flow: 256 bits, readable in a header."""
    return secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """Return what to store and look up for a random secret; unlike a password it needs no slow hash.

    >>> hash_secret("abc")[:8]
    'ba7816bf'
    """
    return hashlib.sha256(secret.encode()).hexdigest()


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


def bearer_secret(request: Request) -> str | None:
    """Return the token a request carries in its header Authorization, if any."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() or None if scheme.lower() == "bearer" else None


def _cookie_name(*, https: bool) -> str:
    """Return the name: the prefix makes browsers refuse one set by another host or without TLS."""
    return "__Host-entrenous" if https else "entrenous"
