"""How commands are told what an attacker may believe about neighbouring edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from entrenous.words.correlation import Correlation

__all__ = ["P0", "P1", "GroupSize", "Neighbours", "stated_belief"]

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


def stated_belief(
    p0: float | None, p1: float | None, neighbours: int | None, group: int | None, largest: int
) -> Correlation | None:
    """Return what an attacker is to believe: a stated range, a group, or nothing."""
    from entrenous.words.correlation import Binomial, Group

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
