"""`entrenous attack`: try to break the promises, and show how far that gets."""

from __future__ import annotations

import typer

from entrenous.cli.attack.disclose import words
from entrenous.cli.attack.infer import links, network
from entrenous.cli.attack.manipulate import access
from entrenous.cli.attack.run_audit import audit

__all__ = ["app"]

app = typer.Typer(help="Try to break the promises, and show how far an attacker gets.", no_args_is_help=True)
app.command()(network)
app.command()(links)
app.command()(words)
app.command()(access)
app.command()(audit)
