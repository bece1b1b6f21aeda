"""Everything a mechanism was told about its input, and how likely that was for another input.

A mechanism asks a desk and sees nothing else of its input. An attacker who stands at the desk sees every answer, far
more than what is published in the end: the *transcript* of a run. A mechanism that is run again on another input, and
is handed the answers of the transcript, asks the same questions as long as they follow from earlier answers; how likely
the answers were there is known for each statistic (`entrenous.attack.tools.likelihood`). So every mechanism can be
attacked by the best score there is, with no line written for any of them.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from entrenous.attack.tools.likelihood import ImpossibleError, likelihood
from entrenous.attack.tools.recorder import Draw, Recorder, Said
from entrenous.desk import Desk
from entrenous.errors import PrivacyError
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.statistic import Statistic
from entrenous.unit import Unit

__all__ = ["Ask", "Draw", "Said", "Transcript", "draw_once", "log_ratio", "record", "same"]

#: What is asked of a desk: a mechanism with its request.
Ask = Callable[[Desk[Any]], object]
_ROUNDING = 1e-9  # mechanisms keep a hair of their epsilon back, so that rounded parts never exceed it


@dataclass(frozen=True)
class Transcript:
    """What a desk said, in its order, and the seed of all post-processing, which the attacker knows."""

    said: tuple[Said, ...]
    public: int
    unit: Unit


class _EnoughError(Exception):
    """Raised when everything private was said: what would follow is post-processing."""


class _Counter:
    """Adds up prices as a privacy filter does, without its cost: an audit opens tens of thousands of desks."""

    def __init__(self, data: object, ceiling: Price) -> None:
        self._data, self._ceiling, self._spent = data, ceiling, Price()
        self.promised = ceiling.epsilon

    def charge(self, price: Price, name: str) -> Any:
        self._spent += price
        if self._spent.epsilon > self._ceiling.epsilon * (1 + _ROUNDING):
            raise PrivacyError(f"{name}: expected at most epsilon {self._ceiling.epsilon:g} in all")
        return self._data


class _RecordingDesk(Desk[Any]):
    """Answers until everything is spent."""

    def _metered(self, data: Any) -> _Counter:
        return _Counter(data, self.ceiling)

    def __call__(self, statistic: Statistic[Any, Any]) -> Any:
        answer = super().__call__(statistic)
        if self.spent.epsilon >= self.ceiling.epsilon * (1 - _ROUNDING):
            raise _EnoughError
        return answer


class _ReplayingDesk(Desk[Any]):
    """Says what was said before, and adds up how likely that is, were its own data asked."""

    def __init__(self, data: object, seen: Transcript) -> None:
        # Nothing is drawn here, so nothing is paid for.
        super().__init__(data, unit=seen.unit, ceiling=Price(epsilon=1.0), noise=Noise(seen.public))
        self.log_likelihood = 0.0
        self._data, self._left = data, list(seen.said)

    def _metered(self, data: Any) -> _Counter:
        return _Counter(data, self.ceiling)

    def __call__(self, statistic: Statistic[Any, Any]) -> Any:
        if not self._left or not same(statistic, self._left[0].statistic):
            raise ImpossibleError
        said = self._left.pop(0)
        self.log_likelihood += likelihood(statistic, self._data, self.unit)(said.answer, said.numbers)
        if not self._left:
            raise _EnoughError
        return said.answer


def same(one: Any, other: Any) -> bool:
    """Tell whether two questions, or parts of them, are the same; arrays are compared by their values."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other))
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if is_dataclass(one):
        compared = (field.name for field in fields(one) if field.compare)
        return all(same(getattr(one, name), getattr(other, name)) for name in compared)
    return bool(one == other)


def record(
    ask: Ask, data: object, *, epsilon: float, rng: np.random.Generator | None, unit: Unit = Unit.EDGE
) -> Transcript:
    """Run a mechanism until its epsilon is spent, and return what it was told.

    Parameters
    ----------
    ask
        The mechanism with its request, given its desk.
    data
        The private data.
    epsilon
        What the desk allows.
    rng
        None for real noise, a generator for a rehearsal.
    unit
        What is protected.
    """
    public = int((rng or np.random.default_rng()).integers(2**63))
    noise = Recorder(rng, public)
    desk = _RecordingDesk(data, unit=unit, ceiling=Price(epsilon=epsilon), noise=noise)
    with contextlib.suppress(_EnoughError):
        ask(desk)
    return Transcript(tuple(noise.said), public, unit)


def draw_once(
    statistic: Statistic[Any, Any], data: object, rng: np.random.Generator | None, unit: Unit = Unit.EDGE
) -> Said:
    """Ask one question, at no desk."""
    noise = Recorder(rng)
    noise.answer(statistic, data, unit)
    return noise.said[0]


def log_ratio(seen: Transcript, canary: tuple[Ask, object], plain: tuple[Ask, object]) -> float:
    """Return the logarithm of how much likelier a transcript is with the canary than without.

    Parameters
    ----------
    seen
        What was said.
    canary, plain
        The mechanism and its data in either world.

    Examples
    --------
    >>> from entrenous.graph import Graph
    >>> from entrenous.network.statistics import Size
    >>> question, worlds = Size(epsilon=0.5), [Graph.from_edges(edges, n=2) for edges in ([], [(0, 1)])]
    >>> nine = Draw("geometric", np.array([8]), np.array([9]), 2.0)
    >>> seen = Transcript((Said(question, Unit.EDGE, None, 9, [nine]),), public=0, unit=Unit.EDGE)
    >>> log_ratio(seen, (lambda desk: desk(question), worlds[1]), (lambda desk: desk(question), worlds[0]))
    0.5
    """
    with_canary, without = _log_likelihood(seen, *canary), _log_likelihood(seen, *plain)
    return 0.0 if with_canary == without else with_canary - without


def _log_likelihood(seen: Transcript, ask: Ask, data: object) -> float:
    desk = _ReplayingDesk(data, seen)
    try:
        ask(desk)
    except _EnoughError:
        return desk.log_likelihood
    except ImpossibleError:
        return -math.inf
    return -math.inf  # it asked for less than was answered
