"""Many small mediations at once, compiled; every operation in the order of `equilibrium.eliminate`.

The same sums in the same order give the same bits as one mediation at a time: that is what the tests hold
these kernels to. Whatever is too close to call is flagged, not decided. A pivot of 0 divides as in numpy: the
certificate finds out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class Terms(NamedTuple):
    """What holds for the whole batch; `cap` is 0 for none, `ill` the h beyond which fractions decide."""

    cap: float
    needed: int
    tie: float
    highest: float
    ill: float
    complement: bool


class Results(NamedTuple):
    """Where the kernel writes: per mediation, per person and, for `settled`, per choice."""

    settled: FloatArray
    totals: FloatArray
    defect: FloatArray
    residual: FloatArray
    accepts: NDArray[np.bool_]
    choice: NDArray[np.int64]
    cut: NDArray[np.bool_]
    unsure: NDArray[np.bool_]


LANES = 8
"""Mediations solved side by side, innermost in memory: one vector instruction serves several of them."""


@njit(cache=True, nogil=True, error_model="numpy")
def load(
    terms: Terms, scores: NDArray[np.uint8], given: FloatArray, used: FloatArray, work: FloatArray
) -> None:
    """Fill the lanes: capped weights into `used`, (I - W | scores | 1) into `work`; idle lanes get W = 0."""
    size, n, choices = scores.shape
    for v in range(LANES):
        for i in range(n):
            # Summed from left to right as in `peers.cap_rows`: the same bits, so the same decision.
            total = 0.0
            for j in range(n):
                total += given[v, i, j] if v < size else 0.0
            # Idle lanes hold the identity: they are solved along with the others, and nothing divides by 0.
            scale = terms.cap / total if terms.cap > 0.0 and total > terms.cap else 1.0
            for j in range(n):
                used[i, j, v] = given[v, i, j] * scale if v < size else 0.0
                work[i, j, v] = (1.0 if i == j else 0.0) - used[i, j, v]
            for c in range(choices):
                work[i, n + c, v] = scores[v, i, c] if v < size else 0.0
            work[i, n + choices, v] = 1.0


@njit(cache=True, nogil=True, error_model="numpy")
def eliminate(work: FloatArray, factor: FloatArray) -> None:
    """Solve every lane in place without pivoting: the columns right of I - W become the solution."""
    n, width, _ = work.shape
    # Lanes are innermost in every loop, so that the compiler makes vector instructions of them.
    for k in range(n - 1):
        for i in range(k + 1, n):
            for v in range(LANES):
                factor[v] = work[i, k, v] / work[k, k, v]
            for j in range(k + 1, width):
                for v in range(LANES):
                    work[i, j, v] -= factor[v] * work[k, j, v]
    for k in range(n - 1, -1, -1):
        for c in range(n, width):
            for v in range(LANES):
                work[k, c, v] /= work[k, k, v]
        for i in range(k):
            for c in range(n, width):
                for v in range(LANES):
                    work[i, c, v] -= work[i, k, v] * work[k, c, v]


@njit(cache=True, nogil=True, error_model="numpy")
def certify(
    scores: NDArray[np.uint8],
    used: FloatArray,
    work: FloatArray,
    rest: FloatArray,
    errors: tuple[FloatArray, FloatArray],
) -> None:
    """Write the largest errors of (I - W) h = 1, infinite unless h is positive, and of (I - W) X = X0."""
    size, n, choices = scores.shape
    residual, defect = errors
    residual[:] = 0.0
    defect[:] = 0.0
    for i in range(n):
        for c in range(choices + 1):
            for v in range(LANES):
                # The last column is h, whose right-hand side is 1.
                known = 1.0 if c == choices else scores[v, i, c] if v < size else 0.0
                rest[v] = known - work[i, n + c, v]
            for k in range(n):
                for v in range(LANES):
                    rest[v] += used[i, k, v] * work[k, n + c, v]
            error = defect if c == choices else residual
            for v in range(size):
                error[v] = max(error[v], abs(rest[v]))
        for v in range(size):
            # Asked this way round, what is not a number fails as well.
            if not 0.0 < work[i, n + choices, v] < np.inf:
                defect[v] = np.inf
                residual[v] = np.inf


@njit(cache=True, nogil=True, error_model="numpy")
def accept_or_refuse(
    terms: Terms, settled: FloatArray, totals: FloatArray, accepts: NDArray[np.bool_]
) -> bool:
    """Mark who accepts which choice over its complement; return whether anything is too close to call."""
    near = False
    for i in range(settled.shape[0]):
        total = terms.highest * totals[i]
        for c in range(settled.shape[1]):
            # The complement 5 - x settles at 5 h - X by linearity, so it needs no solve of its own.
            signed = 2.0 * settled[i, c] - total
            accepts[i, c] = signed >= 0.0
            near = near or abs(signed) <= terms.tie * max(1.0, total)
    return near


@njit(cache=True, nogil=True, error_model="numpy")
def favour(
    terms: Terms, settled: FloatArray, totals: FloatArray, admissible: int, accepts: NDArray[np.bool_]
) -> bool:
    """Mark whose best admissible choice is which; return whether anything is too close to call."""
    near = False
    for i in range(settled.shape[0]):
        best = settled[i, 0]
        for c in range(1, admissible):
            best = max(best, settled[i, c])
        tied = 0
        for c in range(settled.shape[1]):
            # Differences are measured against 5 h, the most that scores of this person can settle at.
            close = c < admissible and best - settled[i, c] <= terms.tie * max(1.0, terms.highest * totals[i])
            accepts[i, c] = close
            tied += close
        near = near or tied > 1
    return near


@njit(cache=True, nogil=True, error_model="numpy")
def decide(terms: Terms, widest: int, b: int, results: Results) -> None:
    """Count votes on the settled scores of mediation `b`; `unsure` marks what is left to the careful path."""
    settled, totals, accepts = results.settled[b], results.totals[b], results.accepts[b]
    n, choices = settled.shape
    if terms.complement:
        near = accept_or_refuse(terms, settled, totals, accepts)
    else:
        near = favour(terms, settled, totals, widest + 1, accepts)
    # Options side by side under a limit need a second count without it: did the limit decide?
    limited = not terms.complement and widest + 1 < choices
    # A defect below 1 proves that there is an equilibrium; beyond `ill` rounding could feign one.
    results.unsure[b] = near or limited or not (results.defect[b] < 1.0 and totals.max() < terms.ill)
    results.choice[b] = -1
    results.cut[b] = False
    most = 0
    for c in range(choices - 1, -1, -1):
        count = 0
        for i in range(n):
            count += accepts[i, c]
        if count < terms.needed:
            continue
        if not terms.complement:
            # Scanning from the widest, an equal count goes to the more restrictive choice.
            results.cut[b] = results.choice[b] >= 0
            if count >= most:
                results.choice[b] = c
                most = count
        elif c + 1 > widest:
            results.cut[b] = True
        elif results.choice[b] < 0:
            results.choice[b] = c + 1


@njit(cache=True, nogil=True, error_model="numpy")
def mediate_all(
    terms: Terms,
    scores: NDArray[np.uint8],
    given: FloatArray,
    widest: NDArray[np.int64],
    results: Results,
) -> None:
    """Settle and decide every mediation of the batch."""
    size, n, choices = scores.shape
    used = np.empty((n, n, LANES))
    work = np.empty((n, n + choices + 1, LANES))
    lane = np.empty(LANES)
    for start in range(0, size, LANES):
        stop = min(start + LANES, size)
        load(terms, scores[start:stop], given[start:stop], used, work)
        eliminate(work, lane)
        errors = (results.residual[start:stop], results.defect[start:stop])
        certify(scores[start:stop], used, work, lane, errors)
        for b in range(start, stop):
            for i in range(n):
                results.totals[b, i] = work[i, n + choices, b - start]
                for c in range(choices):
                    results.settled[b, i, c] = work[i, n + c, b - start]
            decide(terms, widest[b], b, results)
