"""`entrenous budget`: the file that remembers what was spent on a data set."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.choices import Noun, chosen
from entrenous.cli.console import Json, print_json, print_table

if TYPE_CHECKING:
    from entrenous.budget import Ledger
    from entrenous.price import NoiseEvent

__all__ = ["app"]

app = Noun("Create and read the ledger of a data set.")
File = Annotated[Path, typer.Argument(help="The ledger, an SQLite file.", metavar="FILE")]


@app.command()
def create(
    file: File,
    epsilon: Annotated[float, typer.Option(help="The most that may ever be spent on this data set.")],
    delta: Annotated[float, typer.Option(help="The same for delta.")] = 0.0,
    unit: Annotated[str, chosen("unit", "What is hidden")] = "edge",
    as_json: Json = False,
) -> None:
    """Make a new ledger; one that is there is never overwritten."""
    from entrenous.budget import Budget, Ledger
    from entrenous.unit import Unit

    ledger = Ledger.create(file, Budget(epsilon=epsilon, delta=delta, unit=Unit.named(unit)))
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
    together = _together(ledger)
    if as_json:
        print_json(
            {
                "unit": str(ledger.budget.unit),
                "epsilon": ledger.budget.epsilon,
                "delta": ledger.budget.delta,
                "left_epsilon": left,
                "left_delta": ledger.left_delta,
                "together_epsilon": together,
                "entries": [asdict(entry) for entry in entries],
            }
        )
        return
    from rich.table import Table

    table = Table("entry", "time (UTC)", "epsilon", "delta", "for", "noise", box=None)
    for entry in entries:
        purpose = entry.purpose + (" (rehearsal)" if entry.rehearsal else "")
        if entry.condition:
            purpose += f"; conditional on {entry.condition}"
        table.add_row(
            str(entry.number),
            entry.time[:19],
            str(entry.epsilon),
            str(entry.delta),
            purpose,
            _noise(entry.event),
        )
    if entries:
        print_table(table)
    delta = f", delta {ledger.left_delta:g} of {ledger.budget.delta:g}" if ledger.budget.delta else ""
    typer.echo(f"epsilon {left} of {ledger.budget.epsilon:g} left{delta}, per {ledger.budget.unit}")
    if together is not None:
        typer.echo(
            f"by exact composition all releases together cost epsilon {together:.4g} at the whole delta"
        )


def _noise(event: NoiseEvent | None) -> str:
    return "" if event is None else f"{event.mechanism}, scale {event.scale:.6g}, {event.repeats} numbers"


def _together(ledger: Ledger) -> float | None:
    """Return what all charges cost by exact composition, where their noise is known and a delta was set."""
    from entrenous.errors import MissingExtraError

    entries = ledger.entries()
    if not ledger.budget.delta or not any(entry.event for entry in entries):
        return None
    try:
        from entrenous.price import compose

        return compose(entries, delta=ledger.budget.delta)
    except MissingExtraError:
        return None  # the sum of the charges stands in any case
