"""`entrenous words vocabulary`: which words and phrases may be published, without any list to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from entrenous.cli.console import FIRST_RUN, Json, note, print_json, progress
from entrenous.cli.options import NewFolder, Seed, print_rehearsal
from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from entrenous.release import Release
    from entrenous.words.correlation import Correlation
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
    p0: Annotated[
        float | None, typer.Option(min=0, max=1, help="A neighbour's least chance to carry an n-gram.")
    ] = None,
    p1: Annotated[
        float | None, typer.Option(min=0, max=1, help="A neighbour's largest chance to carry an n-gram.")
    ] = None,
    neighbours: Annotated[
        int | None, typer.Option(min=0, help="The most neighbours of an edge. (default: CORPUS's)")
    ] = None,
    group: Annotated[
        int | None, typer.Option(min=1, help="Hide any so many edges together, whatever they have in common.")
    ] = None,
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
        "correlation": _belief(p0, p1, neighbours, group, opened.largest_neighbourhood),
        "contribution": contribution,
        "unit": unit,
        "weighting": weighting,
        "n": n,
    }
    if predict:
        _predict(opened, asked, seed, as_json=as_json)
        return
    check_saving(Vocabulary.empty(), out)
    with progress(f"counting and drawing ({FIRST_RUN})") as tick:
        made = publish(opened, **asked, ledger=account, rng=seed, progress=tick)
        made.save(out)
    if as_json:
        print_json(made.card.to_json() | _numbers(made, asked) | {"folder": str(out)})
    else:
        typer.echo(f"{out}: {len(made.artifact)} n-grams")
        print_rehearsal(made)
        typer.echo(str(made.guarantee) if made.guarantee else str(made.provenance.parameters["correlation"]))


def _belief(
    p0: float | None, p1: float | None, neighbours: int | None, group: int | None, largest: int
) -> Correlation | None:
    """Return what an attacker is to believe: a stated range, a group, or nothing."""
    from entrenous.words.correlation import Binomial, Group

    if (p0 is None) != (p1 is None):
        raise ArgumentError("--p0, --p1", "expected both or none")
    if p0 is None or p1 is None:
        if neighbours is not None:
            raise ArgumentError("--neighbours", "expected --p0 and --p1 with it")
        return None if group is None else Group(group)
    if group is not None:
        raise ArgumentError("--group", "expected a group, or a stated range; got both")
    if neighbours is not None and neighbours < largest:
        raise ArgumentError("--neighbours", f"expected at least {largest}, what the public graph has")
    return Binomial(p0, p1, largest if neighbours is None else neighbours)


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
