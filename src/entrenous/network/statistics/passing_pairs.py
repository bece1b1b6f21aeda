"""Every pair of nodes with noise of its own: which of them pass a threshold, in time linear in the edges.

Only edges and the pairs that pass are ever looked at: the gaps between passing non-edges are geometric.

References
----------
Nguyen, Imine & Rusinowitch (2015), Differentially private publication of social graphs at linear cost, ASONAM.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph
from entrenous.network.drawing.pairs import pair_numbers, pairs_of
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.statistic import Statistic
from entrenous.unit import Unit

__all__ = ["Filter", "PassingPairs", "choose_filter"]

#: Subtracted from epsilon in the filter: pays for the rounding of its probabilities to 64 bits.
ROUNDING = 1e-8
_WORD = 2**64
_BLOCK = 4096  # random words are drawn in blocks of so many, so that their number does not tell every edge
_FEWEST = 1e-3  # non-edges expected to pass at least; less than that is below what gaps of 64 bits can tell


@dataclass(frozen=True)
class Filter:
    """The chances of a pair to pass: `keep` of 2^64 for an edge, 1 - exp(-`rate`) for a non-edge."""

    keep: int
    rate: float

    @property
    def kept(self) -> float:
        """The probability that an edge passes."""
        return self.keep / _WORD

    @property
    def invented(self) -> float:
        """The probability that a non-edge passes."""
        return -math.expm1(-self.rate)


@dataclass(frozen=True)
class PassingPairs(Statistic[Graph, NDArray[np.int32]]):
    """The pairs that pass, each by a draw of its own, exact to the last bit.

    Attributes
    ----------
    pairs
        How many pairs of nodes there are.
    edges
        About how many are to pass: a noisy number of edges.
    """

    name: ClassVar[str] = "pairs"
    proof: ClassVar[str] = "passing-pairs"
    kind: ClassVar[type] = Graph
    pairs: int
    edges: int
    epsilon: float

    @property
    def filter(self) -> Filter:
        """The chances of pairs to pass."""
        spent = self.epsilon - min(ROUNDING, self.epsilon / 2)  # proof: passing-pairs
        return choose_filter(spent, self.pairs, self.edges)

    def price(self, unit: Unit) -> Price:
        """Return epsilon: one edge changes the chances of one pair, by a factor of at most e^epsilon either way."""
        if unit != Unit.EDGE:
            raise self.unproved(unit)
        return Price(epsilon=self.epsilon)

    def draw(self, data: Graph, unit: Unit, noise: Noise) -> NDArray[np.int32]:  # noqa: ARG002
        """Let edges pass one by one, and non-edges by the gaps between them."""
        chosen, edges = self.filter, data.edges()
        words = noise.words(len(edges)).astype(np.uint64)  # proof: passing-pairs
        passed = words < np.uint64(chosen.keep)
        everywhere = _passing(data.n * (data.n - 1) // 2, chosen.rate, noise)
        noise.words(-len(edges) % _BLOCK)  # proof: passing-pairs
        numbers = pair_numbers(edges)
        return pairs_of(np.union1d(numbers[passed], np.setdiff1d(everywhere, numbers, assume_unique=True)))


def choose_filter(epsilon: float, pairs: int, edges: int) -> Filter:
    """Choose the threshold, 0 or more, at which about `edges` of all pairs pass.

    With Laplace noise of scale 1/epsilon an edge passes a threshold t with probability P[1 + noise > t] and a non-edge
    with P[noise > t]; for any t, both probabilities, and both their complements, differ by at most e^epsilon.

    >>> chosen = choose_filter(1.0, 1_000_000, 10_000)
    >>> round(10_000 * chosen.kept + 990_000 * chosen.invented)
    10000
    """
    edges = min(max(edges, 1), pairs)  # with none, edges would pass less often than the fewest non-edges
    low, high = 0.0, 2 + math.log(2 * pairs + 2) / epsilon
    for _ in range(200):
        middle = (low + high) / 2
        passing = edges * _tail(middle - 1, epsilon) + (pairs - edges) * _tail(middle, epsilon)
        low, high = (middle, high) if passing > edges else (low, middle)
    # Each probability is taken from the side on which it is small, where floats are precise.
    keep = (
        math.floor(_tail(high - 1, epsilon) * _WORD)
        if high >= 1
        else _WORD - max(1, math.ceil(_tail(1 - high, epsilon) * _WORD))
    )
    invented = max(_tail(high, epsilon), _FEWEST / pairs)
    return Filter(keep, -math.log1p(-invented))


def _tail(x: float, epsilon: float) -> float:
    """Return the probability that Laplace noise of scale 1/epsilon exceeds x."""
    return 0.5 * math.exp(-epsilon * x) if x >= 0 else 1 - 0.5 * math.exp(epsilon * x)


def _passing(pairs: int, rate: float, noise: Noise) -> NDArray[np.int64]:
    """Return the numbers of the pairs that pass, each with probability 1 - exp(-rate), ascending.

    The gaps are geometric: what two-sided geometric noise has above 0, less one.
    """
    found = [np.zeros(0, dtype=np.int64)]
    last = -1
    while last < pairs:
        batch = int(2.2 * (pairs - last) * -math.expm1(-rate)) + 100
        zeros = np.zeros(batch, dtype=np.int64)
        both_sides = noise.geometric(zeros, sensitivity=1, epsilon=rate)  # proof: passing-pairs
        steps = np.minimum(both_sides[both_sides > 0], pairs + 1)  # longer ones leave the matrix anyway
        found.append(last + np.cumsum(steps))
        last = int(found[-1][-1]) if len(steps) else last
    numbers = np.concatenate(found)
    return numbers[numbers < pairs]
