"""The database of the service: its tables, the connection, and all SQL, one file per subject."""

from __future__ import annotations

from entrenous.web.store import (
    audit_trail,
    changes,
    credentials,
    database,
    files,
    friendships,
    items,
    letters,
    own,
    persons,
    standings,
)
from entrenous.web.store.lists import crewing, shelving

__all__ = [
    "audit_trail",
    "changes",
    "credentials",
    "crewing",
    "database",
    "files",
    "friendships",
    "items",
    "letters",
    "own",
    "persons",
    "shelving",
    "standings",
]
