"""A slow twin of `visible_ids`: one viewer and one item at a time, from plain sets, as the specification says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

CHOICES = ("private", "friends", "friends-of-friends", "public")


@dataclass
class Thing:
    """An item as the twin knows it."""

    originator: int
    state: str
    choice: str | None
    anchor: str
    accepted: set[int]
    limits: dict[int, str] = field(default_factory=dict)
    left: dict[int, str | None] = field(default_factory=dict)
    undecided: set[int] = field(default_factory=set)
    objection_until: datetime | None = None
    expires: datetime | None = None


def distance(friends: set[frozenset[int]], one: int, other: int) -> float:
    """0 for oneself, 1 for a friend, 2 for a friend's friend, infinity beyond."""
    if one == other:
        return 0
    if frozenset((one, other)) in friends:
        return 1
    everybody = {person for pair in friends for person in pair}
    shared = [m for m in everybody if {frozenset((one, m)), frozenset((m, other))} <= friends]
    return 2 if shared else float("inf")


def may_see(thing: Thing, viewer: int | None, friends: set[frozenset[int]], moment: datetime) -> bool:
    """Whether one viewer may see one thing at a moment."""
    if viewer is not None and viewer in thing.accepted:
        return thing.state != "withdrawn" or viewer == thing.originator
    in_force = thing.state == "active"
    if thing.state == "proposed":
        in_force = thing.objection_until is not None and moment >= thing.objection_until
    if thing.expires is not None and moment >= thing.expires:
        in_force = False
    if not in_force or thing.choice is None:
        return False
    reach = CHOICES.index(thing.choice)
    for limit in (*thing.limits.values(), *thing.left.values()):
        reach = reach if limit is None else min(reach, CHOICES.index(limit))
    if CHOICES[reach] == "public":
        return True
    if viewer is None or CHOICES[reach] == "private":
        return False
    if thing.anchor == "originator":
        return distance(friends, viewer, thing.originator) <= reach
    if thing.anchor == "each" and thing.left:
        return False  # nobody can be told to be close to somebody who left
    within = [distance(friends, viewer, owner) <= reach for owner in thing.accepted]
    return all(within) if thing.anchor == "each" else any(within)
