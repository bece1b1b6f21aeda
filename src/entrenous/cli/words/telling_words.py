"""`entrenous words keyphrases` and `entrenous words idf`: what published words tell, at no charge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.cli.console import Json, print_json, print_table
from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from entrenous.release import Release

__all__ = ["idf", "keyphrases"]

Folder = Annotated[Path, typer.Argument(help="A published histogram or vocabulary.", metavar="FOLDER")]
BackgroundFile = Annotated[
    Path | None,
    typer.Option(
        help="A public table of n-grams and how often they are said elsewhere. (default: everyday English)",
        metavar="FILE",
    ),
]
Top = Annotated[int, typer.Option(min=1, help="How many to print at most.")]
Holders = Annotated[
    int | None,
    typer.Option(
        min=1, help="How many edges or senders there are, if that is public and the folder does not say."
    ),
]


def keyphrases(
    folder: Folder, background: BackgroundFile = None, top: Top = 30, as_json: Json = False
) -> None:
    """Print the published n-grams that stand out from everyday language. Costs no privacy."""
    from rich.table import Table

    from entrenous.words.background import Background
    from entrenous.words.key_phrases import key_phrases

    release = _published(folder)
    public = None if background is None else Background.read(background)
    found = key_phrases(release.artifact, background=public, top=top)
    if as_json:
        print_json({"keyphrases": [vars(phrase) for phrase in found]})
        return
    table = Table("n-gram", "published", "log-odds", "deviations")
    for phrase in found:
        table.add_row(
            phrase.ngram, f"{phrase.value:,.6g}", f"{phrase.log_odds:.2f}", f"{phrase.deviations:.1f}"
        )
    print_table(table)


def idf(folder: Folder, holders: Holders = None, top: Top = 30, as_json: Json = False) -> None:
    """Print inverse document frequencies of published counts, the most telling last. Costs no privacy."""
    from rich.table import Table

    from entrenous.words.frequency import idf as frequencies
    from entrenous.words.frequency import idf_intervals

    artifact = _published(folder).artifact
    known = getattr(artifact, "holders", None) if holders is None else holders
    if known is None:
        raise ArgumentError(
            "holders",
            "expected how many edges or senders there are: the folder does not tell, for it was not public",
        )
    values = frequencies(artifact, holders=known)
    reach = idf_intervals(artifact, holders=known) if getattr(artifact, "covered", False) else {}
    names = list(values)[:top]
    if as_json:
        print_json({"idf": {name: {"idf": values[name], "interval": reach.get(name)} for name in names}})
        return
    table = Table("n-gram", "idf", "from", "to")
    for name in names:
        low, high = (f"{bound:.3f}" for bound in reach[name]) if name in reach else ("", "")
        table.add_row(name, f"{values[name]:.3f}", low, high)
    print_table(table)


def _published(folder: Path) -> Release[Any]:
    """Read a published histogram or vocabulary."""
    from entrenous.release import read_release
    from entrenous.words.histogram import Histogram
    from entrenous.words.vocabulary import Vocabulary

    release = read_release(folder)
    if not isinstance(release.artifact, Histogram | Vocabulary):
        raise ArgumentError("folder", "expected a published histogram or vocabulary; got something else")
    return release
