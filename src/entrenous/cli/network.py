"""`entrenous network`: publish a whole graph under edge differential privacy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.cli.choices import Format, Method, Noun, chosen, names, several
from entrenous.cli.console import FIRST_RUN, Json, note, print_json, print_table, progress
from entrenous.cli.options import (
    Clean,
    CuratorsPage,
    Epsilon,
    Exact,
    GraphFile,
    NewFolder,
    Nodes,
    SameData,
    Seed,
    Sources,
    VaultFile,
    check_curators_page,
    opened_vault,
    print_rehearsal,
    print_remembered,
    read_graph,
)

if TYPE_CHECKING:
    from entrenous.graph import Graph
    from entrenous.graph.measures.comparison import Comparison
    from entrenous.network.benchmark.ranking import Standing
    from entrenous.release import Release

__all__ = ["app"]

app = Noun("Publish a network under edge differential privacy.")

Hierarchy = Annotated[
    Path | None,
    typer.Option(
        help="A public hierarchy: a Newick tree, or lines with a node and its block.", metavar="FILE"
    ),
]
Shares = Annotated[
    str | None,
    typer.Option(
        help="How epsilon is divided, e.g. 0.5,0.1,0.4 (structure; counts, of triangles too; degrees)."
    ),
]
Steps = Annotated[
    int | None,
    typer.Option(help="Steps of the Markov chain, if the mechanism has one. (default: 1000 per node)"),
]
Utility = Annotated[str, chosen("utility", "What the chain favours")]
ShortChain = Annotated[
    bool, typer.Option("--short-chain", help="Accept fewer than 100 steps of the chain per node.")
]
Diagnose = Annotated[
    bool,
    typer.Option("--diagnose", help="Look whether such chains mix, and withdraw the promise if not."),
]


@app.command()
def release(
    graph: GraphFile,
    epsilon: Epsilon,
    out: NewFolder,
    method: Method = "owner",
    vault: VaultFile = None,
    same_data: SameData = False,
    hierarchy: Hierarchy = None,
    shares: Shares = None,
    steps: Steps = None,
    utility: Utility = "clipped",
    short_chain: ShortChain = False,
    diagnose: Diagnose = False,
    nodes: Nodes = None,
    clean: Clean = False,
    format: Format = None,  # noqa: A002 - the user's word
    seed: Seed = None,
    curator: CuratorsPage = None,
    as_json: Json = False,
) -> None:
    """Draw a graph that may be published, and save it with its promise."""
    from entrenous import network as mechanisms
    from entrenous.errors import ArgumentError
    from entrenous.network.hierarchy import read as read_hierarchy
    from entrenous.release import check_saving, graph_room

    if diagnose and not (mechanisms.MECHANISMS[method].chain and hierarchy is None):
        raise ArgumentError("--diagnose", f"method {method} has no chain to look at here; leave it out")
    account = opened_vault(vault, same_data, seed=seed)
    original = read_graph(graph, nodes, clean)
    check_saving(original.with_edges([]), out, format, room=graph_room(original))
    if curator is not None:
        check_curators_page(curator, published=out)
    with progress(f"releasing ({FIRST_RUN})") as tick:
        made = mechanisms.release(
            original,
            epsilon=epsilon,
            method=method,
            shares=None if shares is None else _numbers("--shares", shares),
            hierarchy=None if hierarchy is None else read_hierarchy(hierarchy, original),
            steps=steps,
            utility=utility,
            short_chain=short_chain,
            diagnose=diagnose,
            vault=account,
            rng=seed,
            progress=tick,
        )
        made.save(out, format=format)
    if curator is not None:
        _save_curators_page(original, made, curator)
    if as_json:
        print_json(made.card.to_json() | {"folder": str(out)})
    else:
        _print_card(made, out)


@app.command()
def read(
    graph: GraphFile,
    out: Annotated[
        Path, typer.Option("--out", help="The new file, ending in .csr, for its owner alone.", metavar="FILE")
    ],
    nodes: Nodes = None,
    clean: Clean = False,
    as_json: Json = False,
) -> None:
    """Read a large graph once, into a file that every command maps into memory. What this prints is private."""
    from entrenous.errors import ArgumentError, OutputExistsError
    from entrenous.page.report import check_private_place

    if out.suffix.lower() != ".csr":
        raise ArgumentError("--out", "expected a name that ends in .csr; got another")
    check_private_place(out)
    if out.exists():
        raise OutputExistsError(f"{out.name} is already there; name another file, nothing was overwritten")
    original = read_graph(graph, nodes, clean)
    original.write(out)
    if as_json:
        print_json({"file": str(out), "nodes": original.n, "edges": original.m, "dropped": original.dropped})
    else:
        typer.echo(f"{out}: {original.n} nodes, {original.m} edges")
    note(f"{out} holds the private graph: do not publish it")


@app.command()
def compare(
    graph: GraphFile,
    released: Annotated[Path, typer.Argument(help="A saved release, or a graph file.", metavar="DIR")],
    nodes: Nodes = None,
    clean: Clean = False,
    curator: CuratorsPage = None,
    sources: Sources = None,
    exact: Exact = False,
    as_json: Json = False,
) -> None:
    """Compare a release with its original. What this prints is private: it is computed from GRAPH."""
    from entrenous.graph import compare as compare_graphs
    from entrenous.page import Report
    from entrenous.release import Release

    if curator is not None:
        check_curators_page(curator)
    original = read_graph(graph, nodes, clean)
    other = _released(released)
    with progress("measuring both graphs"):
        drawn = other.artifact if isinstance(other, Release) else other
        comparison = compare_graphs(original, drawn, sources=sources, exact=exact)
        if curator is not None:
            Report.comparison(original, other, comparison=comparison).save(curator)
    if as_json:
        print_json({name: _finite(value) for name, value in comparison.items()} | _samples(comparison))
    else:
        _print_comparison(comparison)


@app.command()
def benchmark(
    graphs: Annotated[list[Path], typer.Argument(help="The private graphs.", metavar="GRAPH...")],
    out: Annotated[
        Path,
        typer.Option(
            "--out", help="The private folder of results; a run begun there goes on.", metavar="DIR"
        ),
    ],
    methods: Annotated[str | None, several("method", "Mechanisms")] = None,
    epsilons: Annotated[str, typer.Option(help="Privacy parameters, with commas between.")] = "1,2",
    seeds: Annotated[int, typer.Option(min=1, help="How often each release is rehearsed.")] = 3,
    clean: Clean = False,
    as_json: Json = False,
) -> None:
    """Set methods side by side on private graphs. What this writes is private: it tells about every GRAPH."""
    from dataclasses import asdict

    from entrenous.network.benchmark import grid as runner
    from entrenous.network.benchmark import ranking
    from entrenous.network.benchmark.page import benchmark_report

    ranking.require_pyarrow()
    page = _private_folder(out) / "report.html"
    with progress(f"rehearsing ({FIRST_RUN})") as tick:
        results = runner.run(
            [runner.Source(path, clean) for path in graphs],
            out,
            methods=names("method") if methods is None else methods.split(","),
            epsilons=_numbers("--epsilons", epsilons),
            seeds=seeds,
            progress=tick,
        )
        ranking.write_parquet(results, out / "measures.parquet")
        benchmark_report(results).save(page)
    standings = ranking.rank(results)
    if as_json:
        rows = [asdict(each) | {"mean": _finite(each.mean), "sd": _finite(each.sd)} for each in standings]
        print_json({"folder": str(out), "standings": rows})
    else:
        _print_standings(standings)
        note(f"all measures are in {out / 'measures.parquet'}, pictures in {page}: both are private")


def _private_folder(folder: Path) -> Path:
    """Make the folder of a benchmark, unless it would be published, or its page could not be drawn."""
    from entrenous.errors import MissingDataError

    check_curators_page(folder)
    try:
        folder.mkdir(exist_ok=True)
    except OSError:
        raise MissingDataError(f"{folder.name} cannot be made there; is the place writable?") from None
    check_curators_page(folder / "report.html")
    return folder


def _print_standings(standings: list[Standing]) -> None:
    """Print who is first, or level with the first, by every measure."""
    from rich.table import Table

    table = Table("graph", "epsilon", "measure", "first", "level with it", box=None)
    for place in dict.fromkeys((each.graph, each.epsilon, each.measure) for each in standings):
        here = [each for each in standings if (each.graph, each.epsilon, each.measure) == place]
        names = [f"{each.method} {each.mean:.3f}" for each in here if each.level]
        table.add_row(place[0], f"{place[1]:g}", place[2], names[0], ", ".join(names[1:]))
    print_table(table)


def _released(path: Path) -> Release[Graph] | Graph:
    """Read a saved release with its card, or a plain graph file."""
    from entrenous.graph import Graph
    from entrenous.release import GRAPH

    return GRAPH.read_release(path) if path.is_dir() else Graph.read(path)


def _numbers(option: str, text: str) -> tuple[float, ...]:
    from entrenous.errors import ArgumentError

    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ArgumentError(option, "expected numbers with commas between, such as 0.5,0.1,0.4") from None


def _save_curators_page(original: Graph, made: Release[Graph], page: Path) -> None:
    from entrenous.page import Report

    with progress("comparing with the original"):
        Report.comparison(original, made).save(page)
    note(f"the private comparison is in {page}: do not publish it")


def _print_card(made: Release[Graph], out: Path) -> None:
    typer.echo(f"{out}: {made.artifact.n} nodes, {made.artifact.m} edges")
    print_rehearsal(made)
    typer.echo(made.card.promise if made.guarantee is None else str(made.guarantee))
    print_remembered(made)
    typer.echo(f"next: entrenous report {out}")


def _print_comparison(comparison: Comparison) -> None:
    from rich.table import Table

    table = Table("measure", "original", "released", "difference", box=None)
    for label, value, difference in _ROWS:
        if difference not in comparison:
            continue
        sides = [_value(comparison, f"{value}_{side}", ".5g") if value else "" for side in ("orig", "synth")]
        table.add_row(label, *sides, _value(comparison, difference, ".4f"))
    print_table(table)
    if comparison.sampled:
        note("~ rests on samples, ± is half of a 95 % interval: with --exact everything is counted")
    if comparison.original.partitions is None or comparison.released.partitions is None:
        note("communities were left out, for they take minutes on graphs of this size: --exact measures them")


def _value(comparison: Comparison, name: str, form: str) -> str:
    """Write a value, and how surely it is known if it was sampled."""
    value = f"{comparison[name]:{form}}"
    if name in comparison.intervals:
        low, high = comparison.intervals[name]
        return f"{value} ± {(high - low) / 2:.2g}"
    return f"~ {value}" if name in comparison.sampled else value


def _samples(comparison: Comparison) -> dict[str, Any]:
    """Return what programs are to know about samples, if there were any."""
    if not comparison.sampled:
        return {}
    intervals = {name: list(map(_finite, ends)) for name, ends in comparison.intervals.items()}
    return {
        "sampled": {"names": sorted(comparison.sampled), "confidence": 0.95, "intervals": intervals},
    }


_ROWS = (
    ("edges (relative error)", "edges", "edges_RE"),
    ("degree distribution (KS)", "", "deg_KS"),
    ("degree distribution (Hellinger)", "", "deg_Hellinger"),
    ("degree distribution (Wasserstein)", "", "deg_W1"),
    ("path lengths (KS)", "", "dist_KS"),
    ("mean path length (relative error)", "avg_sp", "avg_sp_RE"),
    ("clustering, global (relative error)", "gcc", "gcc_RE"),
    ("clustering, mean local (relative error)", "acc", "acc_RE"),
    ("triangles (relative error)", "tri", "tri_RE"),
    ("degree assortativity (difference)", "ass", "ass_absdiff"),
    ("modularity (relative error)", "mod", "mod_RE"),
    ("communities (NMI, 1 is best)", "", "cd_NMI"),
    ("leading eigenvalue (relative error)", "lambda1", "lambda1_RE"),
    ("top 10 by influence (overlap, 1 is best)", "", "evc_overlap@10"),
    ("top 50 by influence (overlap, 1 is best)", "", "evc_overlap@50"),
    ("top 5 % by influence (overlap, 1 is best)", "", "evc_overlap@5%"),
    ("influence, top 5 % (mean absolute error)", "", "evc_MAE@5%"),
    ("true edges that are in the release (share)", "", "edge_recall"),
)


def _finite(value: Any) -> float | None:
    """JSON knows no infinity and no missing number."""
    number = float(value)
    return number if number - number == 0 else None
