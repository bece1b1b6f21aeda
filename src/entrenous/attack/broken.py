"""Mechanisms broken on purpose: the positive controls of an audit.

Each has a flaw that was published, or that is easily made, and states an epsilon that it does not keep: mostly the
real mechanism, or a real step of it, handed a wrong number or carried out once too often. An audit that does not catch
all of them would prove nothing about the sound ones. None of this can be reached from a release.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from entrenous.attack.canaries.canary_edges import (
    Worlds,
    all_answers,
    asking,
    book,
    community_canary,
    one_answer,
    slots_of_two,
    worlds,
)
from entrenous.attack.canaries.canary_messages import (
    DELTA,
    Mailbox,
    Star,
    counts_seen,
    noisy_counts,
    words_seen,
)
from entrenous.attack.canaries.planted_mail import Letter, mail, ordinary
from entrenous.attack.tools.setting import Play, Setting
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram, Published, chain
from entrenous.hrg.utility import beta_for
from entrenous.network.drawing.link_classes import link_classes
from entrenous.network.drawing.triangle_classes import triangles_by_class
from entrenous.network.mechanism import GraphDesk, Request
from entrenous.network.statistics import Cells, Degrees, JointDegrees, LinkCounts
from entrenous.network.statistics.triangles import ladder, least_leverage
from entrenous.noise import Noise
from entrenous.price import gaussian_epsilon, gaussian_scale
from entrenous.statistic import Counts
from entrenous.unit import Unit
from entrenous.words import vocabulary
from entrenous.words.counting.table import Table
from entrenous.words.statistics import FixedCounts
from entrenous.words.vocabulary import Vocabulary

__all__ = ["settings"]

Rng = np.random.Generator | None
_ALL = "likelihood ratio of all noisy numbers"


def settings() -> list[Setting]:
    """Return the broken variants of all mechanisms."""
    return [*_networks(), *_words(), *_mail()]


def _networks() -> list[Setting]:
    pair, square = worlds(2), worlds(4, [(0, 2), (1, 3)])
    cases: list[tuple[str, str, str, float, Play, int]] = [
        ("chung-lu", "half the noise", _ALL, 1.0, _half_the_noise("chung-lu", Request(2.0, 2)), 750),
        ("owner", "half the noise", _ALL, 1.0, _half_the_noise("owner", Request(2.0, 2, shares=(0.0, 0.0, 1.0))), 1000),
        ("tmf", "half the noise", "does the pair pass?", 1.0, _half_the_noise("tmf", Request(2.0, 2)), 750),
        ("owner, degrees", "noise for one end of a tie", _ALL, 1.0, one_answer(Degrees(epsilon=2.0), pair), 750),
        ("owner, cells", "an edge is counted twice", _ALL, 1.0,
         _asked_twice(Cells(np.array([0, 0, 1, 1]), 2, epsilon=1.0), worlds(4, [], (0, 2))), 750),
        ("privhrg, public hierarchy", "epsilon is spent twice", _ALL, 1.0,
         _asked_twice(LinkCounts(link_classes(_TREE, 1.0), epsilon=1.0), worlds(4)), 750),
        ("dk2", "the largest degree is published exactly", _ALL, 1.0,
         all_answers((_exact_bound(square[0]), _exact_bound(square[1])), square, epsilon=1.0), 100),
        ("privgraph, adjustment", "one end of a tie pays, both draw", "who joined whose community?", 2.0,
         one_answer(*community_canary(4.0)), 3500),
        ("owner, slots", "the partition is not paid for", "are both in one slot?", 1.0,
         one_answer(slots_of_two(50.0), pair), 100),
        ("owner, triangles", "noise for one triangle of thirty", "the noisy number", 1.0, _one_triangle, 500),
        ("privhrg, hierarchy", "a finite chain from a fixed start", "is it still there?", 1.0, _fixed_start, 200),
    ]  # fmt: skip
    return [
        Setting(f"network: {name}: {flaw}", Unit.EDGE, attack, epsilon, play, flaw=flaw, short=short)
        for name, flaw, attack, epsilon, play, short in cases
    ]


def _half_the_noise(name: str, request: Request) -> Play:
    """Let a mechanism ask for twice the epsilon that is stated."""
    return all_answers(asking(name, request), worlds(request.n), epsilon=request.epsilon)


def _asked_twice(statistic: Counts[Graph, Any], graphs: Worlds) -> Play:
    """Ask the same question twice, each time for the whole epsilon.

    That is also what a full table of cells does, where an edge {u, v} is in the cell (u, v) and in the cell (v, u).
    """

    def ask(desk: GraphDesk) -> None:
        desk(statistic)
        desk(statistic)

    return all_answers(ask, graphs, epsilon=2 * statistic.epsilon)


_TREE = Dendrogram.from_nested(((0, 1), (2, 3)))


def _exact_bound(graph: Graph) -> Callable[[GraphDesk], object]:
    """Cap joint degrees at the true largest degree, which no mechanism could know: the size of the table tells it."""
    statistic = JointDegrees(int(graph.degrees.max()), epsilon=1.0)
    return lambda desk: desk(statistic)


_BOOK = book(30)


def _one_triangle(canary: bool, rng: Rng) -> float:
    """Give a count of triangles the least noise there is, whatever the leverage of an edge."""
    graph = _BOOK[canary]
    (count,) = triangles_by_class(graph.indptr, graph.indices, np.zeros(graph.n, np.int64), 1)
    return float(ladder(int(count), least_leverage(1.0), epsilon=1.0, noise=Noise(rng)))


_START = Dendrogram.from_nested(((0, 1), 2))


def _fixed_start(canary: bool, rng: Rng) -> float:
    """Make one step from a fixed dendrogram: without the edge every step is taken, with it many are refused."""
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
         counts_seen(nobody, one, epsilon=2.0, contribution=1), 400),
        ("histogram", "contents are not bounded", edge, _ALL, 1.0, 0.0,
         counts_seen(nobody, three, epsilon=3.0, contribution=3), 500),
        ("histogram", "a replaced content pays once", Unit.REPLACED_CONTENT, _ALL, 1.0, 0.0,
         counts_seen(oil, one, epsilon=1.0, contribution=1), 750),
        ("histogram, Gaussian", "a third of the noise", edge, _ALL, 1.0, 0.01,
         counts_seen(nobody, one, epsilon=sharp, contribution=1, noise="gaussian", delta=0.01), 750),
        ("histogram, belief", "the central edge is left out of W", belief, "the noisy count", 1.0, 0.0,
         _count_under(Star(0.0, 1.0, 1), scale=1.0), 500),
        ("histogram, belief", "noise for an edge alone", belief, "the noisy count", 1.0, 0.0,
         _count_under(Star(0.0, 1.0, 5), scale=1.0), 200),
        ("vocabulary, belief", "the threshold is not raised", belief, "is the secret word named?", 2.0, 0.05,
         _threshold_not_raised, 1500),
    ]  # fmt: skip
    return [
        Setting(f"words: {name}: {flaw}", unit, attack, epsilon, play, delta=delta, flaw=flaw, short=short)
        for name, flaw, unit, attack, epsilon, delta, play, short in cases
    ]


def _count_under(star: Star, *, scale: float) -> Play:
    """Return the attacker who reads a count with noise of a scale that disregards the belief, or part of it."""
    draw = noisy_counts(("gold",), epsilon=1 / scale, contribution=1)
    return lambda secret, rng: float(draw(star.draw(secret, rng).table(), rng)[0])


_WIDE = Star(0.0, 1.0, 20)
_normal_scale = cache(gaussian_scale)


def _threshold_not_raised(secret: bool, rng: Rng) -> float:
    """Give noise that hides the edge with its twenty copies, but name words above a threshold made for one edge."""
    deviation = _normal_scale(2.0, 0.025, 1 + _WIDE.neighbours)
    table = _WIDE.draw(secret, rng).table()
    counted = FixedCounts(deviation, 0.025, 1).draw(table, Unit.EDGE_CONTENT, Noise(rng))
    return words_seen(Vocabulary.of(counted.words, table.holders, None))


def _mail() -> list[Setting]:
    """Return releases that count a message to many, or hide less, than the unit says that is stated."""
    message, both, everything = Unit.MESSAGE, Unit.EDGE_AND_MESSAGE, Unit.ALL_OF_MAIL
    others = ordinary({"press": 1}, 60)
    silent, widely = (Mailbox([said] * 200, apart=[{"press": 1}] * 60).table() for said in ({}, {"gold": 1}))
    often, by_one = (
        [Letter({"gold": 1}, 0, (1,))] * 60,
        [Letter({"gold": 1}, 0, (other,)) for other in range(1, 201)],
    )
    nobody, three = Mailbox([{}] * 3), Mailbox([{"gold": 1}] * 3)
    oil, gold = (Mailbox([said, {}], by="edge-and-message") for said in ({"oil": 1}, {"oil": 1, "gold": 2}))
    named = "is a word that nobody else says named?"
    cases: list[tuple[str, str, Unit, str, float, float, Play, int]] = [
        ("vocabulary", "a message counts on each of its edges", message, named, 2.0, DELTA,
         _own_word(silent, widely), 100),
        ("vocabulary", "edges are not clipped", both, named, 2.0, DELTA,
         _own_word(mail(others, "message"), mail([*often, *others], "message")), 100),
        ("vocabulary", "senders are not clipped", everything, named, 2.0, DELTA,
         _own_word(mail(others, "edge-and-message"), mail([*by_one, *others], "edge-and-message")), 100),
        ("histogram", "edges are counted, and messages promised", both, _ALL, 1.0, 0.0,
         counts_seen(nobody, three, epsilon=1.0, contribution=1), 400),
        ("histogram", "a pair that turns into another pays once", both, _ALL, 1.0, 0.0,
         counts_seen(oil, gold, epsilon=2.0, contribution=1), 750),
    ]  # fmt: skip
    return [
        Setting(f"words: {name}: {flaw}", unit, attack, epsilon, play, delta=delta, flaw=flaw, short=short)
        for name, flaw, unit, attack, epsilon, delta, play, short in cases
    ]


def _own_word(plain: Table, canary: Table) -> Play:
    """Return the attacker who looks for a word of the canary in a release for less than what is stated."""
    tables = plain, canary
    return lambda with_canary, rng: words_seen(
        vocabulary(tables[with_canary], epsilon=2.0, delta=DELTA, n=1, rng=rng).artifact
    )
