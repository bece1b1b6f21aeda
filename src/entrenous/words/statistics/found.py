"""What questions about words are answered with: n-grams that may be named, and scores of candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous.words.counting.table import Table

__all__ = ["FALSE_SHARE", "Found", "Scored"]

FALSE_SHARE = 0.01
"""The share of longer n-grams that may be expected never to occur: noise alone named them."""

LEAST_EXPECTED = 0.5  # standard deviations; below, noise says nothing

Ids = NDArray[np.int32]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Found:
    """N-grams that may be named.

    Attributes
    ----------
    words
        The words they consist of, in their public order.
    parts
        One row per n-gram: places in `words`, padded with -1.
    score
        The noisy weight of each, in standard deviations of its noise.
    first
        What nothing had steered: the noisy weight of the first round alone. It tells better how frequent an n-gram is.
    """

    words: tuple[str, ...]
    parts: Ids
    score: FloatArray
    first: FloatArray | None = None

    @classmethod
    def of(cls, table: Table, ids: Ids, score: FloatArray) -> Found:
        """Return n-grams of a table by their words; ids stay behind, for they follow from all words that occur."""
        parts = table.parts[ids]
        used = np.unique(parts[parts >= 0])
        places = np.where(parts >= 0, np.searchsorted(used, parts), -1).astype(np.int32)
        return cls(tuple(str(table.names[int(word)]) for word in used), places, score)

    @property
    def names(self) -> list[str]:
        """The n-grams, words joined by one blank."""
        return [" ".join(self.words[part] for part in row if part >= 0) for row in self.parts.tolist()]

    def rows(self, length: int) -> Ids:
        """Return the n-grams of just so many words, without padding."""
        lengths = (self.parts >= 0).sum(axis=1)
        return self.parts[lengths == length, :length]

    def expected(self, length: int) -> FloatArray | None:
        """Return how frequent the n-grams of just so many words seem to be, from noisy weights alone: above 0."""
        lengths = (self.parts >= 0).sum(axis=1)
        return None if self.first is None else np.maximum(self.first[lengths == length], LEAST_EXPECTED)

    def with_more(self, parts: Ids, score: FloatArray) -> Found:
        """Return these and further n-grams of the same words."""
        padded = np.full((len(parts), self.parts.shape[1]), -1, np.int32)
        padded[:, : parts.shape[1]] = parts
        first = None if self.first is None else np.concatenate([self.first, score])
        return Found(
            self.words, np.concatenate([self.parts, padded]), np.concatenate([self.score, score]), first
        )


@dataclass(frozen=True, eq=False)
class Scored:
    """Candidates whose noisy weights are high, the most significant first.

    Attributes
    ----------
    places
        Their numbers.
    score
        Their noisy weights, in standard deviations of the noise.
    chance
        How likely noise alone gives so high a score, over how much likelier than the mean they are to occur.
    """

    places: NDArray[np.int64]
    score: FloatArray
    chance: FloatArray
