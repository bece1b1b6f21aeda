"""Whether a vault still says what it said: its seals, the receipts of published cards, and the data it belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from entrenous.card import Card
from entrenous.errors import EntrenousError
from entrenous.guarantee import Kind
from entrenous.vault.budget import NOT_COUNTED
from entrenous.vault.chain.entry import Entry
from entrenous.vault.vault import Vault

__all__ = ["UNNOTICED", "Finding", "verify"]

UNNOTICED = (
    "What cannot be noticed: entries at the end that no card here has a receipt of; a vault and its cards that were "
    "replaced together; releases that were never charged to this vault; files of a release that is no longer kept, or "
    "that was published in another format; a budget that was set too high from the start."
)


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at, and whether it is as it should be."""

    sound: bool
    sentence: str


def verify(vault: Vault, cards: Iterable[str | Path] = (), data: Iterable[Any] = ()) -> list[Finding]:
    """Check the seals of a vault, the receipts of cards, and data.

    Parameters
    ----------
    vault
        The vault.
    cards
        Folders of saved releases.
    data
        Graphs or corpora that should be those of the vault.
    """
    try:
        entries = vault.verify()
    except EntrenousError as problem:
        return [Finding(False, str(problem))]
    found = [Finding(True, f"{len(entries)} entries, and the seal of each holds")]
    found += [_receipt(Path(folder), vault, entries) for folder in cards]
    return found + [_recognised(vault, each) for each in data]


def _receipt(folder: Path, vault: Vault, entries: tuple[Entry, ...]) -> Finding:
    """Compare the card of a published release with the entry it has a receipt of."""
    try:
        card = Card.read(folder)
    except EntrenousError as problem:
        return Finding(False, str(problem))
    receipt, name = card.provenance.receipt, folder.resolve().name
    if receipt is None:
        return Finding(False, f"{name}: its card has no receipt; no vault remembers this release")
    if receipt.number > len(entries):
        return Finding(
            False,
            f"{name}: its receipt is of entry {receipt.number}, and the vault ends with entry {len(entries)}: entries "
            "were deleted, or this is an older copy, or another vault",
        )
    entry = entries[receipt.number - 1]
    if entry.digest != receipt.digest:
        return Finding(
            False,
            f"{name}: entry {receipt.number} is not the one of its receipt: it or an earlier one was changed, or this "
            "is another vault",
        )
    wrong = _difference(folder, card, entry) or _changed_file(folder, vault, receipt.number)
    if wrong:
        return Finding(False, f"{name}: {wrong}")
    return Finding(True, f"{name}: entry {receipt.number} is the one of its receipt")


def _difference(folder: Path, card: Card, entry: Entry) -> str | None:
    """Say what a card tells otherwise than its entry, or than the card for people beside it."""
    stated = {(str(each.unit), float(each.epsilon), float(each.delta)) for each in entry.promises}
    promised = [card.guarantee, card.guarantee.level] if card.guarantee else []
    counted = [each for each in promised if each and each.kind is Kind.DP and each.unit not in NOT_COUNTED]
    if any((str(each.unit), each.epsilon, each.delta) not in stated for each in counted):
        return f"its card promises something else than entry {entry.number} was charged"
    if card.provenance.rehearsal != entry.rehearsal:
        return f"its card and entry {entry.number} do not agree on whether it is a rehearsal"
    people = folder / "card.md"
    if not people.is_file() or not people.read_text(encoding="utf-8").startswith(card.introduction):
        return "card.md and guarantee.json do not say the same"
    return None


def _changed_file(folder: Path, vault: Vault, number: int) -> str | None:
    """Compare a published folder with what is kept of its release, where both have a file of the same name."""
    kept = vault.shelf.place(number)
    for file in sorted(kept.iterdir()) if kept.is_dir() else ():
        published = folder / file.name
        if published.is_file() and published.read_bytes() != file.read_bytes():
            return f"{file.name} is not the one that was drawn"
    return None


def _recognised(vault: Vault, data: Any) -> Finding:
    version = vault.recognises(data)
    what = type(data).__name__.lower()
    if version is None:
        return Finding(
            False, f"no release of a {what} was charged to this vault yet: nothing to compare with"
        )
    if not version:
        return Finding(False, f"this {what} is not the one that the vault's releases were made from")
    return Finding(True, f"this {what} is version {version} of the vault's own")
