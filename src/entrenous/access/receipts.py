"""Receipts: how a co-owner checks, without trusting anybody, that a sealed answer went in unchanged.

A decision is kept as a record that holds one commitment for each co-owner: a salted hash of what they answered, how far
they let it go, and whom they listened to. Who has the receipt of their own answer can open their own commitment, and
nobody else's. If everybody brings a receipt, the outcome itself can be worked out again.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from entrenous.access.item import Item
from entrenous.access.mediation import decide
from entrenous.errors import ArgumentError

__all__ = ["Opening", "Receipt", "new_salt", "opens", "reproduce", "to_item"]

_DOMAIN = "entrenous answer 1"
_MARK = "entrenous1"
_MOST_ROUNDS = 2**31
"""No database counts further."""


@dataclass(frozen=True)
class Opening:
    """What one co-owner put into a round.

    Parameters
    ----------
    scores
        The answer, or None for silence.
    limit
        The widest audience allowed, or with circles a list of own circles, or None.
    weights
        How much this co-owner listens to others, in percent, by their slots.
    salt
        What keeps the commitment from being guessed.
    named
        Whether this co-owner is fine with being named if nothing wider is agreed.
    """

    scores: Mapping[str, int] | None
    limit: Any
    weights: Mapping[str, int]
    salt: str
    named: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the opening as plain values."""
        return {
            "scores": None if self.scores is None else dict(self.scores),
            "limit": self.limit,
            "weights": dict(self.weights),
            "salt": self.salt,
            "named": self.named,
        }

    def commitment(self, item: str, round_: int, slot: str) -> str:
        """Return the hash that stands for this opening in a record.

        >>> Opening({"friends": 5}, None, {}, "00").commitment("photo", 1, "a")[:8]
        'f7f1d9e5'
        """
        content = self.to_dict()
        salt = content.pop("salt")
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
        text = "|".join((_DOMAIN, item, str(round_), slot, salt, canonical))
        return hashlib.sha256(text.encode()).hexdigest()


def new_salt() -> str:
    """Return 32 random bytes as text."""
    return secrets.token_hex(32)


@dataclass(frozen=True)
class Receipt:
    """One co-owner's opening, with the place it belongs to.

    >>> given = Receipt("photo", 1, "a", Opening({"friends": 5}, None, {}, "00"))
    >>> Receipt.from_text(given.text) == given
    True
    """

    item: str
    round: int
    slot: str
    opening: Opening

    @property
    def text(self) -> str:
        """The receipt as one line."""
        content = json.dumps(self.opening.to_dict(), separators=(",", ":"))
        packed = base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")
        return f"{_MARK}:{self.item}:{self.round}:{self.slot}:{packed}"

    @classmethod
    def from_text(cls, text: str) -> Receipt:
        """Read a receipt."""
        try:
            mark, item, round_, slot, packed = text.strip().split(":")
            padded = packed + "=" * (-len(packed) % 4)
            opening = Opening(**json.loads(base64.urlsafe_b64decode(padded)))
            receipt = cls(item, int(round_), slot, opening)
            receipt.commitment  # noqa: B018 - whatever is not an opening fails here
        except (ValueError, TypeError, AttributeError, RecursionError, binascii.Error):
            mark = ""
        if mark != _MARK or not 0 < receipt.round < _MOST_ROUNDS:
            raise ArgumentError("receipt", f"expected one line that begins with {_MARK}:")
        return receipt

    @property
    def commitment(self) -> str:
        """The commitment this receipt opens."""
        return self.opening.commitment(self.item, self.round, self.slot)


def opens(receipt: Receipt, record: Mapping[str, Any]) -> bool:
    """Return whether a receipt opens one of the commitments of a decision's record."""
    if (receipt.item, receipt.round) != (record["item"], record["round"]):
        return False
    kept = dict(zip(record["slots"], record["commitments"], strict=True))
    return kept.get(receipt.slot) == receipt.commitment


def reproduce(receipts: Sequence[Receipt], record: Mapping[str, Any]) -> bool:
    """Return whether the receipts of all co-owners give the choice of a record again.

    Only a round that was weighed can be: one in which somebody was silent let an earlier outcome stand.
    """
    if record.get("stands") is not None:
        raise ArgumentError(
            "record", "expected a round that was weighed; in this one an earlier outcome stood"
        )
    openings = {receipt.slot: receipt.opening for receipt in receipts if opens(receipt, record)}
    if set(openings) != set(record["slots"]):
        raise ArgumentError("receipts", f"expected the receipts of all {len(record['slots'])} co-owners")
    decision = decide(to_item(openings, record))
    return (decision.choice, decision.agreed) == (record["choice"], record["agreed"])


def to_item(openings: Mapping[str, Opening], record: Mapping[str, Any]) -> Item:
    """Return what was decided about, with slots in the place of people; record says method, vote and anchor."""
    slots = record["slots"]
    circled = record["method"] == "circles"
    limits = {}
    for slot in slots:
        opening = openings[slot]
        if opening.limit is not None:
            known = opening.scores or ()
            limits[slot] = [name for name in opening.limit if name in known] if circled else opening.limit
    return Item.from_dict(
        {
            "wishes": {
                slot: None if (scores := openings[slot].scores) is None else dict(scores) for slot in slots
            },
            "peers": {
                slot: {other: percent / 100 for other, percent in row.items() if other in slots and percent}
                for slot in slots
                if (row := openings[slot].weights)
            },
            "limits": limits,
            "method": record["method"],
            "vote": record["vote"],
            "anchor": record["anchor"],
            "originator": None,
        }
    )
