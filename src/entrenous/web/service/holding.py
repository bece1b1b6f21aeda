"""The machinery of rounds: an item held for a change, and the steps from one state to the next.

Everything here runs inside a writing transaction that holds the item. A round is mediated exactly once: under that
lock, and with a row (item, round) that can be there only once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.delivery.notices import notify
from entrenous.web.rules import decisions, sealing
from entrenous.web.rules.actions import CLAIM, Action, Place, Reason, try_to
from entrenous.web.rules.refusals import NotFound
from entrenous.web.rules.states import accepted, closes_now, present_state
from entrenous.web.store import audit_trail
from entrenous.web.store.database import now, settings_of
from entrenous.web.store.items import ItemRow, OwnerRow

__all__ = [
    "Held",
    "activate",
    "advance",
    "ask_again",
    "close_if_complete",
    "hold",
    "hold_for",
    "next_round",
    "others",
]


@dataclass(frozen=True)
class Held:
    """An item that nobody else changes before this transaction ends, with all its owners."""

    item: ItemRow
    owners: tuple[OwnerRow, ...]
    moment: datetime

    @property
    def state(self) -> str:
        """The state the item is in now."""
        return self.item.state

    @property
    def voters(self) -> list[OwnerRow]:
        """Those whose voice counts."""
        return accepted(self.owners)

    def owner(self, person: int) -> OwnerRow | None:
        """Return a person's place in the item."""
        return next((owner for owner in self.owners if owner.person == person), None)


def hold(session: Session, item: str, person: int | None = None) -> Held:
    """Hold an item, after whatever the clock has already decided about it.

    For a person who has no place in it, it is not there: found out with the same queries as if it were not.
    """
    row = store.items.lock_item(session, item)
    owners = store.items.owners_of(session, [item])[item]
    if row is None or (person is not None and all(owner.person != person for owner in owners)):
        raise NotFound
    held = Held(row, tuple(owners), now(session))
    while _step(session, held):
        held = _read(session, store.items.get_item(session, item))
    return held


def hold_for(session: Session, action: Action, person: int, item: str) -> Held:
    """Hold an item for somebody who is about to do something with it, or refuse."""
    # Only a claim is made by somebody without a place; whether they see the item was asked before.
    held = hold(session, item, None if action is CLAIM else person)
    answer = try_to(action, Place(session, person, held.owners), held.item, held.moment)
    if isinstance(answer, Reason):
        raise answer.refusal()
    return held


def others(held: Held, person: int | None) -> list[int]:
    """Return those whose voice counts, but for one."""
    return [owner.person for owner in held.voters if owner.person != person]


def advance(session: Session, item: str) -> None:
    """Do what the clock asks for: close a round, let an outcome take effect, let an item expire."""
    hold(session, item)


def close_if_complete(session: Session, held: Held) -> None:
    """Close the round if everybody whose voice counts has answered it and nobody is still being asked."""
    asked = any(owner.state == "asked" for owner in held.owners)
    if held.state != "collecting" or asked:
        return
    answered = store.items.answered(session, held.item.id, held.item.round)
    if all(owner.person in answered for owner in held.voters):
        _close(session, held)


def activate(session: Session, held: Held) -> None:
    """Let an outcome take effect: its window ended, or everybody agrees."""
    store.items.update_item(session, held.item.id, state="active", objection_until=None)
    _tell(session, held, "active")
    sealing.destroy_later(session, held.item.id)


def next_round(session: Session, held: Held, *, actor: int, petition: bool) -> None:
    """Begin the next round; until it is decided only the co-owners see the item."""
    deadline = held.moment + timedelta(days=settings_of(session).answer_days)
    store.items.update_item(
        session,
        held.item.id,
        state="collecting",
        round=held.item.round + 1,
        petitions=held.item.petitions + int(petition),
        choice=None,
        deadline=deadline,
        objection_until=None,
    )
    sealing.begin(session, held.item.id, held.item.round + 1, held.voters)
    audit_trail.record(session, "round", actor=actor, item=held.item.id, round=held.item.round + 1)


def ask_again(session: Session, held: Held) -> Held:
    """Begin an open round anew, because its key is lost and nobody can open what was answered."""
    item, round_ = held.item.id, held.item.round
    deadline = held.moment + timedelta(days=settings_of(session).answer_days)
    sealing.forget_round(session, item, round_)
    store.items.forget_steps(session, item, "answer")  # they hold boxes of the lost key
    for owner in held.owners:
        if owner.answered_round == round_:
            store.items.update_owner(session, item, owner.person, answered_round=None)
    sealing.begin(session, item, round_, held.voters)
    store.items.update_item(session, item, deadline=deadline)
    audit_trail.record(session, "asked_again", actor=None, item=item, round=round_)
    notify(session, others(held, None), "view_needed", item=item)
    return _read(session, store.items.get_item(session, item))


def _read(session: Session, row: ItemRow | None) -> Held:
    assert row is not None, "a locked item stays"
    owners = store.items.owners_of(session, [row.id])[row.id]
    return Held(row, tuple(owners), now(session))


def _step(session: Session, held: Held) -> bool:
    """Do one thing the clock asks for and return whether there was one."""
    state = present_state(held.item, held.moment)
    if state == "expired" and held.state != "expired":
        store.items.update_item(session, held.item.id, state="expired")
        _tell(session, held, "expired")
        sealing.destroy_later(session, held.item.id)
        return True
    if state == "active" and held.state == "proposed":
        activate(session, held)
        return True
    if closes_now(held.item, held.moment):
        _close(session, held)
        return True
    return False


def _close(session: Session, held: Held) -> None:
    """Mediate the round and keep what it gave, or ask again if its answers cannot be opened any more."""
    item = held.item
    try:
        settled = decisions.mediate_round(session, item, held.voters)
    except sealing.Lost:
        ask_again(session, held)
        return
    store.items.add_decision(
        session,
        item=item.id,
        round=item.round,
        choice=settled.choice,
        agreed=settled.agreed,
        record=settled.record,
        named=None if settled.named is None else list(settled.named),
        digest=settled.digest,
        decided=held.moment,
    )
    if settled.weighed:  # those who left had no part in it
        store.items.update_item(session, item.id, incomplete=False)
    audit_trail.record(session, "decided", actor=None, item=item.id, round=item.round, digest=settled.digest)
    window = timedelta(hours=settings_of(session).objection_hours)
    until = held.moment + window
    if not settled.agreed:
        store.items.update_item(session, item.id, state="no_agreement", deadline=None, objection_until=until)
        _tell(session, held, "no_agreement")
        sealing.destroy_later(session, item.id, until)
        return
    at_once = not window or len(held.voters) == 1
    store.items.update_item(
        session,
        item.id,
        state="active" if at_once else "proposed",
        choice=settled.choice,
        deadline=None,
        objection_until=None if at_once else until,
    )
    _tell(session, held, "active" if at_once else "outcome")
    if at_once:
        sealing.destroy_later(session, item.id)


def _tell(session: Session, held: Held, kind: str) -> None:
    if kind != "outcome":
        audit_trail.record(session, kind, actor=None, item=held.item.id)
    notify(session, others(held, None), kind, item=held.item.id)
