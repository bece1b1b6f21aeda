"""Paying for a release: check and charge before anything is drawn, keep what was drawn before anything else.

Every noun publishes through here, with a vault or without one.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from entrenous.card import Receipt
from entrenous.errors import EntrenousError
from entrenous.release import Release
from entrenous.vault.chain.entry import Entry
from entrenous.vault.keeping import Room
from entrenous.vault.order import Order
from entrenous.vault.vault import Vault

__all__ = ["Payment", "pay"]

Published = TypeVar("Published")


@dataclass(frozen=True)
class Payment:
    """An order that was charged, or that no vault remembers; room is given back when its block ends."""

    vault: Vault | None
    entry: Entry | None = None
    room: Room | None = None
    given_up: tuple[str, ...] = ()

    def complete(
        self,
        release: Release[Published],
        *,
        asked: Mapping[str, float] | None = None,
        condition: str | None = None,
    ) -> Release[Published]:
        """Return the release with its receipt, once it is kept beside the vault.

        Parameters
        ----------
        release
            What was drawn.
        asked
            What each question to the data cost, by name, as a desk counted.
        condition
            What the promise turned out to hang on.
        """
        if self.vault is None or self.entry is None:
            return release
        receipt = Receipt(self.entry.number, self.entry.digest, self.given_up)
        release = replace(release, provenance=replace(release.provenance, receipt=receipt))
        try:
            self.vault.shelf.keep(self.entry.number, release, self.room)
        except (EntrenousError, OSError) as problem:  # it may be saved elsewhere: nothing is lost yet
            return replace(release, private={**release.private, "not kept": str(problem)})
        with suppress(EntrenousError):  # it is kept: that it was drawn can be seen
            self.vault.settle(self.entry.number, asked or {}, condition=condition)
        return release

    def __enter__(self) -> Payment:
        return self

    def __exit__(self, *problem: object) -> None:
        if self.room is not None:
            self.room.give_back()  # the charge, once made, stays


def pay(
    vault: Vault | None,
    order: Order,
    *,
    data: Any = None,
    room: int = 0,
) -> Payment:
    """Charge an order before anything is drawn for it, or raise and charge nothing.

    Parameters
    ----------
    vault
        Where it is charged; None if nobody is to remember it.
    order
        What is asked for.
    data
        The data it is about, to be recognised.
    room
        How many bytes the release may take, roughly: so much is taken on the disk first.
    """
    if vault is None:
        return Payment(None)
    known = vault.fingerprint(data)  # before the vault is locked: large data take a while
    vault.check(order, data=known)
    taken = vault.shelf.reserve(room)
    try:
        entry, given_up = vault.charge_and_look(order, data=known)
        return Payment(vault, entry, taken, given_up)
    except BaseException:
        taken.give_back()
        raise
