"""The Markov chain over dendrograms: sample hierarchies of a graph, or search the best fit.

Its stationary distribution gives every dendrogram a weight exp(beta u), u the log-likelihood (`Published`) or its
clipped variant (`Clipped`). At the temperature of `beta_for` that distribution is differentially private; at beta = 1,
keeping the best state, the chain fits the graph.

References
----------
Clauset, Moore & Newman (2008), Hierarchical structure and the prediction of missing links in networks, Nature 453.
Xiao, Chen & Tan (2014), Differentially private network data release via structural inference, KDD.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entrenous._check import at_least
from entrenous.errors import ArgumentError
from entrenous.hrg.dendrogram import Dendrogram
from entrenous.hrg.utility import Published, Utility

if TYPE_CHECKING:
    from entrenous.graph import Graph
    from entrenous.hrg.compiled._state_kernels import Run

__all__ = ["Chain", "Trace", "run"]

Shares = tuple[float, float, float, float]
MOVES: Mapping[str, Shares] = {  # how often each of _KINDS is tried
    "local": (1.0, 0.0, 0.0, 0.0),
    "slide": (0.0, 1.0, 0.0, 0.0),
    "regraft": (0.0, 0.0, 1.0, 0.0),
    "jump": (0.0, 0.0, 0.0, 1.0),
    "mixture": (0.5, 0.45, 0.05, 0.0),
    "guided": (0.8, 0.12, 0.0, 0.08),
}
_KINDS = ("local", "slide", "regraft", "jump")
_SLICE = 1 << 17  # steps between two looks at the keyboard: well below a second
_LARGEST_SLIDE = 32  # leaves of a subtree that slides; larger ones move by local steps


@dataclass(frozen=True)
class Trace:
    """The utility along a chain, noted at regular intervals. It depends on the edges: for the curator alone.

    Parameters
    ----------
    steps
        How many steps had been made.
    utility
        The utility at that moment.
    mean
        The mean utility over the steps since the entry before.
    """

    steps: NDArray[np.int64]
    utility: NDArray[np.float64]
    mean: NDArray[np.float64]


@dataclass(frozen=True)
class Chain:
    """What a finished chain leaves behind. Only `dendrogram` may ever become part of a release.

    Parameters
    ----------
    dendrogram
        The last state.
    utility
        The utility of the last state.
    best
        The best state seen, if it was to be kept.
    best_utility
        The utility of the best state.
    steps
        The number of steps made.
    acceptance
        The share of proposals accepted, for each kind of move that was tried.
    trace
        The utility along the way.
    """

    dendrogram: Dendrogram
    utility: float
    best: Dendrogram | None
    best_utility: float | None
    steps: int
    acceptance: Mapping[str, float]
    trace: Trace


def run(
    graph: Graph,
    *,
    beta: float,
    steps: int,
    rng: np.random.Generator | int | None = None,
    utility: Utility | None = None,
    moves: str = "mixture",
    start: Dendrogram | None = None,
    best: bool = False,
    progress: Callable[[int, int], object] | None = None,
    trace_every: int | None = None,
) -> Chain:
    """Run the chain for a number of steps fixed in advance.

    Parameters
    ----------
    graph
        The graph whose hierarchy is sought.
    beta
        The inverse temperature; 0 makes all dendrograms equally likely.
    steps
        How many steps to make. For a private release this must not depend on the edges.
    rng
        A generator or a seed; None takes fresh entropy of the operating system.
    utility
        `Published` (the default) or `Clipped`.
    moves
        "local" as published, "mixture" with moves that carry subtrees further and reach the same distribution sooner,
        or "guided", whose jumps aim at neighbours in the graph, for the best fit; "slide", "regraft" and "jump" are
        those moves alone.
    start
        The first state. By default it is uniformly random, as a private release needs it to be.
    best
        Whether to keep the best state as well.
    progress
        Called with the steps made and `steps`, several times a second.
    trace_every
        Steps between entries of the trace; by default about a thousand entries, at most 65,536 steps apart.

    Examples
    --------
    >>> from entrenous.graph import Graph
    >>> two_triangles = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], n=6)
    >>> fit = run(two_triangles, beta=1.0, steps=5000, rng=1, best=True)
    >>> round(math.exp(fit.best_utility), 6)
    0.043305
    """
    favoured = utility or Published()
    total = at_least("steps", steps, 0)
    if not math.isfinite(beta) or beta < 0:
        raise ArgumentError("beta", f"expected a finite number, 0 or more; got {beta!r}")
    if moves not in MOVES:
        raise ArgumentError("moves", f"expected one of {', '.join(MOVES)}; got {moves!r}")
    # The volume of the root, twice the number of edges, has to fit into 32 bits.
    if graph.m >= 1 << 30:
        raise ArgumentError("graph", "expected fewer than 2^30 edges; got more")
    generator = np.random.default_rng(rng)
    first = Dendrogram.random(graph.n, generator) if start is None else start
    counts = first.counts(graph)
    if graph.n <= 2 or total == 0:
        value = favoured.total(counts, first.pairs)
        empty = Trace(np.empty(0, np.int64), np.empty(0), np.empty(0))
        return Chain(first, value, first if best else None, value if best else None, total, {}, empty)
    # By default a power of two that divides the published rule's window.
    usual = min(1 << 16, max(1 << 10, 1 << (total // 1000).bit_length()))
    interval = usual if trace_every is None else at_least("trace_every", trace_every, 1)
    engine = _engine(graph, first, counts, (float(beta), favoured, MOVES[moves], best), generator)
    return _finish(engine, graph, favoured, total, *_drive(engine, total, interval, progress))


def _engine(
    graph: Graph,
    first: Dendrogram,
    counts: NDArray[np.int64],
    options: tuple[float, Utility, Shares, bool],
    rng: np.random.Generator,
) -> Run:
    """Lay out the arrays of the compiled chain."""
    from entrenous.hrg.compiled import _state_kernels as kernels

    beta, utility, shares, best = options
    n = graph.n
    nodes = np.zeros(2 * n - 1, kernels.NODE)
    nodes["left"][n:], nodes["right"][n:] = first.children.T
    nodes["edges"][n:] = counts
    kept = np.zeros(n - 1 if best else 0, kernels.KEPT)
    if best:
        kept["left"], kept["right"] = first.children.T
    state = kernels.State(
        nodes=nodes,
        labels=np.empty(n, np.int64),
        links=np.empty(n + 1, kernels.LINK),
        indptr=graph.indptr,
        indices=graph.indices,
        marks=np.array([first.root, first.root, 0]),
        path=np.empty(n, kernels.PASSAGE),
        best=kept,
        ahead=np.array([(-1, 0, 0.0)] * 2, kernels.START),
    )
    lo, hi = utility.bounds
    logs = (
        # At 0 and 1 they are multiplied by no edges, or by no pairs without one: 0 ln 0 is 0.
        math.log(lo) if lo > 0 else 0.0,
        math.log1p(-lo),
        math.log(hi),
        math.log1p(-hi) if hi < 1 else 0.0,
    )
    # Random trees are about sqrt(n) deep: slides reach from one level to the whole height.
    levels = max(2, int(2 * math.sqrt(n)))
    mixture = kernels.Mixture(*shares[:3], levels, _LARGEST_SLIDE)
    return kernels.Run(state, kernels.Target(beta, lo, hi, *logs), mixture, rng)


def _drive(
    engine: Run, steps: int, interval: int, progress: Callable[[int, int], object] | None
) -> tuple[Trace, NDArray[np.int64]]:
    """Make all steps, slice by slice: between slices, and only there, the chain can be interrupted."""
    from entrenous.hrg.compiled._kernels import advance
    from entrenous.hrg.compiled._state_kernels import prepare, total_utility

    value = np.full(2, prepare(engine.state, engine.target))
    tally = np.zeros((len(_KINDS), 2), np.int64)
    entries: list[tuple[int, float, float]] = []
    done, sum_since, since, exact_at = 0, 0.0, 0, 0
    while done < steps:
        size = min(_SLICE, interval - since, steps - done)
        sum_since += size * advance(engine, value, tally, size)
        done += size
        since += size
        # Adding up gains rounds a little at every step: take the exact sum at the end, and rarely before.
        if done == steps or done - exact_at > 16 * len(engine.state.labels):
            value[0] = total_utility(engine.state, engine.target)
            exact_at = done
        if since == interval or done == steps:
            entries.append((done, float(value[0]), sum_since / since))
            sum_since, since = 0.0, 0
        if progress is not None:
            progress(done, steps)
    columns = np.array(entries).T
    return Trace(columns[0].astype(np.int64), columns[1], columns[2]), tally


def _finish(
    engine: Run, graph: Graph, utility: Utility, steps: int, trace: Trace, tally: NDArray[np.int64]
) -> Chain:
    """Read the last and best states out of the compiled chain."""
    state = engine.state
    root, best_root, _ = state.marks.tolist()
    last = _tree(state.nodes[graph.n :], root)
    best = best_utility = None
    if len(state.best):
        best = _tree(state.best, best_root)
        # Counted anew: the running sum that chose it carries rounding.
        best_utility = utility.total(best.counts(graph), best.pairs)
    acceptance = {
        kind: accepted / tried
        for kind, (tried, accepted) in zip(_KINDS, tally.tolist(), strict=True)
        if tried
    }
    return Chain(last, float(trace.utility[-1]), best, best_utility, steps, acceptance, trace)


def _tree(records: NDArray[Any], root: int) -> Dendrogram:
    """Return the dendrogram of records with `left` and `right`, entry k for node n + k."""
    from entrenous.hrg.compiled._tree_kernels import renumbered

    return Dendrogram(renumbered(np.column_stack([records["left"], records["right"]]), root))
