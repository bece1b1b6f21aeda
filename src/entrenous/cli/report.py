"""`entrenous report`: a page about a saved release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from entrenous.cli.console import Json, print_json, progress

__all__ = ["report"]


def report(
    folder: Annotated[Path, typer.Argument(help="A saved release.", metavar="DIR")],
    out: Annotated[
        Path | None, typer.Option(help="The page to write. (default: report.html in DIR)", metavar="FILE")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make the published page of a release: its card and pictures of what was released, nothing else."""
    from entrenous.page import Report

    with progress("drawing the page"):
        page = Report.of_folder(folder).save(out or folder / "report.html")
    if as_json:
        print_json({"page": str(page)})
    else:
        typer.echo(f"open {page}")
