"""`entrenous words`: publish what an organization talks about, without what anyone said."""

from __future__ import annotations

import typer

from entrenous.cli.words_compare import compare
from entrenous.cli.words_correlate import correlate
from entrenous.cli.words_histogram import histogram
from entrenous.cli.words_read import read
from entrenous.cli.words_vocabulary import vocabulary

__all__ = ["app"]

app = typer.Typer(
    help="Publish what an organization talks about, without what anyone said.", no_args_is_help=True
)
app.command()(read)
app.command()(correlate)
app.command()(histogram)
app.command()(vocabulary)
app.command()(compare)
