"""`entrenous access`: decide together who may see a shared thing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous._check import one_of
from entrenous.cli.admin import app as admin
from entrenous.cli.admin import print_first_link
from entrenous.cli.choices import Noun
from entrenous.cli.console import Json, note, print_json, print_table
from entrenous.cli.files import files
from entrenous.cli.leak import leak
from entrenous.errors import ArgumentError, MissingExtraError

if TYPE_CHECKING:
    from rich.table import Table

    from entrenous.access import Decision, Item
    from entrenous.access.insight.pivotality import Pivot
    from entrenous.web.settings import Settings
    from entrenous.web.store.database import Database

__all__ = ["app", "open_service"]

app = Noun("Decide together who may see a shared thing.")
app.command()(leak)
app.add_typer(admin, name="admin")
app.add_typer(files, name="files")

File = Annotated[
    str,
    typer.Argument(help="A .toml, .json or .yaml file, or the name of a worked example.", metavar="FILE"),
]

Url = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="sqlite:///file.db or postgresql://user:password@host/name. "
        "(default: ENTRENOUS_DATABASE, else entrenous.db in this folder)",
    ),
]


@app.command()
def mediate(
    file: File,
    vote: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help="Decide by this rule, such as majority:0.75, instead of that of FILE; `votes` lists them.",
        ),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(metavar="PERSON", help="Print what this person may be told, and nothing else."),
    ] = None,
    pivotality: Annotated[
        bool, typer.Option("--pivotality", help="Also show who could change the outcome.")
    ] = False,
    picture: Annotated[
        Path | None, typer.Option(metavar="SVG", help="Draw who moves whom, with wishes before and after.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Settle the wishes in FILE and decide on the audience."""
    from entrenous import access

    item = _read(file)
    if vote is not None:
        item = replace(item, vote=access.votes.parse_vote(vote))
    decision = access.decide(item)
    if explain is not None:
        _show_reason(decision, explain, as_json=as_json)
        return
    powers = access.pivotality(item) if pivotality else {}
    if picture is not None:
        _write(picture, access.draw(item, decision))
    if as_json:
        powers_entry = {"pivotality": {who: _power(item, power) for who, power in powers.items()}}
        print_json(decision.to_dict() | (powers_entry if pivotality else {}))
        return
    _print(f"{decision.choice} ({decision.rule})", _certificate_line(decision))
    if decision.settled:
        print_table(_settled_table(item, decision))
    _print(*(f"{advice.person}: {advice}" for advice in decision.certificate.guidance))
    _print(*(_power_line(who, power) for who, power in powers.items()))


@app.command()
def compare(file: File, as_json: Json = False) -> None:
    """Show what other rules would make of the wishes in FILE, and at whose expense."""
    from rich.table import Table

    from entrenous import access

    comparison = access.compare(_read(file))
    if as_json:
        print_json({rule: entry.to_dict() for rule, entry in comparison.items()})
        return
    table = Table("rule", "outcome", "wider than wished for", "beyond a hard limit", box=None)
    for rule, entry in comparison.items():
        table.add_row(rule, _text(entry.choice), str(entry.past_wish), str(entry.past_limit))
    print_table(table)


@app.command()
def votes(as_json: Json = False) -> None:
    """List the rules by which a group may decide."""
    from rich.table import Table

    from entrenous.access.votes import VOTES

    entries = [
        {"rule": name, "parameters": [each.name for each in rule.parameters], "means": rule.description}
        for name, rule in VOTES.items()
    ]
    if as_json:
        print_json(entries)
        return
    table = Table("rule", "parameters", "means", box=None)
    for name, rule in VOTES.items():
        bounds = (f"{each.name}, above {each.above:g} and at most {each.most:g}" for each in rule.parameters)
        table.add_row(name, "; ".join(bounds), rule.description)
    print_table(table)


@app.command()
def examples(as_json: Json = False) -> None:
    """List the worked examples that FILE may name."""
    from entrenous.access import item_files

    names = item_files.examples()
    if as_json:
        print_json(list(names))
    else:
        _print(*names)


@app.command()
def serve(
    database: Url = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Fill an empty service with four people and their story.")
    ] = False,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8000,
    processes: Annotated[int, typer.Option(min=1, help="How many processes answer.")] = 1,
) -> None:
    """Run the service on which people decide together; more settings are ENTRENOUS_... variables."""
    settings = _settings(database, demo=demo, address=f"http://{host}:{port}")
    if settings.demo:
        _keep_to_this_machine(host, settings.address)
    import uvicorn

    from entrenous.web.service.uploads.storing import check_place
    from entrenous.web.store.database import Database

    opened = Database(settings)
    opened.migrate()
    check_place(opened)
    if settings.demo:
        _fill(opened)
    print_first_link(opened)
    opened.close()
    note(f"listening on {settings.address}")
    # Several processes each read their settings from the environment.
    os.environ.update(settings.to_environment())
    uvicorn.run(
        "entrenous.web.app:create_app",
        factory=True,
        host=host,
        port=port,
        workers=processes,
        log_level="warning",
        access_log=False,  # paths name items, and logs are read by people who were never asked
        proxy_headers=True,
        forwarded_allow_ips="127.0.0.1",
        server_header=False,
    )


@app.command()
def work(database: Url = None) -> None:
    """Deliver mail and webhooks and watch deadlines, in a process of its own, until interrupted."""
    from entrenous.web.service.worker import Worker

    with open_service(database) as opened:
        worker = Worker(opened)
        worker.start()
        try:
            worker.join()
        finally:
            worker.stop()


@app.command()
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
        _print(
            *(f"item {one.item}, round {one.round}: differs (made by engine {one.engine})" for one in wrong),
            f"{len(results) - len(wrong)} of {len(results)} decisions are as they were made, "
            f"{sum(one.opened and one.same for one in results)} of them reproduced bit for bit; "
            f"the audit's {events} events are in one unbroken chain",
        )
    if wrong:
        raise typer.Exit(1)


@app.command()
def recount(database: Url = None) -> None:
    """Work out anew what lists and counts are read from, as after a repair by hand."""
    from entrenous.web.rules.upkeep import recount as recount_all

    with open_service(database) as opened:
        opened.write(recount_all, idempotent=True)
    _print("all lists and counts say what the items say")


@app.command()
def seal(
    database: Url = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")] = False,
) -> None:
    """Seal a service of an earlier version, which kept answers in the clear. One way: make a backup first."""
    settings = _settings(database)
    from entrenous.web.migrations.sealing_up import seal as seal_up
    from entrenous.web.store.database import Database

    if not yes and typer.prompt("Answers in the clear are removed for good. Type yes to go on") != "yes":
        raise typer.Exit(1)
    opened = Database(settings)
    try:
        done = seal_up(opened)
    finally:
        opened.close()
    _print(
        f"{done.decisions} decisions are records now, {done.answers} answers that are still needed are sealed, "
        f"and {done.lines} standing views are lines that wait to be confirmed",
        "older copies of the database still hold answers in the clear: remove them once you need them no more",
    )


@app.command()
def export(
    to: Annotated[str, typer.Argument(metavar="ENGINE", help="openfga or spicedb.")],
    database: Url = None,
    model: Annotated[bool, typer.Option("--model", help="Print the model the tuples fit instead.")] = False,
) -> None:
    """Print who owns and who may see each item, as tuples for an authorization engine, one a line."""
    engine = one_of("ENGINE", to, ("openfga", "spicedb"))
    _require_web()
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


def _fill(opened: Database) -> None:
    """Fill an empty service with the story, and say how to sign in; the password is new at every start."""
    from entrenous.web.demo import HANDLES, fill, let_in, new_password
    from entrenous.web.identity.passwords import hash_password

    password = new_password()
    hashed = hash_password(password)
    if fill(opened, hashed) or let_in(opened, hashed):
        note(f"sign in as {', '.join(HANDLES)} with the password: {password}")
    else:
        note(
            "there are people here already who are not of the demonstration, so it was left out and nobody's "
            "password was changed; for a demonstration give another --database"
        )


def _keep_to_this_machine(host: str, address: str) -> None:
    """Refuse a demonstration that others could reach: all its people share a password."""
    from ipaddress import ip_address
    from urllib.parse import urlsplit

    for place, name in (("--host", host), ("ENTRENOUS_ADDRESS", urlsplit(address).hostname or "")):
        try:
            here = ip_address(name).is_loopback
        except ValueError:
            here = name == "localhost"
        if not here:
            raise ArgumentError(
                place, "expected an address of this machine alone, such as 127.0.0.1, for a demonstration"
            )


def _require_web() -> None:
    if not all(find_spec(package) for package in ("alembic", "fastapi", "sqlalchemy")):
        raise MissingExtraError("web", "the access service")


def _settings(database: str | None, **changes: Any) -> Settings:
    """Return the settings in the environment, with what the command says instead."""
    _require_web()
    from entrenous.web.settings import Settings

    variables = dict(os.environ)
    if database is not None:
        variables["ENTRENOUS_DATABASE"] = database
    if "address" in changes:
        variables.setdefault("ENTRENOUS_ADDRESS", changes["address"])
    if changes.get("demo"):
        variables["ENTRENOUS_DEMO"] = "yes"
    return Settings.from_environment(variables)


@contextmanager
def open_service(url: str | None) -> Iterator[Database]:
    """Open the database of a service that is there already."""
    settings = _settings(url)
    from entrenous.web.store.database import Database, healthy

    opened = Database(settings)
    try:
        with opened.reading() as session:
            if not healthy(session):
                raise ArgumentError(
                    "--database", "expected the database of a service of this version; run serve once"
                )
        yield opened
    finally:
        opened.close()


def _read(file: str) -> Item:
    from entrenous import access
    from entrenous.access import item_files

    path = Path(file)
    return (
        access.read_example(file)
        if not path.exists() and file in item_files.examples()
        else access.read_item(path)
    )


def _write(path: Path, picture: str) -> None:
    try:
        path.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise ArgumentError("--picture", "the file cannot be written; check the folder") from error


def _show_reason(decision: Decision, person: str, *, as_json: bool) -> None:
    if person not in decision.reasons:
        raise ArgumentError(
            "--explain", f"expected one of the {len(decision.reasons)} people in wishes; got another"
        )
    reason = decision.reasons[person]
    if as_json:
        print_json({"person": person, "choice": decision.choice, "agreed": decision.agreed, "reason": reason})
    else:
        _print(reason)


def _certificate_line(decision: Decision) -> str:
    certificate = decision.certificate
    if not certificate.exists:
        return "The wishes do not settle: mutual consideration grows without end."
    exactly = "; near-ties settled with fractions" if certificate.exact_ties else ""
    return f"The wishes settle, no score is off by more than {max(certificate.error, 1e-15):.0e}{exactly}."


def _settled_table(item: Item, decision: Decision) -> Table:
    """Return a row per person: the score given and where it settled, for and against."""
    from rich.table import Table

    table = Table(box=None)
    for header in ("person", *item.scored, "accepts"):
        table.add_column(_text(header))
    for who in item.people:
        cells = []
        for column, choice in enumerate(item.scored):
            settled = f"{decision.settled[who][choice]:.2f}"
            against = "" if item.method == "oo" else f" : {decision.against(who, choice):.2f}"
            given = "–" if item.wishes[who] is None else f"{item.scores[item.people.index(who), column]:g}"
            cells.append(f"{given} → {settled}{against}")
        table.add_row(_text(who), *cells, "yes" if who in decision.accepted_by else "")
    return table


def _power(item: Item, power: Pivot) -> dict[str, Any]:
    flip = power.flip
    answer = None if flip.answer is None else dict(zip(item.scored, flip.answer, strict=True))
    return {
        "points": flip.points,
        "outcome": flip.outcome,
        "answer": answer,
        "without": power.without,
        "limit_binds": power.limit_binds,
    }


def _power_line(who: str, power: Pivot) -> str:
    flip = power.flip
    points = "1 point" if flip.points == 1 else f"{flip.points} points"
    alone = "alone changes nothing" if flip.points is None else f"{points} of change for {flip.outcome}"
    without = "" if power.without is None else f"; without this person: {power.without}"
    binding = "; the own limit binds" if power.limit_binds else ""
    return f"{who}: {alone}{without}{binding}"


def _text(content: str) -> Any:
    """Return text that a table prints as it is: a name may look like markup or hold control codes."""
    from rich.text import Text

    return Text("".join(character if character.isprintable() else "�" for character in content))


def _print(*lines: str) -> None:
    from rich.console import Console

    console = Console(soft_wrap=True)
    for line in lines:
        console.print(_text(line))
