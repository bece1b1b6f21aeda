"""Options that say what an attacker may believe about neighbouring edges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.console import FIRST_RUN, note, progress
from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from entrenous.vault import Vault
    from entrenous.words.beliefs import Belief
    from entrenous.words.corpus import Corpus
    from entrenous.words.request import Request

__all__ = [
    "B0",
    "B1",
    "P0",
    "P1",
    "BeliefFile",
    "EstimateEpsilon",
    "GroupSize",
    "Neighbours",
    "check_prediction",
    "estimated_belief",
    "stated_belief",
]

P0 = Annotated[
    float | None, typer.Option("--p0", min=0, max=1, help="A neighbour's least chance to carry an n-gram.")
]
P1 = Annotated[
    float | None, typer.Option("--p1", min=0, max=1, help="A neighbour's largest chance to carry an n-gram.")
]
B0 = Annotated[
    float | None,
    typer.Option(
        "--b0", min=0, max=1, help="An edge's least chance to carry an n-gram, given a hidden topic or not."
    ),
]
B1 = Annotated[
    float | None,
    typer.Option(
        "--b1", min=0, max=1, help="An edge's largest chance to carry an n-gram, with a hidden topic."
    ),
]
BeliefFile = Annotated[
    Path | None,
    typer.Option(
        "--correlation",
        help="A belief of any kind (Global, Conditional, ...), in a file that `correlate --save` wrote.",
        metavar="FILE",
    ),
]
Neighbours = Annotated[
    int | None, typer.Option(min=0, help="The most neighbours of an edge. (default: CORPUS's)")
]
GroupSize = Annotated[
    int | None,
    typer.Option("--group", min=1, help="Hide any so many edges together, whatever they have in common."),
]
EstimateEpsilon = Annotated[
    float | None,
    typer.Option(
        help="Estimate p0 and p1 from CORPUS, privately: so much epsilon is charged for that alone."
    ),
]


def stated_belief(largest: int, file: Path | None = None, **options: float | None) -> Belief | None:
    """Return what an attacker is to believe, by the options that state it, or nothing where none is given.

    Parameters
    ----------
    largest
        The most neighbours of an edge in the public graph.
    file
        A file that holds a belief.
    options
        Values of the command line; `entrenous.words.beliefs.BELIEFS` says whose they are.
    """
    from entrenous.words.beliefs import BELIEFS
    from entrenous.words.beliefs.belief_file import read_belief

    given = {name: value for name, value in options.items() if value is not None}
    asked = [belief for belief in BELIEFS.values() if set(belief.options) & (given.keys() - {"neighbours"})]
    if not asked and given:  # neighbours alone
        asked = [next(belief for belief in BELIEFS.values() if "neighbours" in belief.options)]
    if len(asked) + (file is not None) > 1:
        names = ", ".join([*(f"--{name}" for name in given), *(["--correlation"] if file else [])])
        raise ArgumentError(
            names, "expected one belief: a file, a stated range, a topic, or a group; got two"
        )
    if file is not None:
        return read_belief(file)
    return asked[0].from_options(largest, **given) if asked else None


def check_prediction(estimate_epsilon: float | None) -> None:
    """Refuse an estimate beside a prediction."""
    if estimate_epsilon is not None:
        raise ArgumentError("--estimate-epsilon", "expected a stated range: a prediction charges nothing")


def estimated_belief(
    corpus: Corpus,
    epsilon: float,
    request: Request,
    *,
    stated: bool,
    vault: Vault | None,
    seed: int | None,
    vocabulary: list[str] | None = None,
    n: int = 2,
) -> Belief:
    """Return a range estimated privately from the corpus, for a charge of its own.

    Parameters
    ----------
    corpus
        The confidential mail.
    epsilon
        What the estimate may cost.
    request
        What is going to be published under the belief, checked but for the belief.
    stated
        Whether another belief was asked for as well.
    vault, seed, vocabulary, n
        As in the release to follow.
    """
    from entrenous.words.beliefs import Binomial
    from entrenous.words.counting.holder import EDGE

    if stated:
        raise ArgumentError("--estimate-epsilon", "expected an estimate, a stated range or a group; got two")
    if request.by != EDGE:
        raise ArgumentError(
            "--estimate-epsilon",
            "beliefs speak of edges; other units take none: leave out --unit, or take edge-content",
        )
    with progress(f"estimating what neighbours have in common ({FIRST_RUN})"):
        found = Binomial.estimate(
            corpus, epsilon=epsilon, contribution=request.contribution, vault=vault,
            vocabulary=vocabulary, n=n, rng=seed,
        )  # fmt: skip
    note(f"estimated, for epsilon {epsilon:g} of its own: p0 {found.p0:.6g}, p1 {found.p1:.6g}")
    return found
