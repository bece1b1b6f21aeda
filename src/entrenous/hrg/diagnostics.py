"""Has the chain reached its distribution? Diagnostics for the curator; nothing here may steer or enter a release.

A chain started at random climbs towards equilibrium from below. One started from the state of a colder chain, which
fits the graph better than the distribution asks for, sinks towards it from above. Where the two meet is equilibrium;
where they do not, neither has arrived.

References
----------
Xiao, Chen & Tan (2014), Differentially private network data release via structural inference, KDD (the window rule).
Gelman & Rubin (1992), Inference from iterative simulation using multiple sequences, Statistical Science 7.
Vehtari, Gelman, Simpson, Carpenter & Buerkner (2021), Rank-normalization, folding, and localization: an improved
R-hat for assessing convergence of MCMC, Bayesian Analysis 16.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous._check import at_least
from entrenous._parallel import run_with_progress
from entrenous.errors import ArgumentError
from entrenous.hrg.chain import Chain, Trace, run
from entrenous.hrg.utility import Utility

if TYPE_CHECKING:
    from entrenous.graph import Graph

__all__ = ["Diagnosis", "WindowRule", "diagnose", "effective_sample_size", "r_hat", "window_rule"]

_WINDOW = 65_536
_SHARE_OF_NODES = 0.05
_MET = 1.05  # the usual bar for R-hat


@dataclass(frozen=True)
class WindowRule:
    """The published stop rule: where the mean utilities of two successive windows come close.

    It looks at the edges and fires long before equilibrium, so chains here never stop on it.

    Parameters
    ----------
    window
        Steps per window.
    tolerance
        The difference of means below which the rule fires.
    means
        The mean utility of each complete window.
    fired_at
        Steps made when the rule first fired, or None.
    """

    window: int
    tolerance: float
    means: NDArray[np.float64]
    fired_at: int | None


@dataclass(frozen=True)
class Diagnosis:
    """Several chains with one distribution, from below and from above.

    Parameters
    ----------
    below, above
        Chains from uniformly random dendrograms, and from states of colder chains.
    level_below, level_above
        Their mean utility per node over the second half of the steps.
    r_hat
        Potential scale reduction over all chains' second halves: 1 at equilibrium.
    effective_sample_size
        How many independent states the second halves are worth, for the utility.
    windows
        The published stop rule on each chain from below.
    """

    below: tuple[Chain, ...]
    above: tuple[Chain, ...]
    level_below: float
    level_above: float
    r_hat: float
    effective_sample_size: float
    windows: tuple[WindowRule, ...]

    @property
    def met(self) -> bool:
        """Whether chains from below and above have become indistinguishable: R-hat at most 1.05."""
        return self.r_hat <= _MET


def diagnose(
    graph: Graph,
    *,
    beta: float,
    steps: int,
    chains: int = 4,
    colder: float = 5.0,
    utility: Utility | None = None,
    moves: str = "mixture",
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Diagnosis:
    """Run chains from below and from above, side by side, and compare them.

    Parameters
    ----------
    chains
        How many in all, half of them from above; an even number.
    colder
        By which factor beta is larger in the chains that provide the starts from above.

    Examples
    --------
    >>> from entrenous.graph import Graph
    >>> ring = Graph.from_edges([(node, (node + 1) % 12) for node in range(12)], n=12)
    >>> diagnose(ring, beta=0.1, steps=200_000, rng=1).met
    True
    """
    half, odd = divmod(at_least("chains", chains, 2), 2)
    if odd:
        raise ArgumentError("chains", f"expected an even number, half of them from above; got {chains}")
    total = at_least("steps", steps, 8)
    if not math.isfinite(colder) or colder < 1:
        raise ArgumentError("colder", f"expected a finite number, 1 or more; got {colder!r}")
    every = min(_WINDOW, 1 << (total // 200).bit_length())
    generators = np.random.default_rng(rng).spawn(2 * half)
    one = partial(run, graph, steps=total, utility=utility, moves=moves, trace_every=every)

    def from_below(report: Callable[[int, int], None], generator: np.random.Generator) -> Chain:
        return one(beta=beta, rng=generator, progress=report)

    def from_above(report: Callable[[int, int], None], generator: np.random.Generator) -> Chain:
        cold = one(beta=colder * beta, rng=generator, progress=report)
        return one(beta=beta, rng=generator, start=cold.dendrogram, progress=report)

    jobs = [partial(from_above, generator=generator) for generator in generators[:half]]
    jobs += [partial(from_below, generator=generator) for generator in generators[half:]]
    finished = run_with_progress(jobs, 3 * half * total, progress)
    above, below = tuple(finished[:half]), tuple(finished[half:])
    traces = np.array([chain.trace.utility[len(chain.trace.utility) // 2 :] for chain in (*below, *above)])
    return Diagnosis(
        below=below,
        above=above,
        level_below=_level(below, graph.n),
        level_above=_level(above, graph.n),
        r_hat=r_hat(traces),
        effective_sample_size=effective_sample_size(traces),
        windows=tuple(window_rule(chain.trace, graph.n) for chain in below),
    )


def window_rule(trace: Trace, n: int, *, window: int = _WINDOW) -> WindowRule:
    """Apply the published stop rule to a trace whose entries are `window` steps apart, or a fraction of it.

    >>> trace = Trace(np.array([2, 4, 6, 8]), np.zeros(4), np.array([-9.0, -5.0, -4.0, -3.9]))
    >>> window_rule(trace, 10, window=2).fired_at
    8
    """
    interval = int(trace.steps[0]) if len(trace.steps) else window
    per_window, rest = divmod(window, interval)
    if rest:
        raise ArgumentError(
            "trace", f"expected entries every {window} steps or a fraction; got every {interval}"
        )
    # The last entry may be a short one: it belongs to no complete window.
    regular = int((trace.steps % interval == 0).sum())
    complete = regular // per_window
    means = trace.mean[: complete * per_window].reshape(complete, per_window).mean(axis=1)
    tolerance = _SHARE_OF_NODES * n
    close = np.flatnonzero(np.abs(np.diff(means)) < tolerance)
    fired_at = (int(close[0]) + 2) * window if len(close) else None
    return WindowRule(window, tolerance, means, fired_at)


def r_hat(traces: ArrayLike) -> float:
    """Return the split potential scale reduction factor of traces, one row per chain.

    Each chain counts as two, so a drift within a chain shows as well as a difference between chains.

    >>> rng = np.random.default_rng(1)
    >>> round(r_hat(rng.normal(size=(4, 1000))), 2)
    1.0
    >>> r_hat(rng.normal(size=(4, 1000)) + [[0], [0], [3], [3]]) > 1.5
    True
    """
    halves = _split(traces)
    within, pooled = _variances(halves)
    return math.sqrt(pooled / within) if within > 0 else (1.0 if pooled == 0 else math.inf)


def effective_sample_size(traces: ArrayLike) -> float:
    """Return how many independent draws the traces, one row per chain, are worth for estimating the mean.

    Autocorrelations are summed in pairs for as long as the pairs stay positive and decrease.

    >>> rng = np.random.default_rng(1)
    >>> 3000 < effective_sample_size(rng.normal(size=(4, 1000))) < 5000
    True
    """
    halves = _split(traces)
    chains, length = halves.shape
    within, pooled = _variances(halves)
    if pooled == 0:
        return float(chains * length)
    centred = halves - halves.mean(axis=1, keepdims=True)
    # Padded to twice the length: otherwise the end of a chain would be correlated with its beginning.
    spectrum = np.abs(np.fft.rfft(centred, n=2 * length, axis=1)) ** 2
    covariances = np.fft.irfft(spectrum, axis=1)[:, :length].mean(axis=0) / length
    correlations = 1 - (within - covariances * length / (length - 1)) / pooled
    correlations[0] = 1.0
    even = length - length % 2
    pairs = correlations[:even].reshape(-1, 2).sum(axis=1)
    # Geyer's initial sequence: beyond the first negative pair there is nothing but noise.
    stop = int(np.argmax(pairs < 0)) if (pairs < 0).any() else len(pairs)
    time = 2 * np.minimum.accumulate(pairs[:stop]).sum() - 1 if stop else 1.0
    # Chains that alternate may be worth more than independent draws, but not without bound.
    return float(chains * length / max(time, 1 / math.log10(chains * length)))


def _split(traces: ArrayLike) -> NDArray[np.float64]:
    """Cut every trace into two halves of equal length."""
    rows = np.atleast_2d(np.asarray(traces, np.float64))
    half = rows.shape[1] // 2
    if half < 2:
        raise ArgumentError("traces", f"expected at least 4 entries per chain; got {rows.shape[1]}")
    return np.concatenate([rows[:, :half], rows[:, -half:]])


def _variances(halves: NDArray[np.float64]) -> tuple[float, float]:
    """Return the variance within chains, and the one that differences between chains add to it."""
    length = halves.shape[1]
    within = float(halves.var(axis=1, ddof=1).mean())
    between = float(halves.mean(axis=1).var(ddof=1))
    return within, within * (length - 1) / length + between


def _level(chains: Sequence[Chain], n: int) -> float:
    """Return the mean utility per node over the second half of the steps."""
    return float(np.mean([chain.trace.mean[len(chain.trace.mean) // 2 :].mean() for chain in chains]) / n)
