"""Every number that promises under correlation rest on, and the theorems checked by linear programs on tiny models."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.special import gammaln

from entrenous.errors import ArgumentError
from entrenous.words.beliefs import Binomial, Group
from entrenous.words.pufferfish import (
    Distribution,
    binomial_log_pmf,
    chain_edge_epsilon,
    chain_epsilon,
    chain_quilt,
    closed,
    compose,
    compose_zcdp,
    coupling_defect,
    coupling_defect_log,
    laplace_loss,
    laplace_scale,
    quantile_distances,
    star_edge_epsilon,
    star_epsilon,
    topic_edge_epsilon,
    topic_epsilon,
    tree_quilt,
    w_infinity,
    w_infinity_log,
    wasserstein_scale,
)
from entrenous.words.pufferfish.calibration import geometric_mixture
from entrenous.words.request import Request

P0, P1, NEIGHBOURS = 0.0277, 0.2739, 1883
ABSENT, PRESENT = binomial_log_pmf(NEIGHBOURS, P0), binomial_log_pmf(NEIGHBOURS, P1)
SCALES = {0.1: 4646.2944, 1.0: 464.9429, 10.0: 46.8062, 100.0: 4.9788}
FLIPS = (0.1, 0.2, 0.3, 0.4)

distributions = st.dictionaries(st.integers(0, 8), st.integers(1, 5), min_size=1, max_size=5).map(
    lambda cases: Distribution.from_counts(list(cases), list(cases.values()))
)


@cache
def exact_binomial(n: int, numerator: int, denominator: int) -> Distribution:
    """The binomial distribution in whole numbers of any length."""
    cases = tuple(math.comb(n, k) * numerator**k * (denominator - numerator) ** (n - k) for k in range(n + 1))
    return Distribution(tuple(range(n + 1)), cases)


def best_coupling(first: Distribution, second: Distribution, w: float) -> float:
    """The least probability of a distance above w over all couplings, by a linear program."""
    p, q = (np.array(distribution.cases) / distribution.total for distribution in (first, second))
    far = np.abs(np.subtract.outer(first.values, second.values)) > w
    rows = [np.repeat(np.eye(len(p))[i], len(q)) for i in range(len(p))]
    columns = [np.tile(np.eye(len(q))[j], len(p)) for j in range(len(q))]
    found = linprog(far.ravel().astype(float), A_eq=np.array(rows + columns), b_eq=np.concatenate([p, q]))
    return float(found.fun)


def worst_loss(world0: NDArray[np.float64], world1: NDArray[np.float64], eta: float) -> float:
    """The largest |log-ratio| of any mechanism that is eta-DP per bit, by linear programs.

    The worlds give the probability of every configuration of bits, numbered in binary, given the secret bit.
    """
    size = len(world0)
    bits = size.bit_length() - 1
    rows = []
    for x, bit in itertools.product(range(size), range(bits)):
        row = np.zeros(size)
        row[x], row[x ^ (1 << bit)] = 1, -math.exp(eta)
        rows.append(row)
    best = []
    for top, bottom in ((world1, world0), (world0, world1)):
        found = linprog(-top, A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=[bottom], b_eq=[1])
        best.append(math.log(-found.fun))
    return max(best)


def star_worlds(probabilities: list[tuple[float, float]]) -> list[NDArray[np.float64]]:
    """The distribution of centre (bit 0) and neighbours, independent given the centre; (p0, p1) of each neighbour."""
    worlds = []
    for secret in (0, 1):
        world = np.zeros(2 ** (1 + len(probabilities)))
        for bits in itertools.product((0, 1), repeat=len(probabilities)):
            chance = math.prod(
                p[secret] if bit else 1 - p[secret] for p, bit in zip(probabilities, bits, strict=True)
            )
            world[secret + sum(bit << (place + 1) for place, bit in enumerate(bits))] = chance
        worlds.append(world)
    return worlds


def chain_worlds(flip: float, length: int, secret_place: int) -> list[NDArray[np.float64]]:
    worlds = [np.zeros(2**length) for _ in range(2)]
    for bits in itertools.product((0, 1), repeat=length):
        flips = sum(a != b for a, b in itertools.pairwise(bits))
        code = sum(bit << place for place, bit in enumerate(bits))
        worlds[bits[secret_place]][code] = flip**flips * (1 - flip) ** (length - 1 - flips)
    return worlds


# W_inf


@pytest.mark.long
def test_published_neighbourhood_in_whole_numbers_and_in_logarithms() -> None:
    exact = exact_binomial(NEIGHBOURS, 277, 10_000), exact_binomial(NEIGHBOURS, 2739, 10_000)
    assert w_infinity(*exact) == w_infinity_log(ABSENT, PRESENT) == 887
    assert w_infinity_log(*closed(ABSENT, PRESENT)) == 888
    assert Binomial(P0, P1, NEIGHBOURS).w_inf() == 888


def test_cumulative_distributions_in_floats_give_the_published_artefact() -> None:
    """Beyond k = 119 the one in floats is 1, so the far tail, which decides, is never looked at."""
    below0, below1 = (np.cumsum(np.exp(distribution)) for distribution in (ABSENT, PRESENT))
    below0, below1 = below0 / below0[-1], below1 / below1[-1]
    end = int(np.argmax(below0 >= 1 - 2**-53))
    distance = int(np.searchsorted(below1, 1 - 2**-53)) - end
    assert abs(end - 119) <= 3
    assert abs(distance - 558) <= 5


@pytest.mark.parametrize(
    ("n", "w"), [(1, 1), (2, 2), (10, 5), (100, 48), (500, 236), (1000, 472), (5000, 2355)]
)
def test_other_neighbourhoods(n: int, w: int) -> None:
    assert w_infinity_log(binomial_log_pmf(n, P0), binomial_log_pmf(n, P1)) == w


@pytest.mark.parametrize(("defect", "w"), [(1e-3, 497), (1e-6, 518), (1e-9, 533), (1e-12, 544)])
def test_least_w_with_a_defect(defect: float, w: int) -> None:
    assert w_infinity_log(ABSENT, PRESENT, defect=defect) == w
    assert Binomial(P0, P1, NEIGHBOURS, defect=defect).w_inf() == w + 1


def test_least_w_with_a_defect_in_whole_numbers() -> None:
    exact = exact_binomial(NEIGHBOURS, 277, 10_000), exact_binomial(NEIGHBOURS, 2739, 10_000)
    assert coupling_defect(*exact, 533) <= Fraction(1, 10**9) < coupling_defect(*exact, 532)


def test_equal_distributions_are_no_distance_apart_but_the_edge_counts() -> None:
    assert w_infinity_log(ABSENT, ABSENT) == 0
    assert Binomial(0.3, 0.3, NEIGHBOURS).w_inf() == 1
    assert Binomial(0.3, 0.3, NEIGHBOURS).edge_epsilon(0.7) == 0.7


def test_far_tails_of_large_neighbourhoods() -> None:
    """The logarithms of the tails reach -700,000."""
    w = w_infinity_log(binomial_log_pmf(200_000, P0), binomial_log_pmf(200_000, P1))
    assert w / 200_000 == pytest.approx(2355 / 5000, rel=2e-3)


@given(distributions, distributions, st.integers(0, 9))
def test_coupling_defect_is_the_optimum_of_all_couplings(
    first: Distribution, second: Distribution, w: int
) -> None:
    assert float(coupling_defect(first, second, w)) == pytest.approx(
        best_coupling(first, second, w), abs=1e-9
    )
    logs = [distribution.log_pmf(8) for distribution in (first, second)]
    assert coupling_defect_log(*logs, w) == pytest.approx(float(coupling_defect(first, second, w)), abs=1e-12)


@given(distributions, distributions)
def test_w_is_the_least_distance_without_defect(first: Distribution, second: Distribution) -> None:
    w = w_infinity(first, second)
    assert w == w_infinity_log(first.log_pmf(8), second.log_pmf(8))
    assert coupling_defect(first, second, w) == 0
    assert w == 0 or coupling_defect(first, second, w - 1) > 0
    assert w == max(quantile_distances(first, second)[1])
    assert quantile_distances(first, second)[0].sum() == pytest.approx(1)


def test_shares_and_bins() -> None:
    thirds, halves = Distribution((0.0, 1 / 3), (1, 1)), Distribution((0.0, 0.5), (1, 1))
    assert w_infinity(thirds, halves) == pytest.approx(1 / 6)
    assert w_infinity(thirds, halves, bin_width=0.1) == pytest.approx(1 / 6 + 0.1)
    assert w_infinity(thirds, Distribution((0.0, 0.5), (3, 1)), defect=0.25) == pytest.approx(1 / 6)
    assert w_infinity(thirds, Distribution((0.0, 0.5), (3, 1))) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("values", "cases"), [((), ()), ((1, 0), (1, 1)), ((0, 1), (1, 0)), ((0,), (1, 1)), ((0, 0), (1, 1))]
)
def test_what_is_no_distribution_is_refused(values: tuple[int, ...], cases: tuple[int, ...]) -> None:
    with pytest.raises(ArgumentError, match="distribution"):
        Distribution(values, cases)
    with pytest.raises(ArgumentError, match="distribution"):
        w_infinity_log(np.log([0.5, 0.4]), np.log([0.5, 0.5]))


# Exact calibration


@pytest.mark.parametrize("epsilon", SCALES)
def test_least_scale_of_the_published_neighbourhood(epsilon: float) -> None:
    scale = laplace_scale(*closed(ABSENT, PRESENT), epsilon)
    assert scale == pytest.approx(SCALES[epsilon], abs=1e-4)
    assert laplace_loss(*closed(ABSENT, PRESENT), scale) <= epsilon * (1 + 1e-9)
    assert scale == pytest.approx(1 / star_edge_epsilon(epsilon, NEIGHBOURS, P0, P1), rel=1e-9)


@given(distributions, distributions, st.floats(0.2, 20))
def test_worst_output_is_at_an_atom_for_laplace_and_geometric_noise(
    first: Distribution, second: Distribution, scale: float
) -> None:
    def densities(distribution: Distribution, outputs: NDArray[np.float64]) -> NDArray[np.float64]:
        weights = np.array(distribution.cases) / distribution.total
        return np.asarray(np.exp(-np.abs(outputs[:, None] - np.array(distribution.values)) / scale) @ weights)

    loss = laplace_loss(first.log_pmf(8), second.log_pmf(8), scale)
    for outputs in (np.linspace(-5, 14, 381), np.arange(-5.0, 15)):
        ratios = np.log(densities(first, outputs)) - np.log(densities(second, outputs))
        assert np.abs(ratios).max() == pytest.approx(loss, abs=1e-9)


@given(distributions, distributions, st.floats(0.05, 5))
def test_scale_is_least_and_never_worse_than_the_wasserstein_mechanism(
    first: Distribution, second: Distribution, epsilon: float
) -> None:
    logs = first.log_pmf(8), second.log_pmf(8)
    scale = laplace_scale(*logs, epsilon)
    assert 1 / epsilon <= scale <= wasserstein_scale([(first, second)], epsilon) * (1 + 1e-12)
    assert laplace_loss(*logs, scale) <= epsilon * (1 + 1e-9)
    assert scale == 1 / epsilon or laplace_loss(*logs, scale * 0.999) > epsilon


@given(distributions, distributions, st.floats(0.2, 20), st.floats(1, 3))
def test_more_noise_never_costs_more(
    first: Distribution, second: Distribution, scale: float, factor: float
) -> None:
    logs = first.log_pmf(8), second.log_pmf(8)
    assert laplace_loss(*logs, scale * factor) <= laplace_loss(*logs, scale) + 1e-12


def test_a_bit_that_leaves_no_trace_is_still_hidden() -> None:
    """A neighbour that always contradicts the edge keeps the count at 1; an edge alone must not be readable."""
    same = np.array([-np.inf, 0.0, -np.inf])
    assert laplace_scale(same, same, 0.5) == 2
    assert wasserstein_scale([(Distribution((1,), (1,)), Distribution((1,), (1,)))], 0.5) == 2


def test_no_pairs_are_refused() -> None:
    with pytest.raises(ArgumentError, match="pairs"):
        wasserstein_scale([], 1.0)


# Affiliated transfer


@pytest.mark.parametrize("eta", [0.01, 0.3, 1.0, 4.0])
@pytest.mark.parametrize(("p0", "p1"), [(0.0, 0.3), (0.1, 0.2), (0.05, 0.9), (0.4, 1.0), (0.3, 0.3)])
def test_star_transfer_is_the_worst_of_all_mechanisms(eta: float, p0: float, p1: float) -> None:
    loss = worst_loss(*star_worlds([(p0, p1)] * 3), eta)
    assert star_epsilon(eta, 3, p0, p1) == pytest.approx(loss, rel=1e-6)


@given(st.lists(st.tuples(st.floats(0.1, 0.7), st.floats(0.1, 0.7)), min_size=1, max_size=3))
def test_star_transfer_holds_for_any_probabilities_in_the_range(
    probabilities: list[tuple[float, float]],
) -> None:
    """Also where a neighbour speaks against the edge: that is the same belief with its bit renamed."""
    assert worst_loss(*star_worlds(probabilities), 0.8) <= star_epsilon(0.8, 3, 0.1, 0.7) + 1e-6


def test_one_sided_ranges_would_not_be_enough() -> None:
    """p1 at most 0.3 and p0 at least 0.2 also allow 0.05 and 0.95, a neighbour that always contradicts."""
    assert worst_loss(*star_worlds([(0.95, 0.05)] * 3), 1.0) > 1.5 * star_epsilon(1.0, 3, 0.2, 0.3)


def test_mixed_beliefs_are_covered_only_if_the_mixture_does_not_depend_on_the_edge() -> None:
    """Both parts are stars with p0 = 0.05 < p1 = 0.15 or p0 = 0.85 < p1 = 0.95."""
    low, high = star_worlds([(0.05, 0.15)] * 3), star_worlds([(0.85, 0.95)] * 3)
    bound = max(star_epsilon(1.0, 3, 0.05, 0.15), star_epsilon(1.0, 3, 0.85, 0.95))
    blind = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    assert worst_loss(*blind, 1.0) <= bound + 1e-6
    knowing = [0.1 * low[0] + 0.9 * high[0], 0.9 * low[1] + 0.1 * high[1]]
    assert worst_loss(*knowing, 1.0) > 1.5 * bound


@pytest.mark.parametrize("flip", FLIPS)
@pytest.mark.parametrize("eta", [0.1, 1.0, 3.0])
def test_chain_transfer_is_the_worst_of_all_mechanisms(flip: float, eta: float) -> None:
    loss = max(worst_loss(*_normal(chain_worlds(flip, 5, place)), eta) for place in range(5))
    assert chain_epsilon(eta, 5, flip) == pytest.approx(loss, rel=1e-6)


def test_a_chain_that_alternates_is_one_with_every_other_bit_renamed() -> None:
    loss = max(worst_loss(*_normal(chain_worlds(0.8, 4, place)), 1.0) for place in range(4))
    assert chain_epsilon(1.0, 4, 0.2) == pytest.approx(loss, rel=1e-6)
    with pytest.raises(ArgumentError, match="1 - flip"):
        chain_epsilon(1.0, 4, 0.8)


@given(st.lists(st.tuples(st.floats(0.2, 0.8), st.floats(0.2, 0.8)), min_size=3, max_size=3))
def test_chains_that_flip_with_other_probabilities_give_less_away(steps: list[tuple[float, float]]) -> None:
    """The secret is the first bit; each next bit is 1 with its own probability, given the bit before it."""
    worlds = [np.zeros(16), np.zeros(16)]
    for bits in itertools.product((0, 1), repeat=4):
        ones = [step[before] for step, before in zip(steps, bits, strict=False)]
        chance = math.prod(p if bit else 1 - p for p, bit in zip(ones, bits[1:], strict=True))
        worlds[bits[0]][sum(bit << place for place, bit in enumerate(bits))] = chance
    assert worst_loss(*worlds, 1.0) <= chain_epsilon(1.0, 4, 0.2) + 1e-6


def _normal(worlds: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    return [world / world.sum() for world in worlds]


@pytest.mark.parametrize(
    ("flip", "scale", "epsilon"),
    [(0.1, 8.640, 2.397), (0.2, 3.849, 1.255), (0.3, 2.257, 0.763), (0.4, 1.467, 0.497)],
)
def test_chain_of_201_edges(flip: float, scale: float, epsilon: float) -> None:
    assert 1 / chain_edge_epsilon(1.0, 201, flip) == pytest.approx(scale, abs=6e-4)
    assert chain_epsilon(1 / 3, 201, flip) == pytest.approx(epsilon, abs=6e-4)


@pytest.mark.parametrize("neighbours", [0, 1, 1883, 10**6])
@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 100.0, 2000.0])
@pytest.mark.parametrize(("p0", "p1"), [(0.0, 1.0), (P0, P1), (1e-12, 1e-3), (0.5, 1 - 1e-12)])
def test_transfer_and_back(neighbours: int, epsilon: float, p0: float, p1: float) -> None:
    eta = star_edge_epsilon(epsilon, neighbours, p0, p1)
    assert epsilon / (1 + neighbours) * (1 - 1e-14) <= eta <= epsilon
    assert star_epsilon(eta, neighbours, p0, p1) <= epsilon
    assert star_epsilon(eta * (1 + 1e-6), neighbours, p0, p1) > epsilon


@pytest.mark.parametrize("eta", [1e-9, 1e-3, 1.0, 50.0, 300.0, 900.0])
def test_transfer_against_many_digits(eta: float) -> None:
    from decimal import Decimal, localcontext

    with localcontext() as context:
        context.prec = 900
        p0, p1, up = Decimal(str(P0)), Decimal(str(P1)), Decimal(str(eta)).exp()
        raised = ((1 - p1 + p1 * up) / (1 - p0 + p0 * up)).ln()
        lowered = ((1 - p0 + p0 / up) / (1 - p1 + p1 / up)).ln()
        exact = float(Decimal(str(eta)) + 10**6 * max(raised, lowered))
    assert star_epsilon(eta, 10**6, P0, P1) == pytest.approx(exact, rel=1e-10)


def test_transfer_grows_with_the_neighbourhood_and_the_range() -> None:
    assert star_epsilon(0.01, 100, 0.1, 0.3) < star_epsilon(0.01, 101, 0.1, 0.3)
    assert star_epsilon(0.01, 100, 0.1, 0.3) < star_epsilon(0.01, 100, 0.1, 0.31)
    assert star_epsilon(0.01, 100, 0.1, 0.3) < star_epsilon(0.01, 100, 0.09, 0.3)
    assert star_epsilon(1e-7, 100, 0.1, 0.3) / 1e-7 == pytest.approx(1 + 100 * 0.2, rel=1e-5)


# A hidden topic


def topic_worlds(odds: float, b0: float, b1: float, neighbours: int) -> list[NDArray[np.float64]]:
    """The edge (bit 0) and its neighbours, independent given a hidden topic with these odds."""
    worlds = [np.zeros(2 ** (1 + neighbours)) for _ in range(2)]
    for bits in itertools.product((0, 1), repeat=1 + neighbours):
        code = sum(bit << place for place, bit in enumerate(bits))
        chances = [math.prod(p if bit else 1 - p for bit in bits) for p in (b0, b1)]
        worlds[bits[0]][code] = (chances[0] + odds * chances[1]) / (1 + odds)
    return _normal(worlds)


@pytest.mark.parametrize("eta", [0.1, 1.0, 3.0])
@pytest.mark.parametrize(("b0", "b1"), [(0.1, 0.6), (0.02, 0.3), (0.5, 0.95)])
def test_topic_transfer_is_the_worst_of_all_mechanisms_and_topics(eta: float, b0: float, b1: float) -> None:
    told = topic_epsilon(eta, 3, b0, b1)
    losses = [worst_loss(*topic_worlds(math.exp(log), b0, b1, 3), eta) for log in np.linspace(-6, 6, 49)]
    assert 0.99 * told <= max(losses) <= told + 1e-6


def test_a_topic_tells_no_more_than_its_odds_and_no_more_than_the_edge_itself_would() -> None:
    odds = math.log(P1 / P0 * (1 - P0) / (1 - P1))
    for eta in (1e-3, 0.1, 2.0):
        assert eta <= topic_epsilon(eta, 10**6, P0, P1) <= eta + odds + 1e-12
        assert topic_epsilon(eta, 50, P0, P1) < star_epsilon(eta, 50, P0, P1)
    assert topic_epsilon(0.3, 50, 0.0, 0.4) == pytest.approx(star_epsilon(0.3, 50, 0.0, 0.4), rel=1e-12)
    assert topic_epsilon(0.3, 50, 0.2, 0.2) == 0.3


@pytest.mark.parametrize(("epsilon", "scale"), [(0.1, 2646.3836), (1.0, 253.0903), (10.0, 0.1348)])
def test_scales_of_the_published_neighbourhood_under_a_topic(epsilon: float, scale: float) -> None:
    assert 1 / topic_edge_epsilon(epsilon, NEIGHBOURS, P0, P1) == pytest.approx(scale, abs=1e-4)


def test_the_odds_of_one_word_rather_than_another_move_by_more_than_those_of_one_word() -> None:
    """A content of one n-gram: "a rather than nothing" moves by 1, "a, not b" by 1.861, and by 1 if replaced."""
    model = Binomial(0.05, 0.3, 4)
    laws = closed(binomial_log_pmf(4, 0.05), binomial_log_pmf(4, 0.3))

    def ratios(epsilon: float) -> NDArray[np.float64]:
        noisy = [geometric_mixture(law, model.laplace_scale(epsilon)) for law in laws]
        return np.asarray(noisy[1] - noisy[0])

    assert np.abs(ratios(1.0)).max() == pytest.approx(1.0)
    assert ratios(1.0).max() - ratios(1.0).min() == pytest.approx(1.8614075750052944)
    assert ratios(0.5).max() - ratios(0.5).min() <= 1.0
    request = Request(epsilon=1.0, contribution=1, correlation=model, replaced=True)
    assert 1 / request.ngram_epsilon == pytest.approx(model.laplace_scale(0.5))


# Nested n-grams


def test_ngrams_that_always_come_together_cost_more_than_independent_ones() -> None:
    """A thousand n-grams that are one and the same bit: geometric noise made for 100 gives 107.7."""
    model = Binomial(P0, P1, NEIGHBOURS)
    eta = model.edge_epsilon(100 / 1000)
    assert model.epsilon_of(1000 * eta) == pytest.approx(107.68, abs=0.005)
    assert model.epsilon_of(1000 * model.edge_epsilon(100.0) / 1000) == pytest.approx(100.0)


@pytest.mark.long
def test_normal_noise_for_independent_ngrams_keeps_less_delta_for_nested_ones() -> None:
    """A thousand noisy counts of one bit are one count with noise of a thousandth of the variance."""
    model = Binomial(P0, P1, NEIGHBOURS)
    scale = model.gaussian_scale(100.0, 1e-5, 1000) / math.sqrt(1000)
    law = closed(ABSENT, PRESENT)
    at = np.linspace(-10 * scale, NEIGHBOURS + 10 * scale, 200_001)
    k = np.arange(len(law[0]))
    kept = [side > -60 for side in law]
    density = [
        np.concatenate([
            np.exp(-(((part[:, None] - k[keep]) / scale) ** 2) / 2) @ np.exp(side[keep])
            for part in np.array_split(at, 200)
        ]) / scale / math.sqrt(2 * math.pi)
        for side, keep in zip(law, kept, strict=True)
    ]  # fmt: skip
    left = [
        float(np.maximum(a - math.exp(100) * b, 0).sum() * (at[1] - at[0]))
        for a, b in itertools.permutations(density)
    ]
    assert max(left) == pytest.approx(2.5e-5, rel=0.05)


# Coupling


def test_coupling_holds_for_any_mechanism_where_any_neighbours_may_be_the_ones() -> None:
    """Distributions of the number of carrying neighbours with gaps, which no positive correlation explains."""
    absent, present = Distribution((0, 3), (3, 1)), Distribution((0, 2), (1, 1))
    worlds = []
    for secret, distribution in enumerate((absent, present)):
        world = np.zeros(16)
        for bits in itertools.product((0, 1), repeat=3):
            if sum(bits) in distribution.values:
                share = Fraction(
                    distribution.cases[distribution.values.index(sum(bits))], distribution.total
                ) / math.comb(3, sum(bits))
                world[secret + sum(bit << (place + 1) for place, bit in enumerate(bits))] = float(share)
        worlds.append(world)
    w = 1 + w_infinity(absent, present)
    for eta in (0.1, 1.0, 5.0):
        assert worst_loss(*worlds, eta) <= w * eta + 1e-6
    assert worst_loss(*worlds, 5.0) > (w - 1) * 5.0  # with the central edge left out it would not hold


# Quilts


@pytest.mark.parametrize(
    ("flip", "scale", "distance"), [(0.1, 31.738, 12), (0.2, 13.075, 5), (0.3, 6.724, 3), (0.4, 3.572, 2)]
)
def test_quilt_of_201_edges(flip: float, scale: float, distance: int) -> None:
    best = chain_quilt(flip, 201, 1.0)
    assert best.scale == pytest.approx(scale, abs=6e-4)
    assert best.distances == (distance, distance)
    assert best.nearby == 2 * distance - 1
    assert 1 / best.scale < chain_edge_epsilon(1.0, 201, flip)  # sound: never more than the exact budget


@pytest.mark.parametrize("length", [1, 2, 3, 9, 40])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("flip", [*FLIPS, 0.5])
def test_a_path_is_a_tree(flip: float, length: int, epsilon: float) -> None:
    path = [(place, place + 1) for place in range(length - 1)]
    chain = chain_quilt(flip, length, epsilon)
    assert tree_quilt(path, flip, epsilon).scale == pytest.approx(chain.scale, rel=1e-12)
    assert 1 / epsilon <= chain.scale <= length / epsilon


def test_tree_quilt_against_all_quilts() -> None:
    edges = [(0, 1), (1, 2), (1, 3), (3, 4), (3, 5), (0, 6), (6, 7)]
    for flip, epsilon in itertools.product((0.2, 0.35, 0.45), (0.5, 1.5, 3.0)):
        scales = [_best_of_all_quilts(edges, root, flip, epsilon) for root in range(8)]
        assert tree_quilt(edges, flip, epsilon).scale == pytest.approx(max(scales), rel=1e-9)


def _best_of_all_quilts(edges: list[tuple[int, int]], root: int, flip: float, epsilon: float) -> float:
    n = len(edges) + 1
    configurations = np.array(list(itertools.product((0, 1), repeat=n)))
    chance = np.ones(len(configurations))
    for one, other in edges:
        chance *= np.where(configurations[:, one] == configurations[:, other], 1 - flip, flip)
    best = n / epsilon
    others = [bit for bit in range(n) if bit != root]
    for size in range(1, n):
        for quilt in itertools.combinations(others, size):
            codes = configurations[:, quilt] @ (1 << np.arange(size))
            worlds = [np.bincount(codes, weights=chance * (configurations[:, root] == bit)) for bit in (0, 1)]
            influence = np.abs(np.log(worlds[0]) - np.log(worlds[1])).max()
            if influence < epsilon:
                best = min(best, _component(edges, root, set(quilt)) / (epsilon - influence))
    return best


def _component(edges: list[tuple[int, int]], root: int, removed: set[int]) -> int:
    reached = {root}
    for _ in edges:
        for one, other in edges:
            if {one, other} & reached and not {one, other} & removed:
                reached |= {one, other}
    return len(reached)


@pytest.mark.parametrize("edges", [[(0, 0)], [(0, 5)], [(0, 1), (0, 1)], [(0, 1), (2, 3), (3, 4), (4, 2)]])
def test_what_is_no_tree_is_refused(edges: list[tuple[int, int]]) -> None:
    with pytest.raises(ArgumentError, match="edges"):
        tree_quilt(edges, 0.2, 1.0)


# Composition


@pytest.mark.parametrize(("times", "cost"), [(1, 1.0), (10, 10.07), (100, 107.6), (1000, 1761)])
def test_repeats_of_exactly_calibrated_noise_cost_more_than_their_sum(times: int, cost: float) -> None:
    model = Binomial(P0, P1, NEIGHBOURS)
    eta = model.edge_epsilon(1.0)
    assert compose(model, [eta] * times) == pytest.approx(cost, rel=3e-4)
    assert compose(model, [eta] * times) >= times * (1 - 1e-12)


def test_composition_is_exact_for_two_counts() -> None:
    """Two noisy counts of the same bits: their worst joint output has the loss of both budgets together."""
    absent, present = closed(binomial_log_pmf(4, 0.2), binomial_log_pmf(4, 0.6))
    etas = (0.3, 0.5)
    outputs = np.arange(-2, 9)
    noisy = [
        np.einsum(
            "k,ka,kb->ab",
            np.exp(distribution),
            *(np.exp(-eta * np.abs(np.arange(6)[:, None] - outputs)) for eta in etas),
        )
        for distribution in (absent, present)
    ]
    worst = np.abs(np.log(noisy[1]) - np.log(noisy[0])).max()
    assert compose(Binomial(0.2, 0.6, 4), etas) == pytest.approx(worst, rel=1e-12)


def test_coupled_budgets_add_before_they_are_multiplied() -> None:
    assert compose(Group(7), [0.1, 0.2]) == pytest.approx(2.1)
    assert compose_zcdp(Group(7), [0.1, 0.2]) == pytest.approx(49 * 0.3)


def test_binomial_probabilities_sum_to_one() -> None:
    for n, p in ((0, 0.3), (5, 0.0), (5, 1.0), (10**5, 0.01)):
        assert np.logaddexp.reduce(binomial_log_pmf(n, p)) == pytest.approx(0, abs=1e-8)
    by_definition = gammaln(11) - gammaln(4) - gammaln(8) + 3 * math.log(0.2) + 7 * math.log(0.8)
    assert binomial_log_pmf(10, 0.2)[3] == pytest.approx(by_definition)
