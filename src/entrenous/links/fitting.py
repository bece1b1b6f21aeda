"""The hierarchy that is blurred along: the best fit to a graph, or a softer one sampled at a temperature.

Nothing private rests on these chains, so they may do what the chain of a private release must not: start from
communities of the graph itself, aim at neighbours, and cool down.

References
----------
Clauset, Moore & Newman (2008), Hierarchical structure and the prediction of missing links in networks, Nature 453.
Clauset, Newman & Moore (2004), Finding community structure in very large networks, Physical Review E 70 (the merges).
Kirkpatrick, Gelatt & Vecchi (1983), Optimization by simulated annealing, Science 220.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous._parallel import run_with_progress
from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram, run
from entrenous.hrg.chain import Chain, Trace
from entrenous.links.entropy import ego_entropy
from entrenous.links.obfuscation import Obfuscation

__all__ = ["STEPS_PER_NODE", "Fit", "checked_temperature", "fit", "merge_tree", "soften", "soften_to"]

STEPS_PER_NODE = 300
_MOVES = "guided"
_COOLING = (1.0, 1.0, 2.0, 4.0)  # inverse temperatures of equally long parts; the last ones only climb
_MERGES_UP_TO = 500_000  # edges; beyond, merging communities takes longer than it saves
_HEATING, _HOTTEST = 2.0, 1e4
_HALVINGS = 4

Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Fit:
    """A dendrogram found for a graph, with what tells how far to trust the search. For the curator.

    Attributes
    ----------
    tree
        The dendrogram.
    log_likelihood
        Of the graph under it, in nats.
    temperature
        What it was sampled at, or None for the best fit.
    ends
        The log-likelihood that each chain ended with: close together, the search is reliable.
    trace
        The log-likelihood along the chain that was taken.
    acceptance
        The share of proposals accepted by that chain at its last temperature, by kind of move.
    """

    tree: Dendrogram
    log_likelihood: float
    temperature: float | None
    ends: tuple[float, ...]
    trace: Trace
    acceptance: dict[str, float]


def merge_tree(graph: Graph) -> Dendrogram:
    """Return the order in which the fast greedy method merges communities, as a dendrogram.

    >>> two_triangles = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], n=6)
    >>> round(merge_tree(two_triangles).log_likelihood(two_triangles), 3)
    -3.139
    """
    merges: Any = graph.to_igraph().community_fastgreedy().merges if graph.m else []
    return Dendrogram.from_merges(merges, graph.n)


def fit(
    graph: Graph,
    *,
    chains: int = 2,
    steps: int | None = None,
    rng: np.random.Generator | int | None = None,
    progress: Progress | None = None,
) -> Fit:
    """Search the dendrogram under which a graph is most likely: several chains that cool down, the best state kept.

    Parameters
    ----------
    graph
        The graph.
    chains
        How many chains, side by side, from merged communities, or at random where merging takes too long.
    steps
        Steps of each chain; by default 300 per node.
    rng
        A generator or a seed.
    progress
        Called with steps made and steps in all.

    Examples
    --------
    >>> two_triangles = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], n=6)
    >>> round(fit(two_triangles, rng=1).log_likelihood, 4)  # ln(2^24 / 9^9)
    -3.1395
    """
    count = _check.at_least("chains", chains, 1)
    total = _steps(graph, steps)
    generators = np.random.default_rng(rng).spawn(count)
    start = merge_tree(graph) if graph.m <= _MERGES_UP_TO else None
    jobs = [partial(_cooled, graph, start, total, generator) for generator in generators]
    finished = run_with_progress(jobs, count * total, progress)
    bests = [max(map(_best, parts), key=lambda best: best[0]) for parts in finished]
    ends = tuple(value for value, _ in bests)
    # The first of equals, so that a seed always gives the same dendrogram.
    winner = int(np.argmax(ends))
    parts, (value, tree) = finished[winner], bests[winner]
    return Fit(tree, value, None, ends, _joined(parts), dict(parts[-1].acceptance))


def soften(
    graph: Graph,
    start: Fit,
    *,
    temperature: float,
    steps: int | None = None,
    rng: np.random.Generator | int | None = None,
    progress: Progress | None = None,
) -> Fit:
    """Sample a dendrogram with weights L^(1/temperature), beginning from a sharper fit.

    At temperature 1 this is a draw by likelihood; the hotter, the more all dendrograms are alike and the less a
    class says about its links.

    >>> from entrenous.datasets import karate_club
    >>> club = karate_club()
    >>> best = fit(club, rng=1)
    >>> soften(club, best, temperature=10.0, rng=1).log_likelihood < best.log_likelihood
    True
    """
    hot = checked_temperature(temperature)
    chain = run(
        graph,
        beta=1 / hot,
        steps=_steps(graph, steps),
        rng=rng,
        moves=_MOVES,
        start=start.tree,
        progress=progress,
    )
    tree = chain.dendrogram
    return Fit(tree, chain.utility, hot, (chain.utility,), chain.trace, dict(chain.acceptance))


def soften_to(
    graph: Graph,
    start: Fit,
    *,
    bits: float,
    steps: int | None = None,
    rng: np.random.Generator | int | None = None,
    progress: Progress | None = None,
) -> Fit:
    """Find the sharpest fit that leaves the median node at least so many bits of ego entropy.

    The temperature is doubled until the entropy suffices, then halved in between; of all dendrograms met that
    suffice, the most likely one is taken.

    >>> from entrenous.datasets import karate_club
    >>> club = karate_club()
    >>> softer = soften_to(club, fit(club, rng=1), bits=10.0, rng=1)
    >>> bool(np.median(ego_entropy(Obfuscation.of(club, softer.tree))) >= 10)
    True
    """
    target = _check.epsilon("bits", bits)
    generator = np.random.default_rng(rng)
    # Each try starts from a neighbouring temperature and needs fewer steps than a search from scratch.
    part = max(_steps(graph, steps) // 4, 1)

    def tried(sharper: Fit, temperature: float) -> tuple[Fit, float]:
        found = soften(graph, sharper, temperature=temperature, steps=part, rng=generator, progress=progress)
        return found, _median_bits(graph, found.tree)

    if _median_bits(graph, start.tree) >= target:
        return start
    cold, hot = start, start
    temperature, median = 1.0, 0.0
    while median < target:
        if temperature > _HOTTEST:
            raise ArgumentError(
                "bits", f"expected at most about {median:.4g}, what random hierarchies leave; got {target:g}"
            )
        cold = hot
        hot, median = tried(cold, temperature)
        temperature *= _HEATING
    best, low, high = hot, cold.temperature or 1.0, hot.temperature or 1.0
    for _ in range(_HALVINGS):
        # Temperatures act by their ratio: the geometric mean halves it.
        middle = float(np.sqrt(low * high))
        found, median = tried(cold, middle)
        if median >= target:
            high = middle
            best = max(best, found, key=lambda one: one.log_likelihood)
        else:
            cold, low = found, middle
    return best


def checked_temperature(temperature: float) -> float:
    """Return a temperature of 1 or more; below, a chain would search a fit rather than sample one."""
    hot = _check.epsilon("temperature", temperature)
    if hot < 1:
        raise ArgumentError("temperature", f"expected 1 or more, 1 being a draw by likelihood; got {hot:g}")
    return hot


def _steps(graph: Graph, steps: int | None) -> int:
    return STEPS_PER_NODE * graph.n if steps is None else _check.at_least("steps", steps, 1)


def _cooled(
    graph: Graph,
    start: Dendrogram | None,
    steps: int,
    rng: np.random.Generator,
    report: Callable[[int, int], object],
) -> list[Chain]:
    """Run one chain through its inverse temperatures, each part going on where the one before ended."""
    parts: list[Chain] = []
    bounds = np.linspace(0, steps, len(_COOLING) + 1).astype(np.int64)
    lengths: list[int] = np.diff(bounds).tolist()
    # The bounds have one entry more: the end of the last part, where nothing begins.
    for beta, length, done in zip(_COOLING, lengths, bounds.tolist(), strict=False):
        part = run(
            graph,
            beta=beta,
            steps=length,
            rng=rng,
            moves=_MOVES,
            start=start,
            best=True,
            progress=lambda made, _, before=done: report(before + made, steps),  # type: ignore[misc]
        )
        parts.append(part)
        start = part.dendrogram
    return parts


def _best(part: Chain) -> tuple[float, Dendrogram]:
    """Return the best state of a chain that kept it, its log-likelihood first."""
    assert part.best_utility is not None
    assert part.best is not None
    return part.best_utility, part.best


def _joined(parts: Sequence[Chain]) -> Trace:
    """Return the traces of a chain's parts as one."""
    before = np.cumsum([0, *(part.steps for part in parts)])
    steps: list[NDArray[np.int64]] = [
        part.trace.steps + done for part, done in zip(parts, before, strict=False)
    ]
    return Trace(
        np.concatenate(steps),
        np.concatenate([part.trace.utility for part in parts]),
        np.concatenate([part.trace.mean for part in parts]),
    )


def _median_bits(graph: Graph, tree: Dendrogram) -> float:
    return float(np.median(ego_entropy(Obfuscation.of(graph, tree))))
