"""`entrenous access`: decide together who may see a shared thing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.cli.console import Json, print_json, print_table
from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from rich.table import Table

    from entrenous.access import Decision, Item, Pivot

__all__ = ["app"]

app = typer.Typer(help="Decide together who may see a shared thing.", no_args_is_help=True)

File = Annotated[
    str,
    typer.Argument(help="A .toml, .json or .yaml file, or the name of a worked example.", metavar="FILE"),
]


@app.command()
def mediate(
    file: File,
    explain: Annotated[
        str | None, typer.Option(metavar="PERSON", help="Say why, to this person, and show nothing else.")
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
def examples(as_json: Json = False) -> None:
    """List the worked examples that FILE may name."""
    from entrenous import access

    names = access.examples()
    if as_json:
        print_json(list(names))
    else:
        _print(*names)


def _read(file: str) -> Item:
    from entrenous import access

    path = Path(file)
    return (
        access.read_example(file)
        if not path.exists() and file in access.examples()
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
        print_json({"person": person, "choice": decision.choice, "rule": decision.rule, "reason": reason})
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
