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
from numpy.typing import NDArray

from entrenous.desk import Desk
from entrenous.noise import Noise
from entrenous.words.beliefs import Binomial, Group, Independent
from entrenous.words.counting.table import Table
from entrenous.words.request import TableDesk
from entrenous.words.statistics.guided_rounds import Rounds
from entrenous.words.statistics.threshold import laplace_threshold
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
    step = holders * rounds.largest * rounds.mu / math.sqrt(rounds.count)
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
