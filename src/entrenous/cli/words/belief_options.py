"""Options that say what an attacker may believe about neighbouring edges."""

from __future__ import annotations

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
    "P0",
    "P1",
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


def stated_belief(largest: int, **options: float | None) -> Belief | None:
    """Return what an attacker is to believe, by the options that state it, or nothing where none is given.

    Parameters
    ----------
    largest
        The most neighbours of an edge in the public graph.
    options
        Values of the command line; `entrenous.words.beliefs.BELIEFS` says whose they are.
    """
    from entrenous.words.beliefs import BELIEFS

    given = {name: value for name, value in options.items() if value is not None}
    asked = [belief for belief in BELIEFS.values() if set(belief.options) & given.keys()]
    if len(asked) > 1:
        names = ", ".join(f"--{name}" for name in given)
        raise ArgumentError(names, "expected one belief: a stated range, or a group; got two")
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
        raise ArgumentError("--estimate-epsilon", "beliefs speak of edges; senders take none")
    with progress(f"estimating what neighbours have in common ({FIRST_RUN})"):
        found = Binomial.estimate(
            corpus, epsilon=epsilon, contribution=request.contribution, vault=vault,
            vocabulary=vocabulary, n=n, rng=seed,
        )  # fmt: skip
    note(f"estimated, for epsilon {epsilon:g} of its own: p0 {found.p0:.6g}, p1 {found.p1:.6g}")
    return found
