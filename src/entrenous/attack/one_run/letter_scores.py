"""How much likelier what was drawn, or published, is with each canary than without.

What was planted shares no word and no person with the mail, so the mail does not enter: the questions are put once
more to the planted letters alone, with all canaries and with none, and what was drawn before is put in the place of
fresh noise. Canaries share no n-gram of their own either, so the difference falls apart into one number for each.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.one_run.invented_letters import Ids
from entrenous.attack.tools.recorder import Draw, Numbers, Said
from entrenous.noise import Labels, Noise
from entrenous.words.counting.table import Table

__all__ = ["drawn_scores", "log_ratios", "true_values"]

FloatArray = NDArray[np.float64]


class _AllSaidError(Exception):
    """Raised when everything that was drawn for holders was repeated: what would follow is noise alone."""


class _Repeated(Noise):
    """Hands out what was drawn before, and notes the true numbers it was asked to hide."""

    def __init__(self, drawn: Sequence[Draw], places: Ids) -> None:
        super().__init__(0)
        self._left = [draw for draw in drawn if draw.kind != "words"]
        self._places = places
        self.noted: list[tuple[Draw, Labels, Numbers, Numbers]] = []

    def geometric(self, counts: Numbers, *, sensitivity: int, epsilon: float, of: Labels = None) -> Numbers:  # noqa: ARG002
        """Return what was drawn before."""
        return self._next(counts, of)

    def gaussian(self, values: Numbers, *, scale: float, of: Labels = None) -> Numbers:  # noqa: ARG002
        """Return what was drawn before."""
        return self._next(values, of)

    def words(self, count: int) -> NDArray[np.uint64]:  # noqa: ARG002
        """Stop: random words are drawn for n-grams that never occur."""
        raise _AllSaidError

    def _next(self, values: Numbers, of: Labels) -> Numbers:
        if not self._left:
            raise _AllSaidError
        draw = self._left.pop(0)
        noisy = draw.noisy
        if of is not None and draw.of is not None:
            noisy = noisy[np.searchsorted(draw.of, self._places[of])]
        self.noted.append((draw, of, np.array(values), noisy))
        return noisy


def true_values(said: Said, planted: Table, places: Ids) -> list[tuple[Draw, Labels, Numbers, Numbers]]:
    """Return each draw for planted n-grams: what they are, their true numbers in this table, and what was drawn."""
    noise = _Repeated(said.draws, places)
    statistic: Any = said.statistic
    with contextlib.suppress(_AllSaidError):
        type(statistic).draw(statistic, planted, said.unit, noise)
    return noise.noted


def drawn_scores(
    said: Said, without: Table, present: Table, places: Ids, owners: Numbers, canaries: int
) -> FloatArray:
    """Return for each canary the logarithm of how much likelier an answer's draws are with it than without.

    Parameters
    ----------
    said
        A question, and what was drawn for it.
    without, present
        The planted rows without any canary, and with all of them: the same n-grams.
    places
        The number of each planted n-gram in the table that was asked.
    owners
        The canary that each number is about: of planted n-grams, or, where numbers have public places, of these.
    canaries
        How many canaries there are.
    """
    total = np.zeros(canaries)
    worlds = (true_values(said, table, places) for table in (without, present))
    for (draw, of, plain, noisy), (_, _, canary, _) in zip(*worlds, strict=True):
        told = owners if of is None else owners[of]
        ratios = log_ratios(draw.kind, draw.scale, plain, canary, noisy)
        total += np.bincount(told[told >= 0], weights=ratios[told >= 0], minlength=canaries)
    return total


def log_ratios(kind: str, scale: float, plain: Numbers, canary: Numbers, noisy: Numbers) -> FloatArray:
    """Return how much likelier each noisy number is with the canary than without, in logarithms.

    >>> log_ratios("geometric", 2.0, np.array([0, 0]), np.array([1, 1]), np.array([5, -5])).tolist()
    [0.5, -0.5]
    """
    from_plain, from_canary = (noisy - plain).astype(np.float64), (noisy - canary).astype(np.float64)
    if kind == "geometric":
        return np.asarray((np.abs(from_plain) - np.abs(from_canary)) / scale)
    moved = (canary - plain).astype(np.float64)
    return np.asarray(moved * (from_plain + from_canary) / (2 * scale * scale))
