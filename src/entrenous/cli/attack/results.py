"""What the commands about attacks share: where the page goes, and how findings are printed."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.cli.console import note, print_json, print_table

if TYPE_CHECKING:
    from entrenous.attack import Finding
    from entrenous.page import Report

__all__ = ["Page", "finish", "print_findings", "print_rows"]

Page = Annotated[
    Path | None,
    typer.Option("--out", help="Also write a page: what was tried, gained and promised.", metavar="FILE"),
]


def finish(page: Report | None, out: Path | None, result: Any) -> None:
    """Save the page and print the result for programs, each if it was asked for."""
    if page is not None and out is not None:
        page.save(out)
        note(f"pictures are in {out}" + (": private, do not publish them" if page.private else ""))
    if result is not None:
        print_json(result)


def print_findings(found: Sequence[Finding], *, broken: bool) -> None:
    """Print promise, attack, what was measured and what was stated; of flaws, whether they were caught."""
    from entrenous.attack.audit_page import verdict

    rows = [
        (
            each.mechanism,
            each.attack,
            each.quantity,
            f"{each.measured:.3f}" if isfinite(each.measured) else "no limit",
            "" if each.stated is None else f"{each.stated:g}",
            verdict(each, broken=broken),
        )
        for each in found
    ]
    print_rows(("promise", "attack", "", "measured", "stated", ""), rows)


def print_rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table of texts; brackets in them are no markup."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(*head, box=None)
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    print_table(table)
