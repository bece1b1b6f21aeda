from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tests import naive

from entrenous.errors import ArgumentError
from entrenous.hrg import Clipped, Published
from entrenous.hrg.utility import beta_for, delta_u


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (1, 0.0),
        (2, 0.0),
        (3, 2 * math.log(2)),
        (6, 3.139488862587287),
        (1224, 13.833463230066823),
        (7115, 17.35362660066668),
        (12008, 18.40036237163632),
        (18772, 19.29394898703316),
    ],
)
def test_delta_u_of_the_specification(n: int, expected: float) -> None:
    assert delta_u(n) == pytest.approx(expected, rel=1e-12)


def test_delta_u_bounds_what_one_edge_can_do_and_is_reached() -> None:
    for pairs in range(2, 30):
        changes = [abs(naive.profile(e + 1, pairs) - naive.profile(e, pairs)) for e in range(pairs)]
        assert max(changes) == pytest.approx(pairs * math.log(pairs) - (pairs - 1) * math.log(pairs - 1))


@pytest.mark.parametrize(("lo", "hi"), [(1e-3, 0.5), (0.1, 0.9), (0.2, 0.3)])
def test_an_edge_changes_the_clipped_utility_by_a_value_between_the_logits(lo: float, hi: float) -> None:
    utility = Clipped(lo, hi)
    logits = math.log(lo / (1 - lo)), math.log(hi / (1 - hi))
    assert utility.range == pytest.approx(logits[1] - logits[0])
    for pairs in range(1, 40):
        for e in range(pairs):
            change = utility.total([e + 1], [pairs]) - utility.total([e], [pairs])
            assert logits[0] - 1e-9 <= change <= logits[1] + 1e-9


@pytest.mark.parametrize("utility", [Published(), Clipped(0.05, 0.4)])
def test_totals_match_the_definition(utility: Published | Clipped) -> None:
    pairs = np.arange(1, 20)
    for shift in range(3):
        edges = pairs // (shift + 1)
        expected = sum(
            naive.profile(e, N, *utility.bounds) for e, N in zip(edges.tolist(), pairs.tolist(), strict=True)
        )
        assert utility.total(edges, pairs) == pytest.approx(expected, rel=1e-12)


# eps1: ln Z, P(one of the 9 best), E[logL] over the 945 dendrograms of the test graph
FIGURES = {
    0.5: (6.210323578255263, 0.014078605125949502, -7.9839640777438605),
    1: (5.580194692221388, 0.020589580854815465, -7.838539443725321),
    5: (1.1849735213021044, 0.2258805534544779, -5.6711299933459465),
    20: (-7.516736539785692, 0.7512334052620787, -3.203297924379503),
}


@pytest.mark.parametrize("epsilon", FIGURES)
def test_the_exponential_mechanism_on_the_test_graph(epsilon: float) -> None:
    edges = {frozenset(edge) for edge in [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)]}
    utilities = np.array([naive.utility_of(tree, edges) for tree in naive.all_dendrograms(tuple(range(6)))])
    weights = np.exp(beta_for(epsilon, 6) * utilities)
    distribution = weights / weights.sum()
    best = utilities > utilities.max() - 1e-9
    figures = math.log(weights.sum()), distribution[best].sum(), (distribution * utilities).sum()
    assert figures == pytest.approx(FIGURES[epsilon], rel=1e-10)


@pytest.mark.parametrize("utility", [Published(), Clipped(0.05, 0.5)])
def test_the_law_is_private_on_all_graphs_with_four_nodes(utility: Published | Clipped) -> None:
    pairs = list(itertools.combinations(range(4), 2))
    trees = list(naive.all_dendrograms(tuple(range(4))))
    distributions = {}
    for present in itertools.product([False, True], repeat=6):
        edges = {frozenset(pair) for pair, there in zip(pairs, present, strict=True) if there}
        weights = np.exp(
            beta_for(1.0, 4, utility) * np.array([naive.utility_of(t, edges, *utility.bounds) for t in trees])
        )
        distributions[present] = np.log(weights / weights.sum())
    losses = [
        np.abs(
            distributions[present] - distributions[(*present[:at], not present[at], *present[at + 1 :])]
        ).max()
        for present in distributions
        for at in range(6)
    ]
    assert 0.2 < max(losses) <= 1.0


def test_temperatures() -> None:
    assert beta_for(0.5, 1224) == pytest.approx(0.5 / (2 * 13.833463230066823))
    assert beta_for(0.5, 1224, Clipped(1e-3, 0.5)) == pytest.approx(0.5 / math.log(999))
    assert beta_for(0.5, 2) == 0.0


@pytest.mark.parametrize(("lo", "hi"), [(0.0, 0.5), (0.5, 0.5), (0.6, 0.5), (0.1, 1.0), (math.nan, 0.5)])
def test_impossible_intervals_are_refused(lo: float, hi: float) -> None:
    with pytest.raises(ArgumentError):
        Clipped(lo, hi)
