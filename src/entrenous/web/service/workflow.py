"""What a person may do with an item, from putting it up to taking it away.

Every function takes a writing session and the acting person, locks the item, first lets the clock have its way, and
refuses with `NotFound` whoever has no part in the item and with `Conflict` whatever its state does not allow.
"""

from __future__ import annotations

import base64
import logging
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from entrenous import _check, access
from entrenous.access.item import ANCHORS, METHODS
from entrenous.access.receipts import Opening, new_salt
from entrenous.access.votes import DEFAULT, read_vote
from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.delivery.notices import notify
from entrenous.web.rules import actions, sealing
from entrenous.web.rules.typed import checked_text
from entrenous.web.rules.views import Limit, checked_limit, checked_scores, scored_by
from entrenous.web.service.holding import (
    Held,
    activate,
    advance,
    ask_again,
    close_if_complete,
    hold,
    hold_for,
    next_round,
    others,
)
from entrenous.web.service.media import CURRENT, Upload, keep_file
from entrenous.web.service.tags import answer_claim, answer_tag, claim, retag, tag, untag
from entrenous.web.service.undoing import undo
from entrenous.web.store import audit_trail
from entrenous.web.store.database import Database, now, settings_of
from entrenous.web.store.sealed import boxes

__all__ = [
    "KEEP",
    "Keep",
    "advance_due",
    "agree",
    "answer",
    "answer_claim",
    "answer_tag",
    "checked_expiry",
    "claim",
    "create_item",
    "edit_item",
    "open_item",
    "petition",
    "retag",
    "set_limit",
    "tag",
    "undo",
    "untag",
    "withdraw",
]

log = logging.getLogger(__name__)

_BATCH = 200
"""So many items are advanced in one go."""


class Keep(Enum):
    """Leave something as it is, where None means to remove it."""

    KEEP = "keep"


KEEP = Keep.KEEP


# --- putting up ---------------------------------------------------------------------------------------------


def create_item(
    session: Session,
    person: int,
    upload: Upload,
    *,
    title: str,
    description: str = "",
    method: str = "oc",
    vote: Mapping[str, object] | None = None,
    anchor: str = "each",
    expires: datetime | None = None,
    may_be_open: bool = False,
) -> str:
    """Put up a photo or a document as a draft that nobody else sees, and return its id."""
    moment = now(session)
    rule = (DEFAULT if vote is None else read_vote(vote)).to_dict()
    item = secrets.token_urlsafe(16)
    store.items.add_item(
        session,
        id=item,
        originator=person,
        title=checked_text("title", title, most=120),
        description=checked_text("description", description, most=1000, least=0, lines=True),
        kind=upload.kind,
        state="draft",
        round=0,
        petitions=0,
        method=_check.one_of("method", method, METHODS),
        vote=rule,
        anchor=_check.one_of("anchor", anchor, ANCHORS),
        open=may_be_open,
        created=moment,
        expires=checked_expiry(expires, moment),
    )
    store.items.add_owner(
        session,
        item=item,
        person=person,
        role="originator",
        state="accepted",
        tagged=True,
        limit=None,
        slot=sealing.new_slot(),
        since=moment,
    )
    keep_file(session, item, upload, CURRENT)
    audit_trail.record(session, "created", actor=person, item=item)
    return item


def edit_item(session: Session, person: int, item: str, *, title: str, description: str) -> None:
    """Change the title and the description of an own draft; once others are asked, changes are proposed."""
    hold_for(session, actions.EDIT, person, item)
    store.items.update_item(
        session,
        item,
        title=checked_text("title", title, most=120),
        description=checked_text("description", description, most=1000, least=0, lines=True),
    )
    audit_trail.record(session, "edited", actor=person, item=item)


def open_item(session: Session, person: int, item: str, *, days: int | None = None) -> None:
    """Ask everybody in an own item for their view, so many days long."""
    held = hold_for(session, actions.OPEN, person, item)
    length = settings_of(session).answer_days if days is None else _check.at_least("days", days, 1)
    if length > 365:
        raise ArgumentError("days", "expected at most 365 days")
    store.items.update_item(
        session, item, state="collecting", round=1, deadline=held.moment + timedelta(days=length)
    )
    sealing.begin(session, item, 1, held.voters)
    audit_trail.record(session, "opened", actor=person, item=item)
    notify(session, [owner.person for owner in held.voters], "view_needed", item=item, actor=person)


# --- deciding -----------------------------------------------------------------------------------------------


def answer(
    session: Session,
    person: int,
    item: str,
    scores: Mapping[str, int],
    *,
    limit: Limit | Keep = KEEP,
    named: bool = False,
) -> None:
    """Give one's view: sealed, and replaced as often as one likes until the round closes.

    The last view of a round closes it. `named` says that one is fine with being named if nothing wider is agreed.
    """
    held = hold_for(session, actions.ANSWER, person, item)
    scored = scored_by(session, person, held.item.method)
    view = checked_scores(scores, scored, held.item.method)
    me = held.owner(person)
    assert me is not None, "a co-owner has a place"
    bound = me.limit if isinstance(limit, Keep) else checked_limit(limit, scored, held.item.method)
    round_ = held.item.round
    opening = sealing.open_own(session, item, round_, me.slot)
    if opening is None:  # the key was lost: nothing of this round can be opened any more
        held = ask_again(session, held)
        opening = sealing.open_own(session, item, round_, me.slot)
    assert opening is not None, "a round that was just begun opens"
    before: dict[str, object] = {
        "round": round_,
        "box": base64.b64encode(boxes.box_of(session, item, round_, me.slot) or b"").decode(),
        "answered_round": me.answered_round,
    }
    if not isinstance(limit, Keep):
        before["limits"] = [me.limit, bound]
    sealed = Opening(view, bound, opening.weights, new_salt(), named and held.item.open)
    sealing.seal(session, item, round_, me.slot, sealed)
    store.items.update_owner(session, item, person, limit=bound, answered_round=round_)
    store.items.add_step(session, item, person, "answer", before, held.moment)
    audit_trail.record(session, "answered", actor=person, item=item, round=round_)
    close_if_complete(session, hold(session, item))


def set_limit(session: Session, person: int, item: str, limit: Limit) -> None:
    """Say how far an item may ever go for oneself; a narrower limit counts from the next request on."""
    held = hold_for(session, actions.LIMIT, person, item)
    scored = scored_by(session, person, held.item.method)
    bound = checked_limit(limit, scored, held.item.method)
    store.items.update_owner(session, item, person, limit=bound)
    me = held.owner(person)
    if held.state == "collecting" and me is not None:
        sealing.seal_limit(session, item, held.item.round, me, bound)
    audit_trail.record(session, "limited", actor=person, item=item)


def agree(session: Session, person: int, item: str) -> None:
    """Say that one agrees with a proposed outcome; if everybody does, it takes effect at once."""
    held = hold_for(session, actions.AGREE, person, item)
    store.items.add_agreement(session, item, held.item.round, person, held.moment)
    audit_trail.record(session, "agreed", actor=person, item=item, round=held.item.round)
    if {owner.person for owner in held.voters} <= store.items.agreeing(session, item, held.item.round):
        activate(session, held)


def petition(session: Session, person: int, item: str, text: str, audience: str | None = None) -> None:
    """Ask everybody to let an item go further, in one's own name, and begin another round.

    Everybody gets the same notice. Nobody is told who answered how, nor who could bring a change about.
    """
    held = hold_for(session, actions.PETITION, person, item)
    words = checked_text("text", text, most=1000, lines=True)
    wanted = _checked_audience(held, audience)
    before = {
        "round": held.item.round,
        "state": held.state,
        "choice": held.item.choice,
        "objection_until": _text(held.item.objection_until),
    }
    store.items.add_petition(session, item, held.item.round, person, words, wanted, held.moment)
    next_round(session, held, actor=person, petition=True)
    store.items.add_step(session, item, person, "petition", before, held.moment)
    audit_trail.record(session, "petition", actor=person, item=item, round=held.item.round)
    notify(session, others(held, person), "petition", item=item, actor=person)


def _checked_audience(held: Held, audience: str | None) -> str | None:
    """Return how far a petition asks for: wider than the outcome, by one step unless told."""
    if held.item.method == "circles":
        return None
    wider = access.CHOICES[access.CHOICES.index(held.item.choice or access.CHOICES[0]) + 1 :]
    if audience is not None and audience not in wider:
        raise ArgumentError("audience", f"expected a wider audience: {', '.join(wider)}")
    return wider[0] if audience is None else audience


# --- taking back --------------------------------------------------------------------------------------------


def withdraw(session: Session, person: int, item: str) -> None:
    """Take an own item away from everybody; it can be brought back for a few minutes, then its bytes are removed."""
    held = hold_for(session, actions.WITHDRAW, person, item)
    until = held.moment + timedelta(minutes=settings_of(session).undo_minutes)
    before = {"state": held.state, "deadline": _text(held.item.deadline)}
    store.items.update_item(session, item, state="withdrawn", deadline=until)
    sealing.destroy_later(session, item, until)
    store.items.add_step(session, item, person, "withdraw", before, held.moment)
    audit_trail.record(session, "withdrawn", actor=person, item=item)
    notify(session, others(held, person), "withdrawn", item=item, actor=person)


# --- the clock ----------------------------------------------------------------------------------------------


def advance_due(database: Database, item: str | None = None) -> int:
    """Do what the clock asks for, for one item or for all, each in a transaction of its own; return how many.

    Where nothing is due, nothing is written. Among all, an item that cannot be advanced does not keep others waiting.
    """
    with database.reading() as session:
        due = store.items.due_items(session, now(session), _BATCH, item)
    done = 0
    for one in due:
        try:
            database.write(lambda session, one=one: advance(session, one), idempotent=True)  # type: ignore[misc]
            done += 1
        except DBAPIError:
            raise
        except Exception as error:
            if item is not None:
                raise
            log.error("an item cannot be advanced (%s)", type(error).__name__)
    return done


def checked_expiry(expires: datetime | None, moment: datetime) -> datetime | None:
    """Return a moment from which an item is no longer shown: one in the future, or none."""
    if expires is not None and (expires.tzinfo is None or expires <= moment):
        raise ArgumentError("expires", "expected a moment in the future, with its time zone")
    return expires


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
