"""Sealing: what somebody answers is encrypted with the key of its round, and opened in three places alone.

`open_own` gives people what they said themselves; `open_round` serves the mediation, its recomputation while the key
lives, and the access check of items that circles decide. A box that does not open counts as lost.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterable
from datetime import datetime

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy.orm import Session

from entrenous.access.receipts import Opening, Receipt, new_salt
from entrenous.web import store
from entrenous.web.rules.states import CIRCLES, present_state
from entrenous.web.store.database import keys_of, now
from entrenous.web.store.items import ItemRow, OwnerRow
from entrenous.web.store.sealed import boxes
from entrenous.web.store.sealed.keys import KEY_BYTES

__all__ = [
    "Lost",
    "begin",
    "destroy",
    "destroy_later",
    "forget_round",
    "needed",
    "new_slot",
    "open_own",
    "open_round",
    "receipt_of",
    "seal",
    "seal_limit",
]

_NONCE = 12
_PADDED = 256
"""Boxes are filled up to a multiple of so many bytes, so that their length tells nothing."""


class Lost(Exception):  # noqa: N818 - reads as what happened
    """The answers of a round cannot be opened: its key is gone, or is another one."""


def new_slot() -> str:
    """Return a random name for somebody's place in one item."""
    return secrets.token_urlsafe(12)


def begin(session: Session, item: str, round_: int, voters: Iterable[OwnerRow]) -> None:
    """Make the key of a round, and seal how everybody listens at this moment; answers come later.

    Whoever has a place in the item now can be listened to. Somebody who is named later is listened to by nobody before
    the next round.
    """
    keys_of(session).make(item, round_, secrets.token_bytes(KEY_BYTES), now(session))
    slots = {owner.person: owner.slot for owner in store.items.owners_of(session, [item])[item]}
    listening = store.friendships.listening(session, list(slots))
    for owner in voters:
        weights = {slots[friend]: percent for friend, percent in listening[owner.person].items()}
        opening = Opening(None, owner.limit, weights, new_salt())
        seal(session, item, round_, owner.slot, opening)


def seal(session: Session, item: str, round_: int, slot: str, opening: Opening) -> None:
    """Put an opening into its box, instead of what was there."""
    key = keys_of(session).key_of(item, round_)
    if key is None:
        raise Lost
    content = json.dumps(opening.to_dict(), separators=(",", ":")).encode()
    padded = content + b" " * (-len(content) % _PADDED)
    nonce = secrets.token_bytes(_NONCE)
    box = nonce + AESGCM(key).encrypt(nonce, padded, _place(item, round_, slot))
    boxes.save_box(session, item, round_, slot, box)


def seal_limit(session: Session, item: str, round_: int, owner: OwnerRow, limit: object) -> None:
    """Let a new limit go into a round that is still open, with the same answer and a new salt."""
    opening = open_own(session, item, round_, owner.slot)
    if opening is not None:
        weights, scores = opening.weights, opening.scores
        seal(session, item, round_, owner.slot, Opening(scores, limit, weights, new_salt(), opening.named))


def open_own(session: Session, item: str, round_: int, slot: str) -> Opening | None:
    """Return what lies in one slot, for the person whose slot it is; None if it cannot be opened any more."""
    box = boxes.box_of(session, item, round_, slot)
    key = None if box is None else keys_of(session).key_of(item, round_)
    if box is None or key is None:
        return None
    try:
        return _opened(key, box, _place(item, round_, slot))
    except Lost:
        return None


def open_round(session: Session, item: str, round_: int) -> dict[str, Opening]:
    """Return all that lies in a round, by slot: for the mediation alone."""
    key = keys_of(session).key_of(item, round_)
    if key is None:
        raise Lost
    found = boxes.boxes_of(session, item, round_)
    return {slot: _opened(key, box, _place(item, round_, slot)) for slot, box in found.items()}


def receipt_of(session: Session, item: str, round_: int, slot: str) -> str | None:
    """Return the receipt of what lies in one slot, for the person whose slot it is, as long as the key lives."""
    opening = open_own(session, item, round_, slot)
    if opening is None or opening.scores is None:
        return None
    return Receipt(item, round_, slot, opening).text


def needed(item: ItemRow, moment: datetime) -> bool:
    """Return whether the answers of an item have to be opened again.

    They do until an outcome is in force or, without one, until its window is over; and where circles decide, for each
    viewer anew, as long as the item is shown.
    """
    state = present_state(item, moment)
    if state in ("collecting", "proposed"):
        return True
    if state == "no_agreement":
        return item.objection_until is not None and moment < item.objection_until
    if state == "withdrawn":
        return item.deadline is not None and moment < item.deadline
    return state == "active" and item.method == CIRCLES


def destroy_later(session: Session, item: str, due: datetime | None = None) -> None:
    """Have the keys of an item destroyed once this transaction stands, or from a moment on."""
    store.letters.enqueue(session, [("destroy", {"item": item})], now(session), due)


def forget_round(session: Session, item: str, round_: int) -> None:
    """Remove the boxes of a round that cannot be opened."""
    boxes.remove_round(session, item, round_)


def destroy(session: Session, item: str, kept: Collection[int] = ()) -> None:
    """Destroy the keys of an item but for some rounds, and then the boxes that nobody can open any more."""
    keys_of(session).destroy(item, kept)
    boxes.remove_boxes(session, item, kept)


def _opened(key: bytes, box: bytes, place: bytes) -> Opening:
    try:
        content = AESGCM(key).decrypt(box[:_NONCE], box[_NONCE:], place)
    except InvalidTag:
        raise Lost from None
    return Opening(**json.loads(content))


def _place(item: str, round_: int, slot: str) -> bytes:
    return f"{item}/{round_}/{slot}".encode()
