"""Canary edges for every network mechanism: tiny graphs that differ in one edge, and what an attacker makes of a run.

Two attackers are tried on every mechanism in the registry. One sees the *released graph*. The other stands at the desk
and sees *all answers*, slots, communities and hierarchies included: what holds against them holds for everything that
is made of the answers. Statistics that draw in a way of their own are attacked alone as well. Graphs are as small as
the loss of a mechanism can be seen on: there noise is drawn as often as time allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from entrenous.attack.tools.likelihood import likelihood
from entrenous.attack.tools.setting import Play, Setting
from entrenous.attack.tools.transcript import Ask, draw_once, log_ratio, record
from entrenous.desk import Desk
from entrenous.graph import Graph
from entrenous.hrg import Clipped, Dendrogram, Published
from entrenous.network import MECHANISMS, statistics
from entrenous.network.drawing.link_classes import link_classes
from entrenous.network.mechanism import GraphDesk, Request
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.statistic import Statistic
from entrenous.unit import Unit

__all__ = [
    "Worlds",
    "all_answers",
    "asking",
    "book",
    "community_canary",
    "noisy_statistics",
    "one_answer",
    "released_graph",
    "settings",
    "slots_of_two",
    "worlds",
]

Rng = np.random.Generator | None
#: The graph without the canary, and with it.
Worlds = tuple[Graph, Graph]

_SEES_ALL = "one tie more; exact likelihood ratio of all answers"
_SEES_ONE = "one tie more; exact likelihood ratio of the answer"
_SEES_GRAPH = "one tie more; whether the pair is tied in the released graph, and how many ties there are"


def worlds(n: int, edges: Sequence[tuple[int, int]] = (), canary: tuple[int, int] = (0, 1)) -> Worlds:
    """Return two graphs on `n` nodes that differ in one edge.

    >>> [graph.m for graph in worlds(4, [(2, 3)])]
    [1, 2]
    """
    return Graph.from_edges(list(edges), n=n), Graph.from_edges([*edges, canary], n=n)


def book(pages: int) -> Worlds:
    """Return two nodes with so many common neighbours; the canary joins them and closes as many triangles.

    >>> [graph.m for graph in book(3)]
    [6, 7]
    """
    return worlds(2 + pages, [(end, other) for end in (0, 1) for other in range(2, 2 + pages)])


def settings() -> list[Setting]:
    """Return the settings of all network mechanisms."""
    return [*_all_answers(), *_drawn_otherwise(), *_added_noise(), *_released_graphs()]


def asking(name: str, request: Request) -> Callable[[GraphDesk], object]:
    """Return a mechanism with its request, as what is asked of a desk."""
    return lambda desk: MECHANISMS[name].run(desk, request)


def all_answers(asks: Ask | tuple[Ask, Ask], graphs: Worlds, *, epsilon: float) -> Play:
    """Return the attacker who sees all answers of a desk and compares their likelihoods.

    Parameters
    ----------
    asks
        What is asked; two of them where a broken mechanism asks otherwise with the canary.
    graphs
        Both worlds.
    epsilon
        What the desk allows.
    """
    plain, canary = zip(asks if isinstance(asks, tuple) else (asks, asks), graphs, strict=True)

    def play(with_canary: bool, rng: Rng) -> float:
        ask, graph = canary if with_canary else plain
        return log_ratio(record(ask, graph, epsilon=epsilon, rng=rng), canary, plain)

    return play


def one_answer(statistic: Statistic[Graph, Any], graphs: Worlds) -> Play:
    """Return the attacker who sees the answer to one question and compares its likelihoods."""
    plain, canary = (likelihood(statistic, graph, Unit.EDGE) for graph in graphs)

    def play(with_canary: bool, rng: Rng) -> float:
        said = draw_once(statistic, graphs[with_canary], rng)
        return canary(said.answer, said.numbers) - plain(said.answer, said.numbers)

    return play


def released_graph(name: str, graphs: Worlds, request: Request, pair: tuple[int, int] = (0, 1)) -> Play:
    """Return the attacker who sees the released graph alone."""
    mechanism, ceiling = MECHANISMS[name], Price(epsilon=request.epsilon)

    def play(canary: bool, rng: Rng) -> float:
        desk = Desk(graphs[canary], unit=Unit.EDGE, ceiling=ceiling, noise=Noise(rng))
        edges = np.sort(mechanism.run(desk, request).edges, axis=1)
        tied = bool((edges == np.array(pair)).all(axis=1).any())
        return 100.0 * tied + len(edges)

    return play


_SQUARE = worlds(4, [(0, 2), (1, 3)])
#: A path becomes a square: eigenvectors turn by most.
_TURNING = worlds(4, [(0, 2), (0, 3), (1, 2)], (1, 3))
#: Two triangles, and as the canary an edge between them.
_TRIANGLES = worlds(6, [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)], (2, 3))


def _chosen() -> list[tuple[str, str, Worlds, dict[str, Any], int]]:
    """Return the canaries that cost a mechanism most: its name, what is seen, graphs, more of its request, runs."""
    pair, four = worlds(2), worlds(4)
    blocks, tree = np.array([0, 0, 1, 1]), Dendrogram.from_nested(((0, 1), (2, 3)))
    return [
        ("owner", "size and degrees", pair, {}, 500),
        ("owner", "degrees alone", pair, {"shares": (0.0, 0.0, 1.0)}, 1250),
        ("owner", "public hierarchy", four, {"hierarchy": blocks}, 200),
        ("owner", "all steps", pair, {"shares": (0.4, 0.3, 0.3)}, 40),
        ("chung-lu", "degrees", pair, {}, 750),
        ("dgg", "degrees", pair, {}, 750),
        ("dk2", "joint degrees", _SQUARE, {}, 500),
        ("spectral", "eigenpairs", _TURNING, {}, 750),
        ("tmf", "pairs", pair, {}, 750),
        ("privgraph", "counts", pair, {}, 150),
        ("privhrg", "public hierarchy", four, {"hierarchy": tree}, 500),
        ("privhrg", "all steps", _TRIANGLES, {"steps": 400}, 100),
    ]


def _all_answers() -> list[Setting]:
    """Return the attacker at the desk, for every mechanism; those without a chosen canary are tried on a square."""
    chosen = _chosen()
    others = MECHANISMS.keys() - {name for name, *_ in chosen}
    chosen += [(name, "all steps", _SQUARE, {}, 100) for name in MECHANISMS if name in others]
    return [
        Setting(
            f"network: {name}, {what}",
            Unit.EDGE,
            _SEES_ALL,
            1.0,
            all_answers(asking(name, Request(1.0, graphs[0].n, **more)), graphs, epsilon=1.0),
            short=short,
        )
        for name, what, graphs, more, short in chosen
    ]


def _drawn_otherwise() -> list[Setting]:
    """Return statistics that do more than add noise: slots, rungs, communities, hierarchies."""
    raised = worlds(5, [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (2, 4)], (1, 4))
    thirty = book(30)
    clipped = _tree(Clipped(1e-3, 0.5), "mixture")
    published = _tree(Published(), "local")
    cases = [
        ("owner, slots", "one tie more; are both in one slot?", 1.0, one_answer(slots_of_two(1.0), worlds(2)), 4000),
        ("owner, triangles", "a tie that also raises the leverage; likelihood ratio", 1.0,
         one_answer(_triangles(5), raised), 750),
        ("owner, many triangles", "a tie that closes thirty; their noisy number", 1.0,
         _noisy_number(_triangles(32), thirty), 500),
        ("privgraph, adjustment", "one tie more; who joined whose community?", 2.0,
         one_answer(*community_canary(2.0)), 3500),
        ("privhrg, hierarchy", "a tie across; likelihood ratio of the hierarchy", 4.0,
         one_answer(clipped, _TRIANGLES), 600),
        ("privhrg, hierarchy, published utility", "one tie more; likelihood ratio of the hierarchy", 4.0,
         one_answer(published, worlds(3, [(0, 1)], (0, 2))), 600),
    ]  # fmt: skip
    return [
        Setting(f"network: {name}", Unit.EDGE, attack, epsilon, play, short=short)
        for name, attack, epsilon, play, short in cases
    ]


def _added_noise() -> list[Setting]:
    return [
        Setting(
            f"network: statistics, {name}",
            Unit.EDGE,
            _SEES_ONE,
            1.0,
            one_answer(statistic, graphs),
            short=750,
        )
        for name, statistic, graphs in noisy_statistics()
    ]


def noisy_statistics() -> list[tuple[str, Statistic[Graph, Any], Worlds]]:
    """Return every statistic that adds noise, with the whole epsilon: a wrong stability shows at once."""
    pair, four = worlds(2), worlds(4)
    blocks, tree = np.array([0, 0, 1, 1]), Dendrogram.from_nested(((0, 1), (2, 3)))
    together, apart = np.zeros(2, np.int64), np.arange(2)
    return [
        ("size", statistics.Size(epsilon=1.0), pair),
        ("degrees", statistics.Degrees(epsilon=1.0), pair),
        ("the largest degree", statistics.LargestDegree(epsilon=1.0), pair),
        ("the degree distribution", statistics.Tails(0, 1, epsilon=1.0), pair),
        ("joint degrees", statistics.JointDegrees(2, epsilon=1.0), _SQUARE),
        ("cells", statistics.Cells(blocks, 2, epsilon=1.0), four),
        ("counts of a hierarchy", statistics.LinkCounts(link_classes(tree, 1.0), epsilon=1.0), four),
        ("degrees in communities", statistics.CommunityCounts(together, epsilon=1.0), pair),
        ("edges between communities", statistics.CommunityCounts(apart, epsilon=1.0), pair),
        ("eigenvectors", statistics.Eigenvectors(4, 2, epsilon=1.0), _TURNING),
        ("eigenvalues", statistics.QuadraticForms(np.full((2, 1), 0.5**0.5), epsilon=1.0), pair),
        ("passing pairs", statistics.PassingPairs(1, 1, epsilon=1.0), pair),
    ]


def slots_of_two(epsilon: float) -> statistics.Slots:
    """Return the question in which of eight slots each of two nodes is."""
    return statistics.Slots(np.arange(2), np.ones(2), 8, epsilon=epsilon)


def community_canary(
    epsilon: float, communities: int = 10, leaves: int = 16
) -> tuple[Statistic[Graph, Any], Worlds]:
    """Return the adjustment of communities, and graphs in which two nodes may join each other's first community.

    In every community one node has so many edges that it certainly stays: it tells which community is which.
    """
    size = leaves + 1
    stars = [(c * size, c * size + leaf) for c in range(communities) for leaf in range(1, size)]
    u, v = communities * size, communities * size + 1
    first = np.append(np.repeat(np.arange(communities), size), [0, 1])
    return statistics.Communities(first, epsilon=epsilon), worlds(v + 1, stars, (u, v))


def _triangles(n: int) -> statistics.Triangles:
    """Return the question how many triangles there are, all in one class."""
    return statistics.Triangles(np.zeros(n, np.int64), (1.0,))


def _noisy_number(statistic: statistics.Triangles, graphs: Worlds) -> Play:
    """Return the attacker who reads a noisy number that the canary raises by far more than one."""
    return lambda canary, rng: float(draw_once(statistic, graphs[canary], rng).answer[0])


def _tree(utility: Any, moves: Any) -> statistics.Tree:
    return statistics.Tree(steps=400, utility=utility, moves=moves, epsilon=4.0)


def _released_graphs() -> list[Setting]:
    return [
        Setting(
            f"network: {name}, released graph",
            Unit.EDGE,
            _SEES_GRAPH,
            1.0,
            released_graph(name, _SQUARE, Request(1.0, 4, steps=200 if mechanism.chain else None)),
            short=40,
        )
        for name, mechanism in MECHANISMS.items()
    ]
