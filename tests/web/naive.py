"""Slow twins of `visible_ids`: one viewer and one item at a time, from plain sets, as the specification says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

CHOICES = ("private", "friends", "friends-of-friends", "public")
STRANGERS = "Strangers"
Pairs = set[frozenset[int]]


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


@dataclass
class Circled:
    """An item that its co-owners decided by circles: what each said about which circle, and whom nobody listens to."""

    scores: dict[int, dict[str, int]]
    needed: int
    limits: dict[int, list[str]] = field(default_factory=dict)
    left: bool = False
    in_force: bool = True


def may_see_circled(thing: Circled, viewer: int | None, circles: dict[int, dict[str, set[int]]]) -> bool:
    """Whether one viewer may see one thing that was decided by circles, as the circles are now."""
    if viewer in thing.scores:
        return True
    accepting = 0
    for owner, scores in thing.scores.items():
        holding = [name for name, members in circles[owner].items() if viewer in members] or [STRANGERS]
        limit = thing.limits.get(owner)
        if not set(holding) <= scores.keys() or (limit is not None and not set(holding) <= set(limit)):
            return False
        accepting += min(scores[name] for name in holding) >= 3
    return thing.in_force and not thing.left and accepting >= thing.needed


def distance(friends: Pairs, suspended: set[int], one: int, other: int) -> float:
    """0 for oneself, 1 for a friend, 2 for a friend of a friend who is not suspended, infinity beyond."""
    if one == other:
        return 0
    if frozenset((one, other)) in friends:
        return 1
    everybody = {person for pair in friends for person in pair}
    between = everybody - suspended
    shared = [m for m in between if {frozenset((one, m)), frozenset((m, other))} <= friends]
    return 2 if shared else float("inf")


def may_see(thing: Thing, viewer: int | None, friends: Pairs, suspended: set[int], moment: datetime) -> bool:
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
        return distance(friends, suspended, viewer, thing.originator) <= reach
    if thing.anchor == "each" and thing.left:
        return False  # nobody can be told to be close to somebody who left
    within = [distance(friends, suspended, viewer, owner) <= reach for owner in thing.accepted]
    return all(within) if thing.anchor == "each" else any(within)
