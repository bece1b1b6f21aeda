"""`entrenous words vocabulary`: which words and phrases may be published, without any list to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from entrenous.cli.console import FIRST_RUN, Json, note, print_json, progress
from entrenous.cli.options import CuratorsPage, NewFolder, Seed, check_curators_page, print_rehearsal
from entrenous.cli.words_belief import P0, P1, GroupSize, Neighbours, stated_belief
from entrenous.cli.words_page import save_curators_page

if TYPE_CHECKING:
    from entrenous.release import Release
    from entrenous.words.vocabulary import Vocabulary

__all__ = ["vocabulary"]

Weighting = Literal["guided", "adaptive", "policy", "uniform", "fixed"]


def vocabulary(
    corpus: Annotated[Path, typer.Argument(help="A corpus that `read` wrote.")],
    epsilon: Annotated[float, typer.Option(help="The privacy parameter. There is no default.")],
    delta: Annotated[float, typer.Option(help="The probability that may be lost. There is no default.")],
    out: NewFolder,
    unit: Annotated[Literal["edge", "sender"], typer.Option(help="Whose words are hidden.")] = "edge",
    weighting: Annotated[
        Weighting | None,
        typer.Option(help="The rule of weights. (default: guided; fixed where p0 and p1 are stated)"),
    ] = None,
    contribution: Annotated[
        int | None,
        typer.Option(min=1, help="N-grams of each edge or sender. (default: all; 1000 if not guided)"),
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, max=4, help="The longest n-grams.")] = 2,
    p0: P0 = None,
    p1: P1 = None,
    neighbours: Neighbours = None,
    group: GroupSize = None,
    ledger: Annotated[
        Path | None, typer.Option(help="Charge this ledger before anything is drawn.", metavar="FILE")
    ] = None,
    predict: Annotated[
        bool,
        typer.Option(
            "--predict", help="Rehearse only: charge and write nothing. What this prints is private."
        ),
    ] = False,
    seed: Seed = None,
    curator: CuratorsPage = None,
    as_json: Json = False,
) -> None:
    """Draw words and phrases that may be published, and save them with their promise."""
    from entrenous.budget import Ledger
    from entrenous.release import check_saving
    from entrenous.words.corpus import Corpus
    from entrenous.words.vocabulary import Vocabulary
    from entrenous.words.vocabulary import vocabulary as publish

    account = None if ledger is None or predict else Ledger(ledger)
    opened = Corpus.open(corpus)
    asked: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "correlation": stated_belief(p0, p1, neighbours, group, opened.largest_neighbourhood),
        "contribution": contribution,
        "unit": unit,
        "weighting": weighting,
        "n": n,
    }
    if predict:
        _predict(opened, asked, seed, as_json=as_json)
        return
    check_saving(Vocabulary.empty(), out)
    if curator is not None:
        check_curators_page(curator, published=out)
    with progress(f"counting and drawing ({FIRST_RUN})") as tick:
        made = publish(opened, **asked, ledger=account, rng=seed, progress=tick)
        made.save(out)
    if curator is not None:
        save_curators_page(opened, made, curator)
    if as_json:
        print_json(made.card.to_json() | _numbers(made, asked) | {"folder": str(out)})
    else:
        typer.echo(f"{out}: {len(made.artifact)} n-grams")
        print_rehearsal(made)
        typer.echo(str(made.guarantee) if made.guarantee else str(made.provenance.parameters["correlation"]))
        typer.echo(f"next: entrenous report {out}")


def _numbers(made: Release[Vocabulary], asked: dict[str, Any]) -> dict[str, Any]:
    """Return what programs ask for first: public numbers only."""
    return {
        "yield": len(made.artifact),
        "epsilon": asked["epsilon"],
        "delta": asked["delta"],
        "threshold": made.provenance.parameters["threshold for words"],
        "unit": asked["unit"] if made.guarantee is None else str(made.guarantee.unit),
    }


def _predict(opened: Any, asked: dict[str, Any], seed: int | None, *, as_json: bool) -> None:
    """Say what a release would give; nothing is charged, so it is for the curator alone."""
    from entrenous.words.vocabulary import predict as rehearse

    with progress(f"rehearsing ({FIRST_RUN})"):
        found = rehearse(opened, **asked, rng=0 if seed is None else seed)
    note("this prediction was made from the data and was not paid for: do not publish it")
    if as_json:
        print_json({"private": vars(found)})
    else:
        typer.echo(
            f"threshold {found.threshold:.4g}, within reach {found.reach:.4g}: {found.occurring} n-grams that "
            f"occur, {found.never_seen} that noise alone would name"
        )
