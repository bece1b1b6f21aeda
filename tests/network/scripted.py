"""Noise that does as it is told: what a test hands to a statistic in the place of `Noise`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Draw(NamedTuple):
    """What geometric noise was asked for."""

    counts: np.ndarray
    sensitivity: int
    epsilon: float


class Recorder:
    """No noise at all: counts come back as they are, and what was asked for is written down."""

    def __init__(self) -> None:
        self.draws: list[Draw] = []

    def geometric(self, counts: np.ndarray, *, sensitivity: int, epsilon: float) -> np.ndarray:
        self.draws.append(Draw(np.array(counts), sensitivity, epsilon))
        return np.array(counts)


class Constant:
    """Noise so strong that nothing is left of the counts."""

    def geometric(self, counts: np.ndarray, *, sensitivity: int, epsilon: float) -> np.ndarray:
        return np.arange(np.size(counts)).reshape(np.shape(counts)) % 7 + 20


class Words:
    """The random words that a test wants drawn, and zeros after them; geometric noise by a list as well."""

    def __init__(self, words: Sequence[int], geometric: Sequence[Sequence[int]] = ()) -> None:
        self._words = list(words)
        self._geometric = list(geometric)
        self.epsilons: list[float] = []

    def words(self, count: int) -> np.ndarray:
        found = np.zeros(count, np.uint64)
        taken, self._words = self._words[:count], self._words[count:]
        found[: len(taken)] = taken
        return found

    def geometric(self, counts: np.ndarray, *, sensitivity: int, epsilon: float) -> np.ndarray:
        self.epsilons.append(epsilon)
        return np.array(counts) + np.resize(self._geometric.pop(0), np.shape(counts))
