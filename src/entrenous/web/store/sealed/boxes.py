"""SQL about sealed answers: boxes by item, round and slot. Who a slot is, `owners` alone knows."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa
from sqlalchemy.orm import Session

from entrenous.web.store.database import inserting
from entrenous.web.store.schema import answers

__all__ = ["box_of", "boxes_of", "has_boxes", "remove_box", "remove_boxes", "remove_round", "save_box"]


def save_box(session: Session, item: str, round_: int, slot: str, box: bytes) -> None:
    """Keep a box, instead of an earlier one in the same place."""
    query = inserting(session, answers).values(item=item, round=round_, slot=slot, box=box)
    place = [answers.c.item, answers.c.round, answers.c.slot]
    session.execute(query.on_conflict_do_update(index_elements=place, set_={"box": query.excluded.box}))


def box_of(session: Session, item: str, round_: int, slot: str) -> bytes | None:
    """Return the box in one place."""
    query = sa.select(answers.c.box).where(
        answers.c.item == item, answers.c.round == round_, answers.c.slot == slot
    )
    return session.scalar(query)


def boxes_of(session: Session, item: str, round_: int) -> dict[str, bytes]:
    """Return all boxes of a round by slot."""
    query = sa.select(answers.c.slot, answers.c.box).where(answers.c.item == item, answers.c.round == round_)
    return {row.slot: row.box for row in session.execute(query)}


def has_boxes(session: Session, item: str, kept: Collection[int] = ()) -> bool:
    """Return whether there are boxes of an item, in other rounds than some."""
    found = sa.exists().where(answers.c.item == item, answers.c.round.not_in(kept))
    return bool(session.scalar(sa.select(found)))


def remove_box(session: Session, item: str, slot: str) -> None:
    """Remove what is in one slot of an item, in every round."""
    session.execute(sa.delete(answers).where(answers.c.item == item, answers.c.slot == slot))


def remove_boxes(session: Session, item: str, kept: Collection[int] = ()) -> None:
    """Remove the boxes of an item, but for some rounds."""
    session.execute(sa.delete(answers).where(answers.c.item == item, answers.c.round.not_in(kept)))


def remove_round(session: Session, item: str, round_: int) -> None:
    """Remove the boxes of one round."""
    session.execute(sa.delete(answers).where(answers.c.item == item, answers.c.round == round_))
