"""Options that say where words are read and counted: embedded, or on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.choices import chosen
from entrenous.cli.console import note, progress
from entrenous.errors import ArgumentError, MissingDataError

if TYPE_CHECKING:
    from entrenous.words.corpus import Corpus

__all__ = ["CorpusPlace", "EngineName", "Master", "checked_master", "open_corpus"]

CorpusPlace = Annotated[
    str,
    typer.Argument(
        help="A corpus that `read` wrote. On Spark also Parquet or JSON messages at any path it knows.",
        metavar="CORPUS",
    ),
]
EngineName = Annotated[str, chosen("engine", "Where words are counted; tables are the same", "--engine")]
Master = Annotated[
    str | None,
    typer.Option("--master", help="The cluster of --engine spark. (default: this machine)", metavar="URL"),
]


def checked_master(engine: str, master: str | None) -> str | None:
    """Return the cluster that was asked for; only Spark has one."""
    if master is not None and engine != "spark":
        raise ArgumentError("--master", "expected --engine spark with it")
    return master


def open_corpus(place: str, engine: str, master: str | None) -> Corpus:
    """Open a corpus; on Spark, read messages for this command alone where there is no corpus."""
    from entrenous.words.corpus import Corpus

    cluster = checked_master(engine, master)
    if engine != "spark":
        return Corpus.open(Path(place))
    try:
        return Corpus.open(place, engine=engine, master=cluster)
    except MissingDataError:
        note("there is no corpus that `read` wrote: messages are read for this command alone")
    with progress("reading mail"):
        return Corpus.read(place, engine=engine, master=cluster)
