"""Publish a network: check, charge, draw, in this order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from entrenous import _check
from entrenous.budget import Ledger
from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.guarantee import (
    KNOWN_SEED,
    NODES_LISTED,
    NODES_SEEN,
    PUBLIC_HIERARCHY,
    Guarantee,
)
from entrenous.hrg import Dendrogram
from entrenous.network import chung_lu, community, dgg, dk2, hrg, owner, spectral, tmf
from entrenous.network.hierarchy import as_hierarchy
from entrenous.network.mechanism import Order, Outcome
from entrenous.noise import Noise
from entrenous.release import Provenance, Release

__all__ = ["METHODS", "UTILITIES", "check_order", "release"]

METHODS: dict[str, tuple[Callable[[Graph, Order, Noise], Outcome], tuple[str, ...]]] = {
    "owner": (owner.run, owner.SHARES),
    "hrg": (hrg.run, hrg.SHARES),
    "chung-lu": (chung_lu.run, ()),
    "dk2": (dk2.run, ()),
    "spectral": (spectral.run, ()),
    "tmf": (tmf.run, ()),
    "community": (community.run, ()),
    "dgg": (dgg.run, ()),
}
UTILITIES = ("clipped", "published")
MOST_EPSILON = 1e6


def release(
    graph: Graph,
    *,
    epsilon: float,
    method: str = "owner",
    shares: Sequence[float] | None = None,
    hierarchy: Dendrogram | ArrayLike | None = None,
    steps: int | None = None,
    utility: str = "clipped",
    ledger: Ledger | None = None,
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Release[Graph]:
    """Return a graph that may be published: edge-differentially private, on the same public nodes.

    Parameters
    ----------
    graph
        The private graph. Its nodes are public.
    epsilon
        The privacy parameter; there is no default.
    method
        "owner" (our default), "hrg" (PrivHRG), "chung-lu" (noisy degrees alone), or a rival: "dk2" (joint degrees),
        "spectral" (eigenvectors), "tmf" (noise on every pair), "community" (PrivGraph), "dgg" (degrees and blocks).
    shares
        How epsilon is divided: (structure, counts, degrees) for "owner", (structure, counts) for "hrg". Counts of
        "owner" are those of cells and of triangles, half and half; 15 % of its degrees go to their law.
        By default "owner" chooses from a noisy number of edges, and "hrg" halves.
    hierarchy
        A public dendrogram over the nodes, or a public block label per node (for "owner").
    steps
        Steps of the chain of "hrg", fixed in advance; by default 1000 per node.
    utility
        What the chain of "hrg" favours: "clipped" (ours, sharper) or "published" (the paper's).
    ledger
        Charged before any noise is drawn.
    rng
        None for real noise; a seed makes a rehearsal, stamped as not private.
    progress
        Called with steps made and steps in all during long work.

    Privacy
    -------
    Neighbouring graphs differ in one edge. "owner": noisy size (sensitivity 1), degrees and their law (L1
    sensitivity 2 each), slots (each edge influences one draw), cells (sensitivity 1) and triangles (a ladder), by
    basic composition epsilon in all. "chung-lu": degrees alone. "hrg": the exponential mechanism over dendrograms,
    approached by a finite chain, and counts (sensitivity 1). The rivals are pure as well; each of their modules says
    what is measured and what it costs. See docs/guarantees.md.

    Examples
    --------
    >>> from entrenous import datasets
    >>> made = release(datasets.karate_club(), epsilon=1.0, rng=7)
    >>> made.artifact.n, made.guarantee.epsilon, made.provenance.rehearsal
    (34, 1.0, True)

    References
    ----------
    Xiao, Chen & Tan (2014), Differentially private network data release via structural inference, KDD.
    """
    order = check_order(graph, epsilon, method, shares, hierarchy, steps, utility, progress)
    noise = Noise(rng)
    assumptions = _assumptions(graph, order, rehearsal=noise.rehearsal)
    chain = method == "hrg" and order.hierarchy is None
    promise = Guarantee(
        epsilon=order.epsilon, assumptions=assumptions, conditional=hrg.CONDITION if chain else None
    )
    if ledger is not None:
        ledger.charge(promise, purpose=f"network release, method {method}", rehearsal=noise.rehearsal)
    run, _ = METHODS[method]
    outcome = run(graph, order, noise)
    return Release(
        artifact=graph.with_edges(outcome.edges),
        guarantee=promise,
        provenance=Provenance(f"network: {method}", outcome.parameters, noise.rehearsal),
        private={"model": outcome.model, **outcome.private},
    )


def check_order(
    graph: Graph,
    epsilon: float,
    method: str,
    shares: Sequence[float] | None,
    hierarchy: Any,
    steps: int | None,
    utility: str,
    progress: Callable[[int, int], object] | None,
) -> Order:
    """Check every argument of `release` before anything is charged."""
    if not isinstance(graph, Graph):
        raise ArgumentError("graph", f"expected a Graph; got {type(graph).__name__}")
    _check.one_of("method", method, METHODS)
    least = 1e-7 * max(graph.n, 100) ** 0.5  # noise of less would make hundreds of millions of edges
    if not least <= _check.epsilon("epsilon", epsilon) <= MOST_EPSILON:
        raise ArgumentError("epsilon", f"expected from {least:.1g} to {MOST_EPSILON:g}; got {epsilon!r}")
    if method != "hrg" and (steps is not None or utility != "clipped"):
        raise ArgumentError("steps, utility", f"method {method} has no chain; these belong to hrg")
    if graph.n < 2:
        raise ArgumentError("graph", f"expected at least two nodes; got {graph.n}")
    if hierarchy is not None:
        hierarchy = as_hierarchy(hierarchy, graph.n)
        if method not in ("owner", "hrg") or (method == "hrg" and not isinstance(hierarchy, Dendrogram)):
            raise ArgumentError(
                "hierarchy",
                f"method {method} cannot use this; owner takes partitions and trees, hrg takes trees",
            )
    if shares is not None:
        shares = _shares(method, shares, public_structure=hierarchy is not None)
    return Order(
        epsilon=float(epsilon),
        shares=shares,
        hierarchy=hierarchy,
        steps=None if steps is None else _check.at_least("steps", steps, 1),
        utility=_check.one_of("utility", utility, UTILITIES),
        progress=progress,
    )


def _shares(method: str, shares: Sequence[float], *, public_structure: bool) -> tuple[float, ...]:
    """Check the shares: what a method measures needs a part of epsilon, a public structure needs none."""
    names = METHODS[method][1]
    if not names:
        raise ArgumentError("shares", f"method {method} divides epsilon by itself; got shares")
    checked = _check.shares("shares", shares, names)
    share = dict(zip(names, checked, strict=True))
    if public_structure and share["structure"] > 0:
        raise ArgumentError("shares", "expected 0 for structure: a public hierarchy costs nothing")
    needed = ["degrees"] if method == "owner" else ["counts"] if public_structure else ["structure", "counts"]
    if not all(share[name] for name in needed):
        raise ArgumentError("shares", f"expected a positive share for {' and '.join(needed)}; got 0")
    return checked


def _assumptions(graph: Graph, order: Order, *, rehearsal: bool) -> tuple[str, ...]:
    sentences = [KNOWN_SEED] if rehearsal else []
    sentences += [NODES_SEEN if graph.nodes_from == "seen" else NODES_LISTED]
    if order.hierarchy is not None:
        sentences.append(PUBLIC_HIERARCHY)
    return tuple(sentences)
