"""`entrenous links`: blur every tie of a graph, and measure how much that hides."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous._files import private_files
from entrenous.cli.choices import Noun, names, several
from entrenous.cli.console import FIRST_RUN, Json, note, print_json, print_table, progress
from entrenous.cli.options import (
    Clean,
    CuratorsPage,
    GraphFile,
    NewFolder,
    Nodes,
    SameData,
    Seed,
    Sources,
    VaultFile,
    VoidPromises,
    check_curators_page,
    opened_vault,
    print_rehearsal,
    print_remembered,
    read_graph,
)

if TYPE_CHECKING:
    from entrenous.graph import Graph
    from entrenous.links.trade_off import Rival
    from entrenous.release import Release

__all__ = ["app"]

app = Noun("Blur every tie, keep the picture, and measure what is hidden.")

Hierarchy = Annotated[
    Path | None,
    typer.Option(
        help="The hierarchy kept by obfuscate: private. (default: beside DIR, DIR.hierarchy.nwk)",
        metavar="FILE",
    ),
]
Temperature = Annotated[
    float | None, typer.Option(help="Sample a softer hierarchy, 1 or more. (default: the best fit)")
]
Bits = Annotated[
    float | None,
    typer.Option(help="The sharpest hierarchy that leaves the median node so many bits of entropy."),
]
Steps = Annotated[int | None, typer.Option(help="Steps of each chain. (default: 300 per node)")]
Chains = Annotated[int, typer.Option(help="How many chains search the best fit.")]
ReleaseFolder = Annotated[Path, typer.Argument(help="A folder that obfuscate wrote.", metavar="DIR")]


@app.command()
def obfuscate(
    graph: GraphFile,
    out: NewFolder,
    temperature: Temperature = None,
    bits: Bits = None,
    chains: Chains = 2,
    steps: Steps = None,
    hierarchy: Hierarchy = None,
    vault: VaultFile = None,
    same_data: SameData = False,
    void_promises: VoidPromises = False,
    nodes: Nodes = None,
    clean: Clean = False,
    seed: Seed = None,
    curator: CuratorsPage = None,
    as_json: Json = False,
) -> None:
    """Blur every tie within its link class, and keep the hierarchy beside the folder, for the curator."""
    from entrenous import links
    from entrenous.release import check_saving, graph_room

    account = opened_vault(vault, same_data, void_promises, seed=seed)
    original = read_graph(graph, nodes, clean)
    check_saving(original.with_edges([]), out, room=graph_room(original))
    kept = _kept(out, hierarchy)
    _check_private_files(out, kept, curator)
    with progress(f"fitting a hierarchy ({FIRST_RUN})") as tick:
        made = links.obfuscate(
            original,
            chains=chains,
            steps=steps,
            temperature=temperature,
            bits=bits,
            vault=account,
            rng=seed,
            progress=tick,
        )
        with private_files():  # first: `entropy` of a release needs it
            made.private["obfuscation"].tree.write(kept, names=_names(original))
        made.save(out)
    note(f"the hierarchy is in {kept}: it was fitted to the ties, do not publish it")
    if curator is not None:
        _save_curators_page(original, made, curator, seed)
    exposed = links.exposure(made)
    if as_json:
        print_json(made.card.to_json() | {"folder": str(out), "private": {"exposure": exposed.to_json()}})
    else:
        typer.echo(f"{out}: {made.artifact.n} nodes, {made.artifact.m} edges")
        _print_honesty(made)
        _print_exposure(exposed.to_json())


@app.command()
def entropy(
    graph: GraphFile,
    released: ReleaseFolder,
    hierarchy: Hierarchy = None,
    nodes: Nodes = None,
    clean: Clean = False,
    as_json: Json = False,
) -> None:
    """Measure what a release gives away and what it leaves open. What this prints is private."""
    from entrenous import links
    from entrenous.links.randomization import retained

    original = read_graph(graph, nodes, clean)
    made = _restored(original, released, hierarchy)
    with progress(f"measuring ({FIRST_RUN})"):
        kept = retained(original, made.artifact)
        exposed = links.exposure(made).to_json() | {"kept_edges": kept}
    if as_json:
        egos = links.ego_entropy(made).tolist()
        names = _names(made.artifact)
        print_json({"exposure": exposed, "ego_entropy": dict(zip(names, egos, strict=True))})
    else:
        _print_exposure(exposed)


@app.command()
def generalize(
    graph: GraphFile,
    released: ReleaseFolder,
    bits: Annotated[float, typer.Option(help="The bits of entropy that every node is to have at least.")],
    out: NewFolder,
    hierarchy: Hierarchy = None,
    vault: VaultFile = None,
    same_data: SameData = False,
    void_promises: VoidPromises = False,
    nodes: Nodes = None,
    clean: Clean = False,
    seed: Seed = None,
    as_json: Json = False,
) -> None:
    """Merge nodes with too few bits into super-nodes, with sizes and densities."""
    from entrenous import links
    from entrenous.release import check_saving

    account = opened_vault(vault, same_data, void_promises, seed=seed)
    original = read_graph(graph, nodes, clean)
    check_saving(original.with_edges([]), out)
    obfuscated = _restored(original, released, hierarchy)
    with progress(f"merging nodes ({FIRST_RUN})"):
        made = links.generalize(obfuscated, bits=bits, vault=account, rng=seed)
        made.save(out)
    coarse = made.artifact
    if as_json:
        print_json(
            made.card.to_json() | {"folder": str(out), "nodes": coarse.graph.n, "merged": coarse.merged}
        )
    else:
        typer.echo(f"{out}: {coarse.graph.n} nodes and super-nodes for {len(coarse.names)} nodes")
        for name, members in sorted(coarse.merged.items(), key=lambda item: -len(item[1])):
            typer.echo(f"  {name}: {len(members)} merged, listed in members.tsv")
        _print_honesty(made)


@app.command()
def compare(
    graph: GraphFile,
    methods: Annotated[str | None, several("links method", "What is compared")] = None,
    temperature: Temperature = None,
    bits: Bits = None,
    chains: Chains = 2,
    steps: Steps = None,
    sources: Sources = None,
    nodes: Nodes = None,
    clean: Clean = False,
    seed: Seed = None,
    as_json: Json = False,
) -> None:
    """Compare with plain randomizations that keep as many true ties. What this prints is private."""
    from entrenous import links

    original = read_graph(graph, nodes, clean)
    chosen = names("links method") if methods is None else tuple(methods.split(","))
    with progress(f"fitting a hierarchy ({FIRST_RUN})") as tick:
        made = links.obfuscate(
            original,
            chains=chains,
            steps=steps,
            temperature=temperature,
            bits=bits,
            rng=seed,
            progress=tick,
        )
    with progress("measuring all methods") as tick:
        rivals = links.compare(made, original, methods=chosen, sources=sources, rng=seed, progress=tick)
    if as_json:
        print_json([rival.to_json() for rival in rivals])
    else:
        _print_rivals(rivals)


def _kept(folder: Path, hierarchy: Path | None) -> Path:
    """Return where the curator's hierarchy of a release is: beside its folder, never inside."""
    if hierarchy is not None:
        return hierarchy
    named = folder if folder.name not in ("", "..") else folder.resolve()
    return named.with_name(f"{named.name}.hierarchy.nwk")


def _check_private_files(out: Path, kept: Path, curator: Path | None) -> None:
    """Find out before the long search whether what is private can be written, and stands outside of the folder."""
    from entrenous.errors import OutputExistsError
    from entrenous.page.report import check_private_place

    check_private_place(kept, published=out)
    if kept.exists():
        raise OutputExistsError(f"{kept.name} is already there; name another file, nothing was overwritten")
    if curator is not None:
        check_curators_page(curator, published=out)


def _names(graph: Graph) -> list[str]:
    return [graph.name(node) for node in range(graph.n)]


def _restored(original: Graph, folder: Path, hierarchy: Path | None) -> Release[Graph]:
    """Read a saved release with its hierarchy, and make sure that both belong to the original."""
    from entrenous.errors import ArgumentError
    from entrenous.graph.measures.comparison import aligned
    from entrenous.hrg import Dendrogram
    from entrenous.links import Obfuscation
    from entrenous.release import GRAPH

    saved = GRAPH.read_release(folder)
    graph = aligned(original, saved.artifact)
    tree = Dendrogram.read(_kept(folder, hierarchy), names=_names(original))
    hidden = Obfuscation.of(original, tree)
    wrong = int((hidden.edges != tree.counts(graph)).sum())
    if wrong:
        raise ArgumentError(
            "hierarchy",
            f"expected as many ties in every link class as the original has; got others in {wrong} classes. "
            "Name the hierarchy that was kept with this release",
        )
    return replace(saved, artifact=graph, private={"obfuscation": hidden, "original": original})


def _save_curators_page(original: Graph, made: Release[Graph], page: Path, seed: int | None) -> None:
    from entrenous import links
    from entrenous.page import Report

    with progress("measuring softer hierarchies") as tick:
        found = made.private["fit"]
        start = found if found.temperature is None else None
        points = links.frontier(original, start=start, rng=seed, progress=tick)
    with progress("comparing with the original"):
        Report.comparison(original, made, frontier=points).save(page)
    note(f"the private comparison is in {page}: do not publish it")


def _print_honesty(made: Release[Any]) -> None:
    """Say that nothing is promised, and that a rehearsal is one."""
    from entrenous.card import NO_GUARANTEE
    from entrenous.links.exposure import DESCRIPTION

    print_rehearsal(made)
    typer.echo(f"{NO_GUARANTEE} {DESCRIPTION}")
    print_remembered(made)


def _print_exposure(values: dict[str, float]) -> None:
    from rich.table import Table

    from entrenous.links.exposure import LABELS

    table = Table("for the curator", "", box=None)
    for name, value in values.items():
        label, is_share = LABELS[name]
        table.add_row(label, f"{100 * value:.2f} %" if is_share else f"{value:.4g}")
    print_table(table)


def _print_rivals(rivals: tuple[Rival, ...]) -> None:
    from rich.table import Table

    from entrenous.links.trade_off import MEASURES

    table = Table("measure", *(rival.method for rival in rivals), box=None)
    table.add_row("true ties kept", *(f"{100 * rival.retention:.1f} %" for rival in rivals))
    for key, (label, more_is_better) in MEASURES.items():
        if any(key not in rival.comparison for rival in rivals):
            continue  # communities of graphs beyond two million edges
        values: list[Any] = [rival.comparison[key] for rival in rivals]
        numbers = [value for value in values if not math.isnan(value)]
        best = (max if more_is_better else min)(numbers, default=None)
        table.add_row(label, *(f"{value:.4f}{' *' if value == best else ''}" for value in values))
    print_table(table)
    typer.echo("* the best of the row")
