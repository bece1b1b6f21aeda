"""What a vault refuses: what contradicts it, and what exceeds a budget. Each refusal names both sides."""

from __future__ import annotations

from dataclasses import replace

from entrenous.errors import BudgetExceeded, Contradiction, VaultError
from entrenous.guarantee import exact
from entrenous.unit import Unit
from entrenous.vault.chain.entry import Entry, Promise
from entrenous.vault.composition import Charge, Total, as_decimal
from entrenous.vault.order import Order
from entrenous.vault.state import State

__all__ = ["admitted", "broken_promises"]

PARTS_SAID = {"nodes": "who is in the data", "ties": "who is tied to whom", "contents": "what was said"}


def admitted(order: Order, state: State, *, void: bool = False) -> Charge | None:
    """Return an order as it will count, or say why it may not be; None where it promises nothing.

    Parameters
    ----------
    order
        What is asked for.
    state
        What the vault knows.
    void
        Give up earlier promises that the order breaks.
    """
    _check_promises(order, state)
    if not void:
        for unit, entry in broken_promises(order, state):
            raise Contradiction(
                f"{order.purpose} {_lays_open(order, unit)}, but {entry.sentence()} promises to hide {unit.change}; "
                "nothing was charged. Publish one of the two, or give the earlier promise up for good with "
                "--void-promises"
            )
    if not order.promises:
        return None
    return _within_budgets(order, state)


def broken_promises(order: Order, state: State) -> list[tuple[Unit, Entry]]:
    """Return the units that an order can no longer let be hidden, though a release promised it."""
    units = [state.budgets[name].unit for name in state.budgets]
    hurt = [unit for unit in units if set(unit.parts) & set(order.reveals) and state.gone(unit) is None]
    return [(unit, state.first_promises[str(unit)]) for unit in hurt if str(unit) in state.first_promises]


def _check_promises(order: Order, state: State) -> None:
    """Refuse a promise to hide what is known already."""
    for promise in order.promises:
        known = state.gone(promise.unit)
        if known is not None:
            raise Contradiction(
                f"{order.purpose} would promise to hide {promise.change}, but {_known(known, promise.unit, state)}; "
                "nothing was charged"
            )


def _known(entry: Entry, unit: Unit, state: State) -> str:
    """Say since when something is known."""
    part = next(part for part in unit.parts if state.revealed.get(part) is entry)
    if entry.kind == "exposure":
        return f"{PARTS_SAID[part]} may be known since {entry.sentence()}, which promises nothing"
    return f"{PARTS_SAID[part]} was declared public by {entry.sentence()}"


def _lays_open(order: Order, unit: Unit) -> str:
    """Say what an order gives away."""
    part = next(part for part in order.reveals if part in unit.parts)
    if part in order.exposes:
        return f"promises nothing: from then on {PARTS_SAID[part]} may be known"
    return f"takes {PARTS_SAID[part]} for public"


def _within_budgets(order: Order, state: State) -> Charge:
    """Return the charge if every budget of what is still hidden has room for it."""
    promises = tuple(
        Promise(
            each.unit,
            as_decimal(exact(each.epsilon)),
            as_decimal(exact(each.delta)),
            order.event if order.guarantee is not None and each is order.guarantee.charged else None,
        )
        for each in order.promises
    )
    condition = None if order.guarantee is None else order.guarantee.conditional
    charge = Charge(promises, order.sees, (), condition)
    _check_units(charge, state)
    exactly: list[str] = []
    for name, budget in state.budgets.items():
        if state.gone(budget.unit) is not None or set(budget.unit.parts) & set(order.reveals):
            continue  # hidden no more
        before, total = state.totals[name], state.total(name, charge)
        if before is None or total is None:
            raise VaultError(
                f"this vault has a budget for the unit {name}; {order.purpose} says nothing about it, so that "
                f"budget would be broken; nothing was charged. Ask for the unit {name}"
            )
        if not total.by_sum:  # proof: vault-composition
            composed = before.plus(replace(charge, exactly=(name,)))
            if composed is None or not composed.by_composition:
                raise _exceeded(before, total, str(promises[-1].unit))
            exactly.append(name)
    return replace(charge, exactly=tuple(exactly))


def _check_units(charge: Charge, state: State) -> None:
    """Refuse a release if no budget is for what it hides, or for a part of that at the same epsilon."""
    covered = (
        promise.unit.factor(each.unit) == 1 for promise in charge.promises for each in state.budgets.values()
    )
    if not any(covered):
        units = " or ".join(str(promise.unit) for promise in charge.promises)
        raise VaultError(
            f"this vault counts per {', '.join(state.budgets) or 'no unit'}; the release protects per {units}; "
            f"nothing was charged. `entrenous budget add` gives the vault a budget for it"
        )


def _exceeded(before: Total, after: Total, own: str) -> BudgetExceeded:
    """Return the refusal that names what is missing."""
    cost = after.epsilon - before.epsilon, after.delta - before.delta
    wanting = "epsilon" if after.epsilon > exact(after.budget.epsilon) else "delta"
    asked, left = (cost[0], before.left_epsilon) if wanting == "epsilon" else (cost[1], before.left_delta)
    exactly = after.exact_epsilon
    return BudgetExceeded(
        asked=as_decimal(asked),
        left=left,
        parameter=wanting,
        unit=str(after.budget.unit),
        composed=exactly if exactly is not None and exactly < after.epsilon else None,
        own=own,
    )
