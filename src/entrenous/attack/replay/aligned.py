"""Noise that was drawn before, handed out again, to see how far other data would have moved its numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.tools.recorder import Draw, Numbers
from entrenous.noise import Labels, Noise
from entrenous.price import Price

__all__ = ["Aligned", "DifferentError"]

#: Handed out for a number that the recorded run did not have: so low that no threshold is ever reached.
_NEVER = -(2**60)


class DifferentError(Exception):
    """Raised where other data would have been asked other questions, or had other noise drawn for them."""


class Aligned(Noise):
    """Hands out recorded numbers in their order, and adds up how far the numbers below them have moved.

    Attributes
    ----------
    loss
        How much likelier the numbers are with the recorded data than with these: the logarithm of the ratio.
    missing
        Labels of numbers that only the recorded data have, one array for each draw that has labels.

    Examples
    --------
    >>> noise = Aligned([Draw("geometric", np.array([3, 5]), np.array([4, 9]), 2.0)])
    >>> noise.geometric(np.array([3, 6]), sensitivity=2, epsilon=1.0), noise.moved.epsilon, noise.loss
    (array([4, 9]), 0.5, -0.5)
    """

    def __init__(self, draws: Sequence[Draw]) -> None:
        super().__init__(0)
        self.loss = 0.0
        self.missing: list[NDArray[np.int64]] = []
        self._left = [draw for draw in draws if draw.kind != "words"]
        self._distance, self._squares = 0.0, 0.0

    @property
    def moved(self) -> Price:
        """How far the numbers have moved, in steps of their noise: what the worst answer would have told."""
        return Price(epsilon=self._distance, mu=self._squares**0.5)

    @property
    def finished(self) -> bool:
        """Whether everything that was drawn has been asked for."""
        return not self._left

    def geometric(self, counts: Numbers, *, sensitivity: int, epsilon: float, of: Labels = None) -> Numbers:
        """Hand out the next numbers, which must have had the same geometric noise."""
        true, noisy, here, shape = self._next("geometric", counts, sensitivity / epsilon, of)
        self._distance += float(np.abs(here - true).sum()) * epsilon / sensitivity
        closer = np.abs(noisy - here).sum() - np.abs(noisy - true).sum()
        self.loss += float(closer) * epsilon / sensitivity
        return shape

    def gaussian(self, values: Numbers, *, scale: float, of: Labels = None) -> Numbers:
        """Hand out the next numbers, which must have had the same Gaussian noise."""
        true, noisy, here, shape = self._next("gaussian", values, scale, of)
        shift = (here - true) / scale
        self._squares += float((shift**2).sum())
        self.loss += float((shift * ((here - noisy) / scale + (true - noisy) / scale)).sum()) / 2
        return shape

    def words(self, count: int) -> NDArray[np.uint64]:
        """Hand out zeros: what is drawn by words is the same for all data, or compared by its law."""
        return np.zeros(count, np.uint64)

    def _next(
        self, kind: str, counts: Numbers, scale: float, of: Labels
    ) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Return true and noisy numbers as recorded, the numbers of these data beside them, and what to hand out."""
        counts = np.asarray(counts, dtype=np.int64)
        if not self._left:
            raise DifferentError("more noise is drawn than with the recorded data")
        draw = self._left.pop(0)
        if (draw.kind, draw.scale) != (kind, scale):
            raise DifferentError("the kind or the scale of the noise depends on the data")
        if draw.of is None or of is None:
            if draw.true.shape != counts.shape:
                raise DifferentError("how many numbers get noise depends on the data")
            return draw.true, draw.noisy, counts, draw.noisy
        return self._matched(draw, counts, of)

    def _matched(
        self, draw: Draw, counts: Numbers, of: NDArray[np.integer]
    ) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Lay numbers side by side by their labels; whatever one side does not have is 0 there."""
        assert draw.of is not None
        _, before, after = np.intersect1d(draw.of, of, assume_unique=True, return_indices=True)
        here = np.zeros(len(draw.true), np.int64)
        here[before] = counts[after]
        handed = np.full(len(counts), _NEVER, np.int64)
        handed[after] = draw.noisy[before]
        self.missing.append(np.setdiff1d(draw.of, of, assume_unique=True))
        # What only these data have would have been 0 in the recorded run; its noise is as likely either way but for it.
        new = np.ones(len(counts), np.bool_)
        new[after] = False
        if new.any():
            self._add_new(draw, counts[new])
        return draw.true, draw.noisy, here, handed

    def _add_new(self, draw: Draw, counts: Numbers) -> None:
        """Add numbers that the recorded run did not have to what has moved."""
        if draw.kind == "geometric":
            self._distance += float(np.abs(counts).sum()) / draw.scale
        else:
            self._squares += float(((counts / draw.scale) ** 2).sum())
