"""Private set union: which n-grams may be named, by one rule of weights or another.

Every rule is a frozen description with its price: `mu` says by how many standard deviations one holder may move all
it shows, `delta` what may be lost at its threshold. `threshold` and `reach` are public numbers, known before anything
private is looked at; `draw` looks and draws the noise. Proofs are in docs/guarantees.md.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from entrenous.noise import FINE, Noise
from entrenous.words.counting.table import Table
from entrenous.words.statistics.candidates import Candidates, uniform_draws
from entrenous.words.statistics.guided_rounds import Rounds
from entrenous.words.statistics.threshold import coupled_threshold, normal_excess, uniform_threshold
from entrenous.words.statistics.weights import GRID, Rows, holder_counts, policy_weights, uniform_weights

__all__ = ["FALSE_SHARE", "Adaptive", "Fixed", "Found", "Guided", "Policy", "Uniform", "Union"]

FALSE_SHARE = 0.01
"""The share of longer n-grams that may be expected never to occur: noise alone named them."""
_MOST_PER_SHORTER = 100  # longer n-grams published for each shorter one, at most
_GUESS_PER_SHORTER = 5  # what guided rounds aim at; chosen on enron-core
_MOST_CHANCE = 0.05  # that noise alone lifts a candidate to where it may be published
_WORD_SHARE = 0.15  # of the budget of guided rounds, for single words; chosen on enron-core
_WORDS = 1000  # single words of a holder that take part in guided rounds; chosen on enron-core
_LARGEST = 0.15  # weight for one word in guided rounds; chosen on enron-core
_WORD_ROUNDS, _LONGER_ROUNDS = 6, 6
_FIRST_SHARE = 0.5  # of the budget of adaptive weights, for the first round; chosen on enron-core
_HOPELESS = 0.4  # of the threshold: adaptive weights drop what stands lower then; chosen on enron-core
# Of delta: noise on a grid of FINE steps a deviation exceeds a threshold by so little more often.
_GRID_SHARE = 1 - 1e-5
_CUTOFF = 5.0  # standard deviations above the threshold at which a policy stops giving

Ids = NDArray[np.int32]
FloatArray = NDArray[np.float64]
Tick = Callable[[int, int], object]


@dataclass(frozen=True)
class Found:
    """N-grams that may be named.

    Attributes
    ----------
    parts
        One row of unigram ids per n-gram, padded with -1.
    score
        The noisy weight of each, in standard deviations of its noise.
    occurs
        Whether it occurs at all: for the curator only.
    """

    parts: Ids
    score: FloatArray
    occurs: NDArray[np.bool_]

    @classmethod
    def of(cls, table: Table, ids: Ids, score: FloatArray) -> Found:
        """Return n-grams of a table."""
        return cls(table.parts[ids], score, np.ones(len(ids), np.bool_))

    def rows(self, length: int) -> Ids:
        """Return the n-grams of just so many words, without padding."""
        lengths = (self.parts >= 0).sum(axis=1)
        return self.parts[lengths == length, :length]

    def with_more(self, other: Found) -> Found:
        """Return both together."""
        return Found(
            np.concatenate([self.parts, other.parts]),
            np.concatenate([self.score, other.score]),
            np.concatenate([self.occurs, other.occurs]),
        )


@dataclass(frozen=True)
class Union(ABC):
    """What all rules have in common.

    Attributes
    ----------
    mu
        By how many standard deviations of its noise one holder may move what is shown.
    delta
        What may be lost at the threshold.
    contribution
        How many n-grams of a holder take part, its own most frequent ones.
    n
        The longest n-grams.
    group
        How many holders are to be hidden together.
    """

    mu: float
    delta: float
    contribution: int
    n: int = 2
    group: int = 1

    @property
    def scale(self) -> float:
        """The standard deviation of the noise on a weight."""
        return 1 / self.mu

    @property
    @abstractmethod
    def threshold(self) -> float:
        """The noisy weight that words must exceed."""

    def reach(self, holders: int) -> float:
        """Return the largest weight that any n-gram can get from so many holders."""
        return float(holders)

    @abstractmethod
    def draw(self, table: Table, noise: Noise, progress: Tick | None = None) -> Found:
        """Return the n-grams that may be named; the table holds each holder's contribution, and no more."""


@dataclass(frozen=True)
class Uniform(Union):
    """One round: every holder gives all its n-grams the same weight (Gopi et al. 2020, weighted Gaussian)."""

    @property
    def threshold(self) -> float:
        """The noisy weight that n-grams must exceed."""
        return uniform_threshold(self.scale, self.delta, self.contribution, group=self.group)

    def draw(self, table: Table, noise: Noise, progress: Tick | None = None) -> Found:  # noqa: ARG002
        """Return the n-grams whose noisy weight exceeds the threshold."""
        return _above(table, self.weights(table), self.scale, self.threshold, noise)

    def weights(self, table: Table) -> NDArray[np.int64]:
        """Return all weights, in steps of the grid."""
        return uniform_weights(Rows.of(table), table.ngrams)


@dataclass(frozen=True)
class Policy(Uniform):
    """One round: holders, one after another, lift their n-grams towards a cutoff (Gopi et al. 2020, L2 descent)."""

    def weights(self, table: Table) -> NDArray[np.int64]:
        """Return all weights, in steps of the grid."""
        cutoff = self.threshold + _CUTOFF * self.scale
        return policy_weights(Rows.of(table), table.ngrams, cutoff=cutoff)


@dataclass(frozen=True)
class Adaptive(Union):
    """Two rounds: the second leaves out what the first named, and what it showed to be hopeless."""

    @property
    def threshold(self) -> float:
        """The noisy weight that n-grams must exceed in the second round."""
        return self._round(1 - _FIRST_SHARE).threshold

    def _round(self, share: float) -> Uniform:
        return Uniform(self.mu * math.sqrt(share), self.delta / 2, self.contribution, self.n, self.group)

    def draw(self, table: Table, noise: Noise, progress: Tick | None = None) -> Found:  # noqa: ARG002
        """Return the n-grams that exceed the threshold of either round."""
        first, second = self._round(_FIRST_SHARE), self._round(1 - _FIRST_SHARE)
        ids = np.unique(table.ngram)
        score = _noisy(uniform_weights(Rows.of(table), table.ngrams)[ids], first.scale, noise)
        level = score * first.scale / first.threshold
        named = Found.of(table, ids[level > 1], score[level > 1])
        kept = np.zeros(table.ngrams, np.bool_)
        kept[ids[(level <= 1) & (level > _HOPELESS)]] = True
        rows = Rows.of(table, kept)
        weights = uniform_weights(rows, table.ngrams)
        ids = np.unique(rows.ngram)
        score = _noisy(weights[ids], second.scale, noise)
        high = score * second.scale > second.threshold
        return named.with_more(Found.of(table, ids[high], score[high]))


@dataclass(frozen=True)
class Fixed(Union):
    """Noisy counts: words first, then longer n-grams that published ones form, all with the same noise.

    What a holder adds to an n-gram does not depend on its other n-grams, so that this rule also stands where secrets
    are single n-grams, and where a secret may move the counts of its n-grams by more than 1.

    Attributes
    ----------
    deviation
        The standard deviation of the noise on each count.
    coupling
        By how much a secret content may move the count of each of its n-grams.
    least
        The least threshold.
    """

    deviation: float = field(kw_only=True)
    coupling: int = field(kw_only=True)
    least: float = field(default=0.0, kw_only=True)

    @property
    def scale(self) -> float:
        """The standard deviation of the noise on a count."""
        return self.deviation

    @property
    def threshold(self) -> float:
        """The noisy count that words must exceed."""
        ngrams = self.contribution * self.group  # a group may also have as many n-grams, each at one holder
        delta = self.delta * _GRID_SHARE
        return max(
            self.least,
            coupled_threshold(self.scale, delta, self.contribution, self.coupling),
            coupled_threshold(self.scale, delta, ngrams, 1),
        )

    def draw(self, table: Table, noise: Noise, progress: Tick | None = None) -> Found:
        """Return words above the threshold, and longer n-grams of such words with high noisy counts."""
        counts = holder_counts(Rows.of(table), table.ngrams)
        steps = max(math.ceil(FINE / self.scale), 1)

        def score(ids: Ids) -> FloatArray:
            return noise.gaussian(counts[ids] * steps, scale=self.scale * steps) / (self.scale * steps)

        ids = np.flatnonzero((counts > 0) & (table.length == 1)).astype(np.int32)
        words = score(ids)
        high = words * self.scale > self.threshold
        found = Found.of(table, ids[high], words[high])
        for length in range(2, self.n + 1):
            if progress is not None:
                progress(length - 1, self.n)
            candidates = Candidates(found.rows(length - 1))
            ids, numbers = candidates.occurring(table)
            found = found.with_more(_longer(candidates, numbers, score(ids), table, noise))
        return found


@dataclass(frozen=True)
class Guided(Union):
    """Rounds of weights for words, then rounds for longer n-grams that published ones form, each round guided.

    The rounds of one length add up to one noisy weight per n-gram. See `entrenous.words.statistics.guided_rounds`.
    """

    @property
    def threshold(self) -> float:
        """The noisy weight (the mean over its rounds) that words must exceed."""
        words = self._rounds_of_words
        return words.target / words.mu

    def reach(self, holders: int) -> float:
        """Return the largest weight that any word can get from so many holders."""
        return holders * _LARGEST

    @property
    def _words(self) -> int:
        return min(self.contribution, _WORDS)

    @property
    def _rounds_of_words(self) -> Rounds:
        mu = self.mu * (math.sqrt(_WORD_SHARE) if self.n > 1 else 1.0)
        moved = self.group * _LARGEST * mu  # the most that one word can owe to the holders to be hidden
        target = normal_excess(self.delta, self.group * self._words) + moved
        return Rounds(mu, _WORD_ROUNDS, target, _LARGEST)

    def draw(self, table: Table, noise: Noise, progress: Tick | None = None) -> Found:
        """Return words above the threshold, and longer n-grams of such words with high noisy weights."""
        tick = _counter(progress, _WORD_ROUNDS + (self.n - 1) * _LONGER_ROUNDS)
        rounds = self._rounds_of_words
        rows = Rows.of(table, table.length == 1, self._words)
        standing = rounds.run(rows, np.unique(rows.ngram), table.ngrams, noise, tick)
        high = standing.score > rounds.target
        found = Found.of(table, standing.ids[high], standing.score[high])
        mu = self.mu * math.sqrt((1 - _WORD_SHARE) / max(self.n - 1, 1))
        for length in range(2, self.n + 1):
            candidates = Candidates(found.rows(length - 1))
            ids, numbers = candidates.occurring(table)
            kept = np.zeros(table.ngrams, np.bool_)
            kept[ids] = True
            rounds = Rounds(mu, _LONGER_ROUNDS, _guess(candidates))
            standing = rounds.run(Rows.of(table, kept), ids, table.ngrams, noise, tick)
            found = found.with_more(_longer(candidates, numbers, standing.score, table, noise, rounds))
        return found


def _counter(progress: Tick | None, total: int) -> Callable[[], object] | None:
    """Return something that tells, each time it is called, that one more of `total` steps was made."""
    if progress is None:
        return None
    made = iter(range(1, total + 1))
    return lambda: progress(next(made), total)


def _noisy(weights: NDArray[np.int64], scale: float, noise: Noise) -> FloatArray:
    """Return weights with noise, in standard deviations."""
    steps = scale * GRID
    return noise.gaussian(weights, scale=steps) / steps


def _above(table: Table, weights: NDArray[np.int64], scale: float, threshold: float, noise: Noise) -> Found:
    """Return the n-grams of a table whose noisy weight exceeds the threshold."""
    ids = np.unique(table.ngram)
    score = _noisy(weights[ids], scale, noise)
    high = score * scale > threshold
    return Found.of(table, ids[high], score[high])


def _guess(candidates: Candidates) -> float:
    """Return about where the score will lie above which longer n-grams are named."""
    from scipy.special import ndtri

    target = FALSE_SHARE * _GUESS_PER_SHORTER * len(candidates.shorter)
    return float(-ndtri(min(target / max(candidates.total, 1), _MOST_CHANCE)))


def _longer(
    candidates: Candidates,
    numbers: NDArray[np.int64],
    score: FloatArray,
    table: Table,
    noise: Noise,
    rounds: Rounds | None = None,
) -> Found:
    """Return the candidates with scores so high that hardly any of them is due to noise alone.

    Parameters
    ----------
    candidates
        What published n-grams form.
    numbers, score
        The candidates that occur, and their scores.
    rounds
        How they were scored, where that was in several rounds.
    """
    from scipy.special import ndtr, ndtri

    chance = min(
        FALSE_SHARE * _MOST_PER_SHORTER * len(candidates.shorter) / max(candidates.total, 1), _MOST_CHANCE
    )
    struck = np.setdiff1d(candidates.strike(chance, noise), numbers) if candidates.total else numbers[:0]
    by_noise = -ndtri(uniform_draws(noise, len(struck)) * chance)
    if rounds is not None:
        survives = rounds.surviving(by_noise, noise)
        struck, by_noise = struck[survives], by_noise[survives]
    places = np.concatenate([numbers, struck])
    scores = np.concatenate([score, by_noise])
    occurs = np.arange(len(places)) < len(numbers)
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > -ndtri(chance)]
    expected = candidates.total * ndtr(-scores[order])
    good = np.flatnonzero(expected <= FALSE_SHARE * np.arange(1, len(order) + 1))
    named = order[: good[-1] + 1] if len(good) else order[:0]
    parts = np.full((len(named), table.parts.shape[1]), -1, np.int32)
    parts[:, : candidates.shorter.shape[1] + 1] = candidates.parts(places[named])
    return Found(parts, scores[named], occurs[named])
