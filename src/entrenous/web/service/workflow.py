"""What a person may do with an item, from putting it up to taking it away.

Every function takes a writing session and the acting person, locks the item, first lets the clock have its way, and
refuses with `NotFound` whoever has no part in the item and with `Conflict` whatever its state does not allow.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from entrenous import _check
from entrenous.access.item import ANCHORS, METHODS
from entrenous.access.votes import DEFAULT, read_vote
from entrenous.errors import ArgumentError
from entrenous.web import store
from entrenous.web.delivery.notices import notify
from entrenous.web.rules import actions, decisions
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.rules.states import accepted
from entrenous.web.rules.typed import checked_text
from entrenous.web.rules.views import Limit, checked_limit, checked_scores, scored_by
from entrenous.web.service.holding import (
    activate,
    advance,
    close_if_complete,
    hold,
    hold_for,
    next_round,
    others,
)
from entrenous.web.service.media import Upload
from entrenous.web.service.tags import answer_claim, answer_tag, claim, retag, tag, untag
from entrenous.web.service.undoing import undo
from entrenous.web.store import audit_trail
from entrenous.web.store.database import Database, now, settings_of
from entrenous.web.store.files import Stored

__all__ = [
    "KEEP",
    "advance_due",
    "agree",
    "answer",
    "answer_claim",
    "answer_tag",
    "claim",
    "create_item",
    "edit_item",
    "helps_alone",
    "open_item",
    "petition",
    "retag",
    "set_expiry",
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
        created=moment,
        expires=_checked_expiry(expires, moment),
    )
    store.items.add_owner(
        session,
        item=item,
        person=person,
        role="originator",
        state="accepted",
        tagged=False,
        limit=None,
        since=moment,
    )
    for variant, content, media_type in (
        ("original", upload.content, upload.media_type),
        ("thumbnail", upload.thumbnail, "image/jpeg"),
    ):
        if content is not None:
            store.files.add_content(session, item, variant, Stored(content, media_type, upload.name))
    audit_trail.record(session, "created", actor=person, item=item)
    return item


def edit_item(session: Session, person: int, item: str, *, title: str, description: str) -> None:
    """Change the title and the description of an own item; the co-owners find that in their history."""
    hold_for(session, actions.EDIT, person, item)
    store.items.update_item(
        session,
        item,
        title=checked_text("title", title, most=120),
        description=checked_text("description", description, most=1000, least=0, lines=True),
    )
    audit_trail.record(session, "edited", actor=person, item=item)


def set_expiry(session: Session, person: int, item: str, expires: datetime | None) -> None:
    """Let an own item expire at a moment, or never; once others are asked, an expiry is only brought forward."""
    held = hold_for(session, actions.EXPIRE, person, item)
    set_already = held.item.expires if held.state != "draft" else None
    if set_already is not None and (expires is None or expires > set_already):
        raise Conflict("only_earlier", "others were asked with this date before them; choose an earlier one")
    store.items.update_item(session, item, expires=_checked_expiry(expires, held.moment))
    audit_trail.record(session, "expiry", actor=person, item=item)


def open_item(session: Session, person: int, item: str, *, days: int | None = None) -> None:
    """Ask everybody in an own item for their view, so many days long."""
    held = hold_for(session, actions.OPEN, person, item)
    length = settings_of(session).answer_days if days is None else _check.at_least("days", days, 1)
    if length > 365:
        raise ArgumentError("days", "expected at most 365 days")
    store.items.update_item(
        session, item, state="collecting", round=1, deadline=held.moment + timedelta(days=length)
    )
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
    make_default: bool = False,
) -> None:
    """Give one's view: sealed, and replaced as often as one likes until the round closes.

    The last view of a round closes it.
    """
    held = hold_for(session, actions.ANSWER, person, item)
    scored = scored_by(session, person, held.item.method)
    view = checked_scores(scores, scored, held.item.method)
    before: dict[str, object] = {
        "round": held.item.round,
        "scores": store.items.answer_of(session, item, held.item.round, person),
    }
    store.items.save_answer(session, item, held.item.round, person, view, held.moment)
    if not isinstance(limit, Keep):
        me = held.owner(person)
        assert me is not None, "a co-owner has a place"
        bound = checked_limit(limit, scored, held.item.method)
        before["limits"] = [me.limit, bound]
        store.items.update_owner(session, item, person, limit=bound)
    if make_default:
        if held.item.method == "circles":
            raise ArgumentError("make_default", "expected a view on distances; circles have no default")
        standing = store.friendships.default_of(session, person)
        before["default"] = [None, None] if standing is None else [standing.scores, standing.limit]
        kept = standing.limit if standing is not None and isinstance(limit, Keep) else None
        store.friendships.set_default(session, person, view, limit if isinstance(limit, str) else kept)
    store.items.add_step(session, item, person, "answer", before, held.moment)
    audit_trail.record(session, "answered", actor=person, item=item, round=held.item.round)
    # A new limit is no part of what was held, and the mediation needs it.
    close_if_complete(session, held if isinstance(limit, Keep) else hold(session, item))


def set_limit(session: Session, person: int, item: str, limit: Limit) -> None:
    """Say how far an item may ever go for oneself; a narrower limit counts from the next request on."""
    held = hold_for(session, actions.LIMIT, person, item)
    scored = scored_by(session, person, held.item.method)
    store.items.update_owner(session, item, person, limit=checked_limit(limit, scored, held.item.method))
    audit_trail.record(session, "limited", actor=person, item=item)


def agree(session: Session, person: int, item: str) -> None:
    """Say that one agrees with a proposed outcome; if everybody does, it takes effect at once."""
    held = hold_for(session, actions.AGREE, person, item)
    store.items.add_agreement(session, item, held.item.round, person, held.moment)
    audit_trail.record(session, "agreed", actor=person, item=item, round=held.item.round)
    if {owner.person for owner in held.voters} <= store.items.agreeing(session, item, held.item.round):
        activate(session, held)


def helps_alone(session: Session, person: int, item: str) -> bool | None:
    """Return whether another view of one's own alone would change the outcome: for the person themselves.

    None where that cannot be said: each viewer is decided for separately, or the person had no part in the decision.
    """
    owners = store.items.owners_of(session, [item])[item]
    decided = store.items.decision_of(session, item)
    if decided is None or not any(owner.person == person for owner in accepted(owners)):
        raise NotFound
    return decisions.objection(decided, person)[0]


def petition(session: Session, person: int, item: str, text: str) -> None:
    """Object to an outcome, publicly among the co-owners, and begin another round.

    The petition addresses those who could bring a change about, in the order of their names: neither how anybody
    answered nor how close they were is told.
    """
    held = hold_for(session, actions.PETITION, person, item)
    words = checked_text("text", text, most=1000, lines=True)
    decided = store.items.decision_of(session, item, held.item.round)
    assert decided is not None, "an item in these states was decided"
    voters = {owner.person for owner in held.voters}
    helpers = [one for one in decisions.objection(decided, person)[1] if one in voters]
    names = store.persons.named(session, helpers)
    asks = sorted(helpers, key=lambda one: (names[one].name, one))
    before = {
        "round": held.item.round,
        "state": held.state,
        "choice": held.item.choice,
        "objection_until": _text(held.item.objection_until),
    }
    store.items.add_petition(session, item, held.item.round, person, words, asks, held.moment)
    next_round(session, held, actor=person, petition=True)
    store.items.add_step(session, item, person, "petition", before, held.moment)
    audit_trail.record(session, "petition", actor=person, item=item, round=held.item.round)
    notify(session, others(held, person), "petition", item=item, actor=person)


# --- taking back --------------------------------------------------------------------------------------------


def withdraw(session: Session, person: int, item: str) -> None:
    """Take an own item away from everybody; it can be brought back for a few minutes, then its bytes are removed."""
    held = hold_for(session, actions.WITHDRAW, person, item)
    until = held.moment + timedelta(minutes=settings_of(session).undo_minutes)
    before = {"state": held.state, "deadline": _text(held.item.deadline)}
    store.items.update_item(session, item, state="withdrawn", deadline=until)
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


def _checked_expiry(expires: datetime | None, moment: datetime) -> datetime | None:
    if expires is not None and (expires.tzinfo is None or expires <= moment):
        raise ArgumentError("expires", "expected a moment in the future, with its time zone")
    return expires


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
