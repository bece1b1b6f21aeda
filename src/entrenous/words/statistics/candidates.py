"""Longer n-grams built from published ones: all of them, also the many that never occur.

Two published n-grams of k words that overlap in k - 1 form a candidate of k + 1 words (for k = 1: any two words).
Who may be a candidate is known from what was published, so noise goes to every candidate, and no candidate's
name betrays that it occurs. Candidates that do occur get their noise one by one. For the others only those matter
whose noise is high: they are drawn by what is known about normal noise, at places drawn by skipping through the
numbered candidates. The distribution of the result is that of drawing all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import PrivacyError
from entrenous.noise import Noise
from entrenous.words.counting.table import Table
from entrenous.words.statistics.found import FALSE_SHARE, Scored
from entrenous.words.statistics.guided_rounds import Rounds, uniform_draws

__all__ = ["Candidates", "occurring", "occurs", "scored", "strike"]

_MOST_PER_SHORTER = 100  # longer n-grams published for each shorter one, at most
_MOST_CHANCE = 0.05  # that noise alone lifts a candidate to where it may be published
_MOST_TOLD = (
    5e-4  # the same where some candidates are likelier than others: also the likeliest must stand out
)
_MOST_STRUCK = 4e6  # candidates looked at one by one because noise alone may lift them
_PRIOR = 1.2  # power of the product of what two n-grams weigh: how much likelier they form one; chosen on enron-core

Ids = NDArray[np.int32]
Numbers = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidates:
    """All n-grams that overlapping published n-grams, one word shorter, form.

    Attributes
    ----------
    shorter
        The published n-grams: one row each, of places in a list of published words.
    expected
        How frequent each of them seems to be, from what was published; candidates of frequent ones are likelier to
        occur, so they need not stand as high. None treats all alike.
    """

    shorter: Ids
    expected: FloatArray | None = None

    @cached_property
    def words(self) -> Ids:
        """The words that occur in published n-grams, in order."""
        return np.unique(self.shorter)

    @property
    def total(self) -> int:
        """How many candidates there are."""
        return int(self._ends[-1]) if len(self.shorter) else 0

    @property
    def chance(self) -> float:
        """How likely noise alone may lift a candidate to where it could be published."""
        wanted = FALSE_SHARE * _MOST_PER_SHORTER * len(self.shorter)
        return min(wanted / max(self.total, 1), _MOST_CHANCE)

    @property
    def most(self) -> float:
        """The largest chance of any candidate: all that it strikes are looked at."""
        if self.expected is None or not self.total:
            return self.chance
        return min(_MOST_TOLD, _MOST_STRUCK / max(self.total, 1))

    def chances(self, numbers: Numbers) -> FloatArray:
        """Return how likely noise alone may lift each candidate to where it could be published."""
        return np.minimum(self.chance * self.odds(numbers), self.most)

    def targets(self, numbers: Numbers, per_shorter: float) -> FloatArray:
        """Return about where each will be named, as `target` does for all alike."""
        from scipy.special import ndtri

        wanted = FALSE_SHARE * per_shorter * len(self.shorter) / max(self.total, 1)
        return np.asarray(-ndtri(np.minimum(wanted * self.odds(numbers), self.most)))

    def odds(self, numbers: Numbers) -> FloatArray:
        """Return how much likelier than the mean candidate each seems to occur; their mean over all is 1.

        >>> told = Candidates(np.array([[0], [1]], np.int32), np.array([4.0, 1.0]))
        >>> told.odds(np.arange(4)).round(2).tolist()
        [2.83, 0.54, 0.54, 0.1]
        """
        if self.expected is None or not self.total:
            return np.ones(len(numbers))
        first, second = self._halves(numbers)
        weight = self.expected**_PRIOR
        begin = self._ends - self._fans
        sums = np.concatenate([[0.0], np.cumsum(weight[self._by_head])])
        place = np.searchsorted(self._heads_sorted, self._tails)
        followers = sums[place + self._ends - begin] - sums[place]
        return np.asarray(weight[first] * weight[second] * (self.total / (weight * followers).sum()))

    def target(self, per_shorter: float) -> float:
        """Return about where the score will lie above which so many longer n-grams per shorter one are named."""
        from scipy.special import ndtri

        wanted = FALSE_SHARE * per_shorter * len(self.shorter)
        return float(-ndtri(min(wanted / max(self.total, 1), _MOST_CHANCE)))

    def numbers(self, parts: Ids) -> Numbers:
        """Return the number of the candidate that each n-gram is, -1 where it is none."""
        first, second = self._find(parts[:, :-1]), self._find(parts[:, 1:])
        formed = np.flatnonzero((first >= 0) & (second >= 0))
        first, second = first[formed], second[formed]
        starts = self._ends[first] - self._fans[first]
        numbers = np.full(len(parts), -1, np.int64)
        place = self._rank[second] - np.searchsorted(self._heads_sorted, self._tails[first])
        numbers[formed] = starts + place
        return numbers

    def parts(self, numbers: Numbers) -> Ids:
        """Return the words of candidates, one row each."""
        first, second = self._halves(numbers)
        return np.column_stack([self.shorter[first], self.shorter[second, -1]]).astype(np.int32)

    def _halves(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """Return the places of the two published n-grams that form each candidate."""
        first = np.searchsorted(self._ends, numbers, side="right")
        place = numbers - (self._ends[first] - self._fans[first])
        return first, self._by_head[np.searchsorted(self._heads_sorted, self._tails[first]) + place]

    # N-grams are compared as numbers: digits are the places of their words, the base is how many words there are.

    def _code(self, parts: Ids) -> Numbers:
        code = np.zeros(len(parts), np.int64)
        for column in range(parts.shape[1]):
            code = code * len(self.words) + np.searchsorted(self.words, parts[:, column])
        return code

    def _find(self, parts: Ids) -> Numbers:
        """Return the place of each n-gram among the published ones, -1 where it is not one of them."""
        codes = self._code(self.shorter)
        order = np.argsort(codes)
        code = self._code(parts)
        place = np.minimum(np.searchsorted(codes[order], code), len(codes) - 1)
        return np.where(codes[order][place] == code, order[place], -1).astype(np.int64)

    @cached_property
    def _tails(self) -> Numbers:
        """What must follow each published n-gram: all its words but the first."""
        return self._code(self.shorter[:, 1:])

    @cached_property
    def _heads(self) -> Numbers:
        return self._code(self.shorter[:, :-1])

    @cached_property
    def _by_head(self) -> Numbers:
        return np.argsort(self._heads, kind="stable")

    @cached_property
    def _heads_sorted(self) -> Numbers:
        heads: Numbers = self._heads[self._by_head]
        return heads

    @cached_property
    def _rank(self) -> Numbers:
        """The place of each published n-gram in the order of heads."""
        rank = np.empty(len(self.shorter), np.int64)
        rank[self._by_head] = np.arange(len(self.shorter))
        return rank

    @cached_property
    def _fans(self) -> Numbers:
        """How many published n-grams may follow each."""
        first = np.searchsorted(self._heads_sorted, self._tails, side="left")
        fans: Numbers = np.searchsorted(self._heads_sorted, self._tails, side="right") - first
        return fans

    @cached_property
    def _ends(self) -> Numbers:
        """The number after the last candidate that begins with each published n-gram."""
        return np.cumsum(self._fans)


def occurring(candidates: Candidates, words: tuple[str, ...], table: Table) -> tuple[Ids, Numbers]:
    """Return the candidates, of these words, that a table has: their ids there, and their numbers among all."""
    if type(candidates) is not Candidates:  # its methods see which n-grams occur
        raise PrivacyError("expected candidates; it was not answered")
    length = candidates.shorter.shape[1] + 1
    word_ids = table.names.word_ids(words)
    there = candidates.words[word_ids[candidates.words] >= 0]
    place = np.full(max(table.ngrams, 1), -1, np.int32)
    place[word_ids[there]] = there
    ids = np.flatnonzero(table.length == length).astype(np.int32)
    parts = place[table.parts[ids, :length]]
    inside = (parts >= 0).all(axis=1)
    ids, parts = ids[inside], parts[inside]
    numbers = candidates.numbers(parts)
    return ids[numbers >= 0], numbers[numbers >= 0]


def strike(total: int, chance: float, noise: Noise) -> Numbers:
    """Return the numbers below `total` that an event of this chance strikes, each independently."""
    struck: list[Numbers] = []
    reached = -1
    while reached < total:
        missing = (total - reached) * chance
        draws = uniform_draws(noise, int(missing + 4 * math.sqrt(missing)) + 16)
        skips = np.floor(np.log(draws) / math.log1p(-chance)) + 1
        places = reached + np.cumsum(np.minimum(skips, float(total + 1))).astype(np.int64)
        struck.append(places[places < total])
        reached = int(places[-1])
    return np.concatenate([np.zeros(0, np.int64), *struck])


def scored(
    candidates: Candidates,
    numbers: Numbers,
    score: FloatArray,
    noise: Noise,
    rounds: Rounds | None = None,
    *,
    grid: float,
) -> Scored:
    """Return the candidates that stand high, whether they occur or not.

    Parameters
    ----------
    candidates
        What published n-grams form.
    numbers, score
        The candidates that occur, and their scores.
    noise
        The source of what never occurs.
    rounds
        How they were scored, where that was in several rounds.
    grid
        How many steps of the noise's grid a standard deviation has: what never occurs lies on it as well.
    """
    from scipy.special import ndtr, ndtri

    most = candidates.most
    struck = strike(candidates.total, most, noise) if candidates.total else numbers[:0]
    struck = np.setdiff1d(struck, numbers, assume_unique=True)
    if candidates.expected is not None:  # those of smaller chance are struck less often
        struck = struck[uniform_draws(noise, len(struck)) * most < candidates.chances(struck)]
    by_noise = -ndtri(uniform_draws(noise, len(struck)) * candidates.chances(struck))
    if rounds is not None:
        survives = rounds.surviving(by_noise, noise)
        struck, by_noise = struck[survives], by_noise[survives]
    # The last digits of a score must not betray who occurs.
    by_noise = np.rint(by_noise * grid) / grid
    places, scores = np.concatenate([numbers, struck]), np.concatenate([score, by_noise])
    high = scores > -ndtri(candidates.chances(places))
    places, scores = places[high], scores[high]
    chance = ndtr(-scores) / candidates.odds(
        places
    )  # of so high a score by noise alone, over what is expected
    # Equal ones go by place: the order must not betray who occurs.
    order = np.lexsort((places, chance))
    return Scored(places[order], scores[order], chance[order])


def occurs(table: Table, names: Sequence[str]) -> NDArray[np.bool_]:
    """Tell which of some n-grams a table has at all. Confidential: for the curator."""
    split = [name.split(" ") for name in names]
    words = sorted({word for ngram in split for word in ngram})
    ids = dict(zip(words, table.names.word_ids(words).tolist(), strict=True))
    seen = np.zeros(len(names), np.bool_)
    for length in {len(ngram) for ngram in split}:
        places = [place for place, ngram in enumerate(split) if len(ngram) == length]
        asked = np.array([[ids[word] for word in split[place]] for place in places], np.int64)
        seen[places] = _among(asked, table.parts[table.length == length, :length])
    return seen


def _among(asked: Numbers, there: Ids) -> NDArray[np.bool_]:
    """Tell which rows are among others, column by column; what begins unlike all that is asked is left out."""
    base = int(max(asked.max(initial=0), there.max(initial=0))) + 2
    code, other = np.zeros(len(asked), np.int64), np.zeros(len(there), np.int64)
    keys = code
    for column in range(asked.shape[1]):
        keys, code = np.unique(code * base + asked[:, column] + 1, return_inverse=True)
        wanted = other * base + there[:, column] + 1
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        kept = keys[place] == wanted
        there, other = there[kept], place[kept]
    found = np.zeros(len(keys), np.bool_)
    found[other] = True
    return found[code]
