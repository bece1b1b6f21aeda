"""A chain that has not mixed keeps no promise: look at chains like a release's own, and withdraw what does not hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.hrg import diagnose
from entrenous.hrg.utility import beta_for
from entrenous.network.statistics import Tree
from entrenous.release import Release

__all__ = ["NOT_MIXED", "diagnosed"]

NOT_MIXED = "chains like the one behind its structure have not reached their distribution."


def diagnosed(
    graph: Graph,
    made: Release[Graph],
    *,
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Release[Graph]:
    """Return a release as it is, or without its promise if chains like its own show that they have not mixed.

    Chains from random dendrograms and chains from well-fitting ones make as many steps as the release's own. If one can
    tell them apart, none has arrived. That nothing was seen proves nothing: the promise stays conditional. Whether it
    is withdrawn depends on the graph, so a diagnosis is for curators who would rather promise nothing than too much.

    Parameters
    ----------
    graph
        The private graph.
    made
        What `release` made of it, by a mechanism with a chain.
    rng, progress
        As for `release`; the chains of a diagnosis are not published.
    """
    question = made.private.get("question")
    if not isinstance(question, Tree):
        raise ArgumentError(
            "made", "expected a release whose structure was sampled by a chain, as it was made"
        )
    found = diagnose(
        graph,
        beta=beta_for(question.epsilon, graph.n, question.utility),
        steps=max(question.steps, 8),
        utility=question.utility,
        moves=question.moves,
        rng=rng,
        progress=progress,
    )
    kept = made if found.met else made.withdraw(NOT_MIXED)
    return replace(kept, private={**made.private, "diagnosis": found})
