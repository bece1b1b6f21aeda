"""How likely an answer was, were the private data what an attacker supposes.

An attacker who knows all of the data but one unit compares two suppositions; the ratio of the likelihoods of an answer
is the best score there is (Neyman and Pearson). Where noise is added to counts, one line serves all statistics: what
was drawn is put in the place of fresh noise. Statistics that draw in another way have their distributions here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import singledispatch
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.tools.recorder import Numbers
from entrenous.graph import Graph
from entrenous.hrg.utility import beta_for
from entrenous.network.drawing.pairs import pair_numbers
from entrenous.network.drawing.triangle_classes import triangles_by_class
from entrenous.network.statistics import Communities, CommunityCounts, PassingPairs, Slots, Tree, Triangles
from entrenous.network.statistics import communities as community_draws
from entrenous.network.statistics import slots as slot_draws
from entrenous.network.statistics.triangles import decay_for, least_leverage, leverages
from entrenous.noise import Labels, Noise
from entrenous.statistic import Counts, Statistic
from entrenous.unit import Unit

__all__ = ["ImpossibleError", "Likelihood", "likelihood"]

#: Takes an answer and the noisy numbers it was drawn as, and returns the logarithm of how likely they are, up to a
#: constant that is the same for all data.
Likelihood = Callable[[Any, tuple[Numbers, ...]], float]


class ImpossibleError(Exception):
    """Raised where the supposed data could never have led to what was seen."""


@singledispatch
def likelihood(statistic: Statistic[Any, Any], data: Any, unit: Unit) -> Likelihood:  # noqa: ARG001
    """Return the likelihood of answers to a statistic, were this the data.

    Examples
    --------
    >>> from entrenous.network.statistics import Size
    >>> pair = Graph.from_edges([(0, 1)], n=2)
    >>> of = likelihood(Size(epsilon=0.5), pair, Unit.EDGE)
    >>> round(of(1, (np.array([1]),)) - of(3, (np.array([3]),)), 6)
    1.0
    """
    raise TypeError(f"{statistic.name}: how likely an answer is, is not known here; add its distribution")


@likelihood.register(Counts)
@likelihood.register(CommunityCounts)
def _added_noise(statistic: Statistic[Any, Any], data: Any, unit: Unit) -> Likelihood:
    def of(_: Any, numbers: tuple[Numbers, ...]) -> float:
        given = _Given(numbers)
        statistic.draw(data, unit, given)
        return given.log_likelihood

    return of


class _Given(Noise):
    """Hands out numbers that were drawn before, and adds up how likely they are."""

    def __init__(self, numbers: tuple[Numbers, ...]) -> None:
        super().__init__(0)
        self.log_likelihood = 0.0
        self._left = list(numbers)

    def geometric(self, counts: Numbers, *, sensitivity: int, epsilon: float, of: Labels = None) -> Numbers:  # noqa: ARG002
        fall = epsilon / sensitivity
        drawn = self._next(np.asarray(counts))
        self.log_likelihood += drawn.size * math.log(math.tanh(fall / 2))
        self.log_likelihood -= fall * float(np.abs(drawn - counts).sum())
        return drawn

    def gaussian(self, values: Numbers, *, scale: float, of: Labels = None) -> Numbers:  # noqa: ARG002
        drawn = self._next(np.asarray(values))
        self.log_likelihood -= drawn.size * math.log(scale)
        self.log_likelihood -= float((((drawn - values) / scale) ** 2).sum()) / 2
        return drawn

    def _next(self, counts: Numbers) -> Numbers:
        if not self._left or self._left[0].shape != counts.shape:
            raise ImpossibleError
        return self._left.pop(0)


@likelihood.register
def _slots(statistic: Slots, data: Graph, unit: Unit) -> Likelihood:  # noqa: ARG001
    from entrenous.network.statistics._kernels import slot_weights

    epsilon, volume = statistic.epsilon - slot_draws.ROUNDING, statistic.expected
    earlier: list[NDArray[np.int64]] = []
    placed: set[int] = set()
    for node in statistic.order.tolist():
        earlier.append(
            np.array([other for other in data.neighbors(node).tolist() if other in placed], np.int64)
        )
        placed.add(node)

    def of(slot: NDArray[np.int64], _: tuple[Numbers, ...]) -> float:
        total, full = 0.0, np.zeros(statistic.count)
        weights = np.zeros(statistic.count, np.uint64)
        for node, neighbours in zip(statistic.order, earlier, strict=True):
            counts = np.bincount(slot[neighbours], minlength=statistic.count).astype(np.float64)
            expected = slot_draws.RESOLUTION * volume[node] * full / volume.sum()
            everything = slot_weights(counts, expected, epsilon, weights)
            total += math.log(weights[slot[node]] / everything)
            full[slot[node]] += volume[node]
        return total

    return of


@likelihood.register
def _communities(statistic: Communities, data: Graph, unit: Unit) -> Likelihood:  # noqa: ARG001
    """All nodes draw for themselves; communities that nobody drew leave no hole in the numbers of the others."""
    from entrenous.network.statistics._kernels import LOWEST, SCALE

    communities, everybody = int(statistic.first.max()) + 1, np.arange(data.n)
    counts = np.zeros((data.n, communities))
    u, v = data.edges().T
    for here, there in ((u, v), (v, u)):
        np.add.at(counts, (here, statistic.first[there]), 1.0)
    exponents = max(statistic.epsilon - community_draws.ROUNDING, 0.0) / 2 * counts
    exponents = np.maximum(exponents - exponents.max(axis=1, keepdims=True), LOWEST)
    weights = np.floor(np.exp(exponents) * SCALE)
    chances = np.log(weights / weights.sum(axis=1, keepdims=True))

    def of(drawn: NDArray[np.int64], _: tuple[Numbers, ...]) -> float:
        named = combinations(range(communities), int(drawn.max()) + 1)
        terms = [float(chances[everybody, np.array(names)[drawn]].sum()) for names in named]
        return float(np.logaddexp.reduce(terms))

    return of


@likelihood.register
def _triangles(statistic: Triangles, data: Graph, unit: Unit) -> Likelihood:  # noqa: ARG001
    counts = triangles_by_class(data.indptr, data.indices, statistic.label, len(statistic.parts))
    least = np.array([least_leverage(part) for part in statistic.parts])
    widths = leverages(data.indptr, data.indices, statistic.label, least)
    ladders = list(zip(counts.tolist(), widths.tolist(), statistic.parts, strict=True))

    def of(drawn: NDArray[np.int64], _: tuple[Numbers, ...]) -> float:
        return sum(_on_ladder(number, *each) for number, each in zip(drawn.tolist(), ladders, strict=True))

    return of


def _on_ladder(drawn: int, count: int, leverage: int, epsilon: float) -> float:
    """Return the logarithm of the probability that a ladder draws this number."""
    decay = decay_for(epsilon)
    places = drawn - count if drawn >= count else count - 1 - drawn
    rung = 0
    while places >= leverage + rung:
        places -= leverage + rung
        rung += 1
    odds = math.exp(-decay) / -math.expm1(-decay)  # 1 / (e^decay - 1), also where e^decay overflows
    return -decay * rung - math.log(2 * (leverage + odds) / -math.expm1(-decay))


@likelihood.register
def _passing_pairs(statistic: PassingPairs, data: Graph, unit: Unit) -> Likelihood:  # noqa: ARG001
    chances = statistic.filter
    kept, lost = math.log(chances.kept), math.log1p(-chances.kept)
    invented, silent = math.log(chances.invented), -chances.rate
    edges = pair_numbers(data.edges())

    def of(passed: NDArray[np.int32], _: tuple[Numbers, ...]) -> float:
        true = int(np.isin(pair_numbers(passed), edges).sum())
        false = len(passed) - true
        missing = statistic.pairs - data.m - false
        return true * kept + (data.m - true) * lost + false * invented + missing * silent

    return of


@likelihood.register
def _tree(statistic: Tree, data: Graph, unit: Unit) -> Likelihood:  # noqa: ARG001
    # But for the normaliser of the chain's distribution: it is the same for all trees, so that it orders no scores.
    beta = beta_for(statistic.epsilon, data.n, statistic.utility)
    return lambda tree, _: beta * statistic.utility.total(tree.counts(data), tree.pairs)
