"""Try to break the promises of vocabularies, by exact distributions on tiny inputs.

An output is a set of named n-grams with noisy weights. On tiny inputs its distribution is known: a chance that nothing
is named, and a density over noisy weights above the threshold. `loss` integrates how much of one distribution exceeds
e^epsilon times the other: the delta that the promise would need.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_distribution import from_two_probability_mass_functions
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import binom

from entrenous.desk import Desk
from entrenous.noise import Noise
from entrenous.words.beliefs import Binomial, Group, Independent, Latent
from entrenous.words.counting.table import Table
from entrenous.words.request import TableDesk
from entrenous.words.statistics.fixed_counts import GRID_SHARE
from entrenous.words.statistics.guided_rounds import Rounds
from entrenous.words.statistics.guided_weights import LARGEST
from entrenous.words.statistics.threshold import coupled_threshold, laplace_threshold
from entrenous.words.vocabulary import VocabularyRequest
from entrenous.words.vocabulary.weightings import Fixed, Guided, Uniform, Weighting

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Distribution:
    """What may come out for one n-gram: nothing, or a noisy weight on a grid."""

    nothing: float
    named: FloatArray  # probabilities of the cells of the grid

    @classmethod
    def mixture(cls, parts: list[tuple[float, Distribution]]) -> Distribution:
        return cls(
            sum(p * distribution.nothing for p, distribution in parts),
            sum(p * distribution.named for p, distribution in parts),
        )  # type: ignore[arg-type]


def loss(first: Distribution, second: Distribution, epsilon: float) -> float:
    """Return by how much the first distribution exceeds e^epsilon times the second."""
    factor = math.exp(epsilon)
    return max(first.nothing - factor * second.nothing, 0.0) + float(
        np.maximum(first.named - factor * second.named, 0.0).sum()
    )


def gaussian_distribution(
    weight: float, scale: float, threshold: float, cells: FloatArray, *, occurs: bool
) -> Distribution:
    """Return the distribution of an n-gram of this weight: nothing is named that does not occur."""
    from scipy.special import ndtr

    if not occurs:
        return Distribution(1.0, np.zeros(len(cells) - 1))
    below = ndtr((np.maximum(cells, threshold) - weight) / scale)
    return Distribution(float(ndtr((threshold - weight) / scale)), np.diff(below))


def laplace_distribution(
    weight: float, scale: float, threshold: float, cells: FloatArray, *, occurs: bool
) -> Distribution:
    if not occurs:
        return Distribution(1.0, np.zeros(len(cells) - 1))

    def below(height: FloatArray) -> FloatArray:
        gap = (height - weight) / scale
        return np.where(gap < 0, np.exp(np.minimum(gap, 0)) / 2, 1 - np.exp(-np.maximum(gap, 0)) / 2)

    return Distribution(float(below(np.array(threshold))), np.diff(below(np.maximum(cells, threshold))))


# A star of edges whose labels an attacker believes to be correlated: all configurations, enumerated


def star_distribution(
    bit: int, neighbours: int, chance: float, distribution_of_count: dict[int, Distribution]
) -> Distribution:
    """Return the distribution of the output given the secret bit, over all labels of the neighbouring edges."""
    parts = []
    for labels in itertools.product((0, 1), repeat=neighbours):
        probability = math.prod(chance if label else 1 - chance for label in labels)
        parts.append((probability, distribution_of_count[bit + sum(labels)]))
    return Distribution.mixture(parts)


def worst_star_loss(
    p0: float, p1: float, distribution_of_count: dict[int, Distribution], epsilon: float
) -> float:
    """Return the delta needed for the worst neighbourhood up to the largest, both ways round."""
    most = max(distribution_of_count) - 1
    return max(
        max(loss(first, second, epsilon), loss(second, first, epsilon))
        for size in range(most + 1)
        for first, second in [
            (
                star_distribution(1, size, p1, distribution_of_count),
                star_distribution(0, size, p0, distribution_of_count),
            )
        ]
    )


@pytest.mark.parametrize("p0", [0.0, 0.001, 0.2])
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_fixed_weights_keep_the_promise_under_the_belief(p0: float, epsilon: float) -> None:
    delta, neighbours, p1 = 1e-3, 5, 0.9
    rule = VocabularyRequest.checked(epsilon, delta, Binomial(p0, p1, neighbours), 1, n=1).rule
    cells = np.linspace(rule.threshold, rule.threshold + 40 * rule.scale, 20_001)
    distributions = {
        count: gaussian_distribution(count, rule.scale, rule.threshold, cells, occurs=count > 0)
        for count in range(neighbours + 2)
    }
    assert worst_star_loss(p0, p1, distributions, epsilon) <= delta


@pytest.mark.parametrize("p0", [0.0, 0.001])
def test_the_published_recipe_breaks_it(p0: float) -> None:
    """Noise scaled to the neighbours alone, the edge not counted, and a threshold that is not raised."""
    delta, neighbours, p1, epsilon = 1e-3, 5, 0.9, 4.0
    scale = neighbours / epsilon
    threshold = laplace_threshold(scale, delta, 1)
    cells = np.linspace(threshold, threshold + 60 * scale, 20_001)
    distributions = {
        count: laplace_distribution(count, scale, threshold, cells, occurs=count > 0)
        for count in range(neighbours + 2)
    }
    assert worst_star_loss(p0, p1, distributions, epsilon) > 10 * delta


def test_fixed_weights_with_the_threshold_of_a_single_edge_break_it() -> None:
    delta, neighbours, p0, p1, epsilon = 1e-3, 5, 0.0, 0.9, 4.0
    rule = VocabularyRequest.checked(epsilon, delta, Binomial(p0, p1, neighbours), 1, n=1).rule
    assert isinstance(rule, Fixed)
    low = replace(rule, coupling=1, least=0.0).threshold
    assert low < rule.threshold
    cells = np.linspace(low, low + 40 * rule.scale, 20_001)
    distributions = {
        count: gaussian_distribution(count, rule.scale, low, cells, occurs=count > 0)
        for count in range(neighbours + 2)
    }
    assert worst_star_loss(p0, p1, distributions, epsilon) > delta


# The exact threshold: stars of any size, by binomial sums


def binomial_star_loss(
    chances: tuple[list[float], list[float]], scale: float, threshold: float, epsilon: float
) -> float:
    """The delta of naming one word, given how likely each count is without the edge's bit and with it."""
    cells = np.linspace(threshold, threshold + 14 * scale, 8_001)
    sides = [
        Distribution.mixture(
            [
                (chance, gaussian_distribution(count, scale, threshold, cells, occurs=count > 0))
                for count, chance in enumerate(side)
                if chance > 1e-18
            ]
        )
        for side in chances
    ]
    return max(loss(*sides, epsilon), loss(*sides[::-1], epsilon))


def star_counts(p0: float, p1: float, size: int) -> tuple[list[float], list[float]]:
    return [*binom.pmf(range(size + 1), size, p0), 0.0], [0.0, *binom.pmf(range(size + 1), size, p1)]


STARS = [
    (0.0, 0.9, 5, 4.0, 1e-3),
    (0.001, 0.9, 5, 4.0, 1e-3),
    (0.05, 0.3, 100, 4.0, 1e-3),
    (0.01, 0.25, 100, 3.0, 1e-5),
    (0.0, 0.3, 30, 2.0, 1e-4),
    (0.2, 0.9, 10, 3.0, 1e-4),
    (0.0277, 0.2739, 60, 8.0, 1e-5),
]


@pytest.mark.parametrize(("p0", "p1", "neighbours", "epsilon", "delta"), STARS)
def test_the_least_threshold_keeps_delta_and_a_few_percent_less_does_not(
    p0: float, p1: float, neighbours: int, epsilon: float, delta: float
) -> None:
    """Either the star notices, or a lone content does, whose words may be named with a tenth of delta only."""
    model = Binomial(p0, p1, neighbours)
    rule = VocabularyRequest.checked(epsilon, delta, model, 1, n=1).rule
    assert isinstance(rule, Fixed)
    by_coupling = max(model.least_threshold, coupled_threshold(rule.scale, rule.delta, 1, model.w_inf()))
    assert rule.threshold <= by_coupling * (1 + 1e-9)

    def worst(threshold: float) -> float:
        sizes = {0, 1, neighbours // 4, neighbours // 2, neighbours - 1, neighbours}
        return max(
            binomial_star_loss(star_counts(p0, p1, size), rule.scale, threshold, epsilon) for size in sizes
        )

    def alone(threshold: float) -> float:
        return float(ndtr((1 - threshold) / rule.scale))

    assert worst(rule.threshold) <= delta
    assert alone(rule.threshold) <= rule.delta
    assert worst(0.97 * rule.threshold) > delta or alone(0.97 * rule.threshold) > rule.delta


def test_a_lone_content_or_the_star_decides_the_threshold_and_both_do_somewhere() -> None:
    rules = [VocabularyRequest.checked(e, d, Binomial(p0, p1, k), 1, n=1).rule for p0, p1, k, e, d in STARS]
    alone = [coupled_threshold(rule.scale, rule.delta * GRID_SHARE, 1, 1) for rule in rules]
    decided = {rule.threshold > least * (1 + 1e-9) for rule, least in zip(rules, alone, strict=True)}
    assert decided == {True, False}


@pytest.mark.long
def test_thresholds_of_several_ngrams_are_kept_together_and_longer_ones_ask_for_no_less() -> None:
    """Ten words of one content: composed by dp-accounting from exact stars, in cells."""
    model, epsilon, delta, ngrams = Binomial(0.0, 0.5, 3), 6.0, 1e-3, 10
    rules = [VocabularyRequest.checked(epsilon, delta, model, ngrams, n=n).rule for n in (1, 2)]
    assert rules[0].threshold <= rules[1].threshold * (1 + 1e-2)
    scale, threshold = rules[0].scale, rules[0].threshold
    cells = np.linspace(threshold, threshold + 14 * scale, 1_001)
    sides = [
        Distribution.mixture(
            [
                (chance, gaussian_distribution(count, scale, threshold, cells, occurs=count > 0))
                for count, chance in enumerate(side)
            ]
        )
        for side in star_counts(0.0, 0.5, 3)
    ]
    logs = [
        {
            place: math.log(chance)
            for place, chance in enumerate([side.nothing, *side.named])
            if chance > 1e-30
        }
        for side in sides
    ]
    for lower, upper in itertools.permutations(logs):
        composed = from_two_probability_mass_functions(
            lower, upper, symmetric=False, value_discretization_interval=1e-3
        ).self_compose(ngrams)
        assert composed.get_delta_for_epsilon(epsilon) <= delta * 1.02


@pytest.mark.parametrize("topic", [1e-4, 0.03, 0.3, 0.7, 0.99])
@pytest.mark.parametrize(("b0", "b1"), [(0.02, 0.5), (0.0, 0.6), (0.1, 0.2)])
def test_fixed_weights_keep_the_promise_under_a_hidden_topic(b0: float, b1: float, topic: float) -> None:
    epsilon, delta, neighbours = 2.0, 1e-3, 12
    rule = VocabularyRequest.checked(epsilon, delta, Latent(b0, b1, neighbours), 1, n=1).rule
    there = (
        topic * b1 / (topic * b1 + (1 - topic) * b0),
        topic * (1 - b1) / (topic * (1 - b1) + (1 - topic) * (1 - b0)),
    )
    for size in (0, 3, neighbours):
        with_topic, without = star_counts(b1, b1, size), star_counts(b0, b0, size)
        present = [there[0] * a + (1 - there[0]) * b for a, b in zip(with_topic[1], without[1], strict=True)]
        absent = [there[1] * a + (1 - there[1]) * b for a, b in zip(with_topic[0], without[0], strict=True)]
        assert binomial_star_loss((absent, present), rule.scale, rule.threshold, epsilon) <= delta


# One word of some holders, with and without one of them


def uniform_distribution(holders: int, rule: Weighting, cells: FloatArray) -> Distribution:
    return gaussian_distribution(holders, rule.scale, rule.threshold, cells, occurs=holders > 0)


@pytest.mark.parametrize("holders", [1, 2, 5, 12])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_uniform_weights_keep_the_promise_for_one_edge(holders: int, epsilon: float) -> None:
    delta = 1e-4
    rule = VocabularyRequest.checked(epsilon, delta, Independent(), 1, weighting="uniform", n=1).rule
    cells = np.linspace(rule.threshold, rule.threshold + 40 * rule.scale, 20_001)
    more, less = uniform_distribution(holders, rule, cells), uniform_distribution(holders - 1, rule, cells)
    assert max(loss(more, less, epsilon), loss(less, more, epsilon)) <= delta


def test_a_threshold_below_the_bound_would_be_noticed() -> None:
    epsilon, delta = 3.0, 1e-4
    rule = VocabularyRequest.checked(epsilon, delta, Independent(), 1, weighting="uniform", n=1).rule
    assert isinstance(rule, Uniform)
    low = rule.threshold - 0.5 * rule.scale
    cells = np.linspace(low, low + 40 * rule.scale, 2001)
    alone = gaussian_distribution(1, rule.scale, low, cells, occurs=True)
    assert loss(alone, gaussian_distribution(0, rule.scale, low, cells, occurs=False), epsilon) > delta


def test_a_group_is_hidden_where_a_single_edge_would_be() -> None:
    epsilon, delta, size = 3.0, 1e-4, 3
    rule = VocabularyRequest.checked(epsilon, delta, Group(size), 1, weighting="uniform", n=1).rule
    cells = np.linspace(rule.threshold, rule.threshold + 40 * rule.scale, 20_001)
    for holders in (3, 5):
        more, less = (
            uniform_distribution(holders, rule, cells),
            uniform_distribution(holders - size, rule, cells),
        )
        assert max(loss(more, less, epsilon), loss(less, more, epsilon)) <= delta


# Guided rounds: the distribution of the sum of all rounds, round by round


def guided_distribution(holders: int, rule: Guided, cells: FloatArray) -> Distribution:
    """Return the distribution of a word that is all `holders` edges have: each round gives it the largest weight."""
    from scipy.special import ndtr

    rounds: Rounds = rule.question.rounds
    if holders == 0:
        return Distribution(1.0, np.zeros(len(cells) - 1))
    step = holders * LARGEST * rounds.mu / math.sqrt(rounds.count)
    middle = (cells[1:] + cells[:-1]) / 2
    distribution = np.diff(ndtr(cells - step))
    move = np.diff(ndtr(cells[None, :] - middle[:, None] - step), axis=1)
    for made in range(1, rounds.count):
        distribution = (distribution * rounds.stays(middle, made)) @ move
    named = np.where(middle > rounds.target * math.sqrt(rounds.count), distribution, 0.0)
    return Distribution(1 - float(named.sum()), named)


@pytest.mark.parametrize("holders", [1, 2, 20, 60])
def test_guided_rounds_keep_the_promise_for_one_edge(holders: int) -> None:
    epsilon, delta = 3.0, 1e-4
    rule = VocabularyRequest.checked(epsilon, delta, Independent(), 1, weighting="guided", n=1).rule
    assert isinstance(rule, Guided)
    cells = np.linspace(-12.0, 40.0, 1201)
    more, less = guided_distribution(holders, rule, cells), guided_distribution(holders - 1, rule, cells)
    assert max(loss(more, less, epsilon), loss(less, more, epsilon)) <= delta
    if holders == 1:
        assert 0 < 1 - more.nothing <= rule.delta


def test_the_distribution_of_guided_rounds_is_the_one_that_is_drawn() -> None:
    rule = replace(
        VocabularyRequest.checked(3.0, 1e-4, Independent(), 1, weighting="guided", n=1).rule,
        mu=0.7,
        delta=0.2,
    )
    assert isinstance(rule, Guided)
    holders, times = 14, 3000
    words = [{f"w{word}": 1} for word in range(times) for _ in range(holders)]
    table = Table.from_counts(words, ends=[(0, 1)] * len(words))
    desk: TableDesk = Desk(table, unit=table.by.unit, ceiling=rule.event.price, noise=Noise(5))
    share = len(rule.ask(desk).score) / times
    exact = 1 - guided_distribution(holders, rule, np.linspace(-12.0, 40.0, 1201)).nothing
    deviation = math.sqrt(exact * (1 - exact) / times)
    assert 0.05 < exact < 0.95
    assert abs(share - exact) < 4 * deviation
