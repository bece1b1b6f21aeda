"""Decisions: what co-owners answered goes into `entrenous.access`, and everything about it is kept.

The snapshot of a decision holds the input, the weights after capping, the output with its certificate, and the version
of the engine. `recompute` puts the input through the engine again and compares the texts, letter by letter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy.orm import Session

from entrenous import __version__, access
from entrenous.access.mediation import ENGINE
from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.rules.refusals import NotFound
from entrenous.web.rules.views import fitting_default
from entrenous.web.store.database import settings_of
from entrenous.web.store.items import Decided, ItemRow, OwnerRow

__all__ = [
    "Recomputed",
    "Settled",
    "allows_viewer",
    "mediate_round",
    "objection",
    "reason_for",
    "recompute",
    "took_part",
]


@dataclass(frozen=True)
class Settled:
    """What a round gave, ready to be kept."""

    choice: str
    rule: str
    agreed: bool
    snapshot: str
    digest: str


@dataclass(frozen=True)
class Recomputed:
    """Whether a kept decision came out the same again, and which engine made it."""

    item: str
    round: int
    same: bool
    engine: int


def mediate_round(session: Session, item: ItemRow, voters: Sequence[OwnerRow]) -> Settled:
    """Mediate the present round of an item among those whose voice counts.

    Who stays silent is taken at their last word, but only for so many rounds as an item may be decided in: rounds that
    somebody's joining brings on have no end, and whoever brings them on could find out what others keep saying.
    """
    stands = item.round <= settings_of(session).rounds
    answers = store.items.answers_for(session, item.id, 1 if stands else item.round, item.round)
    missing = [owner.person for owner in voters if owner.person not in answers]
    defaults = store.friendships.defaults_of(session, missing) if missing else {}
    wishes: dict[str, Any] = {}
    limits: dict[str, Any] = {}
    for owner in voters:
        standing = defaults.get(owner.person)
        silent = owner.person not in answers
        name = str(owner.person)
        wishes[name] = fitting_default(standing, item.method) if silent else answers[owner.person]
        limit = owner.limit
        if limit is None and standing is not None and item.method != "circles":
            limit = standing.limit
        if limit is not None:
            limits[name] = _scored(limit, wishes[name]) if item.method == "circles" else limit
    listening = store.friendships.listening(session, [owner.person for owner in voters])
    entry = {
        "wishes": wishes,
        "peers": {
            str(person): {str(friend): percent / 100 for friend, percent in row.items()}
            for person, row in listening.items()
            if row
        },
        "limits": limits,
        "method": item.method,
        "vote": item.vote,
        "anchor": item.anchor,
        "originator": str(item.originator) if str(item.originator) in wishes else None,
    }
    try:
        return _settle(access.Item.from_dict(entry))
    except ArgumentError:
        # All of it was checked when it was kept; and the engine's words may name one person's circle to another.
        raise RuntimeError("a round does not fit the engine") from None


def _scored(names: Sequence[str], wish: Mapping[str, int] | None) -> list[str]:
    """Return those of a person's circles that they were asked about; circles made later say nothing."""
    return [name for name in names if name in (wish or ())]


def _settle(item: access.Item) -> Settled:
    decision = access.decide(item)
    snapshot = {
        "engine": ENGINE,
        "version": __version__,
        "input": item.to_dict(),
        "weights": access.capped_peers(item),
        "output": decision.to_dict(),
    }
    # The order of people is part of the input, so keys stay in their order.
    text = json.dumps(snapshot, separators=(",", ":"), allow_nan=False)
    return Settled(decision.choice, decision.rule, decision.agreed, text, _digest(text))


def took_part(decided: Decided) -> set[int]:
    """Return whose voices a decision was made from."""
    return {int(name) for name in _input(decided).people}


def reason_for(decided: Decided, person: int) -> str:
    """Return why the outcome is what it is, written for one person; nothing if they had no part in it."""
    reasons: dict[str, str] = json.loads(decided.snapshot)["output"]["reasons"]
    return reasons.get(str(person), "")


def objection(decided: Decided, person: int) -> tuple[bool | None, tuple[int, ...]]:
    """Return whether another answer of the objector alone would do, and who else could bring a change about.

    The first is for the objector's eyes only, and None where each viewer is decided for separately.
    """
    item = _input(decided)
    others = tuple(int(name) for name in item.people if int(name) != person)
    if item.method == "circles" or str(person) not in item.wishes:
        return None, others
    alone, helpers = _second_round(decided.snapshot, str(person), narrowest=decided.choice == item.choices[0])
    return alone, helpers or others


@lru_cache(maxsize=256)
def _second_round(snapshot: str, person: str, *, narrowest: bool) -> tuple[bool, tuple[int, ...]]:
    """Work out who could change an outcome: with many people it takes a while, and pages ask again and again."""
    item = access.Item.from_dict(json.loads(snapshot)["input"])
    found = access.second_round(item, person, direction="any" if narrowest else "narrower")
    return found.alone.points is not None, tuple(int(name) for name in found.helpers)


def allows_viewer(
    decided: Decided, profile: Mapping[int, Sequence[str]], limits: Mapping[int, Sequence[str]]
) -> bool:
    """Return whether a viewer whom these circles of the co-owners hold may see an item decided by circles.

    Circles and limits are those of the moment; what was answered is what was decided on. Whom a co-owner holds in a
    circle they were not asked about, a new or a renamed one, is not allowed: it may be there to keep them out.
    """
    held = tuple(sorted((person, tuple(names)) for person, names in profile.items() if names))
    bounds = tuple(sorted((person, tuple(names)) for person, names in limits.items()))
    return _allows(decided.snapshot, held, bounds)


@lru_cache(maxsize=4096)
def _allows(
    snapshot: str,
    held: tuple[tuple[int, tuple[str, ...]], ...],
    limits: tuple[tuple[int, tuple[str, ...]], ...],
) -> bool:
    entry = json.loads(snapshot)["input"]
    wishes = entry["wishes"]

    def known(table: tuple[tuple[int, tuple[str, ...]], ...]) -> dict[str, list[str]]:
        return {
            str(person): _scored(names, wishes[str(person)])
            for person, names in table
            if str(person) in wishes
        }

    scored = known(held)
    if any(len(scored[str(person)]) < len(names) for person, names in held if wishes.get(str(person))):
        return False
    entry["circles"] = {who: names for who, names in scored.items() if names}
    entry["limits"] = known(limits)
    return access.decide(access.Item.from_dict(entry)).choice == "allow"


def recompute(session: Session, item: str | None = None) -> Iterator[Recomputed]:
    """Put every kept decision through the engine again, or those of one item, the oldest first.

    A decision must also be the one the audit tells of, and what is in force must be what was decided last. One that the
    audit alone knows comes last, with engine 0.
    """
    keys = store.items.decisions_in_order(session, item)
    told = store.audit_trail.decided_digests(session, item)
    if item is not None and not keys and not told:
        raise NotFound
    last = dict(keys)
    for name, round_ in keys:
        decided = store.items.decision_of(session, name, round_)
        assert decided is not None, "it was just listed"
        engine = json.loads(decided.snapshot)["engine"]
        same = _reproduced(decided) and told.get((name, round_)) == decided.digest
        if last[name] == round_:
            same = same and _in_force(session, decided)
        yield Recomputed(name, round_, same, engine)
    yield from (Recomputed(*key, same=False, engine=0) for key in told.keys() - set(keys))


def _in_force(session: Session, decided: Decided) -> bool:
    """Return whether an item's choice, if it has one, is the one decided last."""
    item = store.items.get_item(session, decided.item)
    assert item is not None, "items are never removed"
    return item.choice is None or (item.choice, item.round) == (decided.choice, decided.round)


def _reproduced(decided: Decided) -> bool:
    try:
        again = _settle(_input(decided))
    except ArgumentError:
        return False
    kept = json.loads(decided.snapshot)
    same = again.snapshot == json.dumps(kept | {"version": __version__}, separators=(",", ":"))
    return same and _digest(decided.snapshot) == decided.digest and again.choice == decided.choice


def _input(decided: Decided) -> access.Item:
    return access.Item.from_dict(json.loads(decided.snapshot)["input"])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
