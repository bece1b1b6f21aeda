"""Many items at once: rows as the service writes them, without the steps that lead there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from entrenous.web.store.database import Database, now
from entrenous.web.store.schema import items, notifications, owners

STATES = ("collecting", "active", "proposed", "draft", "no_agreement")


def add_items(database: Database, rows: Sequence[dict[str, Any]], *, start: int = 0) -> list[str]:
    """Add items of some owners, the later ones newer unless told; return their ids."""
    with database.writing() as session:
        moment = now(session)
        shelf, places = [], []
        for number, row in enumerate(rows, start):
            item, group = f"heap-{number:06}", row["owners"]
            values = {key: value for key, value in row.items() if key not in ("owners", "asked")}
            shelf.append(
                {
                    "id": item,
                    "originator": group[0],
                    "title": f"Heap {number}",
                    "description": "",
                    "kind": "photo",
                    "state": "active",
                    "round": 1,
                    "petitions": 0,
                    "method": "oc",
                    "vote": {"rule": "consensus"},
                    "anchor": "each",
                    "choice": None,
                    "deadline": None,
                    "objection_until": None,
                    "created": moment - timedelta(days=10) + timedelta(seconds=number),
                }
                | values
            )
            states = [(person, "accepted") for person in group] + [
                (one, "asked") for one in row.get("asked", ())
            ]
            places += [
                {
                    "item": item,
                    "person": person,
                    "role": "originator" if person == group[0] else "tagged",
                    "state": state,
                    "tagged": True,
                    "slot": f"slot{person}",
                    "since": moment,
                }
                for person, state in states
            ]
        session.execute(sa.insert(items), shelf)
        session.execute(sa.insert(owners), places)
    return [values["id"] for values in shelf]


def heap(database: Database, person: int, other: int, number: int, *, start: int = 0) -> list[str]:
    """Give two people items in all states that want something of them or not, and a notification of each."""
    ends = database.clock() + timedelta(days=2)
    rows = []
    for place in range(number):
        state = STATES[place % len(STATES)]
        rows.append(
            {
                "owners": [person, other],
                "state": state,
                "choice": "public" if state in ("active", "proposed") else None,
                "deadline": ends if state == "collecting" else None,
                "objection_until": ends if state == "proposed" else None,
            }
        )
    ids = add_items(database, rows, start=start)
    with database.writing() as session:
        told = [
            {
                "person": person,
                "kind": "active",
                "item": item,
                "actor": other,
                "created": now(session),
                "read": None,
            }
            for item in ids
        ]
        session.execute(sa.insert(notifications), told)
    return ids
