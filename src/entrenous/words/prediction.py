"""How far noisy counts will be off, before anything is spent.

The deviation of the noise follows from public numbers. What depends on the true counts (the error after negative
counts are set to 0, how many counts rise above the noise) is for the curator: it is never published.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous import _check

__all__ = ["Noisy", "Prediction"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Noisy:
    """The distribution of noise on a count: two-sided geometric or Gaussian, of some scale.

    >>> round(Noisy("geometric", 10.0).deviation, 2), Noisy("gaussian", 10.0).deviation
    (14.14, 10.0)
    """

    mechanism: str
    scale: float

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        if self.mechanism == "gaussian":
            return self.scale
        return 1 / (math.sqrt(2) * math.sinh(0.5 / self.scale)) if self.scale > 1e-3 else 0.0

    def half_width(self, confidence: float) -> float:
        """Return how far off a count is at most, with this probability.

        >>> round(Noisy("gaussian", 1.0).half_width(0.95), 2), Noisy("geometric", 1.0).half_width(0.95)
        (1.96, 3.0)
        """
        from scipy.special import ndtri

        outside = 1 - _check.probability("confidence", confidence, positive=True)
        if self.mechanism == "gaussian":
            return float(-ndtri(outside / 2) * self.scale)
        # Beyond t lies 2 a^(t+1) / (1 + a), with a = e^(-1/scale).
        steps = -self.scale * math.log(outside * (1 + math.exp(-1 / self.scale)) / 2) - 1
        return float(max(math.ceil(steps - 1e-9), 0))

    def exceeds(self, height: float, counts: FloatArray) -> FloatArray:
        """Return the probability that a count with noise is above a height."""
        from scipy.special import ndtr

        counts = np.asarray(counts, dtype=np.float64)
        if self.mechanism == "gaussian":
            return np.asarray(ndtr((counts - height) / self.scale))
        least = np.floor(height) + 1 - counts  # the noise it takes; counts and noise are whole numbers
        beyond = np.exp(-np.where(least > 0, least, 1 - least) / self.scale) / (1 + math.exp(-1 / self.scale))
        return np.asarray(np.where(least > 0, beyond, 1 - beyond))

    def clipped_error(self, counts: FloatArray) -> FloatArray:
        """Return the mean squared error of counts whose negative noisy values are set to 0.

        >>> Noisy("geometric", 5580.0).clipped_error(np.array([0.0])).round(-3)
        array([31136000.])
        """
        from scipy.special import ndtr

        counts = np.asarray(counts, dtype=np.float64)
        if self.mechanism == "gaussian":
            z = counts / self.scale
            density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
            return np.asarray(self.scale**2 * (ndtr(z) - z * density + z**2 * ndtr(-z)))
        ratio, rest = math.exp(-1 / self.scale), -math.expm1(-1 / self.scale)
        # The square of noise below -x counts as x^2 only.
        saved = 2 * counts * ratio / (rest * (1 + ratio)) + ratio / rest**2
        return np.asarray(2 * ratio / rest**2 - np.exp(-counts / self.scale) * saved)


@dataclass(frozen=True)
class Prediction:
    """What a histogram will be worth; computed from the true counts, for the curator alone.

    Attributes
    ----------
    rmse
        The root of the mean squared error of the published counts: noise, and what is left out of them.
    clipped_rmse
        The same if negative counts are set to 0, as the paper reports it.
    positive
        How many counts will be above 0: half of them for pure noise (the paper's yield).
    above
        How many counts will be above the deviation of the noise, which pure noise seldom is.
    bias
        The root of the mean square of what bounding leaves out, before anything of it is added again.
    """

    rmse: float
    clipped_rmse: float
    positive: float
    above: float
    bias: float = 0.0

    @classmethod
    def of(
        cls,
        counts: NDArray[np.int64],
        noise: Noisy,
        missing: FloatArray | float = 0.0,
    ) -> Prediction:
        """Return what noise of this distribution makes of these counts.

        Parameters
        ----------
        counts
            The true counts.
        noise
            What is added.
        missing
            How much less than the truth each published count is in the mean.
        """
        values = counts.astype(np.float64)
        off = np.broadcast_to(np.asarray(missing, dtype=np.float64), values.shape)
        shown = np.maximum(values - off, 0.0)
        drawn = np.rint(values - off)  # what noise is added to
        return cls(
            rmse=float(math.sqrt(noise.deviation**2 + (off**2).mean())),
            clipped_rmse=float(math.sqrt((noise.clipped_error(shown) + off**2).mean())),
            positive=float(noise.exceeds(0.0, drawn).sum()),
            above=float(noise.exceeds(noise.deviation, drawn).sum()),
            bias=float(math.sqrt((off**2).mean())),
        )
