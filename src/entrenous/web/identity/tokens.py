"""Who somebody is: passwords, secrets of sessions and tokens, and the cookie that carries them.

The database keeps hashes only. A password is slow to check on purpose, also where nobody has that address,
so that the time of an answer does not tell who has an account.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

from starlette.requests import Request

__all__ = ["SCOPES", "bearer_secret", "hash_secret", "new_secret"]

SCOPES: Final = {
    "mediate": "mediate groups that are sent along; nothing stored is touched",
    "check": "ask whether you may see items",
    "read": "read what you can read on the pages, but for your own answers",
    "answers": "read your own answers: views, limits, receipts, whom you listen to, and what holds without an answer",
    "write": "do what you can do on the pages, in your name",
}
"""What a token may be allowed to do."""


def new_secret() -> str:
    """Return a random secret for a session, a token or a flow: 256 bits, readable in a header."""
    return secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """Return what to store and look up for a random secret; unlike a password it needs no slow hash.

    >>> hash_secret("abc")[:8]
    'ba7816bf'
    """
    return hashlib.sha256(secret.encode()).hexdigest()


def bearer_secret(request: Request) -> str | None:
    """Return the token a request carries in its header Authorization, if any."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() or None if scheme.lower() == "bearer" else None
