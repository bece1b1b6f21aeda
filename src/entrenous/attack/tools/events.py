"""Events that may tell two worlds apart: a score of at least or at most a threshold, and the world it speaks for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Event", "Events"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Event:
    """A score above or below a threshold, and the world that it speaks for.

    Attributes
    ----------
    threshold, above
        The event: a score of at least, or (not `above`) of at most the threshold.
    canary_likelier
        Whether it is taken for likelier with the canary.
    """

    threshold: float
    above: bool
    canary_likelier: bool

    def seen(self, canary: Floats, plain: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Tell of every run whether the event happened: in the world it speaks for, then in the other."""
        canary_has, plain_has = (
            scores >= self.threshold if self.above else scores <= self.threshold for scores in (canary, plain)
        )
        return (canary_has, plain_has) if self.canary_likelier else (plain_has, canary_has)


@dataclass(frozen=True, eq=False)
class Events:
    """All events of some runs, and how often each happened in them.

    Attributes
    ----------
    thresholds
        In ascending order. Each makes four events, one after the other in the arrays of hits: a score of at least the
        threshold speaks for the canary, or for the world without, and a score of at most it the same.
    likelier, other
        How often each event happened in the world it speaks for, and in the other.
    """

    thresholds: Floats
    likelier: Integers
    other: Integers

    @classmethod
    def of_runs(cls, canary: Floats, plain: Floats, most: int) -> Events:
        """Return the events at the scores of both worlds, at no more than so many of them.

        >>> events = Events.of_runs(np.array([1.0, 2.0, 2.0]), np.array([0.0, 1.0, 1.0]), 10)
        >>> int((events.likelier - events.other).argmax()), events[2]
        (2, Event(threshold=2.0, above=True, canary_likelier=True))
        """
        thresholds = np.unique(np.concatenate([canary, plain]))
        if len(thresholds) > most:
            thresholds = thresholds[np.linspace(0, len(thresholds) - 1, most).astype(np.int64)]
        worlds = np.sort(canary), np.sort(plain)
        high = [len(world) - np.searchsorted(world, thresholds, side="left") for world in worlds]
        low = [np.searchsorted(world, thresholds, side="right") for world in worlds]
        return cls(thresholds, np.concatenate([*high, *low]), np.concatenate([*high[::-1], *low[::-1]]))

    def __getitem__(self, place: int) -> Event:
        kind, threshold = divmod(int(place), len(self.thresholds))
        return Event(float(self.thresholds[threshold]), above=kind < 2, canary_likelier=kind % 2 == 0)

    def best(self, values: Floats, count: int) -> list[int]:
        """Return the places of the events of the largest values, the largest first, no two with equal hits.

        Of equal values the first counts; minus infinity never does.
        """
        chosen: dict[tuple[int, int, bool], int] = {}
        for place in np.argsort(-values, kind="stable"):
            if len(chosen) == count or values[place] == -np.inf:
                break
            hits = int(self.likelier[place]), int(self.other[place]), self[place].canary_likelier
            chosen.setdefault(hits, int(place))
        return list(chosen.values())
