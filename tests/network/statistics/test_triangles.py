from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2
from tests.network import tiny
from tests.network.scripted import Words

from entrenous.graph import Graph
from entrenous.network.drawing.triangle_classes import class_shares, triangles_by_class
from entrenous.network.statistics import Triangles
from entrenous.network.statistics._kernels import neighbours_above, triangle_leverage
from entrenous.network.statistics.triangles import decay_for, ladder, least_leverage, leverages
from entrenous.noise import Noise
from entrenous.unit import Unit


def random_graph(seed: int, n: int = 14, m: int = 60) -> Graph:
    return Graph.from_edges(np.random.default_rng(seed).integers(0, n, size=(m, 2)), n=n, clean=True)


def neighbours_of(graph: Graph) -> list[set[int]]:
    around: list[set[int]] = [set() for _ in range(graph.n)]
    for u, v in graph.edges().tolist():
        around[u].add(v)
        around[v].add(u)
    return around


def naive_counts(graph: Graph, label: np.ndarray, classes: int) -> list[int]:
    around, counts = neighbours_of(graph), [0] * classes
    for u, v, w in combinations(range(graph.n), 3):
        if v in around[u] and w in around[u] and w in around[v]:
            counts[min(label[u], label[v], label[w])] += 1
    return counts


def naive_leverage(graph: Graph, label: np.ndarray, classes: int) -> list[int]:
    around, most = neighbours_of(graph), [0] * classes
    for u, v in combinations(range(graph.n), 2):
        closed = [min(label[u], label[v], label[w]) for w in around[u] & around[v]]
        most = [max(most[c], closed.count(c)) for c in range(classes)]
    return most


def counts_of(graph: Graph, label: np.ndarray, classes: int = 3) -> list[int]:
    return triangles_by_class(graph.indptr, graph.indices, label, classes).tolist()


def leverage_of(graph: Graph, label: np.ndarray, least: list[int]) -> list[int]:
    return leverages(graph.indptr, graph.indices, label, np.array(least)).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_compiled_counts_and_leverage_agree_with_their_twins(seed: int) -> None:
    graph = random_graph(seed, m=30 + 15 * seed)
    label = np.random.default_rng(seed).integers(0, 3, graph.n)
    assert counts_of(graph, label) == naive_counts(graph, label, 3)
    twin = naive_leverage(graph, label, 3)
    for least in ([1, 1, 1], [2, 1, 3], [9, 9, 2]):
        assert leverage_of(graph, label, least) == np.maximum(twin, least).tolist()


@pytest.mark.parametrize("shares", [1, 2, 5])
@pytest.mark.parametrize("seed", range(6))
def test_shares_of_the_nodes_find_the_leverage_together(seed: int, shares: int) -> None:
    graph = random_graph(seed, m=30 + 15 * seed)
    label, least = np.random.default_rng(seed).integers(0, 3, graph.n), np.array([2, 1, 3])
    above = neighbours_above(graph.indptr, graph.indices, 1)
    parts = [
        triangle_leverage(graph.indptr, graph.indices, *above, label, least, share, shares)
        for share in range(shares)
    ]
    assert np.max(parts, axis=0).tolist() == np.maximum(naive_leverage(graph, label, 3), least).tolist()


def rung(value: int, count: int, leverage: int) -> int:
    """The rung of a whole number, walked one by one as the definition says."""
    distance = value - count if value >= count else count - 1 - value
    k = 0
    while distance >= leverage + k:
        distance -= leverage + k
        k += 1
    return k


@pytest.mark.parametrize(("leverage", "epsilon"), [(3, 0.8), (12, 0.4), (5, 5.0)])
def test_a_ladder_follows_its_distribution_and_no_other(leverage: int, epsilon: float) -> None:
    noise, draws, count = Noise(5), 4000, 50
    seen = [ladder(count, leverage, epsilon=epsilon, noise=noise) for _ in range(draws)]
    rungs = np.bincount([rung(value, count, leverage) for value in seen])
    first = np.bincount([value - count for value in seen if 0 <= value - count < leverage])
    above = sum(value >= count for value in seen)

    def statistic(decay: float) -> float:
        weights = np.array([(leverage + k) * math.exp(-decay * k) for k in range(3000)])
        expected = draws * weights / weights.sum()
        last = int(np.flatnonzero(expected >= 8)[-1])
        pooled = np.append(expected[:last], expected[last:].sum())
        found = np.append(rungs[:last], rungs[last:].sum())
        return float(((found - pooled) ** 2 / pooled).sum() / chi2.ppf(0.999, last))

    assert statistic(decay_for(epsilon)) < 1
    assert statistic(1.3 * decay_for(epsilon)) > 1
    assert statistic(decay_for(epsilon) / 1.3) > 1
    even = len(first) and first.sum() / leverage
    assert ((first - even) ** 2 / even).sum() < chi2.ppf(0.999, leverage - 1)
    assert abs(above - draws / 2) < 3.3 * math.sqrt(draws) / 2


def test_a_ladder_draws_from_the_operating_system_too() -> None:
    drawn = [ladder(10_000, 30, epsilon=0.2, noise=Noise()) for _ in range(60)]
    assert abs(np.mean(drawn) - 10_000) < 400
    assert len(set(drawn)) > 50


@pytest.mark.parametrize("epsilon", [1e-3, 0.02, 0.5, 3.0, 80.0])
def test_the_decay_spends_nearly_all_and_no_more(epsilon: float) -> None:
    """The cost as in the proof: one rung, and the change of the normaliser at the least leverage."""
    decay = decay_for(epsilon)
    cost = decay + math.log1p(1 / (least_leverage(epsilon) + 1 / math.expm1(decay)))
    assert cost <= epsilon
    assert cost > epsilon * (1 - 1e-6)


def test_measured_triangles_are_near_the_truth_where_there_are_many() -> None:
    rng = np.random.default_rng(1)
    edges = [(u, v) for team in range(400) for u, v in combinations(rng.choice(2000, 12, replace=False), 2)]
    graph = Graph.from_edges(np.array(edges), n=2000, clean=True)
    label = np.searchsorted([20, 30], graph.degrees)
    asked = Triangles(label, (0.2, 0.14, 0.16))
    found, truth = asked.draw(graph, Unit.EDGE, Noise(2)), counts_of(graph, label)
    assert min(truth) > 1000
    assert found.sum() == pytest.approx(sum(truth), rel=0.05)
    assert (np.abs(found - truth) > 0).any()
    assert asked.deviation.shape == (3,)


# The promise: exact probabilities of every output, on every graph of five nodes.

LABEL = np.array([0, 1, 1, 0, 1])
EPSILON = 2.0
#: A ladder: the count, the width of its first rung, by how much rungs grow, and by how much chances fall per rung.
Ladder = tuple[int, int, int, float]


def answered(asked: Triangles, graph: Graph, rungs: tuple[int, int], place: int, up: int) -> list[int]:
    """What is answered when the noise leads to a rung and a place on it, of every class."""
    classes = len(asked.parts)
    # For each class two batches of geometric numbers, then words: the place, the direction, two that nobody needs.
    noise = Words([place, up, 0, 0] * classes, [[rung] for rung in rungs] * classes)
    return asked.draw(graph, Unit.EDGE, noise).tolist()  # type: ignore[no-any-return]


def ladders_of(asked: Triangles, graph: Graph) -> list[Ladder]:
    """Read the ladder of each class off its answers: places on the first rung come round after its width."""
    noise = Words([0, 1, 0, 0] * len(asked.parts), [[0], [0]] * len(asked.parts))
    counts = asked.draw(graph, Unit.EDGE, noise).tolist()
    decays = noise.epsilons[::2]
    assert decays == noise.epsilons[1::2]
    widths: list[int] = []
    for c, count in enumerate(counts):
        width = 1
        while answered(asked, graph, (0, 0), width, 1)[c] != count:
            width += 1
        widths.append(width)
    return [(count, width, 1, decay) for count, width, decay in zip(counts, widths, decays, strict=True)]


def log_chances(found: Ladder) -> np.ndarray:
    """The logarithm of the exact probability of the whole numbers from -40 to 49."""
    count, width, growth, decay = found
    edges = count + np.cumsum([0] + [width + growth * k for k in range(60)])
    values = np.arange(-40, 50)
    outward = np.where(values >= count, values, 2 * count - 1 - values)
    level = np.searchsorted(edges, outward, side="right") - 1
    total = 2 * (width / -math.expm1(-decay) + growth * math.exp(-decay) / math.expm1(-decay) ** 2)
    return np.asarray(-decay * level - math.log(total))


def loss(ladders: Callable[[Graph], list[Ladder]], parts: tuple[float, ...]) -> float:
    """The largest |log ratio| of the probability of the noisy counts of all classes, over neighbouring graphs.

    Classes draw independently, and each of them can lie on the worse side whatever the others do.
    """
    exact = [[log_chances(found) for found in ladders(graph)] for graph in tiny.graphs(5)]
    return max(
        sum(float(np.abs(exact[g][c] - exact[h][c]).max()) for c in range(len(parts)))
        for g, h in tiny.neighbours(5)
    )


@cache
def honest(graph: Graph) -> list[Ladder]:
    return ladders_of(Triangles(LABEL, (EPSILON, EPSILON)), graph)


@pytest.mark.long
def test_triangles_keep_their_promise_on_every_graph_of_five_nodes() -> None:
    asked = Triangles(LABEL, (EPSILON, EPSILON))
    assert least_leverage(EPSILON) == 1  # the leverage of small graphs counts, not the least one
    found = loss(honest, asked.parts)
    assert found <= asked.price(Unit.EDGE).epsilon == 2 * EPSILON
    assert found > EPSILON  # one edge may close triangles of both classes
    one = Triangles(np.zeros(5, int), (EPSILON,))
    alone = loss(lambda graph: ladders_of(one, graph), one.parts)
    assert 0.85 * EPSILON < alone <= one.price(Unit.EDGE).epsilon


def only_present_ties(graph: Graph) -> list[Ladder]:
    """The mistake of looking at ties that are there, and not at those that might be."""
    around, most = neighbours_of(graph), [1]
    for u, v in graph.edges().tolist():
        most.append(len(around[u] & around[v]))
    return [(naive_counts(graph, np.zeros(5, int), 1)[0], max(most), 1, decay_for(EPSILON))]


def test_the_check_notices_a_leverage_of_present_ties_only() -> None:
    assert loss(only_present_ties, (EPSILON,)) > EPSILON


def test_the_check_notices_rungs_that_do_not_grow() -> None:
    def level(graph: Graph) -> list[Ladder]:
        return [(count, width, 0, decay) for count, width, _, decay in honest(graph)[:1]]

    assert loss(level, (EPSILON,)) > EPSILON


def test_the_check_notices_a_normaliser_that_is_not_paid_for() -> None:
    def unpaid(graph: Graph) -> list[Ladder]:
        return [(count, width, growth, EPSILON) for count, width, growth, _ in honest(graph)[:1]]

    assert loss(unpaid, (EPSILON,)) > EPSILON


@pytest.mark.parametrize("graph", [tiny.graphs(5)[number] for number in (0, 7, 300, 1023)])
def test_rungs_are_where_the_definition_has_them(graph: Graph) -> None:
    """All places of the first rungs, on both sides; and those beyond a rung are drawn again."""
    asked = Triangles(LABEL, (EPSILON, EPSILON))
    for c, (count, width, _, _) in enumerate(ladders_of(asked, graph)):
        for k in range(4):
            values = [answered(asked, graph, (k, 0), place, up)[c] for place in range(width) for up in (0, 1)]
            assert {rung(value, count, width) for value in values} == {k}
            assert len(set(values)) == 2 * width


def test_a_candidate_is_kept_with_the_right_chance() -> None:
    """On rung k, leverage + k of leverage (k + 1) places are kept, each of them once on either side."""
    for leverage in (1, 3, 4):
        for k in range(4):
            kept = []
            for place in range(leverage * (k + 1)):
                # A candidate that is not kept is followed by one on rung 0, which is.
                noise = Words([place, 1, 0, 0, 0, 1, 0, 0], [[k, 0], [0, 0]])
                value = ladder(100, leverage, epsilon=1.0, noise=noise)  # type: ignore[arg-type]
                kept += [value] if rung(value, 100, leverage) == k else []
            expected = leverage + k if k else leverage
            assert len(kept) == len(set(kept)) == expected


def test_hunts_find_no_tie_that_changes_more_than_the_leverage_and_leverage_by_more_than_one() -> None:
    rng = np.random.default_rng(7)
    for seed in range(150):
        graph = random_graph(seed, n=int(rng.integers(6, 16)), m=int(rng.integers(5, 90)))
        label = rng.integers(0, 3, graph.n)
        u, v = rng.choice(graph.n, 2, replace=False).tolist()
        pairs = {tuple(sorted(edge)) for edge in graph.edges().tolist()} ^ {tuple(sorted((u, v)))}
        other = Graph.from_edges(sorted(pairs), n=graph.n)
        change = np.abs(np.subtract(counts_of(graph, label), counts_of(other, label)))
        widths = [np.array(leverage_of(each, label, [1, 1, 1])) for each in (graph, other)]
        assert (change <= np.minimum(*widths)).all()
        assert np.abs(widths[0] - widths[1]).max() <= 1


def test_shares_of_classes_add_up_to_no_more_than_the_whole() -> None:
    for epsilon in (0.1, 1.0, 1.3, 7.0):
        for classes in (1, 2, 3):
            parts = class_shares(epsilon, classes)
            price = Triangles(np.zeros(9, int), parts).price(Unit.EDGE)
            assert sum(map(Fraction, parts)) <= Fraction(epsilon) * (1 + Fraction(1, 10**15))
            assert price.epsilon == pytest.approx(epsilon, rel=1e-15)


@pytest.mark.parametrize("epsilon", [2e-3, 0.3])
def test_every_ladder_is_at_least_as_wide_as_its_epsilon_asks(epsilon: float) -> None:
    (found,) = ladders_of(Triangles(np.zeros(4, int), (epsilon,)), Graph.from_edges([(0, 1)], n=4))
    assert found == (0, least_leverage(epsilon), 1, decay_for(epsilon))
