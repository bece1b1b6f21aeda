"""`entrenous access leak`: what an outcome tells about single answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.console import Json, print_json, print_table, progress

if TYPE_CHECKING:
    from entrenous.attack.inference.outcomes import Told

__all__ = ["leak"]

_MEANS = {
    "outcome": "the outcome alone, which no secrecy can hide",
    "shown": "all that is shown to a co-owner",
    "names": "if a petition named who could help",
}


def leak(
    people: Annotated[int, typer.Option(min=2, max=4, help="How many decide together.")],
    vote: Annotated[
        str,
        typer.Option(metavar="RULE", help="Decide by this rule, such as majority:0.75; `votes` lists them."),
    ] = "consensus",
    listening: Annotated[
        int, typer.Option(min=0, max=100, help="How much everybody listens to everybody, in percent.")
    ] = 0,
    prior: Annotated[
        str,
        typer.Option(help="Which answers are likely: uniform, or real (mostly the presets of the form)."),
    ] = "uniform",
    as_json: Json = False,
) -> None:
    """Print what one co-owner can learn about another's answer, by trying all answers of a group.

    "Certain" and "suspicion" are about an outcome narrower than the co-owner wanted: how often they then know for sure
    of somebody that they said no, and how likely the likeliest no is to them. Nobody else's answers are read.
    """
    from entrenous.access.votes import is_offered, parse_vote
    from entrenous.attack.inference import outcomes

    rule = parse_vote(vote)
    with progress("trying all answers") as tick:
        told = outcomes.leak(people, rule, listening=listening, prior=prior, progress=tick)
    added = max(
        abs(after - before)
        for after, before in zip(
            told["shown"].to_dict().values(), told["outcome"].to_dict().values(), strict=True
        )
    )
    if as_json:
        print_json(
            {
                "people": people,
                "vote": rule.to_dict(),
                "needed": rule.needed(people),
                "listening": listening,
                "prior": prior,
                "offered": is_offered(rule, people),
                "told": {name: entry.to_dict() for name, entry in told.items()},
                "added": added,
            }
        )
        return
    _print(told)
    typer.echo(f"What is shown adds {added:.0e} to what the outcome tells.")
    if told["outcome"].certain > 0:
        typer.echo(
            "Who wanted more knows here of somebody that they said no: the group is small for this vote."
        )
    if not is_offered(rule, people):
        typer.echo("The service offers this vote from four co-owners on.")


def _print(told: dict[str, Told]) -> None:
    from rich.table import Table

    table = Table("what is seen", box=None)
    for heading in ("bits, answer", "bits, line", "certain", "suspicion"):
        table.add_column(heading, justify="right")
    for name, entry in told.items():
        table.add_row(_MEANS[name], *(f"{value:.2f}" for value in entry.to_dict().values()))
    print_table(table)
