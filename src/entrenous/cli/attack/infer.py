"""`entrenous attack network` and `entrenous attack links`: guess whether there is a tie between two people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.attack.results import Page, finish, print_rows
from entrenous.cli.choices import Method
from entrenous.cli.console import FIRST_RUN, Json, note, progress
from entrenous.cli.options import Clean, GraphFile, Nodes, Seed, check_curators_page, read_graph

if TYPE_CHECKING:
    from entrenous.attack.inference.edges import EdgeInference, Rate
    from entrenous.attack.inference.guesses import Guess
    from entrenous.attack.inference.known_links import KnownLinks
    from entrenous.graph import Graph
    from entrenous.links import Obfuscation

__all__ = ["links", "network"]


def network(
    graph: GraphFile,
    epsilon: Annotated[float, typer.Option(help="What a release promises. There is no default.")],
    method: Method = "owner",
    trials: Annotated[int, typer.Option(min=40, help="Releases with the tie, and as many without.")] = 400,
    together: Annotated[
        list[int] | None,
        typer.Option(
            min=1, help="Also judge so many releases together; may be given several times. (default: 1, 5)"
        ),
    ] = None,
    nodes: Nodes = None,
    clean: Clean = False,
    seed: Seed = None,
    out: Page = None,
    as_json: Json = False,
) -> None:
    """Let somebody who knows all ties of GRAPH but one guess that one. What this prints is private."""
    from entrenous import attack
    from entrenous import network as mechanisms

    if out is not None:
        check_curators_page(out)
    original = read_graph(graph, nodes, clean)
    counts = together or [1, 5]
    with progress(f"releasing with the tie and without ({FIRST_RUN})") as tick:
        found = attack.infer_edge(
            original, epsilon=epsilon, method=method, trials=trials, together=counts, rng=seed, progress=tick
        )
        released = [
            mechanisms.release(
                original, epsilon=epsilon, method=method, rng=None if seed is None else seed + number
            ).artifact
            for number in range(max(counts))
        ]
        guesses = [attack.guess_edges(original, released[:count]) for count in counts]
    page = None
    if out is not None:
        from entrenous.attack.page import network_attack_report

        facts = [("method", method), ("epsilon", f"{epsilon:g}"), ("releases", f"{2 * trials:,}")]
        page = network_attack_report(found, guesses, facts)
    result = [_inference_json(each, guess) for each, guess in zip(found, guesses, strict=True)]
    finish(page, out, result if as_json else None)
    if not as_json:
        _print_inference(found, guesses)


def _inference_json(found: EdgeInference, guess: Guess) -> dict[str, object]:
    from dataclasses import asdict

    rates = {"false": [asdict(rate) for rate in found.false], "true": [asdict(rate) for rate in found.true]}
    guessed = {name: getattr(guess, name) for name in ("releases", "density", "precision", "by_degrees")}
    return found.finding().to_json() | {"alarms": rates, "guess": guessed | {"auc": guess.roc.auc}}


def _print_inference(found: list[EdgeInference], guesses: list[Guess]) -> None:
    from entrenous.attack import allowed_auc
    from entrenous.attack.tools.roc import allowed_true_rate

    rows = [
        (
            str(each.together),
            f"{each.roc.auc:.3f}",
            f"{allowed_auc(each.promised):.3f}",
            f"{each.lower_bound:.3f}",
            f"{each.promised:g}",
            f"{100 * guess.precision:.1f} %",
        )
        for each, guess in zip(found, guesses, strict=True)
    ]
    print_rows(("releases", "AUC", "allowed", "epsilon", "stated", "guessed"), rows)
    alarms = [
        (
            str(each.together),
            _rate(false),
            _rate(true),
            f"{100 * float(allowed_true_rate(false.high, each.promised)):.1f} %",
        )
        for each in found
        for false, true in zip(each.false, each.true, strict=True)
    ]
    print_rows(("releases", "false alarms", "tie found", "allowed at most"), alarms)
    known = guesses[0]
    typer.echo(
        "epsilon: proved by the alarms, at least (95 %); in brackets: what the runs leave open (95 %).\n"
        "guessed: ties guessed right by readers who know nothing else; blind guesses are right in "
        f"{100 * known.density:.1f} %, those by true numbers of ties in {100 * known.by_degrees:.1f} %."
    )


def _rate(rate: Rate) -> str:
    return f"{100 * rate.seen:.1f} % ({100 * rate.low:.1f} to {100 * rate.high:.1f})"


def links(
    graph: GraphFile,
    hierarchy: Annotated[
        Path | None,
        typer.Option(help="The hierarchy kept by obfuscate. (default: fit one)", metavar="FILE"),
    ] = None,
    share: Annotated[
        list[float] | None,
        typer.Option(
            min=0, max=1, help="Known of each class; may be given several times. (default: 0, 0.5, 0.9, 1)"
        ),
    ] = None,
    nodes: Nodes = None,
    clean: Clean = False,
    seed: Seed = None,
    out: Page = None,
    as_json: Json = False,
) -> None:
    """Let somebody who knows the hierarchy and a share of all ties tell the others. What this prints is private."""
    from entrenous.attack import known_links
    from entrenous.attack.inference.known_links import SHARES

    if out is not None:
        check_curators_page(out)
    original = read_graph(graph, nodes, clean)
    hidden = _obfuscation(original, hierarchy, seed)
    with progress("summing over all that may be known"):
        found = [known_links(hidden, each) for each in share or SHARES]
    page = None
    if out is not None:
        from entrenous.attack.page import links_attack_report

        facts = [("nodes", f"{original.n:,}"), ("ties", f"{original.m:,}")]
        page = links_attack_report(found, facts)
    finish(
        page, out, [each.finding().to_json() | {"share": each.share} for each in found] if as_json else None
    )
    if not as_json:
        _print_known(found)


def _obfuscation(graph: Graph, hierarchy: Path | None, seed: int | None) -> Obfuscation:
    """Return the distribution by which a graph is obfuscated: of a kept hierarchy, or of one that is fitted now."""
    from entrenous.hrg import Dendrogram
    from entrenous.links import Obfuscation, fit

    if hierarchy is not None:
        names = [graph.name(node) for node in range(graph.n)]
        return Obfuscation.of(graph, Dendrogram.read(hierarchy, names=names))
    note("no hierarchy was named: fitting one, as obfuscate would")
    with progress(f"fitting a hierarchy ({FIRST_RUN})") as tick:
        return Obfuscation.of(graph, fit(graph, rng=seed, progress=tick).tree)


def _print_known(found: list[KnownLinks]) -> None:
    rows = [
        (
            "all but one" if each.share == 1 else f"{100 * each.share:g} %",
            f"{100 * each.posterior:.1f} %",
            f"{100 * each.sure:.1f} %",
            f"{100 * each.certain:.1f} %",
            f"{each.roc.auc:.3f}",
            f"{each.bits:.4f}",
        )
        for each in found
    ]
    print_rows(("known", "belief", "90 % sure", "certain", "AUC", "bits left"), rows)
    typer.echo(
        "known: of the other pairs of a link class; belief: mean probability given to true ties;\n"
        "90 % sure, certain: shares of true ties; bits left: about a single pair."
    )
    typer.echo("No formal guarantee is given for links: this is what the numbers of a class tell.")
