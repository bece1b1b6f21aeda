"""`entrenous budget`: the file that remembers what was spent on a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from entrenous.cli.console import Json, print_json, print_table

__all__ = ["app"]

app = typer.Typer(help="Create and read the ledger of a data set.", no_args_is_help=True)
File = Annotated[Path, typer.Argument(help="The ledger, an SQLite file.", metavar="FILE")]


@app.command()
def create(
    file: File,
    epsilon: Annotated[float, typer.Option(help="The most that may ever be spent on this data set.")],
    delta: Annotated[float, typer.Option(help="The same for delta.")] = 0.0,
    unit: Annotated[str, typer.Option(help="What is hidden: edge.")] = "edge",
    as_json: Json = False,
) -> None:
    """Make a new ledger; one that is there is never overwritten."""
    from entrenous.budget import Budget, Ledger

    ledger = Ledger.create(file, Budget(epsilon=epsilon, delta=delta, unit=unit))  # type: ignore[arg-type]  # Budget checks the word
    if as_json:
        print_json({"file": str(file), "epsilon": epsilon, "delta": delta, "unit": unit})
    else:
        typer.echo(f"{file}: epsilon {ledger.left_epsilon} to spend, per {ledger.budget.unit}")


@app.command()
def show(file: File, as_json: Json = False) -> None:
    """Show what was spent and what is left."""
    from entrenous.budget import Ledger

    ledger = Ledger(file)
    entries, left = ledger.entries(), ledger.left_epsilon
    if as_json:
        print_json(
            {
                "unit": ledger.budget.unit,
                "epsilon": ledger.budget.epsilon,
                "delta": ledger.budget.delta,
                "left_epsilon": left,
                "entries": [vars(entry) for entry in entries],
            }
        )
        return
    from rich.table import Table

    table = Table("entry", "time (UTC)", "epsilon", "delta", "for", box=None)
    for entry in entries:
        purpose = entry.purpose + (" (rehearsal)" if entry.rehearsal else "")
        table.add_row(str(entry.number), entry.time[:19], str(entry.epsilon), str(entry.delta), purpose)
    if entries:
        print_table(table)
    typer.echo(f"epsilon {left} of {ledger.budget.epsilon:g} left, per {ledger.budget.unit}")
