"""Replay a release of a network on neighbouring networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from entrenous import _check
from entrenous.attack.replay.neighbouring_graphs import Neighbour, near, telling_neighbours
from entrenous.attack.replay.replayed import Compared, Replay
from entrenous.attack.replay.replayer import Recorded, compare, record_release
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.network import MECHANISMS
from entrenous.network.mechanism import Mechanism, Request
from entrenous.network.release import check_request, drawn
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.release import Release
from entrenous.unit import Unit

__all__ = ["replay"]

_SEARCHED = 0.25  # of the neighbours: near the worst one so far


def replay(
    graph: Graph,
    *,
    epsilon: float,
    method: str = "owner",
    neighbours: int = 50,
    published: int = 5,
    shares: Sequence[float] | None = None,
    hierarchy: Dendrogram | ArrayLike | None = None,
    steps: int | None = None,
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Replay:
    """Record a real release of a graph, and give its answers to releases of graphs that differ in one tie.

    Four things are checked on every neighbour: the same questions are asked; no answer could tell more than its
    question paid for, nor all of them more than epsilon; and what is published is the same to the last byte. The noise
    itself must be new for every number, as wide as was asked for, and each answer must follow from it. What comes out
    is exact, and private.

    Parameters
    ----------
    graph
        The private graph.
    epsilon, method, shares, hierarchy, steps
        As in `entrenous.network.release`; a chain may be short.
    neighbours
        How many neighbours are tried: at random, where a tie should tell most, and near the worst one so far.
    published
        On how many of them what is published is compared as well, not only the answers.
    rng
        None for real noise; a seed makes a rehearsal that can be repeated.
    progress
        Called with neighbours done and neighbours in all.

    Examples
    --------
    >>> from entrenous import datasets
    >>> found = replay(datasets.karate_club(), epsilon=1.0, method="chung-lu", neighbours=8, rng=1)
    >>> found.broken, round(found.worst.share, 6)
    (False, 1.0)
    """
    mechanism = MECHANISMS[_check.one_of("method", method, MECHANISMS)]
    request = check_request(
        graph,
        mechanism,
        epsilon=epsilon,
        shares=shares,
        hierarchy=hierarchy,
        steps=steps,
        short_chain=mechanism.chain,
    )
    neighbours = _check.at_least("neighbours", neighbours, 1)
    draw = _drawing(mechanism, request)
    seen = record_release(lambda noise: draw(graph, noise), rng)
    stated, tick = Price(epsilon=request.epsilon), progress or (lambda _done, _total: None)
    tick(0, neighbours)
    found = (
        () if not seen.published else _all_compared(graph, draw, seen, stated, (neighbours, published), tick)
    )
    return Replay(
        mechanism=f"network: {method}",
        unit=Unit.EDGE,
        stated=stated,
        neighbours=found,
        noise_problems=seen.problems,
        condition=next((said.statistic.condition for said in seen.said if said.statistic.condition), None),
        questions=tuple(said.statistic.name for said in seen.said),
    )


Draw = Callable[[Graph, Noise], Release[Graph]]


def _drawing(mechanism: Mechanism, request: Request) -> Draw:
    return lambda graph, noise: drawn(graph, mechanism, request, noise)[0]


def _all_compared(
    graph: Graph,
    draw: Draw,
    seen: Recorded,
    stated: Price,
    counts: tuple[int, int],
    tick: Callable[[int, int], Any],
) -> tuple[Compared, ...]:
    """Compare neighbours, the last of them near the worst."""
    neighbours, published = counts
    rng = np.random.default_rng(seen.public)
    found: list[tuple[Neighbour, Compared]] = []

    def try_one(neighbour: Neighbour) -> None:
        other = neighbour.of(graph)
        to_the_end = len(found) < published
        change = neighbour.change(graph)
        found.append(
            (
                neighbour,
                compare(change, lambda noise: draw(other, noise), seen, stated, to_the_end=to_the_end),
            )
        )
        tick(len(found), neighbours)

    first = max(1, round(neighbours * (1 - _SEARCHED)))
    for neighbour in telling_neighbours(graph, first, rng):
        try_one(neighbour)
    while len(found) < neighbours:
        try_one(near(graph, max(found, key=lambda each: each[1].share)[0], rng))
    return tuple(compared for _, compared in found)
