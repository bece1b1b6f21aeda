"""Who is in it: tags that count only with consent, claims, and taking one's name off without losing one's voice.

Only who put the item up names others, and only own friends. Nobody's voice counts before they said so, and nobody who
said no is asked again. Somebody who joins after a decision brings on another round: it was made without them.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy.orm import Session

from entrenous.web import store
from entrenous.web.delivery.notices import notify
from entrenous.web.rules import actions, sealing
from entrenous.web.rules.actions import MOST_OWNERS, Action
from entrenous.web.rules.refusals import Conflict, NotFound
from entrenous.web.rules.visibility import visible_ids
from entrenous.web.service.holding import (
    Held,
    close_if_complete,
    hold,
    hold_for,
    next_round,
    others,
)
from entrenous.web.store import audit_trail

__all__ = ["answer_claim", "answer_tag", "claim", "retag", "tag", "untag"]


def tag(session: Session, person: int, item: str, friends: Collection[int]) -> None:
    """Say that friends are in an item and ask each whether their voice should count."""
    held = hold_for(session, actions.TAG, person, item)
    mine = {friend.who.id for friend in store.friendships.friends_of(session, person)}
    if not set(friends) <= mine:
        raise Conflict("not_friends", "only your friends can be named; ask them to be your friends first")
    new = sorted(set(friends) - {owner.person for owner in held.owners})
    if len(held.owners) + len(new) > MOST_OWNERS:
        raise Conflict("too_many_owners", f"at most {MOST_OWNERS} people can decide about one item")
    for friend in new:
        store.items.add_owner(
            session,
            item=item,
            person=friend,
            role="tagged",
            state="asked",
            tagged=True,
            limit=None,
            slot=sealing.new_slot(),
            since=held.moment,
        )
        audit_trail.record(session, "tag_asked", actor=person, item=item, person=friend)
    notify(session, new, "tag_asked", item=item, actor=person)
    if new:
        _tell_names(session, held, person)


def answer_tag(session: Session, person: int, item: str, *, accept: bool) -> None:
    """Accept to be one of those who decide, or decline."""
    held = hold_for(session, actions.ANSWER_TAG, person, item)
    if accept:
        _join(session, held, person)
        notify(session, [held.item.originator], "tag_accepted", item=item, actor=person)
    else:
        store.items.update_owner(session, item, person, state="declined", tagged=False)
        audit_trail.record(session, "tag_declined", actor=person, item=item)
        store.items.add_step(session, item, person, "decline", {}, held.moment)
        notify(session, [held.item.originator], "tag_declined", item=item, actor=person)
        close_if_complete(session, hold(session, item))


def untag(session: Session, person: int, item: str) -> None:
    """Take the own name off an item; the own voice, and the own limit, go on counting."""
    _set_tagged(session, actions.UNTAG, person, item, tagged=False)


def retag(session: Session, person: int, item: str) -> None:
    """Put the own name on an item one decides about."""
    _set_tagged(session, actions.RETAG, person, item, tagged=True)


def claim(session: Session, person: int, item: str) -> None:
    """Say "I am in this" about an item one can see; who put it up decides whether that is so."""
    if item not in visible_ids(session, person, [item]):
        raise NotFound
    held = hold_for(session, actions.CLAIM, person, item)
    values = {"role": "claimed", "state": "claiming", "tagged": False, "since": held.moment}
    if held.owner(person) is None:
        slot = sealing.new_slot()
        store.items.add_owner(session, item=item, person=person, limit=None, slot=slot, **values)
    else:
        store.items.update_owner(session, item, person, **values)
    audit_trail.record(session, "claim_made", actor=person, item=item)
    notify(session, [held.item.originator], "claim_made", item=item, actor=person)


def answer_claim(session: Session, person: int, item: str, claimant: int, *, accept: bool) -> None:
    """Confirm that somebody is in an item, or say that they are not."""
    held = hold_for(session, actions.DECIDE_CLAIM, person, item)
    claiming = {owner.person for owner in held.owners if owner.state == "claiming"}
    if claimant not in claiming:
        raise NotFound
    if accept:
        store.items.update_owner(session, item, claimant, tagged=True)
        _join(session, held, claimant)
        notify(session, [claimant], "claim_accepted", item=item, actor=person)
    else:
        store.items.update_owner(session, item, claimant, state="refused")
        audit_trail.record(session, "claim_refused", actor=person, item=item, person=claimant)
        notify(session, [claimant], "claim_refused", item=item, actor=person)


def _join(session: Session, held: Held, person: int) -> None:
    """Let a person's voice count from now on."""
    item = held.item.id
    store.items.update_owner(session, item, person, state="accepted", since=held.moment)
    audit_trail.record(session, "joined", actor=person, item=item)
    held = hold(session, item)
    if held.state in ("proposed", "active", "no_agreement"):
        next_round(session, held, actor=person, petition=False)
        notify(session, others(held, None), "view_needed", item=item)
    elif held.state == "collecting":
        me = [owner for owner in held.voters if owner.person == person]
        sealing.begin(session, item, held.item.round, me)
        notify(session, [person], "view_needed", item=item)
        _tell_names(session, held, person)


def _set_tagged(session: Session, action: Action, person: int, item: str, *, tagged: bool) -> None:
    held = hold_for(session, action, person, item)
    store.items.update_owner(session, item, person, tagged=tagged)
    store.items.add_step(session, item, person, action.name, {}, held.moment)
    audit_trail.record(session, "retagged" if tagged else "untagged", actor=person, item=item)
    _tell_names(session, held, person)


def _tell_names(session: Session, held: Held, person: int) -> None:
    """Tell the others that who is named changed, once they were asked: it is part of what they agreed on."""
    if held.state != "draft":
        notify(session, others(held, person), "names", item=held.item.id, actor=person)
