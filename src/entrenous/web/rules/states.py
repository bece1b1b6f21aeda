"""The states of an item, and what the clock makes of them.

::

    draft -> collecting -> proposed -> active -> expired
                 |  ^          |         |
                 |  +----------+---------+   a petition, or somebody joins: the next round
                 +-> no_agreement -> collecting
    withdrawn: from everywhere, by who put the item up

What is stored may be behind the clock: a window that has passed is over, whether or not a worker has noticed. So
whoever asks for the state asks `present_state`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TypeVar

from entrenous.access import CHOICES
from entrenous.web.store.items import ItemRow
from entrenous.web.store.standings import Part, Standing

__all__ = [
    "ASKED",
    "CIRCLES",
    "LIVE",
    "STATES",
    "accepted",
    "audience_in_force",
    "closes_now",
    "present_state",
]

STATES = ("draft", "collecting", "proposed", "active", "no_agreement", "withdrawn", "expired")
LIVE = STATES[:5]
"""Those in which people can still do something about the item."""

ASKED = LIVE[1:]
"""Those in which others were asked: from here on the item is everybody's, not only who put it up."""

CIRCLES = "circles"
"""The audience of an item on which each co-owner scored own circles: it differs from viewer to viewer."""

Owner = TypeVar("Owner", bound=Part)
_EXPIRING = ("collecting", "proposed", "active", "no_agreement")


def present_state(item: Standing, moment: datetime) -> str:
    """Return the state of an item at a moment; a round whose deadline has passed is still to be decided."""
    if item.state in _EXPIRING and item.expires is not None and item.expires <= moment:
        return "expired"
    if item.state == "proposed" and item.objection_until is not None and item.objection_until <= moment:
        return "active"
    return item.state


def closes_now(item: ItemRow, moment: datetime) -> bool:
    """Return whether the deadline of the round has passed and nobody has decided yet."""
    collecting = present_state(item, moment) == "collecting"
    return collecting and item.deadline is not None and item.deadline <= moment


def accepted(owners: Iterable[Owner]) -> list[Owner]:
    """Return those whose voice counts."""
    return [owner for owner in owners if owner.state == "accepted"]


def audience_in_force(item: Standing, owners: Iterable[Part], moment: datetime) -> str:
    """Return the audience beyond which nobody sees the item now.

    It is what was decided, or the narrowest hard limit of any co-owner if that is narrower by now; the limits of those
    who left live on as the item's cap, which is private if they had limited it to circles of theirs. While nothing is
    in force it is private: the co-owners alone. So it is where everybody's distance, or everybody's circles, would have
    to be looked at and somebody left since the answers were weighed: theirs are not known any more.
    """
    if item.choice is None or present_state(item, moment) != "active":
        return CHOICES[0]
    if item.method == CIRCLES:
        return CHOICES[0] if item.incomplete or item.cap == CHOICES[0] else CIRCLES
    limits: list[str] = [owner.limit for owner in accepted(owners) if owner.limit is not None]
    bounds = limits if item.cap is None else [*limits, item.cap]
    audience = min([item.choice, *bounds], key=CHOICES.index)
    unmeasured = item.incomplete and item.anchor == "each" and audience != CHOICES[-1]
    return CHOICES[0] if unmeasured else audience
