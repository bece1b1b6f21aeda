"""What commands that publish words have in common: options, checks beforehand, saving, and the curator's page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from entrenous.cli.choices import chosen
from entrenous.cli.console import FIRST_RUN, note, progress
from entrenous.cli.options import check_curators_page, print_rehearsal, print_remembered

if TYPE_CHECKING:
    from entrenous.release import Release
    from entrenous.words import Corpus

__all__ = [
    "EdgeList",
    "Predict",
    "PublicFolder",
    "Unit",
    "checked_folder",
    "on_listed_edges",
    "print_promise",
    "publish",
]

Unit = Annotated[
    str | None,
    chosen("words unit", "What is hidden. By default edge-and-message, and edge-content under a belief"),
]
EdgeList = Annotated[
    Path | None,
    typer.Option(
        "--edges",
        help="A public list of who writes to whom, two addresses a line. Without it the number of edges is not told.",
        metavar="FILE",
    ),
]
Predict = Annotated[
    bool,
    typer.Option("--predict", help="Only predict: charge and write nothing. What this prints is private."),
]
PublicFolder = Annotated[
    Path | None,
    typer.Option("--out", help="The new folder to publish; --predict needs none.", metavar="DIR"),
]
Artifact = TypeVar("Artifact")


def on_listed_edges(corpus: Corpus, edges: Path | None) -> Corpus:
    """Return the corpus on the edges of a public list, if there is one; say what that leaves out."""
    if edges is None:
        return corpus
    seen = corpus.on_edges(edges)
    if seen.left_out:
        note(
            f"left out, as they are not listed: {seen.left_out:,} edges of the mail; do not publish that number"
        )
    return seen


def checked_folder(out: Path | None, empty: object, curator: Path | None) -> Path:
    """Find out before anything is charged whether everything can be written that is going to be.

    Parameters
    ----------
    out
        The folder to publish.
    empty
        An artifact of the kind to be saved that holds nothing.
    curator
        The private page, if one is wanted.
    """
    from entrenous.release import check_saving

    if out is None:
        raise typer.BadParameter("expected a new folder; only --predict needs none", param_hint="'--out'")
    check_saving(empty, out)
    if curator is not None:
        check_curators_page(curator, published=out)
    return out


def publish(
    corpus: Corpus,
    draw: Callable[[Callable[[int, int], None]], Release[Artifact]],
    out: Path,
    curator: Path | None,
) -> Release[Artifact]:
    """Draw and save a release, and on a page for the owner alone compare it with the mail."""
    from entrenous.page import Report

    with progress(f"counting and drawing ({FIRST_RUN})") as tick:
        corpus.progress = tick
        made = draw(tick)
        made.save(out)
    if curator is not None:
        with progress("comparing with the mail"):
            Report.comparison(corpus, made).save(curator)
        note(f"the private comparison is in {curator}: do not publish it")
    return made


def print_promise(made: Release[Any], out: Path) -> None:
    """Say what is promised, and where to go on."""
    print_rehearsal(made)
    typer.echo(str(made.guarantee) if made.guarantee else str(made.provenance.parameters["correlation"]))
    print_remembered(made)
    typer.echo(f"next: entrenous report {out}")
