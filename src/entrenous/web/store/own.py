"""SQL about all that is one person's own in items, whatever became of the items: for that person alone."""

from __future__ import annotations

from dataclasses import dataclass, fields

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.items import OwnerRow, Petitioned
from entrenous.web.store.schema import agreements, owners, petitions

__all__ = ["Own", "everything_of"]


@dataclass(frozen=True)
class Own:
    """A person's places, agreements (item, round) and petitions, in order."""

    places: tuple[OwnerRow, ...]
    agreements: tuple[tuple[str, int], ...]
    petitions: tuple[Petitioned, ...]


def everything_of(session: Session, person: int) -> Own:
    """Return what a person was asked, said and signed."""
    places = sa.select(*(owners.c[one.name] for one in fields(OwnerRow))).where(owners.c.person == person)
    agreed = sa.select(agreements.c.item, agreements.c.round).where(agreements.c.person == person)
    asked = sa.select(petitions).where(petitions.c.person == person)
    return Own(
        tuple(OwnerRow(*row) for row in session.execute(places.order_by(owners.c.since, owners.c.item))),
        tuple((row.item, row.round) for row in session.execute(agreed.order_by(agreements.c.round))),
        tuple(Petitioned(**row._mapping) for row in session.execute(asked.order_by(petitions.c.round))),
    )
