"""`entrenous attack access`: how far a liar gets in a mediation."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.attack.results import Page, finish, print_rows
from entrenous.cli.console import FIRST_RUN, Json, progress
from entrenous.cli.options import Seed, check_curators_page

if TYPE_CHECKING:
    from entrenous.attack.inference.manipulation import Lie, Manipulation

__all__ = ["access"]

_RULE_GROUPS = 100  # the other rules are tried one item at a time


def access(
    file: Annotated[
        str | None,
        typer.Argument(
            help="Also try every lie about this item: a file, or the name of a worked example.",
            metavar="FILE",
        ),
    ] = None,
    groups: Annotated[int, typer.Option(min=1, help="How many random groups.")] = 2000,
    people: Annotated[int, typer.Option(min=2, max=8, help="How many co-owners each has.")] = 3,
    seed: Seed = None,
    out: Page = None,
    as_json: Json = False,
) -> None:
    """Let one co-owner know all answers and try every lie, with hard limits and without.

    With FILE, what is printed about the item tells about its co-owners' answers: it is private.
    """
    from entrenous import attack
    from entrenous.access import read_example, read_item
    from entrenous.access.item_files import examples
    from entrenous.attack.inference.manipulation import VOTES, manipulate_rules

    if out is not None:
        check_curators_page(out)
    lies: list[Lie] = []
    if file is not None:
        lies = attack.tempted(read_example(file) if file in examples() else read_item(file))
    drawn = attack.Groups.random(groups, people, rng=seed)
    found: list[Manipulation] = []
    with progress(f"trying every lie ({FIRST_RUN})") as tick:
        by_number: dict[int, str] = {}
        for vote, rule in VOTES.items():
            by_number.setdefault(rule.needed(people), vote)  # in small groups some votes are the same
        for vote in by_number.values():
            for limits in (False, True):
                found.append(attack.manipulate(drawn, vote=vote, limits=limits, progress=tick))
        some = attack.Groups(drawn.scores[:_RULE_GROUPS], drawn.weights[:_RULE_GROUPS])
        rules = manipulate_rules(some, progress=tick)
    page = None
    if out is not None:
        from entrenous.attack.page import access_attack_report

        facts = [("groups", f"{groups:,}"), ("co-owners", str(people))]
        page = access_attack_report([*found, *rules], lies, facts)
    result = {"mediation": [asdict(each) for each in found], "rules": [asdict(each) for each in rules]}
    finish(page, out, result | ({"item": [asdict(lie) for lie in lies]} if lies else {}) if as_json else None)
    if not as_json:
        _print([*found, *rules], lies)


def _print(found: list[Manipulation], lies: list[Lie]) -> None:
    rows = [
        (
            each.rule,
            "yes" if each.limits else "no",
            *(
                f"{100 * share:.1f} %"
                for share in (each.pays, each.honest_past, each.selfish_past, each.spreader_past)
            ),
            str(each.furthest),
        )
        for each in found
    ]
    print_rows(("rule", "limits", "lie pays", "honest", "best lie", "widest lie", "steps"), rows)
    typer.echo(
        "lie pays: groups in which some lie brings the outcome nearer to the liar's wish.\n"
        "honest, best lie, widest lie: groups whose outcome is wider than another co-owner wished; steps: by how much."
    )
    if lies:
        rows = [
            (lie.person, lie.outcome, lie.best, str(lie.gain), lie.widest, str(lie.past_limit))
            for lie in lies
        ]
        print_rows(("co-owner", "if honest", "best lie", "gain", "widest", "past a limit"), rows)
