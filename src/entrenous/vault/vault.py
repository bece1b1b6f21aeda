"""The vault of a data set: it remembers everything that was told, and refuses what may not be told any more."""

from __future__ import annotations

import getpass
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from entrenous.errors import ArgumentError, Contradiction, OutputExistsError, VaultError
from entrenous.guarantee import exact
from entrenous.release import Release
from entrenous.unit import Unit
from entrenous.vault.budget import Budget
from entrenous.vault.chain.entry import Entry, Promise
from entrenous.vault.chain.storage import Chain, Storage
from entrenous.vault.composition import Charge, Total, as_decimal
from entrenous.vault.facts import Fact
from entrenous.vault.fingerprint import Fingerprint, fingerprint
from entrenous.vault.keeping import Shelf
from entrenous.vault.order import Order
from entrenous.vault.rules import admitted, broken_promises
from entrenous.vault.state import State

__all__ = ["Vault"]


class Vault:
    """The memory of one data set: budgets, public facts, and every release of it.

    A mechanism charges *before* it draws noise. A charge is one transaction that checks and writes together, so any
    number of processes may share a vault. Amounts are exact decimals: ten charges of 0.1 are exactly 1.

    Parameters
    ----------
    path
        The file, made by `create`. Ledgers of earlier versions are turned into vaults.
    same_data
        Take other data than before for a new version of the same: all charges count together.
    void_promises
        Give up earlier promises that an order breaks. Every later card says so.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from entrenous.guarantee import Guarantee
    >>> vault = Vault.create(pathlib.Path(tempfile.mkdtemp()) / "friends.vault", Budget(epsilon=1.0))
    >>> order = Order(purpose="network release, method owner", sees=("ties",), guarantee=Guarantee(epsilon=0.4))
    >>> vault.charge(order).number
    3
    >>> vault.left_epsilon
    Decimal('0.6')
    >>> vault.charge(Order(purpose="network release", sees=("ties",), guarantee=Guarantee(epsilon=0.7)))
    Traceback (most recent call last):
    entrenous.errors.BudgetExceeded: the vault has epsilon 0.6 left per edge, but 0.7 was asked for; nothing was \
charged. Ask for less, or let the data's owner decide on a new budget
    """

    def __init__(self, path: str | Path, *, same_data: bool = False, void_promises: bool = False) -> None:
        self.path = Path(path)
        self.same_data = same_data
        self.void_promises = void_promises
        if not self.path.is_file():
            raise VaultError(
                f"no vault at {self.path.name}: create it with `entrenous budget create` or Vault.create"
            )
        self._storage = Storage(self.path)
        self._counted: tuple[list[Entry], State] = ([], State())
        self.shelf = Shelf(self.path)
        self.state  # noqa: B018 - whatever is damaged is refused now

    @classmethod
    def create(cls, path: str | Path, *budgets: Budget) -> Vault:
        """Make a new vault with a budget for each unit; a file that is there is never overwritten."""
        if not budgets or len({budget.unit for budget in budgets}) < len(budgets):
            raise ArgumentError("budgets", "expected one budget at least, and no two for the same unit")
        path = Path(path)
        if Shelf(path).numbers():
            raise OutputExistsError(
                f"{Shelf(path).folder.name} keeps releases of another vault; move it away, or name another file"
            )
        entries = [("opened", {"by": _account()}), *(("budget", _budget(each)) for each in budgets)]
        Storage.create(path, entries)
        return cls(path)

    @property
    def state(self) -> State:
        """Everything the vault knows, at this moment."""
        with self._storage.transaction() as chain:
            return State.of(chain.entries)

    def _known(self, chain: Chain) -> State:
        """Return what the vault knows, adding up only entries that are new since it was last asked."""
        entries, (counted, state) = chain.entries, self._counted
        if counted and (len(entries) < len(counted) or entries[len(counted) - 1] is not counted[-1]):
            counted, state = [], State()  # another file took its place
        self._counted = ([], State())  # if an entry cannot be read
        for entry in entries[len(counted) :]:
            state.take(entry)
        self._counted = (list(entries), state)
        return state

    def entries(self) -> tuple[Entry, ...]:
        """Return every entry, oldest first."""
        with self._storage.transaction() as chain:
            return tuple(chain.entries)

    def check(self, order: Order, *, data: Any = None) -> None:
        """Raise what `charge` would raise, and write nothing."""
        found = self.fingerprint(data)
        with self._storage.transaction() as chain:
            state = self._known(chain)
            _new_data(found, state, same_data=self.same_data)
            admitted(order, state, void=self.void_promises)

    def charge(self, order: Order, *, data: Any = None) -> Entry:
        """Write what is about to be told, or raise and write nothing; what was written stays.

        Parameters
        ----------
        order
            What is asked for.
        data
            The data it is about. The first of a kind are remembered by a keyed fingerprint; others are refused.
        """
        return self.charge_and_look(order, data=data)[0]

    def charge_and_look(self, order: Order, *, data: Any = None) -> tuple[Entry, tuple[str, ...]]:
        """Charge, and return the entry and what its card must say of promises that were given up."""
        found = self.fingerprint(data)
        with self._storage.transaction() as chain:
            state = self._known(chain)
            new = _new_data(found, state, same_data=self.same_data)
            if new is not None:
                chain.add("data", {**new, "by": _account()})
            charge = admitted(order, state, void=self.void_promises)
            for unit, entry in broken_promises(order, state):
                chain.add("void", _void(unit, entry, order.purpose))
            for fact in order.facts:
                if fact.name not in state.facts:
                    chain.add("fact", {"fact": fact.name, "purpose": order.purpose, "by": _account()})
            entry = chain.add("exposure" if charge is None else "charge", _body(order, charge))
            return entry, _given_up(chain.entries)

    def declare(self, name: str) -> Entry:
        """Enter a public fact by hand, before any release rests on it."""
        fact = Fact.named(name)
        purpose = f"declared by hand: {fact.says}"
        with self._storage.transaction() as chain:
            state = self._known(chain)
            if name in state.facts:
                return state.facts[name]
            for unit, entry in _hurt_by(fact, state):
                if not self.void_promises:
                    raise Contradiction(
                        f"{fact.says} cannot be declared public: {entry.sentence()} promises to hide {unit.change}; "
                        "nothing was written. Give that promise up for good with --void-promises"
                    )
                chain.add("void", _void(unit, entry, purpose))
            return chain.add("fact", {"fact": name, "purpose": purpose, "by": _account()})

    def add(self, budget: Budget) -> Entry:
        """Give the vault a budget for one more unit. All earlier releases count; a budget is never changed."""
        with self._storage.transaction() as chain:
            state = self._known(chain)
            name = str(budget.unit)
            if name in state.budgets:
                raise VaultError(f"this vault has a budget for {name} already; a budget is never changed")
            gone = state.gone(budget.unit)
            if gone is not None:
                raise VaultError(
                    f"{name} can no longer be hidden since {gone.sentence()}; nothing was written"
                )
            total = Total.of(budget, state.charges)
            if total is None:
                raise VaultError(
                    f"an earlier release says nothing about the unit {name}; nothing was written"
                )
            if not total.by_sum:
                raise VaultError(
                    f"earlier releases cost epsilon {float(total.epsilon):.4g} and delta {float(total.delta):.4g} per "
                    f"{name}, more than this budget; nothing was written"
                )
            return chain.add("budget", _budget(budget))

    def settle(self, number: int, asked: Mapping[str, float], *, condition: str | None = None) -> Entry:
        """Write that a release was drawn, and what was asked of the data for it; the charge stays as it is."""
        with self._storage.transaction() as chain:
            return chain.add(
                "drawn", {"of": number, "asked": dict(asked), "condition": condition, "by": _account()}
            )

    def resume(self, number: int | None = None) -> Release[Any]:
        """Return a release that was paid for, the latest if no entry is named: nothing is charged again."""
        kept = self.kept
        if number is None and not kept:
            raise VaultError(
                f"no release is kept beside {self.path.name}: none was drawn, or all were discarded"
            )
        release = self.shelf.read(kept[-1] if number is None else number)
        self._check_own(release)
        return release

    @property
    def kept(self) -> list[int]:
        """The entries whose releases are kept."""
        return self.shelf.numbers()

    def _check_own(self, release: Release[Any]) -> None:
        """Refuse a release that another vault paid for."""
        if not self.paid_for(release):
            raise VaultError("this release has no receipt of this vault, which did not pay for it")

    def paid_for(self, release: Release[Any]) -> bool:
        """Tell whether a release has a receipt of this vault."""
        receipt, entries = release.provenance.receipt, self.entries()
        return (
            receipt is not None
            and 0 < receipt.number <= len(entries)
            and entries[receipt.number - 1].digest == receipt.digest
        )

    def keep(self, release: Release[Any]) -> None:
        """Keep a release under the entry of its receipt, in place of what was kept of it."""
        self._check_own(release)
        if release.provenance.receipt is not None:
            self.shelf.keep(release.provenance.receipt.number, release)

    def verify(self) -> tuple[Entry, ...]:
        """Read every entry anew, check all seals, and return the entries."""
        entries = self._storage.verify()
        State.of(entries)
        return tuple(entries)

    def fingerprint(self, data: Any) -> Fingerprint | None:
        """Return by what this vault recognises data; None for what cannot be recognised."""
        return None if data is None else fingerprint(data, self._storage.key)

    def recognises(self, data: Any) -> int | None:
        """Return which version of its data these are, from 1; 0 for others, None if there are none of the kind yet."""
        found, state = self.fingerprint(data), self.state
        if found is None or found[0] not in state.data:
            return None
        kind, value = found
        return state.data[kind].index(value) + 1 if value in state.data[kind] else 0

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """The ceiling of each unit."""
        return tuple(self.state.budgets.values())

    @property
    def given_up(self) -> tuple[str, ...]:
        """What every card says from the day on which promises were given up."""
        return _given_up(self.entries())

    def total(self, unit: Unit | str | None = None) -> Total:
        """Return what all releases cost a unit together, and its budget; of one unit if there is one."""
        state = self.state
        name = str(Unit.named(unit)) if unit is not None else next(iter(state.budgets))
        if name not in state.budgets:
            raise VaultError(f"this vault has no budget for the unit {name}")
        gone, total = state.gone(state.budgets[name].unit), state.total(name)
        if gone is not None:
            raise VaultError(f"{name} can no longer be hidden since {gone.sentence()}")
        if total is None:
            raise VaultError(f"a release says nothing about the unit {name}: its budget is void")
        return total

    @property
    def left_epsilon(self) -> Decimal:
        """What may still be charged of epsilon for the first unit, by the sum."""
        return self.total().left_epsilon

    @property
    def left_delta(self) -> Decimal:
        """What may still be charged of delta for the first unit."""
        return self.total().left_delta


def _given_up(entries: Iterable[Entry]) -> tuple[str, ...]:
    return tuple(
        f"An earlier release of this data set (entry {entry.body['promised']}) promised to hide "
        f"{Unit.named(entry.body['unit']).change}. That promise was given up on {entry.time[:10]} for: {entry.purpose}."
        for entry in entries
        if entry.kind == "void"
    )


def _new_data(found: Fingerprint | None, state: State, *, same_data: bool) -> dict[str, Any] | None:
    """Return the entry that data need that were not seen before, or refuse them."""
    if found is None:
        return None
    kind, value = found
    known = state.data.get(kind, [])
    if value in known:
        return None
    if known and not same_data:
        raise VaultError(
            f"this vault belongs to another {kind}: these data are not those of its earlier releases; nothing was "
            "charged. If they are a new version of the same, say so with --same-data; else make a vault of their own"
        )
    return {"data": kind, "version": len(known) + 1, "fingerprint": value}


def _hurt_by(fact: Fact, state: State) -> list[tuple[Unit, Entry]]:
    """Return what a fact would make known although it was promised to be hidden."""
    order = Order(purpose="declared", sees=("nodes",), exposes=("nodes",), facts=(fact,))
    return broken_promises(order, state)


def _body(order: Order, charge: Charge | None) -> dict[str, Any]:
    """Return what an entry says of a release."""
    body: dict[str, Any] = {
        "purpose": order.purpose,
        "rehearsal": order.rehearsal,
        "sees": list(order.sees),
        "by": _account(),
    }
    if charge is None:
        return body | {"exposes": list(order.exposes)}
    return body | {
        "promises": [_promise(each) for each in charge.promises],
        "exactly": list(charge.exactly),
        "condition": charge.condition,
    }


def _promise(promise: Promise) -> dict[str, Any]:
    event = None if promise.event is None else vars(promise.event)
    return {
        "unit": str(promise.unit),
        "epsilon": str(promise.epsilon),
        "delta": str(promise.delta),
        "event": event,
    }


def _void(unit: Unit, entry: Entry, purpose: str) -> dict[str, Any]:
    return {"unit": str(unit), "promised": entry.number, "purpose": purpose, "by": _account()}


def _budget(budget: Budget) -> dict[str, Any]:
    amounts = {
        "epsilon": budget.epsilon,
        "delta": budget.delta,
        "slack": budget.slack or 0.0,
    }
    texts = {name: str(as_decimal(exact(value))) for name, value in amounts.items()}
    return {"unit": str(budget.unit), **texts, "by": _account()}


def _account() -> str:
    """Return who is logged in."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
