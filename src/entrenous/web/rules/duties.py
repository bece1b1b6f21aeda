"""What an item wants of each person, now and as time passes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from entrenous.web.rules import actions
from entrenous.web.rules.actions import ASKED, Place, may
from entrenous.web.rules.states import present_state
from entrenous.web.store.changes import Proposed
from entrenous.web.store.items import ItemRow
from entrenous.web.store.lists.list_tables import EARLIEST, LATEST

__all__ = ["NEEDS", "Known", "need", "spans"]

NEEDS = ("change", "answer", "tag", "claim", "agree")
"""What an item may want of somebody, the most urgent first."""


@dataclass(frozen=True)
class Known(Place):
    """Where a person stands with an item of which all is read: asking the rules makes no further questions."""

    agreed: Collection[int]
    proposed: Proposed | None
    voices: Collection[int]

    def agrees(self, item: ItemRow) -> bool:  # noqa: ARG002 - what was read is about this item
        """Return whether the person said that they agree with the present outcome."""
        return self.person in self.agreed

    def change(self, item: ItemRow, moment: datetime) -> Proposed | None:  # noqa: ARG002
        """Return the proposed change of the item, unless its time is over."""
        return self.proposed if self.proposed is not None and moment < self.proposed.until else None


def need(place: Known, row: ItemRow, moment: datetime) -> str | None:
    """Return what an item wants of a person at a moment; it depends on their own duties, not on others' answers."""
    if place.state == "asked":
        return "tag" if may(actions.ANSWER_TAG, place, row, moment) else None
    if place.own is None or place.state != "accepted":
        return None
    if present_state(row, moment) in ASKED and place.change(row, moment) and place.person not in place.voices:
        return "change"
    if may(actions.ANSWER, place, row, moment):
        if place.own.answered_round != row.round:
            return "answer"
    elif may(actions.AGREE, place, row, moment):
        return "agree"
    claims = any(owner.state == "claiming" for owner in place.owners)
    return "claim" if claims and may(actions.DECIDE_CLAIM, place, row, moment) else None


def spans(place: Known, row: ItemRow) -> Iterator[tuple[datetime, datetime, str]]:
    """Yield from when to when an item wants what of a person, if nobody does anything any more.

    Rules change their answer only when one of the item's own moments has come; between two of them it stays.
    """
    turns = {row.deadline, row.objection_until, row.expires}
    if place.proposed is not None:
        turns.add(place.proposed.until)
    moments = sorted({EARLIEST, *(turn for turn in turns if turn is not None)})
    begun: tuple[datetime, str | None] = (EARLIEST, None)
    for start, _end in pairwise([*moments, LATEST]):
        wanted = need(place, row, start)
        if wanted != begun[1]:
            if begun[1] is not None:
                yield begun[0], start, begun[1]
            begun = start, wanted
    if begun[1] is not None:
        yield begun[0], LATEST, begun[1]
