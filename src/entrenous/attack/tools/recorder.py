"""A source of noise that takes notes: which question was asked, what was answered, and every draw behind the answer.

A recorder stands in for `Noise`, so that a real release can be run on it from end to end, with real noise. It notes
everything that is private about the run: the true numbers, the noisy ones, and the random words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.errors import PrivacyError
from entrenous.noise import Labels, Noise
from entrenous.statistic import Noted, Statistic
from entrenous.unit import Unit

__all__ = ["Draw", "Numbers", "Recorder", "Said"]

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Draw:
    """Noise that was added to numbers, or random words that were handed out.

    Attributes
    ----------
    kind
        "geometric", "gaussian" or "words".
    true, noisy
        The numbers before and after; of words, both are the words.
    scale
        Of geometric noise: in how many steps its probabilities fall by e. Of Gaussian noise: its standard deviation.
    of
        What each number is a number of, where data decide which numbers there are.
    """

    kind: str
    true: Numbers
    noisy: Numbers
    scale: float = 0.0
    of: Labels = None


@dataclass(frozen=True, eq=False)
class Said:
    """A question, its answer, and the draws that it was made of.

    Attributes
    ----------
    statistic, unit, data
        What was asked, for which unit, and of what.
    answer
        What the desk answered.
    draws
        All draws, in their order.
    """

    statistic: Statistic[Any, Any]
    unit: Unit
    data: Any
    answer: Any = None
    draws: list[Draw] = field(default_factory=list)

    @property
    def numbers(self) -> tuple[Numbers, ...]:
        """The noisy numbers, without random words."""
        return tuple(draw.noisy for draw in self.draws if draw.kind != "words")

    @property
    def words(self) -> NDArray[np.uint64]:
        """All random words."""
        found = [draw.noisy.view(np.uint64) for draw in self.draws if draw.kind == "words"]
        return np.concatenate([np.zeros(0, np.uint64), *found])


class Recorder(Noise):
    """Draws real noise, or a rehearsal's, and takes notes.

    Parameters
    ----------
    rng
        Where noise comes from: None for real noise.
    public
        The seed of all post-processing: whoever replays the run uses it again.

    Examples
    --------
    >>> from entrenous import datasets
    >>> from entrenous.desk import Desk
    >>> from entrenous.network.statistics import Size
    >>> from entrenous.price import Price
    >>> noise = Recorder(7)
    >>> asked = Desk(datasets.karate_club(), unit=Unit.EDGE, ceiling=Price(epsilon=1.0), noise=noise)
    >>> _ = asked(Size(epsilon=0.5))
    >>> noise.said[0].statistic.name, noise.said[0].draws[0].true.tolist()
    ('size', [78])
    """

    def __init__(self, rng: np.random.Generator | int | None = None, public: int = 0) -> None:
        super().__init__(public)
        self._source = Noise(rng)
        self.rehearsal = self._source.rehearsal
        self.chain_generator = self._source.chain_generator
        self.said: list[Said] = []

    def answer(self, statistic: Statistic[Any, Any], data: Any, unit: Unit) -> Any:
        """Let the statistic draw, and note what it says."""
        self.said.append(Said(statistic, unit, data))
        drawn = super().answer(statistic, data, unit)
        answer = drawn.answer if isinstance(drawn, Noted) else drawn
        # An answer may go on drawing later: its draws are added to the same list.
        self.said[-1] = Said(statistic, unit, data, answer, self.said[-1].draws)
        return drawn

    def geometric(self, counts: Numbers, *, sensitivity: int, epsilon: float, of: Labels = None) -> Numbers:
        """Draw, and note the numbers before and after."""
        noisy = self._source.geometric(counts, sensitivity=sensitivity, epsilon=epsilon)
        self._note(Draw("geometric", np.array(counts), np.array(noisy), sensitivity / epsilon, of))
        return noisy

    def gaussian(self, values: Numbers, *, scale: float, of: Labels = None) -> Numbers:
        """Draw, and note the numbers before and after."""
        noisy = self._source.gaussian(values, scale=scale)
        self._note(Draw("gaussian", np.array(values), np.array(noisy), scale, of))
        return noisy

    def words(self, count: int) -> NDArray[np.uint64]:
        """Hand out random words, and note them."""
        drawn = self._source.words(count)
        self._note(Draw("words", drawn.view(np.int64), drawn.view(np.int64)))
        return drawn

    def _note(self, draw: Draw) -> None:
        if not self.said:
            raise PrivacyError("noise is drawn before any question was asked")
        self.said[-1].draws.append(draw)
