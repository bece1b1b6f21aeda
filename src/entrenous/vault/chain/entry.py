"""Entries of a vault: a chain, each link sealed by the digest of all before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from entrenous.errors import VaultError
from entrenous.price import NoiseEvent
from entrenous.unit import Unit

__all__ = ["KINDS", "Entry", "Promise", "chained", "digest_of"]

KINDS = ("opened", "budget", "data", "fact", "charge", "exposure", "void", "drawn")
FIRST = "entrenous vault"  # what the first entry is chained to


@dataclass(frozen=True)
class Entry:
    """Something that the vault remembers.

    Attributes
    ----------
    number
        Its place, from 1, without a gap.
    time
        When it was written (UTC).
    kind
        One of `KINDS`.
    body
        What it says, as plain JSON values.
    digest
        The seal over this entry and, through the digest before it, over all earlier ones.
    """

    number: int
    time: str
    kind: str
    body: Mapping[str, Any] = field(repr=False)
    digest: str

    @property
    def purpose(self) -> str:
        """What a release was for."""
        return str(self.body.get("purpose", ""))

    @property
    def rehearsal(self) -> bool:
        """Whether a release was seeded."""
        return bool(self.body.get("rehearsal"))

    @property
    def by(self) -> str:
        """The account it was written from."""
        return str(self.body.get("by", ""))

    @property
    def condition(self) -> str | None:
        """What a promise hangs on and nobody can check; None for nearly all."""
        return self.body.get("condition")

    @property
    def promises(self) -> tuple[Promise, ...]:
        """What a release promised, for one unit or several."""
        return tuple(Promise.read(each) for each in self.body.get("promises", ()))

    def sentence(self) -> str:
        """Name the entry in a message: what, when, and where to find it."""
        return f"entry {self.number} of {self.time[:10]} ({self.purpose or self.kind})"


@dataclass(frozen=True)
class Promise:
    """A promise of differential privacy as an entry holds it: exact decimals, and the noise where it is of one kind."""

    unit: Unit
    epsilon: Decimal
    delta: Decimal
    event: NoiseEvent | None = None

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Promise:
        """Return the promise that an entry holds; anything but what was written is damage."""
        try:
            epsilon, delta = _amount(values["epsilon"]), _amount(values["delta"])
            event = values.get("event")
            return cls(
                Unit.named(values["unit"]), epsilon, delta, None if event is None else NoiseEvent(**event)
            )
        except (KeyError, TypeError, ValueError):
            raise VaultError("the vault is damaged: a promise cannot be read") from None


def _amount(text: object) -> Decimal:
    try:
        amount = Decimal(text) if isinstance(text, str) else Decimal("nan")
    except InvalidOperation:
        amount = Decimal("nan")
    if not amount.is_finite() or amount < 0:
        raise VaultError("the vault is damaged: an amount is not a decimal number of 0 or more")
    return amount


def digest_of(before: str, number: int, time: str, kind: str, text: str) -> str:
    """Return the seal of an entry: SHA-256 over the seal before it and all that it says."""
    return hashlib.sha256("\n".join((before, str(number), time, kind, text)).encode()).hexdigest()


def chained(rows: list[tuple[Any, ...]], before: str = FIRST, first: int = 1) -> Iterator[Entry]:
    """Yield entries read from a file, each checked against its seal: what was edited or deleted is noticed.

    Parameters
    ----------
    rows
        Number, time, kind, body as text, digest; in order.
    before
        The seal before the first of them.
    first
        The number that the first of them must have.
    """
    for expected, (number, time, kind, text, digest) in enumerate(rows, start=first):
        told = (number, time, kind, text)
        whole = all(isinstance(each, str) for each in (time, kind, text, digest)) and kind in KINDS
        if number != expected or not whole or digest != digest_of(before, *told):
            raise VaultError(
                f"the vault is damaged: entry {expected} was changed, or an entry before it was deleted"
            )
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise VaultError(f"the vault is damaged: entry {expected} cannot be read")
        before = digest
        yield Entry(number, time, kind, body, digest)
