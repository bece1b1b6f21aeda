from __future__ import annotations

import itertools
import math
import time
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.links.shared import G0, T2, random_graph, real_graph

from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.links import Obfuscation, ego_entropy, joint_entropy
from entrenous.links.entropy import class_entropy, link_entropy, shannon_entropy

DISTRIBUTION = Obfuscation.of(G0, T2)

LARGE = [
    (88_096_996, 198_050, 9386, 216.0309920824529),
    (88_096_996, 198_050, 1, 0.02301630003052918),
    (10**8, 10**5, 10**4, 114.0775773710047),
    (10**8, 5 * 10**7, 10**4, 9999.999999996393),
    (10**8, 3, 10**4, 0.007929943091840152),
    (1000, 100, 1000, 464.42270337623546),
]


def brute_force(N: int, e: int, K: int) -> float:
    """The definition: patterns of l ones, each of probability C(N - K, e - l) / C(N, e)."""
    sets, patterns = math.comb(N, e), range(max(0, K - (N - e)), min(K, e) + 1)
    with_ones = [math.comb(N - K, e - ones) for ones in patterns]  # the sets that show one such pattern
    times = [math.comb(K, ones) * found for ones, found in zip(patterns, with_ones, strict=True)]
    assert sum(times) == sets
    return math.fsum(
        share / sets * math.log2(sets / found) for share, found in zip(times, with_ones, strict=True)
    )


def fifty_digits(N: int, e: int, K: int) -> float:
    """The same with decimals of 60 digits, walking from the mode until nothing is left to add."""
    with localcontext() as context:
        context.prec = 60
        lo, hi = max(0, K - (N - e)), min(K, e)
        mode = min(max((K + 1) * (e + 1) // (N + 2), lo), hi)
        weights = {mode: Decimal(1)}
        for step, end in ((1, hi), (-1, lo)):
            at, weight = mode, Decimal(1)
            while at != end and weight > Decimal("1e-45"):
                low = at if step > 0 else at - 1
                ratio = Decimal((K - low) * (e - low)) / Decimal((low + 1) * (N - K - e + low + 1))
                weight = weight * ratio if step > 0 else weight / ratio
                at += step
                weights[at] = weight
        total = sum(weights.values())
        nats = sum(
            weight / total * (Decimal(math.comb(K, ones)).ln() - (weight / total).ln())
            for ones, weight in weights.items()
        )
        return float(nats / Decimal(2).ln())


def test_two_triangles() -> None:
    assert link_entropy(DISTRIBUTION, [(2, 3)])[0] == pytest.approx(0.5032583347756457, rel=1e-14)
    assert joint_entropy(DISTRIBUTION, [(0, 3), (1, 3), (2, 3)]) == pytest.approx(
        1.4466166676282084, rel=1e-14
    )
    assert ego_entropy(DISTRIBUTION) == pytest.approx([1.4466166676282084] * 6, rel=1e-14)


def test_two_worlds_to_tell_apart() -> None:
    assert shannon_entropy([1 / 2, 1 / 2, 0, 0]) == 1
    assert shannon_entropy([1 / 2, 1 / 6, 1 / 6, 1 / 6]) == pytest.approx(1.792481250360578, rel=1e-14)
    assert math.copysign(1, shannon_entropy([1.0, 0.0])) == 1
    for wrong in ([0.5, 0.4], [1.5, -0.5], [math.nan]):
        with pytest.raises(ArgumentError):
            shannon_entropy(wrong)


@pytest.mark.parametrize(("N", "e", "K", "bits"), LARGE)
def test_large_classes(N: int, e: int, K: int, bits: float) -> None:
    assert float(class_entropy(N, e, K)) == pytest.approx(bits, rel=1e-13)


@pytest.mark.parametrize(
    ("N", "e", "K"),
    [
        *(case[:3] for case in LARGE if case[1] != 5 * 10**7),
        (10**8, 10**8 - 5, 3000),
        (10**12, 10**6, 10**4),
        (3 * 10**6, 10**6, 1731),
        (10**6, 37, 10**6 - 3),
    ],
)
def test_large_classes_against_fifty_digits(N: int, e: int, K: int) -> None:
    assert float(class_entropy(N, e, K)) == pytest.approx(fifty_digits(N, e, K), rel=1e-13)


def log2_binomial(n: int, k: int) -> float:
    """Stirling's series with decimals of 60 digits, for n, k and n - k of a million or more."""
    with localcontext() as context:
        context.prec = 60
        tau = 2 * Decimal("3.14159265358979323846264338327950288419716939937510582097")

        def log_factorial(count: int) -> Decimal:
            x = Decimal(count)
            series = 1 / (12 * x) - 1 / (360 * x**3) + 1 / (1260 * x**5) - 1 / (1680 * x**7)
            return x * x.ln() - x + (tau * x).ln() / 2 + series

        nats = log_factorial(n) - log_factorial(k) - log_factorial(n - k)
        return float(nats / Decimal(2).ln())


@pytest.mark.parametrize(
    ("N", "e"), [(10**12, 10**7), (10**13, 10**7), (10**12, 5 * 10**11), (10**13, 10**13 - 10**6)]
)
def test_whole_classes_whose_products_overflow(N: int, e: int) -> None:
    assert float(class_entropy(N, e, N)) == pytest.approx(log2_binomial(N, e), rel=1e-13)


@pytest.mark.long
def test_all_small_classes_against_brute_force() -> None:
    for N in range(1, 61):
        cases = list(itertools.product(range(N + 1), repeat=2))
        e, K = np.array(cases).T
        expected = [brute_force(N, *case) for case in cases]
        assert class_entropy(N, e, K) == pytest.approx(expected, rel=1e-12, abs=1e-13)


def test_impossible_classes_are_refused() -> None:
    for wrong in ((9, 10, 1), (9, -1, 1), (9, 1, 10), (9, 1, -1), (9.5, 1, 1), (math.inf, 1, 1), ("9", 1, 1)):
        with pytest.raises(ArgumentError):
            class_entropy(*wrong)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(2, 12), seed=st.integers(0, 10**6))
def test_ego_entropy_is_the_joint_entropy_of_all_links_of_a_node(n: int, seed: int) -> None:
    distribution = Obfuscation.of(random_graph(n, 0.4, seed), Dendrogram.random(n, seed))
    egos = [joint_entropy(distribution, [(i, j) for j in range(n) if j != i]) for i in range(n)]
    assert ego_entropy(distribution) == pytest.approx(egos, abs=1e-10)


def test_joint_entropy_by_enumerating_all_graphs() -> None:
    tree = Dendrogram.from_nested(((0, 1, 2), (3, 4)))
    graph = Graph.from_edges([(0, 1), (0, 3), (2, 4)], n=5)
    distribution = Obfuscation.of(graph, tree)
    links = [(0, 3), (1, 3), (2, 1), (4, 3)]
    pairs = list(itertools.combinations(range(5), 2))
    tally: dict[tuple[bool, ...], int] = {}
    for edges in itertools.combinations(pairs, graph.m):
        if (tree.counts(Graph.from_edges(list(edges), n=5)) == distribution.edges).all():
            pattern = tuple(tuple(sorted(link)) in edges for link in links)
            tally[pattern] = tally.get(pattern, 0) + 1
    shares = np.array(list(tally.values())) / sum(tally.values())
    assert joint_entropy(distribution, links) == pytest.approx(shannon_entropy(shares), abs=1e-12)


def test_a_link_named_twice_counts_once() -> None:
    assert joint_entropy(DISTRIBUTION, [(0, 3), (3, 0)]) == pytest.approx(
        float(link_entropy(DISTRIBUTION, [(0, 3)])[0])
    )
    assert joint_entropy(DISTRIBUTION, []) == 0
    for wrong in ([(0, 0)], [(0, 6)], [(0, -1)], [(0, 1, 2)], [(0.5, 1.0)]):
        with pytest.raises(ArgumentError, match="links"):
            joint_entropy(DISTRIBUTION, wrong)


@pytest.mark.data
def test_ego_entropies_of_a_large_graph_within_five_seconds() -> None:
    graph = real_graph("ca-AstroPh")
    distribution = Obfuscation.of(graph, Dendrogram.random(graph.n, rng=1))
    ego_entropy(DISTRIBUTION)  # compiles
    started = time.process_time()
    egos = ego_entropy(distribution)
    assert time.process_time() - started < 5
    assert len(egos) == graph.n
    assert (egos > 0).all()
    node = int(np.argmax(egos))
    links = [(node, other) for other in range(graph.n) if other != node]
    assert egos[node] == pytest.approx(joint_entropy(distribution, links), rel=1e-10)
