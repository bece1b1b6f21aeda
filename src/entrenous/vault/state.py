"""What a vault knows, read off its entries: budgets, facts, promises, data, and what was drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from entrenous.errors import VaultError
from entrenous.unit import Unit
from entrenous.vault.budget import Budget
from entrenous.vault.chain.entry import Entry
from entrenous.vault.composition import Charge, Total
from entrenous.vault.facts import FACTS

__all__ = ["State"]


@dataclass(frozen=True)
class State:
    """The sum of all entries.

    Attributes
    ----------
    budgets
        The ceiling of each unit, by name.
    facts
        The entry that declared each fact.
    revealed
        The parts of the data that may be known to everybody, and the entry since when.
    charges
        Releases as they count.
    data
        The fingerprints of each kind of data, oldest version first.
    drawn
        For each release that was drawn, the entry that says so.
    releases
        The entries of all releases, those without a promise included.
    totals
        What all releases cost each unit; None where one says nothing about it.
    first_promises
        For each unit the first release that promised to hide it: one that costs it something.
    """

    budgets: dict[str, Budget] = field(default_factory=dict)
    facts: dict[str, Entry] = field(default_factory=dict)
    revealed: dict[str, Entry] = field(default_factory=dict)
    charges: list[Charge] = field(default_factory=list)
    data: dict[str, list[str]] = field(default_factory=dict)
    drawn: dict[int, Entry] = field(default_factory=dict)
    releases: dict[int, Entry] = field(default_factory=dict)
    totals: dict[str, Total | None] = field(default_factory=dict)
    first_promises: dict[str, Entry] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> State:
        """Add up entries."""
        state = cls()
        for entry in entries:
            state.take(entry)
        return state

    def take(self, entry: Entry) -> None:
        """Add one entry; what cannot be read is damage."""
        try:
            getattr(self, f"_take_{entry.kind}")(entry)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise VaultError(f"the vault is damaged: entry {entry.number} cannot be read") from None

    def _take_opened(self, entry: Entry) -> None:
        """Take the first entry, which says who opened the vault and nothing that counts."""

    def _take_budget(self, entry: Entry) -> None:
        body = entry.body
        made = Budget(
            float(body["epsilon"]), float(body["delta"]), Unit.named(body["unit"]), float(body["slack"])
        )
        self.budgets[str(made.unit)] = made
        self.totals[str(made.unit)] = Total(made)
        for charge in self.charges:
            self._count(str(made.unit), charge)

    def _take_data(self, entry: Entry) -> None:
        self.data.setdefault(str(entry.body["data"]), []).append(str(entry.body["fingerprint"]))

    def _take_fact(self, entry: Entry) -> None:
        fact = FACTS[entry.body["fact"]]
        self.facts.setdefault(fact.name, entry)
        for part in fact.reveals:
            self.revealed.setdefault(part, entry)

    def _take_charge(self, entry: Entry) -> None:
        body = entry.body
        self.releases[entry.number] = entry
        sees, exactly = tuple(body["sees"]), tuple(body["exactly"])
        charge = Charge(entry.promises, sees, exactly, entry.condition, entry.number)
        self.charges.append(charge)
        for name in self.budgets:
            self._count(name, charge)

    def _count(self, name: str, charge: Charge) -> None:
        """Add a release to what a unit was charged."""
        before = self.totals[name]
        after = self.totals[name] = None if before is None else before.plus(charge)
        if after is None or before is None or after.epsilon > before.epsilon:
            self.first_promises.setdefault(name, self.releases[charge.entry])

    def _take_exposure(self, entry: Entry) -> None:
        self.releases[entry.number] = entry
        for part in entry.body["exposes"]:
            self.revealed.setdefault(part, entry)

    def _take_void(self, entry: Entry) -> None:
        """Take an entry for those who read it: what it gives up is revealed by the one that follows."""

    def _take_drawn(self, entry: Entry) -> None:
        self.drawn[int(entry.body["of"])] = entry

    def condition(self, entry: Entry) -> str | None:
        """Return what the promise of a release turned out to hang on."""
        drawn = self.drawn.get(entry.number)
        return (drawn.condition if drawn else None) or entry.condition

    def gone(self, unit: Unit) -> Entry | None:
        """Return the entry since which a unit can no longer be hidden, because what it changes is known."""
        since = [self.revealed[part] for part in unit.parts if part in self.revealed]
        return min(since, key=lambda entry: entry.number, default=None)

    def total(self, name: str, *more: Charge) -> Total | None:
        """Return what all releases, and some more, cost a unit; None where one says nothing about it."""
        total = self.totals[name]
        for charge in more:
            total = None if total is None else total.plus(charge)
        return total
