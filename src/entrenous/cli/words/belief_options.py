"""How commands are told what an attacker may believe about neighbouring edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.cli.console import FIRST_RUN, progress
from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from entrenous.budget import Ledger
    from entrenous.words.beliefs.correlation import Correlation
    from entrenous.words.corpus import Corpus
    from entrenous.words.request import EdgeLevel

__all__ = ["P0", "P1", "EstimateEpsilon", "GroupSize", "Neighbours", "estimated_belief", "stated_belief"]

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


def stated_belief(
    p0: float | None, p1: float | None, neighbours: int | None, group: int | None, largest: int
) -> Correlation | None:
    """Return what an attacker is to believe: a stated range, a group, or nothing."""
    from entrenous.words.beliefs.correlation import Binomial, Group

    if (p0 is None) != (p1 is None):
        raise ArgumentError("--p0, --p1", "expected both or none")
    if p0 is None or p1 is None:
        if neighbours is not None:
            raise ArgumentError("--neighbours", "expected --p0 and --p1 with it")
        return None if group is None else Group(group)
    if group is not None:
        raise ArgumentError("--group", "expected a group, or a stated range; got both")
    if neighbours is not None and neighbours < largest:
        raise ArgumentError("--neighbours", f"expected at least {largest}, what the public graph has")
    return Binomial(p0, p1, largest if neighbours is None else neighbours)


def estimated_belief(
    corpus: Corpus,
    epsilon: float,
    level: EdgeLevel,
    *,
    stated: bool,
    ledger: Ledger | None,
    seed: int | None,
    vocabulary: list[str] | None = None,
    n: int = 2,
) -> Correlation:
    """Return a range estimated privately from the corpus, for a charge of its own.

    Parameters
    ----------
    corpus
        The confidential mail.
    epsilon
        What the estimate may cost.
    level
        What is going to be published under the belief, checked but for the belief.
    stated
        Whether another belief was asked for as well.
    ledger, seed, vocabulary, n
        As in the release to follow.
    """
    from entrenous.words.beliefs.correlation import Binomial

    if stated:
        raise ArgumentError("--estimate-epsilon", "expected an estimate, a stated range or a group; got two")
    if level.unit != "edge":
        raise ArgumentError("--estimate-epsilon", "models speak of edges; senders take none")
    with progress(f"estimating what neighbours have in common ({FIRST_RUN})"):
        return Binomial.estimate(
            corpus, epsilon=epsilon, contribution=level.contribution, ledger=ledger,
            vocabulary=vocabulary, n=n, rng=seed,
        )  # fmt: skip
