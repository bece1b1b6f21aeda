"""`entrenous access recompute`, `recount`, `seal` and `export`: look after what a service keeps."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from entrenous._check import one_of
from entrenous.cli.access.opening import Url, open_service, require_web, settings_for
from entrenous.cli.access.printing import print_lines
from entrenous.cli.console import Json, print_json

__all__ = ["export", "recompute", "recount", "seal"]


def recompute(
    database: Url = None,
    item: Annotated[
        str | None, typer.Option(metavar="ID", help="Only the decisions about this item.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check every kept decision and the audit's chain; while its answers can be opened, also bit for bit."""
    from entrenous.web.rules import decisions
    from entrenous.web.store import audit_trail

    with open_service(database) as opened, opened.reading() as session:
        results = list(decisions.recompute(session, item))
        events = audit_trail.verify(session)
    wrong = [result for result in results if not result.same]
    if as_json:
        print_json(
            {
                "decisions": len(results),
                "reproduced": sum(one.opened and one.same for one in results),
                "different": [{"item": one.item, "round": one.round, "engine": one.engine} for one in wrong],
                "audit_events": events,
            }
        )
    else:
        print_lines(
            *(f"item {one.item}, round {one.round}: differs (made by engine {one.engine})" for one in wrong),
            f"{len(results) - len(wrong)} of {len(results)} decisions are as they were made, "
            f"{sum(one.opened and one.same for one in results)} of them reproduced bit for bit; "
            f"the audit's {events} events are in one unbroken chain",
        )
    if wrong:
        raise typer.Exit(1)


def recount(database: Url = None) -> None:
    """Work out anew what lists and counts are read from, as after a repair by hand."""
    from entrenous.web.rules.upkeep import recount as recount_all

    with open_service(database) as opened:
        opened.write(recount_all, idempotent=True)
    print_lines("all lists and counts say what the items say")


def seal(
    database: Url = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")] = False,
) -> None:
    """Seal a service of an earlier version, which kept answers in the clear. One way: make a backup first."""
    settings = settings_for(database)
    from entrenous.web.migrations.sealing_up import seal as seal_up
    from entrenous.web.store.database import Database

    if not yes and typer.prompt("Answers in the clear are removed for good. Type yes to go on") != "yes":
        raise typer.Exit(1)
    opened = Database(settings)
    try:
        done = seal_up(opened)
    finally:
        opened.close()
    print_lines(
        f"{done.decisions} decisions are records now, {done.answers} answers that are still needed are sealed, "
        f"and {done.lines} standing views are lines that wait to be confirmed",
        "older copies of the database still hold answers in the clear: remove them once you need them no more",
    )


def export(
    to: Annotated[str, typer.Argument(metavar="ENGINE", help="openfga or spicedb.")],
    database: Url = None,
    model: Annotated[bool, typer.Option("--model", help="Print the model the tuples fit instead.")] = False,
) -> None:
    """Print who owns and who may see each item, as tuples for an authorization engine, one a line."""
    engine = one_of("ENGINE", to, ("openfga", "spicedb"))
    require_web()
    from entrenous.web.service import export

    if model:
        typer.echo(export.OPENFGA_MODEL if engine == "openfga" else export.SPICEDB_SCHEMA, nl=False)
        return
    with open_service(database) as opened, opened.reading() as session:
        if engine == "openfga":
            for entry in export.openfga(session):
                typer.echo(json.dumps(entry))
        else:
            for line in export.spicedb(session):
                typer.echo(line)
