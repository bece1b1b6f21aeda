"""Mechanisms broken on purpose: the positive controls of an audit.

Each has a flaw that was published, or that is easily made, and states an epsilon that it does not keep: mostly the
real mechanism, or a real step of it, handed a wrong number or carried out once too often. An audit that does not catch
all of them would prove nothing about the sound ones. None of this can be reached from a release.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from entrenous.attack.canaries.canary_edges import (
    book,
    communities_adjusted,
    method_run,
    noisy_numbers,
    released_graph,
    slots_drawn,
    worlds,
)
from entrenous.attack.canaries.canary_messages import Mailbox, Star, counts_told, words_told
from entrenous.attack.tools.setting import Play, Setting
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram, Published, chain
from entrenous.hrg.utility import beta_for
from entrenous.network.drawing.link_classes import link_classes
from entrenous.network.mechanism import Request as Order
from entrenous.network.mechanisms import dk2
from entrenous.network.statistics import triangles
from entrenous.noise import Noise
from entrenous.price import gaussian_epsilon, gaussian_scale
from entrenous.unit import Unit
from entrenous.words import histogram
from entrenous.words.statistics import FixedCounts
from entrenous.words.vocabulary import Vocabulary

__all__ = ["settings"]

Rng = np.random.Generator | None
_ALL = "likelihood ratio of all noisy numbers"


def settings() -> list[Setting]:
    """Return the broken variants of all mechanisms."""
    return [*_networks(), *_words()]


def _networks() -> list[Setting]:
    pair, degrees_alone = worlds(2), Order(2.0, shares=(0.0, 0.0, 1.0))
    cases: list[tuple[str, str, str, float, Play, int]] = [
        ("chung-lu", "half the noise", _ALL, 1.0, noisy_numbers(method_run("chung-lu", Order(2.0)), pair, 1), 1500),
        ("owner", "half the noise", _ALL, 1.0, noisy_numbers(method_run("owner", degrees_alone), pair, 2), 2000),
        ("tmf", "half the noise", "does the pair pass?", 1.0, released_graph("tmf", pair, Order(2.0)), 1500),
        ("owner, degrees", "noise for one end of a tie", _ALL, 1.0, noisy_numbers(_one_end, pair, 1), 1500),
        ("owner, cells", "an edge is counted twice", _ALL, 1.0,
         noisy_numbers(_counted_twice, worlds(4, [], (0, 2)), 1), 1500),
        ("hrg, public hierarchy", "epsilon is spent twice", _ALL, 1.0, noisy_numbers(_spent_twice, worlds(4), 2), 1500),
        ("dk2", "the largest degree is published exactly", _ALL, 1.0,
         noisy_numbers(_exact_bound, worlds(4, [(0, 2), (1, 3)]), 1), 200),
        ("community, adjustment", "one end of a tie pays, both draw", "who joined whose community?", 2.0,
         communities_adjusted(4.0), 7000),
        ("owner, slots", "the partition is not paid for", "are both in one slot?", 1.0, slots_drawn(50.0), 200),
        ("owner, triangles", "noise for one triangle of thirty", "the noisy number", 1.0, _one_triangle, 1000),
        ("hrg, hierarchy", "a finite chain from a fixed start", "is it still there?", 1.0, _fixed_start, 400),
    ]  # fmt: skip
    return [
        Setting(f"network: {name}: {flaw}", Unit.EDGE, attack, epsilon, play, flaw=flaw, short=short)
        for name, flaw, attack, epsilon, play, short in cases
    ]


def _one_end(graph: Graph, noise: Noise) -> object:
    return noise.geometric(graph.degrees, sensitivity=1, epsilon=1.0)


def _counted_twice(graph: Graph, noise: Noise) -> object:
    """Count edges between two groups in a full table, where {u, v} is in the cell (u, v) and in the cell (v, u)."""
    from entrenous.network.statistics._kernels import cell_counts

    table = cell_counts(graph.indptr, graph.indices, np.array([0, 0, 1, 1]), 2)
    return noise.geometric(table + table.T, sensitivity=1, epsilon=1.0)


_TREE = Dendrogram.from_nested(((0, 1), (2, 3)))


def _spent_twice(graph: Graph, noise: Noise) -> object:
    """Count along a public hierarchy with the whole epsilon, and once more with the whole of it."""
    counts = link_classes(_TREE, 1.0).count(graph)
    noise.geometric(counts, sensitivity=1, epsilon=1.0)
    return noise.geometric(counts, sensitivity=1, epsilon=1.0)


def _exact_bound(graph: Graph, noise: Noise) -> object:
    """Cap joint degrees at the true largest degree: the size of the table tells it."""
    bound = int(graph.degrees.max())
    cells = dk2.joint_degrees(graph, bound)[np.triu_indices(bound)]
    return noise.geometric(cells, sensitivity=dk2.sensitivity(bound), epsilon=1.0)


_BOOK = book(30)


def _one_triangle(canary: bool, rng: Rng) -> float:
    """Give a count of triangles the least noise there is, whatever the leverage of a tie."""
    graph = _BOOK[canary]
    count = int(triangles.triangles_by_class(graph.indptr, graph.indices, np.zeros(graph.n, np.int64), 1)[0])
    return float(triangles.ladder(count, triangles.least_leverage(1.0), epsilon=1.0, noise=Noise(rng)))


_START = Dendrogram.from_nested(((0, 1), 2))


def _fixed_start(canary: bool, rng: Rng) -> float:
    """Make one step from a fixed dendrogram: without the tie every step is taken, with it many are refused."""
    graph, utility = worlds(3)[canary], Published()
    made = chain.run(
        graph,
        beta=beta_for(1.0, 3, utility),
        steps=1,
        rng=Noise(rng).chain_generator,
        utility=utility,
        moves="local",
        start=_START,
    )
    return float(made.dendrogram == _START)


def _words() -> list[Setting]:
    nobody, everything = Mailbox([{}, {}]), dict.fromkeys(("gold", "oil", "gas"), 1)
    one, three, oil = Mailbox([{"gold": 1}, {}]), Mailbox([everything, {}]), Mailbox([{"oil": 1}, {}])
    edge, belief = Unit.EDGE_CONTENT, Unit.CORRELATED_EDGE
    # What a third of the deviation would have to state.
    sharp = gaussian_epsilon(3 / gaussian_scale(1.0, 0.01), 0.01)
    cases: list[tuple[str, str, Unit, str, float, float, Play, int]] = [
        ("histogram", "half the noise", edge, _ALL, 1.0, 0.0,
         counts_told(nobody, one, epsilon=2.0, contribution=1), 800),
        ("histogram", "contents are not bounded", edge, _ALL, 1.0, 0.0,
         counts_told(nobody, three, epsilon=3.0, contribution=3), 1000),
        ("histogram", "a replaced content pays once", Unit.REPLACED_CONTENT, _ALL, 1.0, 0.0,
         counts_told(oil, one, epsilon=1.0, contribution=1), 1500),
        ("histogram, Gaussian", "a third of the noise", edge, _ALL, 1.0, 0.01,
         counts_told(nobody, one, epsilon=sharp, contribution=1, noise="gaussian", delta=0.01), 1500),
        ("histogram, belief", "the central edge is left out of W", belief, "the noisy count", 1.0, 0.0,
         _count_under(Star(0.0, 1.0, 1), scale=1.0), 1000),
        ("histogram, belief", "noise for an edge alone", belief, "the noisy count", 1.0, 0.0,
         _count_under(Star(0.0, 1.0, 5), scale=1.0), 400),
        ("vocabulary, belief", "the threshold is not raised", belief, "is the secret word named?", 2.0, 0.05,
         _threshold_not_raised, 3000),
    ]  # fmt: skip
    return [
        Setting(f"words: {name}: {flaw}", unit, attack, epsilon, play, delta=delta, flaw=flaw, short=short)
        for name, flaw, unit, attack, epsilon, delta, play, short in cases
    ]


def _count_under(star: Star, *, scale: float) -> Play:
    """Return the attacker who reads a count with noise of a scale that disregards the belief, or part of it."""

    def play(secret: bool, rng: Rng) -> float:
        table = star.draw(secret, rng).table()
        made = histogram(table, vocabulary=["gold"], epsilon=1 / scale, contribution=1, useless=True, rng=rng)
        return float(made.artifact.noisy[0])

    return play


_WIDE = Star(0.0, 1.0, 20)
_normal_scale = cache(gaussian_scale)


def _threshold_not_raised(secret: bool, rng: Rng) -> float:
    """Give noise that hides the edge with its twenty copies, but name words above a threshold made for one edge."""
    deviation = _normal_scale(2.0, 0.025, 1 + _WIDE.neighbours)
    table = _WIDE.draw(secret, rng).table()
    counted = FixedCounts(deviation, 0.025, 1).draw(table, Unit.EDGE_CONTENT, Noise(rng))
    return words_told(Vocabulary.of(counted.words, table.holders, None))
