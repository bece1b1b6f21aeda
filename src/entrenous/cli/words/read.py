"""`entrenous words read`: mail into a corpus that can be counted, and what became of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.console import Json, note, print_json, print_table, progress
from entrenous.cli.words.engine_options import EngineName, Master, checked_master

if TYPE_CHECKING:
    from entrenous.words.reading.settling import Summary

__all__ = ["read"]


def read(
    mail: Annotated[
        str,
        typer.Argument(
            help="Maildirs, .mbox, .eml, .msg, .pst, .jsonl, .csv or .parquet files, exports of Slack, Teams or Google "
            "Chat, a folder, .zip or .tar of them. On Spark Parquet or JSON at any path it knows.",
            metavar="MAIL",
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            help="The corpus, for its owner alone; if it is there, reading continues. On Spark a new folder.",
            metavar="FILE",
        ),
    ],
    columns: Annotated[
        str | None,
        typer.Option(
            help="Columns of a table by another name: from=sender,to=recipients,...", metavar="NAMES"
        ),
    ] = None,
    directory: Annotated[
        Path | None,
        typer.Option(
            help="A public table of address, person, member_of and kind (.csv, .tsv).", metavar="FILE"
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            help="The language of the mail, as a BCP 47 code (de, pt-BR); cards say it.", metavar="CODE"
        ),
    ] = None,
    engine: EngineName = "duckdb",
    master: Master = None,
    as_json: Json = False,
) -> None:
    """Read mail into a corpus and say what was found and dropped. What this prints is private."""
    from entrenous.words import Corpus

    cluster = checked_master(engine, master)
    with progress("reading mail") as tick:
        corpus = Corpus.read(
            mail, columns=_columns(columns), directory=directory, store=out, progress=tick,
            engine=engine, master=cluster, language=language,
        )  # fmt: skip
    summary, assumptions = corpus.summary, corpus.assumptions
    corpus.close()
    if as_json:
        print_json(summary.to_json() | {"corpus": str(out), "assumptions": list(assumptions)})
        return
    _print_summary(summary)
    for sentence in assumptions:
        typer.echo(f"To be said with every release: {sentence}.")
    note(f"the corpus is in {out}: it holds words of confidential mail, do not publish it")


def _columns(text: str | None) -> dict[str, str] | None:
    """Return the names of columns given as from=sender,to=recipients."""
    from entrenous.errors import ArgumentError

    if text is None:
        return None
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(field.strip() and name.strip() for field, _, name in pairs):
        raise ArgumentError(
            "columns", "expected from=NAME,to=NAME,... with commas between; got something else"
        )
    return {field.strip(): name.strip() for field, _, name in pairs}


def _print_summary(summary: Summary) -> None:
    from rich.table import Table

    table = Table("for the curator", "", box=None)
    for name in ("files", "messages", "persons", "edges", "largest_neighbourhood"):
        table.add_row(name.replace("_", " "), f"{getattr(summary, name):,}")
    for reason, count in summary.dropped.items():
        table.add_row(f"dropped: {reason}", f"{count:,}")
    for kind, count in summary.lists.items():
        table.add_row(f"mailing lists {kind}", f"{count:,}")
    table.add_row("language", f"{summary.language}, as stated" if summary.language else "not stated")
    print_table(table)
