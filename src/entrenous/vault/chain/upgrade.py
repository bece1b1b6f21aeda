"""Ledgers of earlier versions, read as the entries a vault would have written."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from entrenous.errors import VaultError
from entrenous.vault.chain.entry import Promise

__all__ = ["old_entries"]

LATER = ("event", "condition", "asked")  # columns that the first ledgers lack
BY = "an earlier version"


def old_entries(connection: sqlite3.Connection, name: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Return what a ledger says: kind, time and body of each entry.

    Its budget gets no slack, so that nothing is admitted that was not admitted before. Releases of words took who is
    tied to whom for public, and said so on their cards: that fact is entered with the first of them.
    """
    try:
        ((epsilon, delta, unit),) = connection.execute("SELECT epsilon, delta, unit FROM budget").fetchall()
        there = {row[1] for row in connection.execute("PRAGMA table_info(entry)")}
        columns = ", ".join(column if column in there else "NULL" for column in LATER)
        rows = connection.execute(
            f"SELECT time, epsilon, delta, purpose, rehearsal, {columns} FROM entry ORDER BY number"  # noqa: S608
        ).fetchall()
        return _entries(epsilon, delta, unit, rows)
    except (TypeError, ValueError, sqlite3.DatabaseError):
        raise VaultError(f"{name} is damaged: what the ledger says cannot be read") from None


def _entries(epsilon: str, delta: str, unit: str, rows: list[Any]) -> list[tuple[str, str, dict[str, Any]]]:
    opened = rows[0][0] if rows else ""
    budget = {"unit": unit, "epsilon": epsilon, "delta": delta, "slack": "0.0", "by": BY}
    entries: list[tuple[str, str, dict[str, Any]]] = [
        ("opened", opened, {"by": BY}),
        ("budget", opened, budget),
    ]
    declared = False
    for time, epsilon, delta, purpose, rehearsal, event, condition, asked in rows:  # noqa: PLR1704
        words = unit != "edge"
        if words and not declared:
            entries.append(("fact", time, {"fact": "ties", "purpose": purpose, "by": BY}))
            declared = True
        noise = None if event is None else json.loads(event)
        promise = {"unit": unit, "epsilon": epsilon, "delta": delta, "event": noise}
        Promise.read(promise)  # whatever is damaged is refused now
        body = {
            "purpose": purpose,
            "rehearsal": bool(rehearsal),
            "promises": [promise],
            "sees": ["contents"] if words else ["ties"],
            "exactly": [],
            "condition": condition,
            "by": BY,
        }
        entries.append(("charge", time, body))
        if asked is not None:
            entries.append(("drawn", time, {"of": len(entries), "asked": json.loads(asked), "by": BY}))
    return entries
