"""`entrenous attack side-channels`: what time, memory, random numbers and file sizes tell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.attack.results import Page, finish, print_rows
from entrenous.cli.console import FIRST_RUN, Json, note, progress
from entrenous.cli.options import Clean, Nodes, Seed, check_curators_page, read_graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entrenous.attack import Finding

__all__ = ["side_channels"]


def side_channels(
    epsilon: Annotated[float, typer.Option(help="What each release promises. There is no default.")],
    graph: Annotated[
        Path | None,
        typer.Argument(
            help="Your own graph, without its most telling tie and with it. (default: invented graphs and mail)"
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this mechanism of networks, histogram, or vocabulary; may be given several times. "
            "(default: all)",
            metavar="NAME",
        ),
    ] = None,
    runs: Annotated[int, typer.Option(min=10, help="Releases of each of the two inputs.")] = 100,
    nodes: Nodes = None,
    clean: Clean = False,
    seed: Seed = None,
    out: Page = None,
    as_json: Json = False,
) -> None:
    """Release two inputs that differ by one secret, and tell them apart by time, memory, randomness and file sizes.

    Nothing is published and no vault is charged. With GRAPH, what this prints is private.
    The exit code is 1 if the size of files tells more than is promised; about the rest nothing is promised.
    """
    from entrenous import attack

    if out is not None:
        check_curators_page(out)
    own = None if graph is None else read_graph(graph, nodes, clean)
    with progress(f"releasing both inputs ({FIRST_RUN})") as tick:
        found = attack.side_channels(method, epsilon=epsilon, graph=own, runs=runs, rng=seed, progress=tick)
    page = None
    if out is not None:
        from entrenous.attack.side_channels.page import side_channels_report

        noise = "real" if seed is None else "rehearsal: from a known seed"
        facts = [("epsilon", f"{epsilon:g}"), ("runs of each input", f"{runs:,}"), ("noise", noise)]
        page = side_channels_report(found, facts, private=own is not None)
    finish(page, out, [each.to_json() for each in found] if as_json else None)
    if own is not None:
        note("this was measured on your own graph: it is private, do not publish it")
    if not as_json:
        _print(found)
        if seed is not None:
            typer.echo(
                "A rehearsal: the noise came from a known seed, and takes other times than real noise."
            )
    broken = sum(each.broken for each in found)
    if broken:
        note(f"{broken} promises were broken by the sizes of files")
        raise typer.Exit(1)


def _print(found: Sequence[Finding]) -> None:
    from entrenous.attack.side_channels.page import COLUMNS, cell, told_by_release

    rows = [
        (
            name,
            *(cell(told[quantity]) for quantity in COLUMNS.values()),
            f"{told[COLUMNS['files']].stated:.2f}",
        )
        for name, told in told_by_release(found).items()
    ]
    print_rows(("release", *COLUMNS, "allowed"), rows)
    typer.echo(
        "AUC: shown one run of each input, how often the right one is pointed at; in brackets: what is certain\n"
        "(95 %), where chance is ruled out (99.9 %); same: no difference in any run. desk: CPU time of questions\n"
        "to private data; numbers, words: drawn as noise; files: all that is published; allowed: what the promise\n"
        "allows for files. Nothing is promised about the rest: see docs/known-gaps.md."
    )
