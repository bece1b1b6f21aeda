"""`entrenous attack words`: what a count tells somebody who knows that colleagues talk alike."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entrenous.cli.attack.results import Page, finish, print_rows
from entrenous.cli.console import FIRST_RUN, Json, progress
from entrenous.cli.options import check_curators_page
from entrenous.cli.words.belief_options import P0, P1
from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from entrenous.attack.inference.disclosure import Disclosure
    from entrenous.words import Binomial

__all__ = ["words"]


def words(
    epsilon: Annotated[
        float, typer.Option(help="What releases promise for one n-gram of an edge. There is no default.")
    ],
    corpus: Annotated[
        Path | None,
        typer.Argument(help="A corpus that `words read` wrote; without one: state p0, p1, neighbours."),
    ] = None,
    p0: P0 = None,
    p1: P1 = None,
    neighbours: Annotated[int | None, typer.Option(min=1, help="The most neighbours of an edge.")] = None,
    n: Annotated[int, typer.Option("--n", min=1, help="The longest n-grams of CORPUS.")] = 1,
    out: Page = None,
    as_json: Json = False,
) -> None:
    """Let an attacker guess from a noisy count whether one edge carries an n-gram; exact, nothing is drawn.

    With CORPUS the belief is measured on it and the attack tried on all its edges: what this prints is then private.
    """
    from entrenous.attack import attackers

    if out is not None:
        check_curators_page(out)
    with progress(f"computing odds ({FIRST_RUN})"):
        belief = _stated(p0, p1, neighbours)
        mail: dict[str, float] = {}
        if corpus is not None:
            if belief is not None:
                raise ArgumentError(
                    "--p0, --p1, --neighbours", "expected a corpus, or a stated range; got both"
                )
            belief, mail = _measured(corpus, epsilon, n)
        if belief is None:
            raise ArgumentError(
                "--p0, --p1, --neighbours", "expected all three, or a corpus to measure them on"
            )
        found = attackers(belief, epsilon=epsilon)
        page = None
        if out is not None:
            from entrenous.attack.page import words_attack_report

            page = words_attack_report(belief, epsilon=epsilon, mail=mail)
    finish(page, out, _json(belief, found, mail) if as_json else None)
    if not as_json:
        _print(found, mail)


def _stated(p0: float | None, p1: float | None, neighbours: int | None) -> Binomial | None:
    from entrenous.words import Binomial

    given = [value is not None for value in (p0, p1, neighbours)]
    if p0 is not None and p1 is not None and neighbours is not None:
        return Binomial(p0, p1, neighbours)
    if any(given):
        raise ArgumentError("--p0, --p1, --neighbours", f"expected all three or none; got {sum(given)}")
    return None


def _measured(corpus: Path, epsilon: float, n: int) -> tuple[Binomial, dict[str, float]]:
    """Measure the belief on a corpus, and try the attack on all its edges."""
    from entrenous.attack import disclose_mail, disclosures
    from entrenous.words import Binomial, Corpus

    opened = Corpus.open(corpus)
    counts = opened.neighbour_counts(n=n)
    belief = Binomial.calibrated(opened, n=n)
    mail = {"true counts": disclose_mail(counts, belief, None).auc}
    for name, made in disclosures(belief, epsilon=epsilon).items():
        mail[name] = disclose_mail(counts, belief, made.noise).auc
    return belief, mail


def _json(belief: Binomial, found: list[Disclosure], mail: dict[str, float]) -> dict[str, Any]:
    rows = [each.finding().to_json() | {"release": each.release, "attacker": each.attacker} for each in found]
    values: dict[str, Any] = {"p0": belief.p0, "p1": belief.p1, "neighbours": belief.neighbours}
    return values | {"findings": rows} | ({"auc_on_corpus": mail} if mail else {})


def _print(found: list[Disclosure], mail: dict[str, float]) -> None:
    rows = [
        (
            each.release,
            each.attacker,
            _factor(each.log_odds),
            f"{each.roc.auc:.3f}",
            f"{each.error:,.1f}",
            f"{each.epsilon:g}" if each.promised else "nothing",
        )
        for each in found
    ]
    print_rows(("release", "attacker", "odds", "AUC", "error", "promised"), rows)
    typer.echo(
        "odds: the largest factor by which the odds of a secret move; error: the deviation of a count;\n"
        "promised: the epsilon that holds against this attacker."
    )
    if mail:
        print_rows(("on this corpus", "AUC"), [(name, f"{auc:.3f}") for name, auc in mail.items()])


def _factor(log_odds: float) -> str:
    return f"{math.exp(log_odds):.3f}" if log_odds < 9 else f"10^{log_odds / math.log(10):.0f}"
