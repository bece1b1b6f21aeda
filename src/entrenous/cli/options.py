"""What commands share: options, reading the graph, and guarding what is private."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.cli.console import note, progress

if TYPE_CHECKING:
    from entrenous.graph import Graph
    from entrenous.release import Release
    from entrenous.vault import Vault

__all__ = [
    "Clean",
    "CuratorsPage",
    "Delta",
    "Epsilon",
    "Exact",
    "GraphFile",
    "LongestNgrams",
    "NewFolder",
    "Nodes",
    "SameData",
    "Seed",
    "Sources",
    "VaultFile",
    "VoidPromises",
    "check_curators_page",
    "opened_vault",
    "print_rehearsal",
    "print_remembered",
    "read_graph",
]

Epsilon = Annotated[float, typer.Option(help="The privacy parameter. There is no default.")]
Delta = Annotated[float, typer.Option(help="The probability that may be lost. There is no default.")]
VaultFile = Annotated[
    Path | None,
    typer.Option(
        "--vault", help="The vault of this data set: it is charged before anything is drawn.", metavar="FILE"
    ),
]
SameData = Annotated[
    bool,
    typer.Option("--same-data", help="Take other data than before for a new version of the vault's."),
]
VoidPromises = Annotated[
    bool,
    typer.Option(
        "--void-promises", help="Give up for good earlier promises that this breaks; later cards say so."
    ),
]
LongestNgrams = Annotated[int, typer.Option("--n", min=1, max=4, help="The longest n-grams.")]
GraphFile = Annotated[
    Path,
    typer.Argument(
        help="The private graph; its ending says its format{graph format} All but csr may end in .gz as well."
    ),
]
Nodes = Annotated[
    Path | None,
    typer.Option(
        help="The public list of nodes, one a line. Without it: the nodes seen in GRAPH.", metavar="FILE"
    ),
]
Clean = Annotated[bool, typer.Option("--clean", help="Drop self-loops and duplicates, and say how many.")]
NewFolder = Annotated[Path, typer.Option("--out", help="The new folder to publish.", metavar="DIR")]
Seed = Annotated[int | None, typer.Option(help="Rehearse: repeatable, and NOT private.")]
CuratorsPage = Annotated[
    Path | None,
    typer.Option(help="Also write a private page that compares with the original.", metavar="FILE"),
]
Sources = Annotated[
    int | None,
    typer.Option(min=1, help="Estimate path lengths from so many nodes. (default: exact up to 50,000)"),
]
Exact = Annotated[
    bool, typer.Option("--exact", help="Sample nothing and leave nothing out, however large the graphs.")
]


def read_graph(path: Path, nodes: Path | None, clean: bool) -> Graph:
    """Read the private graph and say what cleaning dropped."""
    from entrenous.graph import Graph

    with progress("reading the graph") as tick:
        graph = Graph.read(path, nodes=nodes, clean=clean, progress=tick)
    if graph.dropped:
        note("dropped " + ", ".join(f"{count} {what}" for what, count in graph.dropped.items()))
    return graph


def check_curators_page(page: Path, published: Path | None = None) -> None:
    """Find out before anything is charged or computed whether the page can be drawn and written."""
    from entrenous.page.pictures.style import require_matplotlib
    from entrenous.page.report import check_private_place

    require_matplotlib()
    check_private_place(page, published=published)


def opened_vault(
    file: Path | None, same_data: bool, void_promises: bool = False, *, seed: int | None = None
) -> Vault | None:
    """Open the vault that is to be charged, if there is one."""
    from entrenous.errors import ArgumentError
    from entrenous.vault import Vault

    if file is not None:
        if seed is not None:
            note(
                "a rehearsal is entered into the vault like a release: leave --vault out to rehearse for nothing"
            )
        return Vault(file, same_data=same_data, void_promises=void_promises)
    if same_data or void_promises:
        raise ArgumentError("--same-data, --void-promises", "expected with --vault, which they speak about")
    return None


def print_remembered(made: Release[Any]) -> None:
    """Say which entry of a vault a release has, or that no vault remembers it."""
    for line in made.card.remembered:
        note(line)
    if "not kept" in made.private:
        note(f"it was saved, but is not kept beside its vault: {made.private['not kept']}")


def print_rehearsal(made: Release[Any]) -> None:
    """Say that a rehearsal is one."""
    from entrenous.noise import REHEARSAL

    if made.provenance.rehearsal:
        typer.echo(f"REHEARSAL, {REHEARSAL}. Do not publish.")
