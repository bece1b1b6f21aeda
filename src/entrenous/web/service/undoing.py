"""Taking back one's last step with an item, as long as nobody has built on it.

A step keeps what to go back to. It can be taken back for some minutes; an answer only before its round closes, a
petition only before others have answered it and before somebody joined, whom the earlier outcome did not ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.rules import actions
from entrenous.web.rules.actions import Place
from entrenous.web.service.holding import Held, hold_for
from entrenous.web.store import audit_trail

__all__ = ["undo"]


def undo(session: Session, person: int, item: str) -> str:
    """Take back one's last step with an item, if that was a few minutes ago, and return which it was."""
    held = hold_for(session, actions.UNDO, person, item)
    step = Place(session, person, held.owners).last_step(held.item, held.moment)
    assert step is not None, "there is a step that may be taken back"
    _UNDO[step.action](session, held, person, step.before)
    store.items.remove_step(session, step.id)
    audit_trail.record(session, "undone", actor=person, item=item, step=step.action)
    return step.action


def _undo_answer(session: Session, held: Held, person: int, before: Mapping[str, Any]) -> None:
    store.items.remove_answer(session, held.item.id, held.item.round, person)
    if before["scores"] is not None:
        store.items.save_answer(session, held.item.id, held.item.round, person, before["scores"], held.moment)
    earlier, given = before.get("limits", (None, None))
    me = held.owner(person)
    # A limit that was set anew since stands.
    if "limits" in before and me is not None and me.limit == given:
        store.items.update_owner(session, held.item.id, person, limit=earlier)
    if "default" in before:
        store.friendships.set_default(session, person, *before["default"])


def _undo_decline(session: Session, held: Held, person: int, _before: Mapping[str, Any]) -> None:
    store.items.update_owner(session, held.item.id, person, state="asked", tagged=True)


def _undo_untag(session: Session, held: Held, person: int, _before: Mapping[str, Any]) -> None:
    store.items.update_owner(session, held.item.id, person, tagged=True)


def _undo_retag(session: Session, held: Held, person: int, _before: Mapping[str, Any]) -> None:
    store.items.update_owner(session, held.item.id, person, tagged=False)


def _undo_petition(session: Session, held: Held, person: int, before: Mapping[str, Any]) -> None:
    store.items.remove_answer(session, held.item.id, held.item.round, person)
    store.items.remove_petition(session, held.item.id, before["round"])
    store.items.update_item(
        session,
        held.item.id,
        state=before["state"],
        round=before["round"],
        petitions=held.item.petitions - 1,
        choice=before["choice"],
        deadline=None,
        objection_until=_moment(before["objection_until"]),
    )


def _undo_withdraw(session: Session, held: Held, _person: int, before: Mapping[str, Any]) -> None:
    store.items.update_item(
        session, held.item.id, state=before["state"], deadline=_moment(before["deadline"])
    )


_UNDO = {
    "answer": _undo_answer,
    "decline": _undo_decline,
    "petition": _undo_petition,
    "retag": _undo_retag,
    "untag": _undo_untag,
    "withdraw": _undo_withdraw,
}


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
