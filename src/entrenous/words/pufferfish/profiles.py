"""How well two worlds can be told apart by a noisy count: privacy profiles, for hidden topics and for named words.

Given whether a topic is there, an edge and its neighbours carry an n-gram independently; without a hidden topic that
is the Binomial belief, whose topic is the edge's own bit. The sets of outputs that tell the secret bit best are
half-lines, and a profile, for each factor e^l the largest P[E] - e^l Q[E], is found from the tails of four noisy
binomial counts (topic there or not, secret bit set or not). The most telling chance of the topic is known in closed
form, so that a profile holds for all of them; the largest of several profiles is again one, that of a pair which
dominates them all. So profiles of single n-grams compose.

For named words the count 0 is not noisy: a word that nobody says is not named. `named_threshold` finds the least
threshold at which the whole promise, noise and naming together, is kept. Proofs are in docs/guarantees.md.

References
----------
Zhu, Dong, Wang: Optimal accounting of differential privacy via characteristic function. AISTATS 2022.
Doroshenko, Ghazi, Kamath, Kumar, Manurangsi: Connect the dots. PoPETs 2022.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entrenous.price import gaussian_scale, profile_loss
from entrenous.words.pufferfish.accounting import EVALUATED, least_scale
from entrenous.words.pufferfish.noisy_distributions import (
    gaussian_cells,
    output_grids,
    size_ranges,
)
from entrenous.words.pufferfish.wasserstein import binomial_log_pmf

__all__ = ["MOST_EPSILON", "Neighbourhoods", "named_threshold", "topic_epsilon_of", "topic_gaussian_scale"]

Numbers = NDArray[np.float64]

MOST_EPSILON = 600.0  # above, e^epsilon is no number here any more
_POINTS = 1000  # of a profile, before they become sparser by this factor
_SPARSER = 1.02
_MOST_POINTS = 100_000  # of the grid that losses are composed on
_BEYOND = 30.0  # a loss of one n-gram that is so much larger than the epsilon of all counts as infinite
_NOTHING = 1e-20  # of a profile counts as 0 beyond the last point, and is added there
_FAR = (
    12.0  # deviations above the largest count: no threshold is sought beyond, unless it is known to be needed
)
_ALONE = 128  # sizes of neighbourhoods that are looked at one by one, where nothing is composed
_STRIDE = 16  # half-lines looked at first, before those beside the best


class Neighbourhoods(NamedTuple):
    """A belief about neighbours: probabilities without and with the topic, and how many there are at most.

    `hidden`: the topic is hidden, and the edge itself carries the n-gram like its neighbours. Otherwise the topic is
    the edge's own bit.
    """

    low: float
    high: float
    neighbours: int
    hidden: bool

    @property
    def odds(self) -> float:
        """The odds ratio of the edge's own bit, with the topic against without; infinite if it is the topic."""
        if not self.hidden or self.low == 0 or self.high == 1:
            return math.inf
        return self.high * (1 - self.low) / (self.low * (1 - self.high))

    def sizes(self, alone: int = 0) -> list[tuple[int, int]]:
        """Return ranges of sizes; a pair of worlds takes the smallest without the secret bit, the largest with it.

        Up to `alone` neighbours every size is a range of its own.
        """
        if self.neighbours <= alone:
            return [(size, size) for size in range(self.neighbours + 1)]
        known = 1.0 if self.odds == math.inf else math.sqrt(self.odds) / (1 + math.sqrt(self.odds))
        absent, present = (self.low + share * (self.high - self.low) for share in (1 - known, known))
        return size_ranges(self.neighbours, absent, present)


@dataclass(frozen=True, eq=False)
class _Sides:
    """Probabilities of all half-lines, up to an end: the topic there or not, in the likelier and in the other world."""

    likely: tuple[Numbers, Numbers]
    other: tuple[Numbers, Numbers]
    odds: float
    marks: tuple[int, ...] = ()

    def most(self, factors: Numbers, at: NDArray[np.int64]) -> Numbers:
        """Return for each factor (rows) and half-line (columns) the most P[E] - factor Q[E], over chances of the topic.

        In the likelier world the topic there is the better one; its chance there, r(x) = odds x / (1 + (odds - 1) x),
        is concave in its chance x in the other, so that the best x is where the slope vanishes.
        """
        better, worse = (self.likely[place][at] for place in (1, 0))
        costly, cheap = (self.other[place][at] for place in (1, 0))
        factor = factors[:, None]
        if self.odds == math.inf:
            return better - factor * cheap
        gain, cost = np.maximum(better - worse, 0.0), factor * np.maximum(costly - cheap, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            best = (np.sqrt(self.odds * gain / cost) - 1) / (self.odds - 1) if self.odds > 1 else gain * 0
        x = np.clip(np.where(cost > 0, np.nan_to_num(best, posinf=1.0), 1.0), 0.0, 1.0)
        r = self.odds * x / (1 + (self.odds - 1) * x)
        return np.asarray(worse - factor * cheap + r * gain - x * cost)  # proof: topic-noise

    def profile(self, logs: Numbers, first: int = 0) -> Numbers:
        """Return the profile at logarithms of factors, from half-lines from the first on."""
        factors, last = np.exp(logs), len(self.likely[0]) - 1
        rough = np.unique(np.append(np.arange(0, last, _STRIDE), [first, last, *self.marks]))
        rough = rough[rough >= first]
        best = rough[self.most(factors, rough[None, :]).argmax(axis=1)]
        beside = np.clip(best[:, None] + np.arange(-_STRIDE, _STRIDE + 1), first, last)
        return np.asarray(np.maximum(self.most(factors, beside).max(axis=1), np.maximum(1 - factors, 0.0)))


class _Outputs:
    """The noisy counts of a range of sizes, and what they show of the secret bit."""

    def __init__(self, belief: Neighbourhoods, smallest: int, largest: int, scale: float) -> None:
        without = [binomial_log_pmf(smallest, p) for p in (belief.low, belief.high)]
        beside = [np.append(-math.inf, binomial_log_pmf(largest, p)) for p in (belief.low, belief.high)]
        coarse, fine = output_grids([*without, *beside], scale)
        width = fine[1] - fine[0]
        self.scale, self.odds, self.ends = scale, belief.odds, np.append(fine, fine[-1] + width) - width / 2
        absent, present = (
            [np.exp(gaussian_cells(side, scale, coarse, fine)) for side in sides]
            for sides in (without, beside)
        )
        self.nobody = [math.exp(side[0]) for side in without]
        self.above = [[_above(cells) for cells in world] for world in (absent, present)]
        self.below = [[_below(cells) for cells in world] for world in (absent, present)]

    def sides(self, named: int | None) -> tuple[_Sides, _Sides]:
        """Return the half-lines upwards, and downwards with what is not named.

        Above the threshold, at this place, an output is shown only if somebody says the word.
        """
        from scipy.special import ndtr

        up, down = [list(side[0]) for side in (self.above, self.below)]
        marks = () if named is None else (named - 1, named)
        if named is not None:
            unsaid = ndtr(-self.ends / self.scale)
            for topic, chance in enumerate(self.nobody):
                hidden = np.where(np.arange(len(unsaid)) >= named, chance * unsaid, 0.0)
                up[topic] = np.maximum(up[topic] - hidden, 0.0)
                down[topic] = np.minimum(down[topic] + hidden, 1.0)
        # proof: exact-threshold
        upwards = _Sides((self.above[1][0], self.above[1][1]), (up[0], up[1]), self.odds, marks)
        # Downwards the likelier world is the one without the bit, and no topic the better one.
        downwards = _Sides((down[1], down[0]), (self.below[1][1], self.below[1][0]), self.odds, marks)
        return upwards, downwards


def _above(cells: Numbers) -> Numbers:
    return np.append(np.cumsum(cells[::-1])[::-1], 0.0)


def _below(cells: Numbers) -> Numbers:
    return np.append(0.0, np.cumsum(cells))


class _Profiles:
    """The profiles, up and down, of the worst of several pairs of sides, on one grid of losses."""

    def __init__(
        self, pairs: Sequence[tuple[_Sides, _Sides]], most: float, first: Sequence[int] = ()
    ) -> None:
        starts = first or [0] * len(pairs)

        def worst(way: int, logs: Numbers) -> Numbers:
            found = [pair[way].profile(logs, start) for pair, start in zip(pairs, starts, strict=True)]
            return np.asarray(np.max(found, axis=0))

        def reaches(log: float) -> bool:
            return any(worst(way, np.array([log]))[0] > _NOTHING for way in (0, 1))

        apart = max(float(worst(way, np.zeros(1))[0]) for way in (0, 1))
        deviation = 2 * _quantile((1 + min(apart, 1 - 1e-15)) / 2)  # of a normal loss that is as far apart
        low, end = (most, most) if reaches(most) else (0.0, most)
        while end - low > max(deviation, most * 1e-6):
            middle = (low + end) / 2
            low, end = (middle, end) if reaches(middle) else (low, middle)
        self.step = max(deviation / 40, end / _MOST_POINTS)
        self.places = _places(math.ceil(end / self.step))
        logs = np.asarray(self.places * self.step, dtype=np.float64)
        self.up, self.down = (worst(way, logs) for way in (0, 1))

    def losses(self) -> tuple[Any, Any]:
        """Return the privacy losses of the two directions."""
        return self._loss(self.up, self.down), self._loss(self.down, self.up)

    def _loss(self, one: Numbers, other: Numbers) -> Any:
        """Return the loss with a profile; below 0 it is that of the other direction, seen from there."""
        factors = np.exp(-self.places[:0:-1] * self.step)
        before = 1 - factors + factors * other[:0:-1]
        places = np.concatenate([-self.places[:0:-1], self.places])
        return profile_loss(places, np.clip(np.concatenate([before, one]), 0.0, 1.0), self.step)


def _places(end: int) -> NDArray[np.int64]:
    """Return whole numbers from 0 to an end, every one at first and then ever fewer."""
    near = np.arange(min(end, _POINTS) + 1)
    count = math.ceil(math.log(max(end / _POINTS, 1)) / math.log(_SPARSER))
    far = np.ceil(_POINTS * _SPARSER ** np.arange(1, count + 1))
    return np.unique(np.append(near, far)).astype(np.int64)


def _quantile(share: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(share))


def _epsilon(
    pairs: Sequence[tuple[_Sides, _Sides]], epsilon: float, delta: float, ngrams: int, replaced: bool
) -> float:
    """Return the epsilon of so many n-grams, the worst pair of sides for each."""
    up, down = _Profiles(pairs, epsilon + _BEYOND).losses()
    up, down = up.self_compose(ngrams), down.self_compose(ngrams)
    if replaced:
        return float(up.compose(down).get_epsilon_for_delta(delta))
    return float(max(loss.get_epsilon_for_delta(delta) for loss in (up, down)))


def topic_epsilon_of(
    belief: Neighbourhoods,
    scale: float,
    *,
    ngrams: int,
    delta: float,
    replaced: bool = False,
    within: float = 100.0,
) -> float:
    """Return the epsilon, at this delta, of Gaussian noise on the counts of all n-grams of an edge.

    It holds for every chance of a hidden topic, another one for each n-gram, and every size of the neighbourhood.
    Losses of one n-gram far above `within` count as infinite.

    >>> alone = Neighbourhoods(0.1, 0.5, 0, hidden=True)
    >>> from entrenous.price import gaussian_epsilon
    >>> apart = topic_epsilon_of(alone, 5.0, ngrams=10, delta=1e-6) / gaussian_epsilon(10**0.5 / 5, 1e-6)
    >>> round(apart, 2)
    1.0
    """
    pairs = [_Outputs(belief, *sizes, scale).sides(None) for sizes in belief.sizes()]
    return _epsilon(pairs, within, delta * EVALUATED, ngrams, replaced)


@lru_cache(maxsize=64)
def topic_gaussian_scale(
    belief: Neighbourhoods, epsilon: float, delta: float, contribution: int, replaced: bool
) -> float:
    """Return the least scale of Gaussian noise on counts that keeps epsilon, for every topic and neighbourhood.

    >>> round(topic_gaussian_scale(Neighbourhoods(0.1, 0.5, 10, hidden=True), 1.0, 1e-5, 1, False), 1)
    11.3
    """
    sizes = belief.sizes()
    low = gaussian_scale(epsilon, delta, math.sqrt(contribution * (2 if replaced else 1)))  # one edge alone

    def cost(some: Sequence[tuple[int, int]], scale: float) -> float:
        pairs = [_Outputs(belief, *size, scale).sides(None) for size in some]
        return _epsilon(pairs, epsilon, delta * EVALUATED, contribution, replaced)

    scale = low * (1 + (belief.high - belief.low) * belief.neighbours / 2)
    tried = [sizes[-1]]
    while True:
        scale = least_scale(lambda at, some=tuple(tried): cost(some, at), epsilon, delta, low, scale)  # type: ignore[misc]
        if len(tried) == len(sizes) or cost(sizes, scale) <= epsilon:
            return scale
        tried, low = list(sizes), scale


@lru_cache(maxsize=64)
def named_threshold(
    belief: Neighbourhoods,
    scale: float,
    epsilon: float,
    delta: float,
    contribution: int,
    most: float,
    *,
    words_only: bool,
) -> float:
    """Return the least threshold for noisy counts of words at which all of what is named keeps (epsilon, delta).

    A higher threshold shows less, so that a bisection finds it.

    Parameters
    ----------
    belief
        What the attacker believes about neighbours.
    scale
        The standard deviation of the noise on each count.
    epsilon, delta
        What the whole release has to keep.
    contribution
        How many n-grams the content has at most.
    most
        A threshold that is known to be high enough.
    words_only
        Whether only words are named; longer n-grams show noisy counts below the threshold too.

    Examples
    --------
    >>> star = Neighbourhoods(0.0, 0.9, 5, hidden=False)
    >>> round(named_threshold(star, 2.5, 4.0, 1e-3, 1, 30.0, words_only=True), 1)
    13.4
    """

    def broken(some: Sequence[_Outputs], threshold: float) -> Sequence[_Outputs]:
        """Return which of them a threshold is too low for; with a hidden topic they are judged together."""
        pairs, first = [], []
        for outputs in some:
            place = max(int(np.searchsorted(outputs.ends, threshold, side="right")) - 1, 0)
            pairs.append(outputs.sides(place))
            first.append(place if words_only else 0)
        if belief.hidden:
            return [] if _delta(pairs, first, epsilon, contribution) <= delta else some
        return [
            outputs
            for outputs, pair, at in zip(some, pairs, first, strict=True)
            if _delta([pair], [at], epsilon, contribution) > delta
        ]

    alone = _ALONE if contribution == 1 else 0
    every = [_Outputs(belief, *sizes, scale) for sizes in belief.sizes(alone)]
    top = min(most, 2 + belief.neighbours + _FAR * scale)
    if top < most and broken(every, top):
        return most
    some: Sequence[_Outputs] = every[-1:]
    low = 0.0
    while some:
        high = top
        while high - low > scale / 200:
            middle = (low + high) / 2
            low, high = (middle, high) if broken(some, middle) else (low, middle)
        # What holds at a threshold also holds at a higher one, and everything holds at the top.
        some, low = broken(every, high) if high < top else (), high
    return high


def _delta(
    pairs: Sequence[tuple[_Sides, _Sides]], first: Sequence[int], epsilon: float, ngrams: int
) -> float:
    """Return the delta of so many n-grams at an epsilon, the worst pair of sides for each."""
    if ngrams == 1:
        at = np.array([epsilon])
        return max(
            float(side.profile(at, start)[0])
            for pair, start in zip(pairs, first, strict=True)
            for side in pair
        )
    losses = _Profiles(pairs, epsilon + _BEYOND, first).losses()
    return float(max(loss.self_compose(ngrams).get_delta_for_epsilon(epsilon) for loss in losses)) / EVALUATED
