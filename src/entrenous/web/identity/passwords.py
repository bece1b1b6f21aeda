"""Passwords: the database keeps hashes only.

A password is slow to check on purpose, also where nobody has that address, so that the time of an answer does not tell
who has an account. The service hashes in threads kept for that: see `hashing`.
"""

from __future__ import annotations

import secrets

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from entrenous.errors import ArgumentError

__all__ = ["hash_password", "password_fits"]

SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 200

_hasher = PasswordHasher()

_dummy_hash = _hasher.hash(secrets.token_hex(16))


def hash_password(password: str) -> str:
    """Return what to store for a new password; one that is too short or too long is refused."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise ArgumentError(
            "password",
            f"expected {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters; a short sentence is a good one",
        )
    return _hasher.hash(password)


def password_fits(password: str, stored: str | None) -> bool:
    """Return whether a password is the stored one; None, for nobody's, takes as long and is false.

    >>> password_fits("correct horse", hash_password("correct horse")), password_fits("correct horse", None)
    (True, False)
    """
    try:
        return _hasher.verify(stored or _dummy_hash, password[:LONGEST_PASSWORD]) and stored is not None
    except (VerificationError, InvalidHashError):
        return False
