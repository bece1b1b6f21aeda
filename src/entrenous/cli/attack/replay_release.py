"""`entrenous attack replay`: give the answers of a real release to releases of neighbouring data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.cli.attack.inputs import holds_corpus
from entrenous.cli.attack.results import Page, finish, print_rows
from entrenous.cli.choices import Method
from entrenous.cli.console import FIRST_RUN, Json, note, progress
from entrenous.cli.options import Clean, LongestNgrams, Nodes, Seed, check_curators_page, read_graph
from entrenous.cli.words.publish_histogram import read_vocabulary
from entrenous.cli.words.publishing_options import EdgeList, Unit, on_listed_edges
from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from entrenous.attack.replay import Replay

__all__ = ["replay"]


def replay(
    data: Annotated[Path, typer.Argument(help="The private graph, or a corpus that `words read` wrote.")],
    epsilon: Annotated[float, typer.Option(help="What the release promises. There is no default.")],
    method: Method = "owner",
    neighbours: Annotated[int, typer.Option(min=1, help="On how many neighbours it is replayed.")] = 50,
    published: Annotated[
        int, typer.Option(min=0, help="On how many of them what is published is compared as well.")
    ] = 5,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Steps of a chain. (default: 1000 per node)")
    ] = None,
    nodes: Nodes = None,
    clean: Clean = False,
    delta: Annotated[float | None, typer.Option(help="Of a corpus: the delta of the promise.")] = None,
    unit: Unit = None,
    n: LongestNgrams = 2,
    words: Annotated[
        Path | None,
        typer.Option(
            help="Of a corpus: count this public list, one n-gram a line; without it a vocabulary is replayed.",
            metavar="FILE",
        ),
    ] = None,
    edges: EdgeList = None,
    seed: Seed = None,
    out: Page = None,
    as_json: Json = False,
) -> None:
    """Record a real release and give its answers to releases of data that differ in one unit. Exact, and private.

    No answer may be able to tell the two data sets apart by more than was paid for it, and given the same answers the
    same must be published, to the last byte. The exit code is 1 if something is wrong.
    """
    if out is not None:
        check_curators_page(out)
    with progress(f"replaying ({FIRST_RUN})") as tick:
        common: dict[str, Any] = {
            "neighbours": neighbours,
            "published": published,
            "rng": seed,
            "progress": tick,
        }
        if holds_corpus(data):
            of_graphs = {"--method": method != "owner", "--steps": steps, "--nodes": nodes, "--clean": clean}
            _refuse(of_graphs, "expected a graph for these; got a corpus")
            found = _mail(data, epsilon, delta, unit, n, words, edges, common)
        else:
            of_mail = {"--delta": delta, "--unit": unit, "--words": words, "--edges": edges}
            _refuse(of_mail, "expected a corpus for these; got a graph")
            from entrenous import attack

            original = read_graph(data, nodes, clean)
            found = attack.replay(original, epsilon=epsilon, method=method, steps=steps, **common)
    page = None
    if out is not None:
        from entrenous.attack.replay_page import replay_report

        page = replay_report(found)
    finish(page, out, _json(found) if as_json else None)
    if not as_json:
        _print(found)
    if found.broken:
        note("the promise is broken: " + "; ".join(found.faults[:5]))
        raise typer.Exit(1)


def _mail(
    data: Path,
    epsilon: float,
    delta: float | None,
    unit: str | None,
    n: int,
    words: Path | None,
    edges: Path | None,
    common: dict[str, Any],
) -> Replay:
    """Replay what is published of a corpus: a vocabulary, or counts of a list."""
    from entrenous import attack
    from entrenous.words import Corpus

    corpus = on_listed_edges(Corpus.open(data), edges)
    if words is None:
        if delta is None:
            raise ArgumentError("--delta", "expected one for a vocabulary; there is no default")
        return attack.replay_vocabulary(corpus, epsilon=epsilon, delta=delta, unit=unit, n=n, **common)
    listed = read_vocabulary(words, rehearsal=common["rng"] is not None, option="--words")
    noise = "geometric" if delta is None else "gaussian"
    return attack.replay_histogram(
        corpus, vocabulary=listed, epsilon=epsilon, delta=delta, unit=unit, noise=noise, **common
    )


def _refuse(options: Mapping[str, object], sentence: str) -> None:
    given = [name for name, value in options.items() if value is not None and value is not False]
    if given:
        raise ArgumentError(", ".join(given), sentence)


def _json(found: Replay) -> dict[str, Any]:
    worst = found.worst if found.neighbours else None
    return found.finding().to_json() | {
        "faults": list(found.faults),
        "condition": found.condition,
        "questions": []
        if worst is None
        else [
            {
                "name": part.name,
                "paid": _amount(part.stated),
                "can_tell": _amount(part.moved),
                "told": part.loss,
            }
            for part in worst.parts
        ],
    }


def _amount(price: Any) -> float:
    return float(price.epsilon or price.mu)


def _print(found: Replay) -> None:
    """Print the worst neighbour, question by question, and what was checked."""
    word = "epsilon" if found.stated.epsilon else "mu"
    if found.neighbours:
        worst = found.worst
        rows = [
            (part.name, f"{_amount(part.stated):.4f}", f"{_amount(part.moved):.4f}", f"{part.loss:+.4f}")
            for part in worst.parts
        ]
        rows.append(
            ("together", f"{_amount(found.stated):.4f}", f"{_amount(worst.moved):.4f}", f"{worst.loss:+.4f}")
        )
        print_rows((f"worst neighbour: {worst.change}", f"paid ({word})", "could tell", "told"), rows)
        typer.echo(
            "could tell: the most that any answer could have told; told: what the recorded answers did."
        )
    if found.condition:
        typer.echo(f"Compared under the law that its chain approaches; conditional on {found.condition}.")
    verdict = "BROKEN" if found.broken else "holds"
    typer.echo(f"{found.mechanism} ({found.unit}), {len(found.neighbours)} neighbours: {verdict}")
