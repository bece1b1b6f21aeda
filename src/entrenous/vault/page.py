"""The owner's page about a vault: what was told, what is left, and what would still be allowed."""

from __future__ import annotations

from entrenous.page.pictures.budgets import spent_and_left
from entrenous.page.report import Report, rendered
from entrenous.page.sections import Head, Picture, Row, Section
from entrenous.page.wording import capital
from entrenous.unit import Unit
from entrenous.vault.chain.entry import Entry
from entrenous.vault.facts import FACTS
from entrenous.vault.outlook import outlook
from entrenous.vault.state import State
from entrenous.vault.vault import Vault

__all__ = ["told", "vault_report"]

TITLE = "What was told about this data set"
SUMMARY = (
    "Every release of the data set, whatever it was about, and the facts that were declared public. Privacy that was "
    "spent does not come back."
)
CAPTIONS = {
    "budgets": "Each bar is the epsilon that one unit may ever be charged. Segments are releases by their entry; what "
    "is left is pale. A unit that can no longer be hidden is said to be so.",
    "told": "In the order in which it was told, with what was promised for it.",
    "outlook": "Each order was tried and not charged.",
}


def vault_report(vault: Vault) -> Report:
    """Put a vault on one page, which is its owner's."""
    state = vault.state
    head = Head(
        SUMMARY,
        facts=[(f"promised per {name}", _ceiling(state, name)) for name in state.budgets],
        notes=[*vault.given_up],
    )
    sections = [_budgets(state), _told(vault.entries(), state), _outlook(state)]
    return Report(rendered(TITLE, head, sections, curator=True), private=True)


def _ceiling(state: State, name: str) -> str:
    budget = state.budgets[name]
    return f"epsilon {budget.epsilon:g}" + (f", delta {budget.whole_delta:g}" if budget.whole_delta else "")


def _budgets(state: State) -> Section:
    """Draw each budget, and write both sums beside it."""
    bars, rows = {}, []
    for name, budget in state.budgets.items():
        total, gone = state.total(name), state.gone(budget.unit)
        costs = [(charge.entry, charge.cost(budget.unit)) for charge in state.charges]
        parts = [
            (f"{entry}", float(cost.epsilon)) for entry, cost in costs if cost is not None and cost.epsilon
        ]
        bars[name] = (parts, budget.epsilon, gone is not None)
        if total is None or gone is not None:
            rows.append(Row(name, ("", "", "", ""), "No longer hidden." if gone else "Void."))
            continue
        exactly = total.exact_epsilon
        rows.append(
            Row(
                name,
                (
                    f"{budget.epsilon:g}",
                    f"{float(total.epsilon):.4g}",
                    "" if exactly is None else f"{exactly:.4g}",
                    f"{float(total.left_epsilon):.4g}",
                ),
                capital(budget.unit.change.format(size="so many")) + ".",
            )
        )
    picture = Picture("Spent and left", CAPTIONS["budgets"], spent_and_left(bars), wide=True)
    columns = ("budget", "by the sum", "exactly", "left by the sum")
    return Section("Budgets", "", (picture,), columns, tuple(rows))


def _told(entries: tuple[Entry, ...], state: State) -> Section:
    rows = tuple(
        Row(f"{number}. {what}", (time, by, promised), meaning)
        for number, time, by, what, promised, meaning in told(entries, state)
    )
    return Section("What was told", CAPTIONS["told"], (), ("when", "by", "promised"), rows)


def told(entries: tuple[Entry, ...], state: State) -> list[tuple[int, str, str, str, str, str]]:
    """Return what was told, for a table: number, day, account, what, what was promised, and what is to be said."""
    rows = []
    for entry in entries:
        what, promised, remark = _described(entry, state)
        if what:
            rows.append((entry.number, entry.time[:10], entry.by, what, promised, remark))
    return rows


def _described(entry: Entry, state: State) -> tuple[str, str, str]:
    """Return what an entry tells, what it promises and a remark; nothing of those that tell nothing."""
    if entry.kind == "fact":
        return f"public: {FACTS[entry.body['fact']].says}", "", f"Declared for: {entry.purpose}."
    if entry.kind == "void":
        return "promise given up", "", f"Entry {entry.body['promised']} can no longer hide: {_change(entry)}."
    if entry.kind == "exposure":
        return entry.purpose, "nothing", "From here on anything about ties may be known."
    if entry.kind == "charge":
        promised = ", ".join(
            f"epsilon {float(each.epsilon):.4g}"
            + (f", delta {float(each.delta):.4g}" if each.delta else "")
            + f" per {each.unit}"
            for each in entry.promises
        )
        return entry.purpose, promised, " ".join(_remarks(entry, state))
    if entry.kind == "data" and entry.body["version"] > 1:
        return (
            f"version {entry.body['version']} of the {entry.body['data']}",
            "",
            "All charges count together.",
        )
    return "", "", ""


def _remarks(entry: Entry, state: State) -> list[str]:
    """Return what is to be said of a release besides its numbers."""
    remarks = ["A rehearsal, not private."] if entry.rehearsal else []
    condition = state.condition(entry)
    remarks += [f"Conditional on {condition}."] if condition else []
    remarks += ["Admitted by exact composition."] if entry.body["exactly"] else []
    return remarks if entry.number in state.drawn else [*remarks, "Not drawn to its end."]


def _change(entry: Entry) -> str:
    return Unit.named(entry.body["unit"]).change


def _outlook(state: State) -> Section:
    rows = tuple(
        Row(each.order, ("yes" if each.allowed else "no",), capital(each.reason) + "." if each.reason else "")
        for each in outlook(state)
    )
    return Section("What would still be allowed", CAPTIONS["outlook"], (), ("allowed",), rows)
