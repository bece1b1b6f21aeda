"""Canary ties for every network mechanism: tiny graphs that differ in one tie, and what an attacker makes of a run.

Two attackers are tried. One sees the *released graph*. The other stands where noise is drawn and sees *all noisy
numbers*, slots, communities or hierarchies included: what holds against them holds for everything that is made from
those. Graphs are as small as the loss of a mechanism can be seen on: there noise is drawn as often as time allows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.tools.setting import Play, Setting
from entrenous.attack.tools.transcript import Transcript, log_ratio, record
from entrenous.graph import Graph
from entrenous.hrg import Clipped, Dendrogram, Published, chain
from entrenous.hrg.utility import Utility, beta_for
from entrenous.network import MECHANISMS
from entrenous.network.drawing.deconvolution import DegreeEstimate
from entrenous.network.drawing.link_classes import link_classes
from entrenous.network.mechanism import SIZE_SHARE, Outcome
from entrenous.network.mechanism import Request as Order
from entrenous.network.mechanisms import privgraph as community
from entrenous.network.mechanisms.owner import Plan
from entrenous.network.statistics import triangles
from entrenous.network.statistics.slots import ROUNDING
from entrenous.noise import Noise
from entrenous.unit import Unit

__all__ = [
    "Worlds",
    "book",
    "communities_adjusted",
    "method_run",
    "noisy_numbers",
    "released_graph",
    "settings",
    "slots_drawn",
    "worlds",
]

Rng = np.random.Generator | None
#: The graph without the canary, and with it.
Worlds = tuple[Graph, Graph]

_SEES_ALL = "one tie more; exact likelihood ratio of all noisy numbers"
_SEES_GRAPH = "one tie more; whether the pair is tied in the released graph, and how many ties there are"


def worlds(n: int, edges: Sequence[tuple[int, int]] = (), canary: tuple[int, int] = (0, 1)) -> Worlds:
    """Return two graphs on `n` nodes that differ in one tie.

    >>> [graph.m for graph in worlds(4, [(2, 3)])]
    [1, 2]
    """
    return Graph.from_edges(list(edges), n=n), Graph.from_edges([*edges, canary], n=n)


def settings() -> list[Setting]:
    """Return the settings of all network mechanisms."""
    return [*_all_numbers(), *_steps_and_whole_runs(), *_released_graphs()]


def noisy_numbers(run: Callable[[Graph, Noise], object], graphs: Worlds, draws: int) -> Play:
    """Return the attacker who sees all noisy numbers of a mechanism and compares their likelihoods."""
    plain, canary = (partial(run, graph) for graph in graphs)

    def play(with_canary: bool, rng: Rng) -> float:
        seen = record(canary if with_canary else plain, rng, draws=draws)
        return log_ratio(seen, canary, plain)

    return play


def method_run(method: str, order: Order) -> Callable[[Graph, Noise], Outcome]:
    """Return a method as a function of its graph and its noise."""
    run = MECHANISMS[method][0]
    return lambda graph, noise: run(graph, order, noise)


def _all_numbers() -> list[Setting]:
    pair, square = worlds(2), worlds(4, [(0, 2), (1, 3)])
    # A path becomes a square: eigenvectors turn by most.
    turning = worlds(4, [(0, 2), (0, 3), (1, 2)], (1, 3))
    blocks, tree = np.array([0, 0, 1, 1]), Dendrogram.from_nested(((0, 1), (2, 3)))
    cases = [  # draws: the noisy arrays of a run, after which all is post-processing; then the runs
        ("owner, size and degrees", "owner", pair, Order(1.0), 3, 1000),
        ("owner, degrees alone", "owner", pair, Order(1.0, shares=(0.0, 0.0, 1.0)), 2, 2500),
        ("owner, public hierarchy", "owner", worlds(4), Order(1.0, hierarchy=blocks), 3, 400),
        ("chung-lu, degrees", "chung-lu", pair, Order(1.0), 1, 1500),
        ("dgg, degrees", "dgg", pair, Order(1.0), 1, 1500),
        ("dk2, joint degrees", "dk2", square, Order(1.0), 3, 1000),
        ("spectral, eigenpairs", "spectral", turning, Order(1.0), 3, 1500),
        ("community, counts", "privgraph", pair, Order(1.0), 2, 300),
        ("hrg, public hierarchy", "privhrg", worlds(4), Order(1.0, hierarchy=tree), 1, 1000),
    ]
    return [
        Setting(
            f"network: {name}",
            Unit.EDGE,
            _SEES_ALL,
            order.epsilon,
            noisy_numbers(method_run(method, order), graphs, draws),
            short=short,
        )
        for name, method, graphs, order, draws, short in cases
    ]


def _steps_and_whole_runs() -> list[Setting]:
    """Return steps that do more than add noise (slots, rungs, communities, hierarchies, pairs), and whole runs."""
    pairs = released_graph("tmf", worlds(2), Order(1.0))
    clipped = hierarchy_sampled(4.0, _hidden_in_triangles(), Clipped(1e-3, 0.5))
    published = hierarchy_sampled(4.0, worlds(3, [(0, 1)], (0, 2)), Published())
    cases = [
        ("owner, slots", "one tie more; are both in one slot?", 1.0, slots_drawn(1.0), 8000),
        ("owner, triangles", "a tie that also raises the leverage; likelihood ratio", 1.0, rungs_drawn(1.0), 1500),
        ("owner, many triangles", "a tie that closes thirty; their noisy number", 1.0, triangles_counted(1.0), 1000),
        ("community, adjustment", "one tie more; who joined whose community?", 2.0, communities_adjusted(2.0), 7000),
        ("hrg, hierarchy", "a tie across; likelihood ratio of the hierarchy", 4.0, clipped, 1000),
        ("hrg, hierarchy, published utility", "one tie more; likelihood ratio of the hierarchy", 4.0, published, 1000),
        ("tmf, pairs", "one tie more; does the pair pass the filter?", 1.0, pairs, 1500),
        ("owner, all steps", "one tie more; likelihood ratio of degrees, slots, cells", 1.0, _owner_whole(1.0), 80),
        ("hrg, all steps", "one tie more; likelihood ratio of hierarchy and counts", 1.0, _hrg_whole(1.0), 200),
    ]  # fmt: skip
    return [
        Setting(f"network: {name}", Unit.EDGE, attack, epsilon, play, short=short)
        for name, attack, epsilon, play, short in cases
    ]


def slots_drawn(epsilon: float, slots: int = 8) -> Play:
    """Return the attacker who looks whether the later of two nodes drew the slot of the earlier one."""
    graphs, order, expected = worlds(2), np.arange(2), np.ones(2)

    def play(canary: bool, rng: Rng) -> float:
        from entrenous.network.statistics._kernels import assign_slots

        graph, words = graphs[canary], Noise(rng).words(64)
        slot, _ = assign_slots(
            order, graph.indptr, graph.indices, expected, epsilon - ROUNDING, 0.9, slots, words
        )
        return float(slot[0] == slot[1])

    return play


def book(pages: int) -> Worlds:
    """Return two nodes with so many common neighbours; the canary ties them and closes as many triangles.

    >>> [graph.m for graph in book(3)]
    [6, 7]
    """
    return worlds(2 + pages, [(end, other) for end in (0, 1) for other in range(2, 2 + pages)])


def triangles_counted(epsilon: float) -> Play:
    """Return the attacker who reads the noisy number of triangles, of which the canary closes thirty at once."""
    graphs = book(30)
    return lambda canary, rng: float(_noisy_triangles(graphs[canary], epsilon, rng))


def rungs_drawn(epsilon: float) -> Play:
    """Return the attacker who knows both ladders; the canary closes two triangles and raises the leverage by one."""
    graphs = worlds(5, [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (2, 4)], (1, 4))
    plain, canary = (3, 2), (5, 3)  # triangles, and how many one tie can close

    def play(with_canary: bool, rng: Rng) -> float:
        drawn = _noisy_triangles(graphs[with_canary], epsilon, rng)
        return _ladder_log_law(drawn, *canary, epsilon) - _ladder_log_law(drawn, *plain, epsilon)

    return play


def _noisy_triangles(graph: Graph, epsilon: float, rng: Rng) -> int:
    """Count triangles with noise, all in one class: the degrees handed in are public and alike."""
    flat = np.ones(graph.n)
    public = DegreeEstimate(flat.astype(np.int64), flat, flat[:1], flat[:1])
    counts = triangles.measured_triangles(
        graph, public, epsilon=epsilon, degrees_epsilon=1.0, noise=Noise(rng)
    )
    return int(counts.noisy[0])


def _ladder_log_law(drawn: int, count: int, leverage: int, epsilon: float) -> float:
    """Return the logarithm of the probability that a ladder draws this number."""
    decay = triangles.decay_for(epsilon)
    places = drawn - count if drawn >= count else count - 1 - drawn
    rung = 0
    while places >= leverage + rung:
        places -= leverage + rung
        rung += 1
    return -decay * rung - math.log((leverage + 1 / math.expm1(decay)) / -math.expm1(-decay))


def communities_adjusted(epsilon: float, communities: int = 10, leaves: int = 16) -> Play:
    """Return the attacker who looks whether two nodes joined each other's first community.

    In every community one node has so many ties that it certainly stays: it tells which community is which.
    """
    size = leaves + 1
    stars = [(c * size, c * size + leaf) for c in range(communities) for leaf in range(1, size)]
    u, v = communities * size, communities * size + 1
    graphs = worlds(v + 1, stars, (u, v))
    first = np.append(np.repeat(np.arange(communities), size), [0, 1])

    def play(canary: bool, rng: Rng) -> float:
        drawn = community.adjust(graphs[canary], first, epsilon=epsilon, noise=Noise(rng))
        return float((drawn[u] == drawn[size]) + int(drawn[v] == drawn[0]))

    return play


def _hidden_in_triangles() -> Worlds:
    """Two triangles, and as the canary a tie between them."""
    return worlds(6, [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)], (2, 3))


def hierarchy_sampled(epsilon: float, graphs: Worlds, utility: Utility, steps: int = 400) -> Play:
    """Return the attacker who compares how well a sampled hierarchy fits either graph: its exact likelihood ratio."""
    beta = beta_for(epsilon, graphs[0].n, utility)

    def play(canary: bool, rng: Rng) -> float:
        made = chain.run(
            graphs[canary], beta=beta, steps=steps, rng=Noise(rng).chain_generator, utility=utility
        )
        return _fit_difference(made.dendrogram, graphs, utility)

    return play


def _fit_difference(tree: Dendrogram, graphs: Worlds, utility: Utility) -> float:
    without, with_canary = (utility.total(tree.counts(graph), tree.pairs) for graph in graphs)
    return with_canary - without


def _owner_whole(epsilon: float) -> Play:
    """Return the attacker who sees degrees, their tails, slots and cells of one whole run on two nodes."""
    graphs, shares = worlds(2), (0.4, 0.3, 0.3)
    run, spent = method_run("owner", Order(epsilon, shares=shares)), Plan.of_shares(epsilon, shares)
    plain, canary = (partial(run, graph) for graph in graphs)

    def play(with_canary: bool, rng: Rng) -> float:
        kept: list[NDArray[np.int64]] = []

        def whole(noise: Noise) -> None:
            kept.append(run(graphs[with_canary], noise).private["slots"])

        seen, (slot,) = record(whole, rng), kept
        together, cells = slot[0] == slot[1], seen.answers[2]
        score = (
            log_ratio(Transcript(seen.answers[:2], seen.public), canary, plain) + spent.structure * together
        )
        if cells.size == 3:  # two slots: the counts inside the first, between both, inside the second
            place = 2 * int(slot[0]) if together else 1
            score += spent.counts * (1 if cells[place] >= 1 else -1)
        return float(score)

    return play


def _hrg_whole(epsilon: float) -> Play:
    """Return the attacker who sees the hierarchy and all noisy counts along it."""
    graphs, run, order = _hidden_in_triangles(), MECHANISMS["privhrg"][0], Order(epsilon, steps=400)
    structure = counts = epsilon * (1 - SIZE_SHARE) / 2
    utility = Clipped(1e-3, 0.5)  # what the noisy size mostly leads to

    def play(canary: bool, rng: Rng) -> float:
        kept: list[Dendrogram] = []

        def whole(noise: Noise) -> None:
            kept.append(run(graphs[canary], order, noise).private["dendrogram"])

        seen, (tree,) = record(whole, rng), kept
        classes = link_classes(tree, counts)
        far = [np.abs(seen.answers[1] - classes.count(graph)).sum() for graph in graphs]
        return float(
            counts * (far[0] - far[1]) + structure / utility.range * _fit_difference(tree, graphs, utility)
        )

    return play


def released_graph(method: str, graphs: Worlds, order: Order, pair: tuple[int, int] = (0, 1)) -> Play:
    """Return the attacker who sees the released graph alone."""
    run = MECHANISMS[method][0]

    def play(canary: bool, rng: Rng) -> float:
        edges = np.sort(run(graphs[canary], order, Noise(rng)).edges, axis=1)
        tied = bool((edges == np.array(pair)).all(axis=1).any())
        return 100.0 * tied + len(edges)

    return play


def _released_graphs() -> list[Setting]:
    """Return the attacker who sees a released graph alone, for every method that makes it from noisy numbers."""
    graphs = worlds(4, [(0, 2), (1, 3)])
    return [
        Setting(
            f"network: {method}, released graph",
            Unit.EDGE,
            _SEES_GRAPH,
            1.0,
            released_graph(method, graphs, Order(1.0, steps=200 if method == "privhrg" else None)),
            short=80,
        )
        for method in MECHANISMS
        if method != "tmf"
    ]
