"""Noisy triangle counts, pure epsilon: a ladder whose rungs are as wide as one tie's leverage.

One edge may close as many triangles as there are nodes, but in a real graph closes few. The *leverage* of a graph is
the most triangles that any one edge, present or not, closes or would close. It changes by at most one when one edge
does, so a distribution that falls by a factor per rung, rungs being a leverage wide and growing by one, is
differentially private with noise in proportion to the leverage (proof in docs/guarantees.md).

Triangles are counted by class: nodes are labelled by public noisy degree, and a triangle belongs to the lowest label
among its corners. Low classes have a small leverage, so that much is learned about them for little.

References
----------
Zhang, Cormode, Procopiuc, Srivastava & Xiao (2015), Private release of graph statistics using ladder functions, SIGMOD.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous._parallel import map_in_threads, shares_for
from entrenous.graph import Graph
from entrenous.network.drawing.triangle_classes import triangles_by_class
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.statistic import Statistic, check_labels
from entrenous.unit import Unit

__all__ = ["Triangles", "decay_for", "ladder", "least_deviation", "least_leverage", "leverages"]

_BATCH = 256


@dataclass(frozen=True, eq=False)
class Triangles(Statistic[Graph, NDArray[np.int64]]):
    """The triangles of each class with noise: a triangle belongs to the lowest label among its corners.

    Attributes
    ----------
    label
        The label of each node, from public noisy degrees.
    parts
        The epsilon of each class, lowest first.
    """

    name: ClassVar[str] = "triangles"
    proof: ClassVar[str] = "triangles"
    kind: ClassVar[type] = Graph
    label: NDArray[np.int64]
    parts: tuple[float, ...]

    def price(self, unit: Unit) -> Price:
        """Return the sum over classes: one edge may close triangles of all of them."""
        if unit != Unit.EDGE:
            raise self.unproved(unit)
        return Price(epsilon=math.fsum(self.parts))

    def draw(self, data: Graph, unit: Unit, noise: Noise) -> NDArray[np.int64]:  # noqa: ARG002
        """Count each class and draw from its ladder."""
        check_labels(self.name, self.label, nodes=data.n, count=len(self.parts))
        counts = triangles_by_class(data.indptr, data.indices, self.label, len(self.parts))
        least = np.array([least_leverage(part) for part in self.parts])
        widths = leverages(data.indptr, data.indices, self.label, least)
        noisy = [
            ladder(int(count), int(width), epsilon=part, noise=noise)  # proof: triangles
            for count, width, part in zip(counts, widths, self.parts, strict=True)
        ]
        return np.array(noisy, dtype=np.int64)

    @property
    def deviation(self) -> NDArray[np.float64]:
        """About the standard deviation of the least noise that each class may have got: public."""
        return np.array([least_deviation(part) for part in self.parts])


def leverages(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], label: NDArray[np.int64], least: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the leverage of each class, at least `least`: the most triangles of it that any one tie would close.

    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> leverages(path.indptr, path.indices, np.zeros(3, int), np.zeros(1, int))
    array([1])
    """
    from entrenous.network.statistics._kernels import neighbours_above, triangle_leverage

    above, shares = neighbours_above(indptr, indices, least.min()), shares_for(len(indices))
    parts = map_in_threads(
        lambda share: triangle_leverage(indptr, indices, *above, label, least, share, shares), range(shares)
    )
    return np.asarray(np.max(list(parts), axis=0), dtype=np.int64)


def ladder(count: int, leverage: int, *, epsilon: float, noise: Noise) -> int:
    """Return a count with ladder noise, epsilon-DP if one tie changes it by at most `leverage`, and `leverage` by one.

    Rung k holds the leverage + k whole numbers on either side of the rungs before, and each of them has a probability
    proportional to exp(-decay k). Drawn exactly: k is the sum of two geometric numbers, whose distribution is
    proportional to (k + 1) exp(-decay k), and is kept with probability (leverage + k) / (leverage (k + 1)).

    Parameters
    ----------
    count, leverage
        The true count, and its leverage, at least `least_leverage(epsilon)`.
    epsilon
        What it costs.

    Examples
    --------
    >>> noise = Noise(3)
    >>> drawn = [ladder(100_000, 80, epsilon=0.1, noise=noise) for _ in range(200)]
    >>> bool(abs(np.median(drawn) - 100_000) < 500 and len(set(drawn)) > 150)
    True
    """
    assert leverage >= least_leverage(epsilon)
    for rung, words in _candidates(decay_for(epsilon), noise):
        place = _below(leverage * (rung + 1), words)
        if place < leverage + rung:
            passed = rung * leverage + rung * (rung - 1) // 2
            up = _below(2, words)
            return count + passed + place if up else count - 1 - passed - place
    raise AssertionError("candidates never end")


def least_leverage(epsilon: float) -> int:
    """Return the smallest leverage a ladder is given; it keeps the normaliser from changing much with one tie."""
    return max(1, math.ceil(1 / epsilon))


def decay_for(epsilon: float) -> float:
    """Return how fast probabilities fall per rung, so that rungs and normaliser together cost epsilon.

    One tie moves a number by at most one rung, and changes the normaliser by a factor of at most
    1 + 1 / (least leverage + 1 / (e^decay - 1)).

    >>> decay_for(0.1) / 0.1 > 0.6
    True
    """
    low, high = epsilon / 2, epsilon
    for _ in range(50):
        middle = (low + high) / 2
        odds = math.exp(-middle) / -math.expm1(-middle)  # 1 / (e^decay - 1), also where e^decay overflows
        cost = middle + math.log1p(1 / (least_leverage(epsilon) + odds))
        low, high = (middle, high) if cost <= epsilon else (low, middle)
    return low * (1 - 1e-9)


def least_deviation(epsilon: float) -> float:
    """Return about the standard deviation of a ladder of the least leverage."""
    rungs = 1 / decay_for(epsilon)
    return math.sqrt(2) * rungs * (least_leverage(epsilon) + rungs)


def _candidates(decay: float, noise: Noise) -> Iterator[tuple[int, Iterator[int]]]:
    """Yield sums of two geometric numbers without end, with random words to decide on each.

    Two-sided geometric noise that is not negative is geometric.
    """
    zeros = np.zeros(_BATCH, dtype=np.int64)
    while True:
        drawn = (noise.geometric(zeros, sensitivity=1, epsilon=decay) for _ in range(2))  # proof: triangles
        first, second = drawn
        for a, b in zip(first.tolist(), second.tolist(), strict=True):
            if a >= 0 and b >= 0:
                yield a + b, _words(noise)


def _words(noise: Noise) -> Iterator[int]:
    while True:
        yield from noise.words(4).tolist()  # proof: triangles


def _below(bound: int, words: Iterator[int]) -> int:
    """Return a uniformly random whole number below the bound, exactly."""
    for word in words:
        if word < 2**64 - 2**64 % bound:
            return word % bound
    raise AssertionError("words never end")
