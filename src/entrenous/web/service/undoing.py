"""Taking back one's last step with an item, as long as nobody has built on it.

A step keeps what to go back to. It can be taken back for some minutes; an answer only before its round closes, a
petition only before anybody has answered it and before somebody joined, whom the earlier outcome did not ask.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.rules import actions, sealing
from entrenous.web.rules.actions import Place
from entrenous.web.service.holding import Held, hold_for
from entrenous.web.store import audit_trail
from entrenous.web.store.sealed import boxes

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
    me = held.owner(person)
    assert me is not None, "a co-owner has a place"
    item, round_ = held.item.id, held.item.round
    # The earlier box was kept as it was, sealed: nothing is opened to bring it back.
    boxes.save_box(session, item, round_, me.slot, base64.b64decode(before["box"]))
    store.items.update_owner(session, item, person, answered_round=before["answered_round"])
    earlier, given = before.get("limits", (None, None))
    limit = me.limit
    if "limits" in before and me.limit == given:  # a limit that was set anew since stands
        limit = earlier
        store.items.update_owner(session, item, person, limit=limit)
    sealing.seal_limit(session, item, round_, me, limit)


def _undo_decline(session: Session, held: Held, person: int, _before: Mapping[str, Any]) -> None:
    store.items.update_owner(session, held.item.id, person, state="asked", tagged=True)


def _undo_untag(session: Session, held: Held, person: int, _before: Mapping[str, Any]) -> None:
    store.items.update_owner(session, held.item.id, person, tagged=True)


def _undo_retag(session: Session, held: Held, person: int, _before: Mapping[str, Any]) -> None:
    store.items.update_owner(session, held.item.id, person, tagged=False)


def _undo_petition(session: Session, held: Held, _person: int, before: Mapping[str, Any]) -> None:
    """Go back to the outcome; that somebody asked for more stays used up, so that nobody can look twice."""
    boxes.remove_round(session, held.item.id, held.item.round)
    store.items.remove_petition(session, held.item.id, before["round"])
    store.items.update_item(
        session,
        held.item.id,
        state=before["state"],
        round=before["round"],
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
