"""How commands speak: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["FIRST_RUN", "Json", "note", "print_json", "print_table", "progress"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
FIRST_RUN = "the first run compiles its inner loops, which takes about ten seconds"


def note(line: str) -> None:
    """Say something that is not the result."""
    typer.echo(line, err=True)


def print_json(value: Any) -> None:
    """Print a result for programs."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False, default=float))


def print_table(table: Table) -> None:
    """Print a result for people."""
    from rich.console import Console

    Console().print(table)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show what is going on while it takes long; yields a function that takes steps made and steps in all."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
