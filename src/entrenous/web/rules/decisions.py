"""Decisions: sealed answers go into `entrenous.access`, and what is kept tells nothing but the outcome.

Only a round that every co-owner answered can let an item go further. In any other round the earlier outcome stands,
narrowed by limits and by whoever joined since. So nobody learns anything about a person from a round they did not
answer, and a no that was said is never replaced.

The record of a decision holds the outcome and one commitment for each slot: a salted hash of what went in. `recompute`
puts the answers through the engine again as long as their key lives.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.orm import Session

from entrenous import __version__, access
from entrenous.access.insight.pivotality import could_widen
from entrenous.access.insight.sealed_words import own_line, sealed_options, sealed_reason, sealed_viewer
from entrenous.access.item import ALLOW, DENY
from entrenous.access.mediation import ENGINE
from entrenous.access.receipts import Opening, Receipt, new_salt, opens, to_item
from entrenous.access.votes import DEFAULT, is_offered, read_vote
from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.rules import sealing
from entrenous.web.rules.refusals import NotFound
from entrenous.web.rules.sealing import Lost
from entrenous.web.rules.viewers import ACCEPTED, accepts_all
from entrenous.web.rules.views import line_as_scores
from entrenous.web.store.items import Decided, ItemRow, OwnerRow
from entrenous.web.store.records import StandingLine

__all__ = [
    "Recomputed",
    "Settled",
    "counts",
    "mediate_round",
    "reason_for",
    "recompute",
    "rounds_behind",
    "took_part",
    "vote_among",
]

NARROWEST = access.CHOICES[0]


@dataclass(frozen=True)
class Settled:
    """What a round gave, ready to be kept; `named` are slots, in an open round that everybody was fine with."""

    choice: str
    agreed: bool
    record: str
    digest: str
    named: tuple[str, ...] | None
    weighed: bool


@dataclass(frozen=True)
class Recomputed:
    """Whether a kept decision came out the same again, which engine made it, and whether its answers still open."""

    item: str
    round: int
    same: bool
    engine: int
    opened: bool = False


def vote_among(vote: Mapping[str, Any], voters: int) -> dict[str, object]:
    """Return the vote that counts among so many people: with fewer than four it takes everybody."""
    return dict(vote) if is_offered(read_vote(vote), voters) else DEFAULT.to_dict()


def mediate_round(session: Session, item: ItemRow, voters: Sequence[OwnerRow]) -> Settled:
    """Mediate the present round of an item among those whose voice counts; `Lost` if its answers do not open."""
    found = sealing.open_round(session, item.id, item.round)
    openings = {owner.slot: found.get(owner.slot) or _silence(owner) for owner in voters}
    silent = [owner for owner in voters if openings[owner.slot].scores is None]
    earlier = store.items.decision_of(session, item.id)
    if earlier is not None and silent:
        return _standing(item, earlier, voters, openings)
    spoken_for = _speak_for(session, item, silent, openings)
    settled = _weighed(item, openings)
    for owner, line in spoken_for:
        # What was counted for somebody is sealed like an answer of theirs, so that they can have its receipt.
        sealing.seal(session, item.id, item.round, owner.slot, openings[owner.slot])
        possible = line.possible & _lines_that_fit(item, openings, owner, settled)
        store.friendships.set_line(
            session, owner.person, replace(line, possible=possible, uses=line.uses + 1)
        )
    return settled


def counts(line: StandingLine | None, item: ItemRow, *, trusted: bool) -> bool:
    """Return whether a standing line may speak for somebody who is silent in the first round of an item."""
    return line is not None and line.confirmed and trusted and item.method != "circles"


def _silence(owner: OwnerRow) -> Opening:
    return Opening(None, owner.limit, {}, new_salt())


def _speak_for(
    session: Session, item: ItemRow, silent: Sequence[OwnerRow], openings: dict[str, Opening]
) -> list[tuple[OwnerRow, StandingLine]]:
    """Let standing lines answer for silent people, where they let them count, and return whose did."""
    if not silent:
        return []
    persons = [owner.person for owner in silent]
    lines = store.friendships.lines_of(session, persons)
    trusting = store.friendships.let_count(session, item.originator, persons) | {item.originator}
    spoken = []
    for owner in silent:
        line = lines.get(owner.person)
        if line is not None and counts(line, item, trusted=owner.person in trusting):
            openings[owner.slot] = _line_as_opening(line.line, item.method, owner.limit)
            spoken.append((owner, line))
    return spoken


def _line_as_opening(line: str, method: str, limit: str | None) -> Opening:
    """Return what a standing line counts as: an answer, and a limit that nobody's wish can move."""
    bound = line if limit is None else min(line, limit, key=access.CHOICES.index)
    return Opening(line_as_scores(line, method), bound, {}, new_salt())


def _lines_that_fit(item: ItemRow, openings: Mapping[str, Opening], owner: OwnerRow, settled: Settled) -> int:
    """Return which lines of one person would have given the same outcome, a bit each: what all others could know.

    A limit of the person's own is held against every line alike: what it hides, the outcome does not tell.
    """
    fitting = 0
    for place, line in enumerate(access.CHOICES):
        tried = dict(openings) | {owner.slot: _line_as_opening(line, item.method, owner.limit)}
        other = _weighed(item, tried)
        if (other.choice, other.agreed) == (settled.choice, settled.agreed):
            fitting |= 1 << place
    return fitting


def _weighed(item: ItemRow, openings: Mapping[str, Opening]) -> Settled:
    """Weigh the answers of everybody."""
    facts = _facts(item, openings)
    try:
        question = to_item(openings, facts)
        decision = access.decide(question)
    except ArgumentError:
        # All of it was checked when it was kept; and the engine's words may name one person's circle to another.
        raise RuntimeError("a round does not fit the engine") from None
    named = None
    if item.open and _may_name(item, openings):
        named = could_widen(question) if decision.choice != access.CHOICES[-1] else ()
    outcome = {"choice": decision.choice, "agreed": decision.agreed, "stands": None, "joined": []}
    return _settled(facts | outcome, named)


def _may_name(item: ItemRow, openings: Mapping[str, Opening]) -> bool:
    """Return whether everybody was fine with names; with two, or by circles, there are none to tell."""
    willing = all(opening.named for opening in openings.values())
    return willing and len(openings) > 2 and item.method != "circles"


def _standing(
    item: ItemRow, earlier: Decided, voters: Sequence[OwnerRow], openings: Mapping[str, Opening]
) -> Settled:
    """Let the earlier outcome stand, narrowed by limits and by the lines of those who joined since."""
    before = json.loads(earlier.record)
    joined = sorted(set(openings) - _everybody_in(before))
    limits = [owner.limit for owner in voters]
    choice = _narrowed(item.method, earlier.choice, limits, [openings[slot] for slot in joined])
    outcome = {
        "choice": choice,
        "agreed": earlier.agreed,
        "stands": before["stands"] or earlier.round,
        "joined": [*before["joined"], *([item.round, slot] for slot in joined)],
    }
    return _settled(_facts(item, openings) | outcome, None)


def _narrowed(method: str, earlier: str, limits: Collection[Any], joined: Collection[Opening]) -> str:
    """Return an earlier choice within all limits and within what each of those who joined accepts of it."""
    if method == "circles":
        wary = any(not accepts_all(opening, ()) for opening in joined)
        return DENY if wary else earlier
    bounds: list[str] = [earlier, *(limit for limit in limits if limit is not None)]
    choice = min(bounds, key=access.CHOICES.index)
    # One after the other: side by side, somebody may accept a wide audience and refuse a narrower one.
    while any(not _accepts(opening, choice) for opening in joined):
        choice = access.CHOICES[access.CHOICES.index(choice) - 1]
    return choice


def _accepts(opening: Opening, choice: str) -> bool:
    """Return whether somebody's own answer accepts a choice; nobody can refuse that it stays among the co-owners."""
    return choice == NARROWEST or (opening.scores or {}).get(choice, 0) >= ACCEPTED


def _everybody_in(record: Mapping[str, Any]) -> set[str]:
    return {*record["slots"], *(slot for _, slot in record["joined"])}


def _facts(item: ItemRow, openings: Mapping[str, Opening]) -> dict[str, Any]:
    """Return what a record says besides the outcome."""
    slots = sorted(openings)
    return {
        "engine": ENGINE,
        "version": __version__,
        "item": item.id,
        "round": item.round,
        "method": item.method,
        "vote": vote_among(item.vote, len(slots)),
        "anchor": item.anchor,
        "slots": slots,
        "commitments": [openings[slot].commitment(item.id, item.round, slot) for slot in slots],
    }


def _settled(record: Mapping[str, Any], named: tuple[str, ...] | None) -> Settled:
    text = json.dumps(record, sort_keys=True, separators=(",", ":"))
    weighed = record["stands"] is None
    return Settled(record["choice"], record["agreed"], text, _digest(text), named, weighed)


def took_part(decided: Decided) -> set[str]:
    """Return the slots of those whose voices a decision was made from."""
    return set(json.loads(decided.record)["slots"])


def rounds_behind(decided: Decided) -> set[int]:
    """Return the rounds whose answers a decision rests on: its own, or the one that stands, and those of joiners."""
    record = json.loads(decided.record)
    return {record["stands"] or decided.round, *(round_ for round_, _ in record["joined"])}


def reason_for(session: Session, decided: Decided, owner: OwnerRow | None) -> str:
    """Return what one co-owner reads about an outcome: made of their own answer, if given, and the outcome alone."""
    record = json.loads(decided.record)
    people = len(record["slots"])
    needed = read_vote(record["vote"]).needed(people)
    if record["method"] == "oo":
        return sealed_options(decided.choice, people, needed, agreed=decided.agreed)
    own = None if owner is None else sealing.open_own(session, decided.item, decided.round, owner.slot)
    scores = None if own is None else own.scores
    if record["method"] == "circles":
        said = None if own is None or scores is None else ALLOW if accepts_all(own, ()) else DENY
        return sealed_viewer(said, decided.choice, people, needed)
    line = None if own is None or scores is None else own_line(scores, own.limit)
    return sealed_reason(line, decided.choice, people, needed)


# --- checking what is kept ------------------------------------------------------------------------------------


def recompute(session: Session, item: str | None = None) -> Iterator[Recomputed]:
    """Check every kept decision, or those of one item, the oldest first.

    A record must be the one the audit tells of, and what is in force must be what was decided last. While the key of a
    round lives, its answers must also open their commitments and give the same outcome again. A decision that the audit
    alone knows comes last, with engine 0.
    """
    keys = store.items.decisions_in_order(session, item)
    told = store.audit_trail.decided_digests(session, item)
    if item is not None and not keys and not told:
        raise NotFound
    last = dict(keys)
    for name, round_ in keys:
        decided = store.items.decision_of(session, name, round_)
        assert decided is not None, "it was just listed"
        same = _digest(decided.record) == decided.digest == told.get((name, round_))
        same = same and _as_recorded(decided)
        again = _reproduced(session, decided)
        if last[name] == round_:
            same = same and _in_force(session, decided)
        engine = json.loads(decided.record)["engine"]
        yield Recomputed(name, round_, same and again is not False, engine, opened=again is not None)
    yield from (Recomputed(*key, same=False, engine=0) for key in told.keys() - set(keys))


def _as_recorded(decided: Decided) -> bool:
    record = json.loads(decided.record)
    kept = (decided.item, decided.round, decided.choice, decided.agreed)
    return kept == (record["item"], record["round"], record["choice"], record["agreed"])


def _in_force(session: Session, decided: Decided) -> bool:
    """Return whether an item's choice, if it has one, is the one decided last."""
    item = store.items.get_item(session, decided.item)
    assert item is not None, "items are never removed"
    return item.choice is None or (item.choice, item.round) == (decided.choice, decided.round)


def _reproduced(session: Session, decided: Decided) -> bool | None:
    """Return whether the answers give a record again, bit for bit; None where they cannot be opened any more."""
    record = json.loads(decided.record)
    try:
        openings = sealing.open_round(session, decided.item, decided.round)
    except Lost:
        return None
    if not set(record["slots"]) <= set(openings):
        return None  # somebody left, and took their answer along
    kept = {slot: openings[slot] for slot in record["slots"]}
    if not all(opens(Receipt(decided.item, decided.round, *pair), record) for pair in kept.items()):
        return False
    if record["stands"] is not None:
        return _stands_again(session, decided, record, kept)
    try:
        decision = access.decide(to_item(kept, record))
    except ArgumentError:
        return False
    return (decision.choice, decision.agreed) == (record["choice"], record["agreed"])


def _stands_again(
    session: Session, decided: Decided, record: Mapping[str, Any], openings: Mapping[str, Opening]
) -> bool:
    """Return whether the outcome before, within the limits and with whoever joined, is what was decided to stand."""
    before = store.items.decision_of(session, decided.item, decided.round - 1)
    if before is None:
        return False
    joined = [openings[slot] for round_, slot in record["joined"] if round_ == decided.round]
    limits = [opening.limit for opening in openings.values()]
    choice = _narrowed(record["method"], before.choice, limits, joined)
    return (choice, before.agreed) == (record["choice"], record["agreed"])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
