"""Longer n-grams built from published ones: all of them, also the many that never occur.

Two published n-grams of k words that overlap in k - 1 form a candidate of k + 1 words (for k = 1: any two words).
Who may be a candidate is known from what was published, so noise goes to every candidate, and no candidate's
name betrays that it occurs. Candidates that do occur get their noise one by one. For the others only those matter
whose noise is high: they are drawn by what is known about normal noise, at places drawn by skipping through the
numbered candidates. The distribution of the result is that of drawing all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from entrenous.noise import Noise
from entrenous.words.counting.table import Table

__all__ = ["Candidates", "uniform_draws"]

Ids = NDArray[np.int32]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Candidates:
    """All n-grams that overlapping published n-grams, one word shorter, form.

    Attributes
    ----------
    shorter
        The published n-grams: one row of unigram ids each.
    """

    shorter: Ids

    @cached_property
    def words(self) -> Ids:
        """The unigrams that occur in published n-grams, in order."""
        return np.unique(self.shorter)

    @property
    def total(self) -> int:
        """How many candidates there are."""
        return int(self._ends[-1]) if len(self.shorter) else 0

    def occurring(self, table: Table) -> tuple[Ids, Numbers]:
        """Return the candidates that a table has: their ids there, and their numbers here."""
        length = self.shorter.shape[1] + 1
        ids = np.flatnonzero(table.length == length).astype(np.int32)
        parts = table.parts[ids, :length]
        known = np.zeros(max(table.ngrams, 1), np.bool_)
        known[self.words] = True
        inside = known[parts].all(axis=1)
        ids, parts = ids[inside], parts[inside]
        first, second = self._find(parts[:, :-1]), self._find(parts[:, 1:])
        found = (first >= 0) & (second >= 0)
        ids, first, second = ids[found], first[found], second[found]
        starts = self._ends[first] - self._fans[first]
        place = self._rank[second] - np.searchsorted(self._heads_sorted, self._tails[first])
        return ids, starts + place

    def parts(self, numbers: Numbers) -> Ids:
        """Return the words of candidates, one row of unigram ids each."""
        first = np.searchsorted(self._ends, numbers, side="right")
        place = numbers - (self._ends[first] - self._fans[first])
        second = self._by_head[np.searchsorted(self._heads_sorted, self._tails[first]) + place]
        return np.column_stack([self.shorter[first], self.shorter[second, -1]]).astype(np.int32)

    def strike(self, chance: float, noise: Noise) -> Numbers:
        """Return the numbers of candidates that an event of this chance strikes, each independently."""
        struck: list[Numbers] = []
        reached = -1
        while reached < self.total:
            missing = (self.total - reached) * chance
            draws = uniform_draws(noise, int(missing + 4 * math.sqrt(missing)) + 16)
            skips = np.floor(np.log(draws) / math.log1p(-chance)) + 1
            places = reached + np.cumsum(np.minimum(skips, float(self.total + 1))).astype(np.int64)
            struck.append(places[places < self.total])
            reached = int(places[-1])
        return np.concatenate([np.zeros(0, np.int64), *struck])

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


def uniform_draws(noise: Noise, count: int) -> NDArray[np.float64]:
    """Return uniform draws strictly between 0 and 1, from the source of privacy noise."""
    return ((noise.words(count) >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
