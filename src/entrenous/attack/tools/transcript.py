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
from numpy.typing import NDArray

from entrenous.attack.tools.likelihood import ImpossibleError, Numbers, likelihood
from entrenous.desk import Desk
from entrenous.errors import PrivacyError
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.statistic import Noted, Statistic
from entrenous.unit import Unit

__all__ = ["Ask", "Said", "Transcript", "draw_once", "log_ratio", "record"]

#: What is asked of a desk: a mechanism with its request.
Ask = Callable[[Desk[Any]], object]
_ROUNDING = 1e-9  # mechanisms keep a hair of their epsilon back, so that rounded parts never exceed it


@dataclass(frozen=True)
class Said:
    """A question, its answer, and the noisy numbers that the answer was drawn as."""

    statistic: Statistic[Any, Any]
    answer: Any
    numbers: tuple[Numbers, ...]


@dataclass(frozen=True)
class Transcript:
    """What a desk said, in its order, and the seed of all post-processing, which the attacker knows."""

    said: tuple[Said, ...]
    public: int
    unit: Unit


class _EnoughError(Exception):
    """Raised when everything private was said: what would follow is post-processing."""


class _Recorder(Noise):
    """Draws real noise, or a rehearsal's, and writes down the noisy numbers."""

    def __init__(self, rng: np.random.Generator | None, public: int) -> None:
        super().__init__(public)
        self._source = Noise(rng)
        self.rehearsal = self._source.rehearsal
        self.chain_generator = self._source.chain_generator
        self.numbers: list[Numbers] = []

    def geometric(self, counts: Numbers, *, sensitivity: int, epsilon: float) -> Numbers:
        return self._note(self._source.geometric(counts, sensitivity=sensitivity, epsilon=epsilon))

    def gaussian(self, values: Numbers, *, scale: float) -> Numbers:
        return self._note(self._source.gaussian(values, scale=scale))

    def words(self, count: int) -> NDArray[np.uint64]:
        return self._source.words(count)

    def _note(self, drawn: Numbers) -> Numbers:
        self.numbers.append(drawn)
        return drawn


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
    """Answers, and writes down what it said."""

    def __init__(self, data: object, *, unit: Unit, epsilon: float, noise: _Recorder) -> None:
        super().__init__(data, unit=unit, ceiling=Price(epsilon=epsilon), noise=noise)
        self.said: list[Said] = []
        self._numbers = noise.numbers

    def _metered(self, data: Any) -> _Counter:
        return _Counter(data, self.ceiling)

    def __call__(self, statistic: Statistic[Any, Any]) -> Any:
        before = len(self._numbers)
        answer = super().__call__(statistic)
        self.said.append(Said(statistic, answer, tuple(self._numbers[before:])))
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
        if not self._left or not _same(statistic, self._left[0].statistic):
            raise ImpossibleError
        said = self._left.pop(0)
        self.log_likelihood += likelihood(statistic, self._data, self.unit)(said.answer, said.numbers)
        if not self._left:
            raise _EnoughError
        return said.answer


def _same(one: Any, other: Any) -> bool:
    """Tell whether two questions, or parts of them, are the same; arrays are compared by their values."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other))
    if is_dataclass(one):
        compared = (field.name for field in fields(one) if field.compare)
        return all(_same(getattr(one, name), getattr(other, name)) for name in compared)
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
    desk = _RecordingDesk(data, unit=unit, epsilon=epsilon, noise=_Recorder(rng, public))
    with contextlib.suppress(_EnoughError):
        ask(desk)
    return Transcript(tuple(desk.said), public, unit)


def draw_once(
    statistic: Statistic[Any, Any], data: object, rng: np.random.Generator | None, unit: Unit = Unit.EDGE
) -> Said:
    """Ask one question, at no desk."""
    noise = _Recorder(rng, 0)
    drawn = statistic.draw(data, unit, noise)
    return Said(statistic, drawn.answer if isinstance(drawn, Noted) else drawn, tuple(noise.numbers))


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
    >>> seen = Transcript((Said(question, 9, (np.array([9]),)),), public=0, unit=Unit.EDGE)
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
