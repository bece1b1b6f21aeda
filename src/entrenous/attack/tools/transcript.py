"""Everything a mechanism learned about its input, and how likely that was for another input.

Whatever leaves an input by additive noise passes through `entrenous.noise.Noise`. An attacker who stands there sees
every noisy number, far more than what is published in the end: the *transcript* of a run. A mechanism that is run
again on another input, and is handed the numbers of the transcript instead of fresh ones, asks the same questions as
long as they follow from earlier answers; what it asks them about, its own exact counts, tells how likely the
transcript would have been there. The ratio of both likelihoods is the best statistic there is (Neyman and Pearson),
for every such mechanism, with no line written for any of them.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous.noise import Noise

__all__ = ["Run", "Transcript", "log_ratio", "record"]

Numbers = NDArray[np.int64]
#: A mechanism with its input, waiting for its noise.
Run = Callable[[Noise], object]


@dataclass(frozen=True)
class Transcript:
    """The noisy numbers of a run, in their order, and the seed of its post-processing, which the attacker knows."""

    answers: tuple[Numbers, ...]
    public: int


class _EnoughError(Exception):
    """Raised when everything private was drawn: what would follow is post-processing."""


class _ImpossibleError(Exception):
    """Raised when a replayed run asks what the recorded one was not asked."""


class _Recorder(Noise):
    """Draws real noise, or a rehearsal's, and writes down the noisy numbers."""

    def __init__(self, source: Noise, public: int, draws: int | None) -> None:
        super().__init__(public)
        self.rehearsal = source.rehearsal
        self.chain_generator = source.chain_generator
        self.answers: list[Numbers] = []
        self._source, self._draws = source, draws

    def geometric(self, counts: Numbers, *, sensitivity: int, epsilon: float) -> Numbers:
        return self._note(self._source.geometric(counts, sensitivity=sensitivity, epsilon=epsilon))

    def gaussian(self, values: Numbers, *, scale: float) -> Numbers:
        return self._note(self._source.gaussian(values, scale=scale))

    def words(self, count: int) -> NDArray[np.uint64]:
        return self._source.words(count)

    def _note(self, answer: Numbers) -> Numbers:
        self.answers.append(answer)
        if len(self.answers) == self._draws:
            raise _EnoughError
        return answer


class _Replay(Noise):
    """Answers by a transcript and adds up how likely its numbers are, given what is asked now."""

    def __init__(self, seen: Transcript) -> None:
        super().__init__(seen.public)
        self.log_likelihood = 0.0
        self._left = list(seen.answers)

    def geometric(self, counts: Numbers, *, sensitivity: int, epsilon: float) -> Numbers:
        fall = epsilon / sensitivity
        answer = self._next(np.asarray(counts))
        self.log_likelihood += answer.size * math.log(math.tanh(fall / 2))
        self.log_likelihood -= fall * float(np.abs(answer - counts).sum())
        return self._given(answer)

    def gaussian(self, values: Numbers, *, scale: float) -> Numbers:
        answer = self._next(np.asarray(values))
        self.log_likelihood -= answer.size * math.log(scale)
        self.log_likelihood -= float((((answer - values) / scale) ** 2).sum()) / 2
        return self._given(answer)

    def _next(self, asked: Numbers) -> Numbers:
        if not self._left or self._left[0].shape != asked.shape:
            raise _ImpossibleError
        return self._left.pop(0)

    def _given(self, answer: Numbers) -> Numbers:
        if not self._left:
            raise _EnoughError
        return answer


def record(run: Run, rng: np.random.Generator | None, *, draws: int | None = None) -> Transcript:
    """Run a mechanism and return its transcript.

    Parameters
    ----------
    run
        The mechanism with its input, given its source of noise.
    rng
        None for real noise, a generator for a rehearsal.
    draws
        After how many noisy arrays nothing private follows: the run ends there. By default it runs to its end.
    """
    public = int((rng or np.random.default_rng()).integers(2**63))
    recorder = _Recorder(Noise(rng), public, draws)
    with contextlib.suppress(_EnoughError):
        run(recorder)
    return Transcript(tuple(recorder.answers), public)


def log_ratio(seen: Transcript, canary: Run, plain: Run) -> float:
    """Return the logarithm of how much likelier a transcript is with the canary than without.

    Examples
    --------
    >>> def count(edges): return lambda noise: noise.geometric(np.array([edges]), sensitivity=1, epsilon=0.5)
    >>> seen = Transcript((np.array([9]),), public=0)
    >>> log_ratio(seen, count(4), count(3))
    0.5
    """
    likelihoods = []
    for run in (canary, plain):
        replay = _Replay(seen)
        try:
            run(replay)
        except _EnoughError:
            likelihoods.append(replay.log_likelihood)
        except _ImpossibleError:
            likelihoods.append(-math.inf)
        else:
            likelihoods.append(-math.inf)  # it asked for less than was answered
    with_canary, without = likelihoods
    return 0.0 if with_canary == without else with_canary - without
