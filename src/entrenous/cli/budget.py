"""`entrenous budget`: the vault that remembers what was told about a data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.cli.choices import Noun, chosen
from entrenous.cli.console import Json, note, print_json, print_table
from entrenous.cli.options import VoidPromises
from entrenous.errors import PrivacyError

if TYPE_CHECKING:
    from entrenous.vault import Vault
    from entrenous.vault.composition import Total
    from entrenous.vault.state import State

__all__ = ["app"]

app = Noun("Create, read and check the vault of a data set.")
File = Annotated[Path, typer.Argument(help="The vault, an SQLite file.", metavar="VAULT")]
Budgets = Annotated[
    list[str] | None,
    typer.Option(
        "--budget",
        help="A unit and the most it may ever be charged, once for each unit: edge-content=8,1e-5 is epsilon 8 and "
        "delta 1e-5. A third number is the slack.",
        metavar="UNIT=EPSILON[,DELTA[,SLACK]]",
    ),
]


@app.command()
def create(
    file: File,
    epsilon: Annotated[
        float | None, typer.Option(help="The most that may ever be spent, if there is one unit.")
    ] = None,
    delta: Annotated[float, typer.Option(help="The same for delta.")] = 0.0,
    slack: Annotated[
        float | None,
        typer.Option(help="A further delta, for composing noise exactly. (default: as much as delta)"),
    ] = None,
    unit: Annotated[str, chosen("unit", "What is hidden")] = "edge",
    budget: Budgets = None,
    as_json: Json = False,
) -> None:
    """Make a new vault; one that is there is never overwritten."""
    from entrenous.errors import ArgumentError
    from entrenous.unit import Unit
    from entrenous.vault import Budget, Vault

    if (epsilon is None) == (not budget):
        raise ArgumentError(
            "--epsilon, --budget", "expected one of the two: --epsilon, or --budget for each unit"
        )
    budgets = [Budget.parse(text) for text in budget or ()]
    if epsilon is not None:
        budgets = [Budget(epsilon=epsilon, delta=delta, unit=Unit.named(unit), slack=slack)]
    vault = Vault.create(file, *budgets)
    if as_json:
        print_json({"file": str(file), "budgets": _budgets(vault.state)})
        return
    for made in vault.budgets:
        whole = made.whole_delta
        slack_said = f" and delta {whole:g}, of which {made.slack:g} is slack" if whole else ""
        typer.echo(f"{file}: epsilon {made.epsilon:g}{slack_said}, per {made.unit}")


@app.command()
def add(
    file: File,
    budget: Annotated[str, typer.Argument(help="As for create.", metavar="UNIT=EPSILON[,DELTA[,SLACK]]")],
    as_json: Json = False,
) -> None:
    """Give a vault a budget for one more unit; all earlier releases count."""
    from entrenous.vault import Budget, Vault

    vault = Vault(file)
    vault.add(Budget.parse(budget))
    _print_left(vault, as_json=as_json)


@app.command()
def declare(
    file: File,
    fact: Annotated[str, chosen("fact", "What is public", "--fact")],
    void_promises: VoidPromises = False,
    as_json: Json = False,
) -> None:
    """Declare that something about the data is public."""
    from entrenous.vault import Vault

    entry = Vault(file, void_promises=void_promises).declare(fact)
    if as_json:
        print_json({"entry": entry.number, "fact": fact})
    else:
        typer.echo(f"{file}: {entry.sentence()}")


@app.command()
def show(
    file: File,
    at: Annotated[
        float, typer.Option(help="The epsilon at which it is tried what would still be allowed.")
    ] = 1.0,
    out: Annotated[
        Path | None, typer.Option(help="Also write a page with a picture, for the owner.", metavar="FILE")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what was told, for which unit, what is left, and what would still be allowed."""
    from entrenous.vault import Vault
    from entrenous.vault.outlook import outlook
    from entrenous.vault.page import vault_report

    vault = Vault(file)
    state = vault.state
    prospects = outlook(state, epsilon=at)
    if out is not None:
        vault_report(vault).save(out)
    if as_json:
        print_json(_everything(vault, state) | {"outlook": [vars(each) for each in prospects]})
        return
    _print_told(vault, state)
    _print_left(vault, as_json=False)
    for sentence in vault.given_up:
        typer.echo(sentence)
    typer.echo("what would still be allowed:")
    for prospect in prospects:
        typer.echo(f"  {prospect.sentence}")
    if out is not None:
        note(f"open {out}: it is the owner's, do not publish it")


@app.command()
def verify(
    file: File,
    folders: Annotated[
        list[Path] | None,
        typer.Argument(help="Published folders: their cards have receipts.", metavar="DIR..."),
    ] = None,
    graph: Annotated[
        Path | None, typer.Option(help="The graph that the vault should belong to.", metavar="FILE")
    ] = None,
    mail: Annotated[
        Path | None, typer.Option(help="The corpus that it should belong to.", metavar="FILE")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check whether a vault still says what it said; what is not as it should be ends with exit code 1."""
    from entrenous.vault import Vault
    from entrenous.vault.verification import UNNOTICED, Finding
    from entrenous.vault.verification import verify as look

    try:
        found = look(Vault(file), folders or (), _data(graph, mail))
    except PrivacyError as problem:
        found = [Finding(False, str(problem))]
    if as_json:
        print_json([vars(each) for each in found])
    else:
        for each in found:
            typer.echo(f"{'ok' if each.sound else 'NOT OK'}: {each.sentence}")
        note(UNNOTICED)
    if not all(each.sound for each in found):
        raise typer.Exit(1)


def _data(graph: Path | None, mail: Path | None) -> list[Any]:
    """Open what should be the vault's data."""
    found: list[Any] = []
    if graph is not None:
        from entrenous.graph import Graph

        found.append(Graph.read(graph, clean=True))
    if mail is not None:
        from entrenous.words import Corpus

        found.append(Corpus.open(mail))
    return found


def _print_told(vault: Vault, state: State) -> None:
    from rich.table import Table

    from entrenous.vault.page import told

    rows = told(vault.entries(), state)
    if rows:
        table = Table("entry", "day", "by", "told", "promised", "remark", box=None)
        for number, *texts in rows:
            table.add_row(str(number), *texts)
        print_table(table)


def _print_left(vault: Vault, *, as_json: bool) -> None:
    """Print what each budget leaves, both ways of adding up."""
    from entrenous.vault.composition import in_advance

    state = vault.state
    if as_json:
        print_json({"budgets": _budgets(state)})
        return
    for name, budget in state.budgets.items():
        total, gone = state.total(name), state.gone(budget.unit)
        if gone is not None:
            typer.echo(f"{name}: no longer hidden, since {gone.sentence()}")
        elif total is None:
            typer.echo(f"{name}: void, for a release says nothing about it")
        else:
            typer.echo(_left(name, total))
            together = in_advance(budget, state.charges)
            if together is not None and together < total.spent[0]:
                typer.echo(f"  epsilon {together:.4g}, had all orders been fixed before the first release")


def _left(name: str, total: Total) -> str:
    """Say what is left of a budget, and what exact composition says."""
    budget = total.budget
    delta = f", delta {float(total.left_delta):.4g} of {budget.delta:g}" if budget.delta else ""
    bar = round(20 * min(float(total.epsilon) / budget.epsilon, 1.0))
    text = f"{name}: {'█' * bar}{'░' * (20 - bar)} "
    text += f"epsilon {_plain(total.left_epsilon)} of {budget.epsilon:g} left{delta}"
    if total.exact_epsilon is not None and total.mu:
        text += (
            f"; spent {float(total.epsilon):.4g} by the sum, {total.exact_epsilon:.4g} composed exactly at slack "
            f"{budget.slack:g}"
        )
    if total.conditional:
        text += f"; {float(total.conditional):.4g} of what was spent is conditional"
    return text


def _plain(amount: Any) -> str:
    text = str(amount)
    return text if len(text) <= 8 else f"{float(amount):.4g}"


def _budgets(state: State) -> list[dict[str, Any]]:
    """Return for programs what was spent on each unit that is still hidden, every way of adding up."""
    from entrenous.vault.composition import in_advance

    return [
        {
            "unit": str(total.budget.unit),
            "epsilon": total.budget.epsilon,
            "delta": total.budget.delta,
            "slack": total.budget.slack,
            "spent_epsilon": float(total.epsilon),
            "spent_delta": float(total.side),
            "exact_epsilon": total.exact_epsilon,
            "in_advance_epsilon": in_advance(total.budget, state.charges),
            "promised": list(total.promised),
            "left_epsilon": total.left_epsilon,
            "left_delta": total.left_delta,
            "conditional_epsilon": float(total.conditional),
        }
        for total in state.totals.values()
        if total and state.gone(total.budget.unit) is None
    ]


def _everything(vault: Vault, state: State) -> dict[str, Any]:
    """Return the vault for programs; keys, fingerprints and nonces stay inside."""
    hidden = {"nonce", "fingerprint"}
    entries = [
        {
            "number": entry.number,
            "time": entry.time,
            "kind": entry.kind,
            "digest": entry.digest,
            **{name: value for name, value in entry.body.items() if name not in hidden},
        }
        for entry in vault.entries()
    ]
    return {
        "budgets": _budgets(state),
        "gone": [name for name, budget in state.budgets.items() if state.gone(budget.unit) is not None],
        "facts": {name: entry.number for name, entry in state.facts.items()},
        "entries": entries,
    }
