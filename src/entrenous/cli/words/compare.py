"""`entrenous words compare`: the paper's two tables on a corpus, its recipe beside what is released here.

With `--rivals` our rule of vocabularies beside rules of others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.console import FIRST_RUN, Json, note, print_json, print_table, progress
from entrenous.cli.options import LongestNgrams
from entrenous.cli.words.belief_options import P0, P1, stated_belief
from entrenous.cli.words.engine_options import CorpusPlace, EngineName, Master, open_corpus
from entrenous.cli.words.publishing_options import Unit
from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from entrenous.words import Corpus
    from entrenous.words.costs import Row
    from entrenous.words.rivals import Standing

__all__ = ["compare"]


def compare(
    corpus: CorpusPlace,
    epsilon: Annotated[float, typer.Option(help="The privacy parameter that every row keeps.")],
    delta: Annotated[float, typer.Option(help="What may be lost, in every row.")],
    contribution: Annotated[
        int | None,
        typer.Option(min=1, help="N-grams of each edge or sender; --rivals may do without."),
    ] = None,
    public: Annotated[
        str | None,
        typer.Option(
            help="A public or retired corpus to measure beliefs on. (default: CORPUS: no guarantee)",
            metavar="FILE",
        ),
    ] = None,
    p0: P0 = None,
    p1: P1 = None,
    n: LongestNgrams = 2,
    rivals: Annotated[
        bool, typer.Option("--rivals", help="Compare our vocabulary with those by rules of others instead.")
    ] = False,
    unit: Unit = None,
    seeds: Annotated[int, typer.Option(min=1, help="With --rivals: rehearsals of each rule.")] = 5,
    seed: Annotated[int, typer.Option(help="For the rehearsed vocabularies; the first one's.")] = 0,
    engine: EngineName = "duckdb",
    master: Master = None,
    as_json: Json = False,
) -> None:
    """Compare what edge, sender, correlated edges and groups cost. What this prints is private."""
    from entrenous.words import costs

    opened = open_corpus(corpus, engine, master)
    if rivals:
        numbers = (epsilon, delta, contribution)
        _compare_rivals(
            opened, numbers, unit or "edge-and-message", n, range(seed, seed + seeds), as_json=as_json
        )
        return
    if contribution is None:
        raise ArgumentError("contribution", "expected a number, such as 1000; only --rivals does without")
    largest = opened.largest_neighbourhood
    stated = stated_belief(largest, p0=p0, p1=p1)
    with progress(f"measuring beliefs, drawing vocabularies ({FIRST_RUN})") as tick:
        source = opened if public is None else open_corpus(public, engine, master)
        models = costs.measured_beliefs(source, public=public is not None, neighbours=largest, n=n)
        if stated is not None:
            models[type(stated).__name__] = stated
        rows = costs.compare(
            opened,
            models,
            epsilon=epsilon,
            delta=delta,
            contribution=contribution,
            n=n,
            rng=seed,
            progress=tick,
        )
    note("this table was measured on the confidential mail: do not publish it")
    if as_json:
        print_json(
            {
                "epsilon": epsilon,
                "delta": delta,
                "contribution": contribution,
                "rows": [vars(row) for row in rows],
            }
        )
    else:
        _print_rows(rows)


def _compare_rivals(
    corpus: Corpus,
    numbers: tuple[float, float, int | None],
    unit: str,
    n: int,
    seeds: range,
    *,
    as_json: bool,
) -> None:
    from entrenous.words.rivals import compare as stand

    epsilon, delta, contribution = numbers
    with progress(f"drawing vocabularies by every rule ({FIRST_RUN})") as tick:
        standings = stand(
            corpus.table(by=unit, n=n),
            epsilon=epsilon,
            delta=delta,
            contribution=contribution,
            seeds=seeds,
            progress=tick,
        )
    note("this table was measured on the confidential mail: do not publish it")
    if as_json:
        print_json(
            {
                "epsilon": epsilon,
                "delta": delta,
                "contribution": contribution,
                "unit": unit,
                "rows": [vars(each) for each in standings],
            }
        )
    else:
        _print_standings(standings)


def _print_standings(standings: tuple[Standing, ...]) -> None:
    from rich.table import Table

    table = Table("rule", "named", "precision", "threshold", "seconds", "published in", box=None)
    for each in standings:
        table.add_row(
            each.rule,
            f"{each.named:,.0f}",
            f"{each.precision:.1%}",
            f"{each.threshold:.4g}",
            f"{each.seconds:.2f}",
            each.citation,
        )
    print_table(table)
    typer.echo("named: n-grams that occur, the mean of all rehearsals; precision: the share that occurs")


def _print_rows(rows: tuple[Row, ...]) -> None:
    from rich.table import Table

    table = Table(
        "belief",
        "W",
        "scale, published",
        "RMSE, published",
        "vocabulary, published",
        "deviation",
        "RMSE",
        "vocabulary",
        box=None,
    )
    for row in rows:
        name = row.belief if row.guaranteed else f"{row.belief} *"
        table.add_row(
            name,
            f"{row.w:,}",
            f"{row.published_scale:,.4g}",
            f"{row.published_rmse:,.4g}",
            f"{row.published_yield:,.1f}",
            f"{row.deviation:,.4g}",
            f"{row.rmse:,.4g}",
            f"{row.ngrams:,}",
        )
    print_table(table)
    if not all(row.guaranteed for row in rows):
        typer.echo("* calibrated to measured correlation; not a privacy guarantee")
    typer.echo("published: the paper's recipe, whose vocabulary promises less than it says for W above 1")
