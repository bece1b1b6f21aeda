"""SQL about tries to sign in: how many there were for a key, and from when on the next may be made."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.database import inserting
from entrenous.web.store.signing_in.sign_in_tables import attempts

__all__ = ["Tries", "forget_attempts", "locked_attempts", "purge_attempts", "set_attempts", "take_back"]


@dataclass(frozen=True)
class Tries:
    """How many tries there were, from when on another may be made, and when all are forgotten."""

    count: int
    until: datetime
    expires: datetime


def locked_attempts(session: Session, keys: Collection[str], begun: Tries) -> dict[str, Tries]:
    """Return the tries of each key, locked until the transaction ends; `begun` is what a new key begins with."""
    ordered = sorted(keys)  # whoever locks several does so in one order, so that nobody waits for each other
    rows = [
        {"key": key, "made": begun.count, "until": begun.until, "expires": begun.expires} for key in ordered
    ]
    session.execute(inserting(session, attempts).values(rows).on_conflict_do_nothing())
    query = sa.select(attempts).where(attempts.c.key.in_(ordered)).order_by(attempts.c.key)
    found = session.execute(query.with_for_update())
    return {row.key: Tries(row.made, row.until, row.expires) for row in found}


def set_attempts(session: Session, tries: Mapping[str, Tries]) -> None:
    """Write the tries of some keys."""
    for key, one in tries.items():
        values = {"made": one.count, "until": one.until, "expires": one.expires}
        session.execute(sa.update(attempts).where(attempts.c.key == key).values(**values))


def take_back(session: Session, keys: Collection[str], until: datetime) -> None:
    """Count one try less for some keys, and let the next be made at `until`: it was the right password."""
    for key in sorted(keys):
        query = sa.update(attempts).where(attempts.c.key == key, attempts.c.made > 0)
        session.execute(query.values(made=attempts.c.made - 1, until=until))


def forget_attempts(session: Session, keys: Collection[str]) -> None:
    """Count some keys from nothing again."""
    for key in sorted(keys):
        session.execute(sa.delete(attempts).where(attempts.c.key == key))


def purge_attempts(session: Session, moment: datetime) -> None:
    """Remove what is forgotten by now."""
    session.execute(sa.delete(attempts).where(attempts.c.expires <= moment))
