"""Publish a network: check, charge, ask, draw, in this order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from entrenous import _check
from entrenous.card import Provenance
from entrenous.desk import Desk, notes_of
from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.guarantee import NODES_LISTED, NODES_SEEN, PUBLIC_HIERARCHY, Guarantee
from entrenous.hrg import Dendrogram
from entrenous.network.diagnosis import diagnosed
from entrenous.network.hierarchy import as_hierarchy
from entrenous.network.mechanism import GraphDesk, Mechanism, Request
from entrenous.network.mechanisms import MECHANISMS
from entrenous.network.statistics import Tree
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.release import Release, graph_room
from entrenous.unit import Unit
from entrenous.vault import Order, Vault, pay

__all__ = ["UTILITIES", "check_request", "drawn", "release"]

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
    short_chain: bool = False,
    diagnose: bool = False,
    vault: Vault | None = None,
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
        The name of a mechanism in `MECHANISMS`: "owner" (our default), "privhrg", "chung-lu" (noisy degrees alone), or
        a rival.
    shares
        How epsilon is divided: (structure, counts, degrees) for "owner", (structure, counts) for "privhrg". Counts
        of "owner" are those of cells and of triangles, half and half; 15 % of its degrees go to their distribution.
        By default "owner" chooses from a noisy number of edges, and "privhrg" halves.
    hierarchy
        A public dendrogram over the nodes, or a public block label per node (for "owner").
    steps
        Steps of the chain of "privhrg", fixed in advance; by default 1000 per node.
    short_chain
        Accept fewer than 100 steps per node, which are refused otherwise.
    diagnose
        Look whether chains like that of "privhrg" mix, and withdraw the promise if not; see `diagnosed`.
    utility
        What the chain of "privhrg" favours: "clipped" (ours, sharper) or "published" (the paper's).
    vault
        Charged before any noise is drawn.
    rng
        None for real noise; a seed makes a rehearsal, stamped as not private.
    progress
        Called with steps made and steps in all during long work.

    Privacy
    -------
    Neighbouring graphs differ in one edge. The mechanism sees a desk, not the graph: OpenDP's privacy filter answers
    its questions until epsilon is spent, and the promise is the filter's. Each question (`network.statistics`) says how
    far one edge moves it. "privhrg" is conditional: its chain is finite. See docs/guarantees.md.

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
    mechanism = MECHANISMS[_check.one_of("method", method, MECHANISMS)]
    request = check_request(
        graph,
        mechanism,
        epsilon=epsilon,
        shares=shares,
        hierarchy=hierarchy,
        steps=steps,
        utility=utility,
        short_chain=short_chain,
        progress=progress,
    )
    if diagnose and not (mechanism.chain and request.hierarchy is None):
        raise ArgumentError("diagnose", f"method {method} has no chain to look at here; leave it out")
    noise = Noise(rng)
    order = _order(graph, mechanism, request, rehearsal=noise.rehearsal)
    with pay(vault, order, data=graph, room=graph_room(graph)) as paid:
        made, asked = drawn(graph, mechanism, request, noise)
        if diagnose:  # before it is kept: a promise that is withdrawn is never kept
            made = diagnosed(graph, made, rng=rng, progress=progress)
        return paid.complete(made, asked=asked.parts, condition=asked.guarantee().conditional)


def drawn(
    graph: Graph, mechanism: Mechanism, request: Request, noise: Noise
) -> tuple[Release[Graph], GraphDesk]:
    """Draw a release that was paid for, and return it with the desk that it was asked of."""
    asked: GraphDesk = Desk(graph, unit=Unit.EDGE, ceiling=Price(epsilon=request.epsilon), noise=noise)
    outcome = mechanism.run(asked, request)
    costs = {**asked.costs, **outcome.parameters}
    made = Release(
        artifact=graph.with_edges(outcome.edges),
        guarantee=asked.guarantee(_assumptions(graph, request)),
        provenance=Provenance(f"network: {mechanism.name}", costs, noise.rehearsal),
        private={"model": outcome.model, **notes_of(asked), **outcome.private},
    )
    return made, asked


def _order(graph: Graph, mechanism: Mechanism, request: Request, *, rehearsal: bool) -> Order:
    """Return what a vault is asked for: the ceiling, before anything is drawn."""
    chain = Tree.condition if mechanism.chain and request.hierarchy is None else None
    ceiling = Guarantee(
        epsilon=request.epsilon,
        unit=Unit.EDGE,
        assumptions=_assumptions(graph, request),
        conditional=chain,
    )
    return Order(
        purpose=f"network release, method {mechanism.name}",
        sees=("ties",),
        guarantee=ceiling,
        rehearsal=rehearsal,
    )


def check_request(
    graph: Graph,
    mechanism: Mechanism,
    *,
    epsilon: float,
    shares: Sequence[float] | None = None,
    hierarchy: Any = None,
    steps: int | None = None,
    utility: str = "clipped",
    short_chain: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Request:
    """Check every argument of `release` before anything is charged."""
    if not isinstance(graph, Graph):
        raise ArgumentError("graph", f"expected a Graph; got {type(graph).__name__}")
    least = 1e-7 * max(graph.n, 100) ** 0.5  # noise of less would make hundreds of millions of edges
    if not least <= _check.epsilon("epsilon", epsilon) <= MOST_EPSILON:
        raise ArgumentError("epsilon", f"expected from {least:.1g} to {MOST_EPSILON:g}; got {epsilon!r}")
    if not mechanism.chain and (steps is not None or utility != "clipped" or short_chain):
        raise ArgumentError(
            "steps, utility", f"method {mechanism.name} has no chain; these belong to {_named('chain')}"
        )
    if graph.n < 2:
        raise ArgumentError("graph", f"expected at least two nodes; got {graph.n}")
    if hierarchy is not None:
        hierarchy = _hierarchy(mechanism, hierarchy, graph.n)
    if shares is not None:
        shares = _shares(mechanism, shares, public_structure=hierarchy is not None)
    return Request(
        epsilon=float(epsilon),
        n=graph.n,
        seen=graph.nodes_from == "seen",
        shares=shares,
        hierarchy=hierarchy,
        steps=None if steps is None else _steps(mechanism, steps, graph.n, short_chain=short_chain),
        utility=_check.one_of("utility", utility, UTILITIES),
        progress=progress,
    )


def _hierarchy(mechanism: Mechanism, hierarchy: Any, n: int) -> Any:
    """Check a public hierarchy: whether it is one, and whether the mechanism can use it."""
    checked = as_hierarchy(hierarchy, n)
    if not (mechanism.takes_tree if isinstance(checked, Dendrogram) else mechanism.takes_partition):
        raise ArgumentError(
            "hierarchy",
            f"method {mechanism.name} cannot use this; partitions are for {_named('takes_partition')}, trees for "
            f"{_named('takes_tree')}",
        )
    return checked


def _named(ability: str) -> str:
    """Return the mechanisms that can do something, for a sentence."""
    return " and ".join(each.name for each in MECHANISMS.values() if getattr(each, ability))


def _shares(mechanism: Mechanism, shares: Sequence[float], *, public_structure: bool) -> tuple[float, ...]:
    """Check the shares: what a method measures needs a part of epsilon, a public structure needs none."""
    if not mechanism.shares:
        raise ArgumentError("shares", f"method {mechanism.name} divides epsilon by itself; got shares")
    checked = _check.shares("shares", shares, mechanism.shares)
    share = dict(zip(mechanism.shares, checked, strict=True))
    if public_structure and share["structure"] > 0:
        raise ArgumentError("shares", "expected 0 for structure: a public hierarchy costs nothing")
    needed = [name for name in mechanism.needed if not (public_structure and name == "structure")]
    if not all(share[name] for name in needed):
        raise ArgumentError("shares", f"expected a positive share for {' and '.join(needed)}; got 0")
    return checked


def _steps(mechanism: Mechanism, steps: int, n: int, *, short_chain: bool) -> int:
    """Check the steps of a chain: fewer than hardly leave the random start are refused unless asked for."""
    steps, least = _check.at_least("steps", steps, 1), mechanism.least_steps * n
    if steps < least and not short_chain:
        raise ArgumentError(
            "steps",
            f"expected {least} or more, {mechanism.least_steps} for each of {n} nodes; got {steps}. "
            "A shorter chain says next to nothing; ask for it with short_chain",
        )
    return steps


def _assumptions(graph: Graph, request: Request) -> tuple[str, ...]:
    nodes = NODES_SEEN if graph.nodes_from == "seen" else NODES_LISTED
    return (nodes, PUBLIC_HIERARCHY) if request.hierarchy is not None else (nodes,)
