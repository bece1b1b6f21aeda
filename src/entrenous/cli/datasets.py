"""`entrenous datasets`: small graphs to try things on; nobody's secrets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from entrenous.cli.choices import Noun
from entrenous.cli.console import Json, print_json, progress

__all__ = ["app"]

app = Noun("Make data to try things on.")


@app.command()
def karate(
    out: Annotated[Path, typer.Option(help="The graph to write, by its ending.", metavar="FILE")],
    as_json: Json = False,
) -> None:
    """Write Zachary's karate club: 34 members, 78 friendships."""
    from entrenous.datasets import karate_club

    graph = karate_club()
    graph.write(out)
    if as_json:
        print_json({"file": str(out), "nodes": graph.n, "edges": graph.m})
    else:
        typer.echo(f"{out}: {graph.n} nodes, {graph.m} edges")


@app.command()
def organization(
    persons: Annotated[int, typer.Argument(help="How many people work there.")],
    out: Annotated[Path, typer.Option(help="The new folder.", metavar="DIR")],
    seed: Annotated[int, typer.Option(help="The same seed makes the same organization.")] = 0,
    messages: Annotated[int, typer.Option(help="How many mails to write as well.")] = 0,
    as_json: Json = False,
) -> None:
    """Invent an organization: who knows whom, its departments, its hierarchy and its mail."""
    from entrenous.datasets import organization
    from entrenous.errors import OutputExistsError

    if out.exists():
        raise OutputExistsError(f"{out.name} is already there; name a new folder")
    with progress("inventing people"):
        made = organization(persons, seed=seed)
        out.mkdir(parents=True)
        made.graph.write(out / "graph.edges")
        made.graph.write_nodes(out / "nodes.txt")
        (out / "hierarchy.nwk").write_text(made.newick() + "\n", encoding="utf-8")
        rows = (f"{made.graph.name(i)}\t{department}\n" for i, department in enumerate(made.department))
        (out / "departments.tsv").write_text("".join(rows), encoding="utf-8")
        if messages:
            made.write_mail(out / "mail.jsonl", messages)
    if as_json:
        print_json({"folder": str(out), "people": made.graph.n, "ties": made.graph.m, "messages": messages})
    else:
        typer.echo(f"{out}: {made.graph.n} people, {made.graph.m} ties")
