"""`entrenous access mediate` and what goes with it: decisions about things that files describe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.cli.access.printing import plain_text, print_lines
from entrenous.cli.console import Json, print_json, print_table
from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from rich.table import Table

    from entrenous.access import Decision, Item
    from entrenous.access.insight.pivotality import Pivot

__all__ = ["compare", "examples", "mediate", "votes"]

File = Annotated[
    str,
    typer.Argument(help="A .toml, .json or .yaml file, or the name of a worked example.", metavar="FILE"),
]


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
    print_lines(f"{decision.choice} ({decision.rule})", _certificate_line(decision))
    if decision.settled:
        print_table(_settled_table(item, decision))
    print_lines(*(f"{advice.person}: {advice}" for advice in decision.certificate.guidance))
    print_lines(*(_power_line(who, power) for who, power in powers.items()))


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
        table.add_row(rule, plain_text(entry.choice), str(entry.past_wish), str(entry.past_limit))
    print_table(table)


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


def examples(as_json: Json = False) -> None:
    """List the worked examples that FILE may name."""
    from entrenous.access import item_files

    names = item_files.examples()
    if as_json:
        print_json(list(names))
    else:
        print_lines(*names)


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
        print_lines(reason)


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
        table.add_column(plain_text(header))
    for who in item.people:
        cells = []
        for column, choice in enumerate(item.scored):
            settled = f"{decision.settled[who][choice]:.2f}"
            against = "" if item.method == "oo" else f" : {decision.against(who, choice):.2f}"
            given = "–" if item.wishes[who] is None else f"{item.scores[item.people.index(who), column]:g}"
            cells.append(f"{given} → {settled}{against}")
        table.add_row(plain_text(who), *cells, "yes" if who in decision.accepted_by else "")
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
