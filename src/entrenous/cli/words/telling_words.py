"""`entrenous words keyphrases` and `entrenous words idf`: what published words tell, at no charge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.cli.console import Json, print_json, print_table
from entrenous.errors import ArgumentError, FormatError, MissingDataError

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
OwnText = Annotated[
    Path | None,
    typer.Option(
        help="A text of your own: print how telling published n-grams are for it (tf-idf), the most telling first.",
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


def idf(
    folder: Folder, holders: Holders = None, text: OwnText = None, top: Top = 30, as_json: Json = False
) -> None:
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
    if text is not None:
        _print_text(text, artifact, known, top, as_json=as_json)
        return
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


def _print_text(path: Path, published: Any, holders: int, top: int, *, as_json: bool) -> None:
    """Print how telling published n-grams are for a text."""
    from rich.table import Table

    from entrenous.words.frequency import ngrams_of, tf_idf
    from entrenous.words.public_list import longest

    try:
        said = ngrams_of(path.read_text(encoding="utf-8"), n=longest(published.names or ("",)))
    except OSError:
        raise MissingDataError(f"--text: {path.name} cannot be read; is it there?") from None
    except UnicodeDecodeError:
        raise FormatError("expected text in UTF-8", file=path.name) from None
    values = tf_idf(said, published, holders=holders)
    names = sorted(values, key=lambda name: (-values[name], name))[:top]
    if as_json:
        print_json({"tf_idf": {name: values[name] for name in names}})
        return
    table = Table("n-gram", "in the text", "tf-idf")
    for name in names:
        table.add_row(name, f"{said[name]:,}", f"{values[name]:.3f}")
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
