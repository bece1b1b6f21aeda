"""The only place where privacy noise is drawn.

`Noise` says where randomness comes from and draws what mechanisms need. Without a seed, noise comes from OpenDP's
exact integer samplers and from the operating system; with a seed the run is a *rehearsal*: repeatable, and stamped
"not private" on everything it makes.
"""

from __future__ import annotations

import math
import os
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous._parallel import map_in_threads, threads
from entrenous.errors import ArgumentError
from entrenous.price import geometric_scale

__all__ = ["FINE", "REHEARSAL", "Noise", "geometric_cost"]

REHEARSAL = "not private: drawn from a known seed"
#: A scale from which whole-number Gaussian noise is as good as the normal law: whoever rounds to a grid chooses its
#: step so that `scale` is this many steps or more. Tail probabilities then agree to less than one in a million.
FINE = 2**20
# Values handed to OpenDP at once: its lists stay small, and threads are worth starting.
_CHUNK, _LEAST_CHUNK = 50_000, 1000
_MEASUREMENTS = 64  # of OpenDP that are kept: an audit asks for the same ones over and over
_MOST_SCALE = 1e16  # a hundred standard deviations are whole numbers of 64 bits

#: What numbers are numbers of: ids of n-grams, for instance; None where everything has its public place.
Labels = NDArray[Any] | None


class Noise:
    """A source of privacy noise: the operating system, or a seed for rehearsals.

    Parameters
    ----------
    rng
        None for real noise. A seed or a numpy Generator makes the run repeatable and therefore a rehearsal.

    Examples
    --------
    >>> Noise().rehearsal, Noise(7).rehearsal
    (False, True)
    >>> Noise(7).geometric(np.array([10, 20]), sensitivity=1, epsilon=1.0)
    array([ 9, 22])

    References
    ----------
    Canonne, Kamath, Steinke: The discrete Gaussian for differential privacy. NeurIPS 2020 (exact samplers).
    Ghosh, Roughgarden, Sundararajan: Universally utility-maximizing privacy mechanisms. STOC 2009 (geometric).
    """

    def __init__(self, rng: np.random.Generator | int | None = None) -> None:
        seeded = rng is not None
        if seeded and not isinstance(rng, np.random.Generator):
            rng = _check.at_least("rng", rng, 0)
        self.rehearsal = seeded
        #: For draws that privacy does not rest on: post-processing.
        self.generator = np.random.default_rng(rng)
        #: For Markov chains. A stream of its own: published draws must not lead back to it.
        self.chain_generator = self.generator.spawn(1)[0] if seeded else np.random.default_rng()

    def answer(self, statistic: Any, data: Any, unit: Any) -> Any:
        """Let a statistic draw its answer here. Desks ask this way, so that a source may take notes."""
        return type(statistic).draw(statistic, data, unit, self)

    def geometric(
        self,
        counts: NDArray[np.int64],
        *,
        sensitivity: int,
        epsilon: float,
        of: Labels = None,  # noqa: ARG002 - for sources that take notes
    ) -> NDArray[np.int64]:
        """Return whole numbers with two-sided geometric noise, epsilon-DP for the given L1 sensitivity.

        The noise k has probability proportional to exp(-epsilon |k| / sensitivity). Where data decide which numbers
        there are, `of` says what each is a number of, so that two data sets can be compared number by number.
        """
        counts = np.asarray(counts, dtype=np.int64)
        epsilon = _check.epsilon("epsilon", epsilon)
        sensitivity = _check.at_least("sensitivity", sensitivity, 1)
        if self.rehearsal:
            success = -math.expm1(-epsilon / sensitivity)
            up, down = self.generator.geometric(success, size=(2, *counts.shape))
            return np.asarray(counts + (up - down), dtype=np.int64)
        return _in_chunks(_opendp_geometric(sensitivity, epsilon), counts)

    def gaussian(
        self,
        values: NDArray[np.int64],
        *,
        scale: float,
        of: Labels = None,  # noqa: ARG002 - for sources that take notes
    ) -> NDArray[np.int64]:
        """Return whole numbers with discrete Gaussian noise: rho-zCDP with rho = (L2 sensitivity / scale)^2 / 2.

        The noise k has probability proportional to exp(-k^2 / (2 scale^2)). Values, sensitivity and scale are in the
        same unit: whoever adds fractions rounds them to a grid first and speaks in its steps. With a `scale` of
        `FINE` steps or more the noise may be accounted for as normal noise. `of` is as in `geometric`.
        """
        values = np.asarray(values, dtype=np.int64)
        scale = _check.epsilon("scale", scale)
        if scale > _MOST_SCALE:
            raise ArgumentError(
                "scale", f"expected at most {_MOST_SCALE:g}, whole numbers end; got {scale!r}"
            )
        if self.rehearsal:
            noise = _discrete_gaussian(self.generator, scale, values.size).reshape(values.shape)
            return np.asarray(values + noise, dtype=np.int64)
        return _in_chunks(_opendp_gaussian(scale), values)

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return uniformly random 64-bit words, from which kernels draw exactly."""
        if self.rehearsal:
            return self.generator.integers(0, 2**64, size=count, dtype=np.uint64)
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def geometric_cost(sensitivity: int, epsilon: float) -> float:
    """Return what OpenDP's own map says `Noise.geometric` costs: epsilon, or a hair less."""
    return float(_opendp_geometric(sensitivity, _check.epsilon("epsilon", epsilon)).map(sensitivity))


def _in_chunks(measurement: Any, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what an OpenDP measurement of whole numbers makes of an array of any shape."""
    flat = np.array(values).ravel()  # a copy: OpenDP takes no read-only arrays
    chunk = min(max(-(-flat.size // threads()), _LEAST_CHUNK), _CHUNK)

    def drawn(start: int) -> NDArray[np.int64]:
        return np.asarray(measurement(flat[start : start + chunk]), dtype=np.int64)

    # OpenDP draws without holding Python's lock.
    parts = map_in_threads(drawn, range(0, flat.size, chunk))
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts]).reshape(values.shape)


def _discrete_gaussian(generator: np.random.Generator, scale: float, count: int) -> NDArray[np.int64]:
    """Return discrete Gaussian draws for rehearsals: two-sided geometric proposals, kept with the right chance."""
    step = math.floor(scale) + 1
    centre = scale * scale / step
    kept: list[NDArray[np.int64]] = []
    missing = count
    while missing:
        up, down = generator.geometric(-math.expm1(-1 / step), size=(2, 2 * missing + 64))
        proposed = up - down
        chance = np.exp(-(((np.abs(proposed) - centre) / scale) ** 2) / 2)
        taken = proposed[generator.random(proposed.size) < chance][:missing]
        kept.append(taken)
        missing -= taken.size
    return np.concatenate([np.zeros(0, dtype=np.int64), *kept])


@lru_cache(_MEASUREMENTS)
def _opendp_geometric(sensitivity: int, epsilon: float) -> Any:
    """Return OpenDP's integer Laplace measurement, its own privacy map consulted."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain, metric = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    scale = geometric_scale(sensitivity, epsilon)
    for _ in range(8):
        measurement = dp.m.make_laplace(domain, metric, scale=scale)
        if float(measurement.map(sensitivity)) <= epsilon:
            return measurement
        scale = math.nextafter(scale, math.inf)  # the rounded quotient may fall short by one unit
    raise ArgumentError("epsilon", f"no scale confirmed by OpenDP for epsilon {epsilon!r}")


@lru_cache(_MEASUREMENTS)
def _opendp_gaussian(scale: float) -> Any:
    """Return OpenDP's integer Gaussian measurement, its own privacy map consulted."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain, metric = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64")
    promised = 0.5 / scale**2
    for _ in range(8):
        measurement = dp.m.make_gaussian(domain, metric, scale=scale)
        if float(measurement.map(1.0)) <= promised:
            return measurement
        scale = math.nextafter(scale, math.inf)  # the map rounds up
    raise ArgumentError("scale", f"no noise confirmed by OpenDP for scale {scale!r}")
