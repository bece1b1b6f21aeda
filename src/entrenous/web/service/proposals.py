"""Changing what was agreed: from the moment others are asked, an item belongs to all of them.

Title, words, last day and file are part of what co-owners agree on. A change of them is a proposal: kept apart, shown
to the co-owners beside what holds now, and in effect when every one of them said yes. One no ends it, and so does its
time; who said no is told to nobody. What only narrows, such as an earlier last day, holds at once and is told to all.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.delivery.notices import notify
from entrenous.web.rules import actions
from entrenous.web.rules.actions import Place
from entrenous.web.rules.refusals import Conflict
from entrenous.web.rules.typed import checked_text
from entrenous.web.service.holding import Held, hold, hold_for, others
from entrenous.web.service.media import PROPOSED, Upload, keep_file
from entrenous.web.service.workflow import KEEP, Keep, checked_expiry
from entrenous.web.store import audit_trail
from entrenous.web.store.changes import Proposed
from entrenous.web.store.database import Database, now, settings_of

__all__ = ["answer_change", "end_lapsed", "forget_proposals", "propose", "retract", "set_expiry"]

_BATCH = 200


def propose(
    session: Session,
    person: int,
    item: str,
    *,
    title: str | None = None,
    description: str | None = None,
    expires: datetime | Keep | None = KEEP,
    upload: Upload | None = None,
) -> bool:
    """Propose to change parts of an item, the others left out, and return whether that is in effect already.

    It is where nobody else decides. Else all co-owners are asked, and the others go on seeing what was agreed.
    """
    held = hold_for(session, actions.PROPOSE, person, item)
    _clear(session, held)
    row = held.item
    wanted: dict[str, object] = {"title": row.title, "description": row.description, "expires": row.expires}
    if title is not None:
        wanted["title"] = checked_text("title", title, most=120)
    if description is not None:
        wanted["description"] = checked_text("description", description, most=1000, least=0, lines=True)
    if not isinstance(expires, Keep) and expires != row.expires:
        wanted["expires"] = checked_expiry(expires, held.moment)
    parts = [part for part, value in wanted.items() if value != getattr(row, part)]
    if upload is not None:
        if upload.kind != row.kind:
            raise ArgumentError("file", f"expected a {row.kind} in place of a {row.kind}")
        keep_file(session, item, upload, PROPOSED)
        parts.append("file")
    if not parts:
        raise ArgumentError("change", "expected something that differs from what was agreed")
    until = held.moment + timedelta(days=settings_of(session).answer_days)
    values = wanted | {"until": until, "opened": held.moment, "parts": parts, "proposer": person}
    store.changes.add_change(session, item=item, id=secrets.token_urlsafe(16), **values)
    store.changes.add_voice(session, item, person, held.moment)
    audit_trail.record(session, "change_proposed", actor=person, item=item)
    if _settle(session, held):
        return True
    notify(session, others(held, person), "change_proposed", item=item, actor=person)
    return False


def answer_change(session: Session, person: int, item: str, change: str, *, accept: bool) -> None:
    """Say yes or no to a proposed change, named by its id: nobody says yes to another one than they were shown."""
    held = hold_for(session, actions.ANSWER_CHANGE, person, item)
    found = store.changes.change_of(session, item)
    if found is None or found.id != change:
        raise Conflict("another_change", "another change is proposed by now; look at it before you answer")
    audit_trail.record(session, "change_answered", actor=person, item=item)
    if accept:
        store.changes.add_voice(session, item, person, held.moment)
        _settle(session, held)
    else:
        _end(session, held)


def retract(session: Session, person: int, item: str) -> None:
    """Take one's own proposal back; to the others it ended, as any other that was not agreed."""
    held = hold_for(session, actions.RETRACT, person, item)
    audit_trail.record(session, "change_retracted", actor=person, item=item)
    _end(session, held)


def set_expiry(session: Session, person: int, item: str, expires: datetime | None) -> None:
    """Let an own item expire at a moment, or never; once others are asked, an expiry is only brought forward."""
    held = hold_for(session, actions.EXPIRE, person, item)
    asked = held.state in actions.ASKED
    before = held.item.expires if asked else None
    if before is not None and (expires is None or expires > before):
        raise Conflict(
            "only_earlier", "others were asked with this date before them; propose a later one to them"
        )
    store.items.update_item(session, item, expires=checked_expiry(expires, held.moment))
    audit_trail.record(session, "expiry", actor=person, item=item)
    if not asked or expires == before:
        return
    change = Place(session, person, held.owners).change(held.item, held.moment)
    if change is not None and "expires" in change.parts:
        _end(session, held)  # those who said yes were shown another last day
    notify(session, others(held, person), "expiry", item=item, actor=person)


def end_lapsed(database: Database) -> int:
    """End the proposals whose time is over, each in a transaction of its own, and return how many."""
    with database.reading() as session:
        lapsed = store.changes.lapsed_changes(session, now(session), _BATCH)
    for item in lapsed:
        database.write(lambda session, item=item: _clear(session, hold(session, item)), idempotent=True)  # type: ignore[misc]
    return len(lapsed)


def forget_proposals(session: Session, person: int, shared: Collection[str]) -> None:
    """End what somebody who left proposed, and ask no more for their word about what others did."""
    for item in store.changes.proposed_by(session, person):
        _end(session, hold(session, item))
    store.changes.remove_voices(session, person)
    for item in sorted(shared):
        if store.changes.change_of(session, item) is not None:
            _settle(session, hold(session, item))


def _clear(session: Session, held: Held) -> None:
    """End the proposal about an item if its time, or the item's, is over."""
    found = store.changes.change_of(session, held.item.id)
    if found is None or (held.state in actions.ASKED and held.moment < found.until):
        return
    if held.state in actions.ASKED:
        _end(session, held)
    else:
        _remove(session, held.item.id)


def _settle(session: Session, held: Held) -> bool:
    """Let a change take effect if everybody whose voice counts said yes, and return whether they did."""
    item = held.item.id
    change = store.changes.change_of(session, item)
    voters = {owner.person for owner in held.voters}
    if change is None or held.moment >= change.until or not voters <= store.changes.voices(session, item):
        return False
    if "expires" in change.parts and change.expires is not None and change.expires <= held.moment:
        _end(session, held)
        return False
    _take_effect(session, change)
    audit_trail.record(session, "change_agreed", actor=None, item=item)
    notify(session, others(held, None), "change_agreed", item=item, actor=_alone(voters))
    return True


def _alone(voters: Collection[int]) -> int | None:
    """Return who decides alone: they know what they did."""
    return next(iter(voters)) if len(voters) == 1 else None


def _take_effect(session: Session, change: Proposed) -> None:
    values = {part: getattr(change, part) for part in change.parts if part != "file"}
    if values:
        store.items.update_item(session, change.item, **values)
    if "file" in change.parts:
        for variant, kept in PROPOSED.items():
            store.files.move_content(session, change.item, kept, variant)
    _remove(session, change.item)


def _end(session: Session, held: Held) -> None:
    """End a proposal; a no, a proposal taken back and one that nobody answered in time read the same."""
    _remove(session, held.item.id)
    audit_trail.record(session, "change_ended", actor=None, item=held.item.id)
    notify(session, others(held, None), "change_ended", item=held.item.id)


def _remove(session: Session, item: str) -> None:
    for kept in PROPOSED.values():
        store.files.remove_content(session, item, kept)
    store.changes.remove_change(session, item)
