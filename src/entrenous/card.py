"""The card of a release: what it promises, how it was made, and which entry of a vault remembers it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from entrenous import __version__
from entrenous.errors import FormatError, MissingDataError
from entrenous.guarantee import Guarantee
from entrenous.noise import REHEARSAL

__all__ = ["NO_GUARANTEE", "NO_VAULT", "Card", "Provenance", "Receipt"]

NO_GUARANTEE = "No formal guarantee: what is hidden was measured, not promised."
NO_VAULT = (
    "No vault remembers this release. Whatever else is published of the same data adds to what is known, and nobody "
    "counted it."
)


@dataclass(frozen=True)
class Receipt:
    """What a card shows of the vault that was charged.

    Whoever collects cards notices with it that an entry of the vault was changed or deleted.

    Attributes
    ----------
    number, digest
        The entry, and its seal over this and all earlier entries. Neither tells anything about the data.
    given_up
        Sentences about promises for the same data that were given up before.
    """

    number: int
    digest: str
    given_up: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The receipt in words."""
        return f"entry {self.number} of its vault, sealed {self.digest}"


@dataclass(frozen=True)
class Provenance:
    """How a release was made. It holds nothing that depends on the data: no input hash, no true count, no seed.

    `withdrawn` says why nothing is promised any more, where a promise was. `receipt` is that of the vault which was
    charged, None if nobody remembers the release.
    """

    method: str
    parameters: Mapping[str, str | int | float] = field(default_factory=dict)
    rehearsal: bool = False
    withdrawn: str | None = None
    receipt: Receipt | None = None
    version: str = __version__
    created: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())


@dataclass(frozen=True)
class Card:
    """The publishable description of a release: its promise and how it was made."""

    guarantee: Guarantee | None
    provenance: Provenance

    @property
    def promise(self) -> str:
        """The promise in one sentence, or why there is none."""
        if self.guarantee is not None:
            return self.guarantee.sentence
        withdrawn = self.provenance.withdrawn
        return (
            NO_GUARANTEE
            if withdrawn is None
            else f"Nothing is promised. The promise was withdrawn: {withdrawn}"
        )

    @property
    def remembered(self) -> tuple[str, ...]:
        """What the card says of its vault: a receipt, and promises that were given up; or that there is none."""
        receipt = self.provenance.receipt
        if receipt is None:
            return (NO_VAULT,)
        return (f"Receipt: {receipt.sentence}.", *receipt.given_up)

    def to_json(self) -> dict[str, Any]:
        """Return the card as plain JSON values."""
        return {
            "guarantee": self.guarantee.to_json() if self.guarantee else None,
            "method": self.provenance.method,
            "parameters": dict(self.provenance.parameters),
            "rehearsal": REHEARSAL if self.provenance.rehearsal else None,
            "withdrawn": self.provenance.withdrawn,
            "receipt": asdict(self.provenance.receipt) if self.provenance.receipt else None,
            "made_by": f"entrenous {self.provenance.version}",
            "created": self.provenance.created,
        }

    @property
    def introduction(self) -> str:
        """The card for people without its list of files."""
        lines = ["# What this folder promises", ""]
        if self.provenance.rehearsal:
            lines += [f"**Rehearsal, {REHEARSAL}. Do not publish.**", ""]
        if self.guarantee is None:
            lines += [self.promise]
        else:
            lines += [self.guarantee.sentence, "", "It rests on this:", ""]
            lines += [f"- {sentence}" for sentence in self.guarantee.assumptions]
        lines += ["", *self.remembered]
        lines += ["", "## How it was made", "", f"- method: {self.provenance.method}"]
        lines += [f"- {name}: {value}" for name, value in self.provenance.parameters.items()]
        lines += [f"- by entrenous {self.provenance.version}, {self.provenance.created}", ""]
        return "\n".join(lines)

    def text(self, files: Mapping[str, str]) -> str:
        """Return the card for people, as Markdown."""
        lines = [self.introduction, "## What is here", ""]
        lines += [f"- `{name}`: {what}" for name, what in files.items()]
        lines += ["- `guarantee.json`: this card for programs", ""]
        return "\n".join(lines)

    def write(self, folder: Path, files: Mapping[str, str]) -> None:
        """Write the card for people and for programs."""
        (folder / "guarantee.json").write_text(json.dumps(self.to_json(), indent=2) + "\n", encoding="utf-8")
        (folder / "card.md").write_text(self.text(files), encoding="utf-8")

    @classmethod
    def read(cls, folder: str | Path) -> Card:
        """Return the card of a saved release."""
        file = Path(folder) / "guarantee.json"
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
            guarantee = None if values["guarantee"] is None else Guarantee.from_json(values["guarantee"])
            made_by, created = str(values["made_by"]), str(values["created"])
            provenance = Provenance(
                method=str(values["method"]),
                parameters=dict(values["parameters"]),
                rehearsal=values["rehearsal"] is not None,
                withdrawn=values.get("withdrawn"),
                receipt=_receipt(values.get("receipt")),
                version=made_by.removeprefix("entrenous "),
                created=created,
            )
        except OSError:
            raise MissingDataError(
                f"{Path(folder).name} holds no guarantee.json: it is not a saved release"
            ) from None
        except (KeyError, TypeError, ValueError):
            raise FormatError("expected the card of a release", file=file.name) from None
        return cls(guarantee, provenance)


def _receipt(values: Mapping[str, Any] | None) -> Receipt | None:
    """Return the receipt of a card; cards of earlier versions have none."""
    if values is None:
        return None
    number, digest, given_up = values["number"], values["digest"], values["given_up"]
    texts = isinstance(given_up, list) and all(isinstance(sentence, str) for sentence in given_up)
    if type(number) is not int or not isinstance(digest, str) or not texts:
        raise TypeError
    return Receipt(number, digest, tuple(given_up))
