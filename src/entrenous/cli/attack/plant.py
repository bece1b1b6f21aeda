"""`entrenous attack release`: one release of the user's own data with many planted secrets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.attack.inputs import holds_corpus
from entrenous.cli.attack.plant_mail import (
    Contribution,
    MailDelta,
    PublicList,
    Published,
    What,
    planted_in_mail,
)
from entrenous.cli.attack.results import Page, finish, print_rows
from entrenous.cli.choices import Method
from entrenous.cli.console import FIRST_RUN, Json, note, progress
from entrenous.cli.options import Clean, Epsilon, Nodes, Seed, check_curators_page, read_graph
from entrenous.cli.words.publishing_options import Unit

if TYPE_CHECKING:
    from entrenous.attack import Finding

__all__ = ["release"]

Facts = list[tuple[str, str]]


def release(
    data: Annotated[
        Path,
        typer.Argument(help="A private graph, or a corpus of mail that `words read` wrote.", metavar="FILE"),
    ],
    epsilon: Epsilon,
    method: Method = "owner",
    canaries: Annotated[
        int | None,
        typer.Option(
            min=20,
            help="How many ties, or units of mail, get a coin. (default: about one tie a node; 32,000 units)",
        ),
    ] = None,
    added: Annotated[
        int,
        typer.Option(min=0, help="Nodes to add to those of GRAPH, so that there is room for more canaries."),
    ] = 0,
    nodes: Nodes = None,
    clean: Clean = False,
    what: What = Published.VOCABULARY,
    unit: Unit = None,
    delta: MailDelta = None,
    words: PublicList = None,
    contribution: Contribution = 1,
    seed: Seed = None,
    out: Page = None,
    as_json: Json = False,
) -> None:
    """Plant many ties, or letters, by coins, release once, and prove by guessed coins how much epsilon there is.

    What this prints is private. Nothing is published, no vault is charged: delete the page when it was read.
    The exit code is 1 if the promise was broken beyond doubt.
    """
    if out is not None:
        check_curators_page(out)
    if holds_corpus(data):
        found, facts = planted_in_mail(data, what, unit, epsilon, delta, words, contribution, canaries, seed)
    else:
        found, facts = _planted_in_network(data, epsilon, method, canaries, added, nodes, clean, seed)
    page = None
    if out is not None:
        from entrenous.attack.one_run.one_run_page import one_run_report

        noise = "real" if seed is None else "rehearsal: from a known seed"
        page = one_run_report(found, [*facts, ("epsilon", f"{epsilon:g}"), ("noise", noise)])
    finish(page, out, [each.to_json() for each in found] if as_json else None)
    if not as_json:
        _print(found)
        if seed is not None:
            typer.echo("A rehearsal: the noise came from a known seed.")
    if any(each.broken for each in found):
        note("the promise is broken")
        raise typer.Exit(1)


def _planted_in_network(
    path: Path,
    epsilon: float,
    method: str,
    canaries: int | None,
    added: int,
    nodes: Path | None,
    clean: bool,
    seed: int | None,
) -> tuple[list[Finding], Facts]:
    """Plant ties in a graph, and return what attackers prove, with facts for the page."""
    from entrenous import attack

    graph = read_graph(path, nodes, clean)
    with progress(f"releasing once with planted ties ({FIRST_RUN})") as tick:
        found = attack.planted_ties(
            graph, epsilon=epsilon, method=method, canaries=canaries, added=added, rng=seed, progress=tick
        )
    if added:
        note(f"the public list of nodes was longer by {added:,} than that of {path.name}")
    facts = [
        ("nodes", f"{graph.n:,}"),
        ("ties", f"{graph.m:,}"),
        ("canaries", f"{found[0].details['canaries']:,}"),
        ("added nodes", f"{added:,}"),
        ("method", method),
    ]
    return found, facts


def _print(found: list[Finding]) -> None:
    from entrenous.attack.audit_page import verdict

    rows = [
        (
            each.attack.rsplit(", ", 1)[-1],
            f"{each.details['canaries']:,}",
            f"{each.details['guesses']:,}",
            f"{each.details['right']:,}",
            f"{each.measured:.3f}",
            f"{each.beyond_doubt:.3f}",
            f"{each.stated:g}",
            verdict(each),
        )
        for each in found
    ]
    print_rows(
        ("attacker sees", "canaries", "guesses", "right", "epsilon", "beyond doubt", "stated", ""), rows
    )
    typer.echo(
        "epsilon: proved by the right guesses, at least (95 %); beyond doubt: with 99.9 %, which the verdict rests on."
    )
