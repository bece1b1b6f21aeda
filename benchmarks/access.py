"""How many mediations a second: `python -m benchmarks.access [--quick] [--json FILE]`.

A mediation is everything a decision needs: capping, the solve with its certificate, who accepts what, the
vote and ties settled with fractions. Rows: `batch` (ours, many small groups), `loop` (numpy's
`linalg.solve`, one group after the other, without certificate or exact ties), `sparse` (one large group,
each listening to 20, row sums up to 0.99). The best of several runs counts; compilation is not included.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from benchmarks import rows

CAP = 0.9


def main() -> None:
    """Run the benchmark, print its rows and write them if asked to."""
    options = rows.arguments(__doc__)
    found = []
    for row in chain(small_groups(options.quick), [large_group()]):
        rows.show(row)
        found.append(row)
    rows.write(found, options.json)


def small_groups(quick: bool) -> Iterator[dict[str, Any]]:
    """Yield rows for groups of 5 and of 16 people, ours and numpy's loop."""
    from entrenous.access import mediate_batch

    for n, size in ((5, 200_000), (16, 100_000)):
        scores, weights = random_groups(size if quick else 3 * size, n, seed=n)
        mediate_batch(scores[:8], weights[:8])
        seconds, batch = best_of(5, lambda s=scores, w=weights: mediate_batch(s, w))
        few = 5_000
        slow, choices = best_of(3, lambda s=scores[:few], w=weights[:few]: loop(s, w))
        assert (batch.choice[:few] == choices).all(), "both must decide alike"
        yield {"name": "batch", "n": n, "per_second": len(scores) / seconds}
        yield {"name": "loop", "n": n, "per_second": few / slow}


def large_group() -> dict[str, Any]:
    """Return the row for one group of 10,000."""
    from scipy.sparse import csr_array

    from entrenous.access import StrongMajority, mediate_sparse

    n, degree = 10_000, 20
    rng = np.random.default_rng(7)
    friends = (
        np.arange(n)[:, None] + 1 + np.array([rng.choice(n - 1, degree, replace=False) for _ in range(n)])
    ) % n
    weights = rng.random((n, degree))
    weights *= (rng.uniform(0.5, 0.99, n) / weights.sum(axis=1))[:, None]
    matrix = csr_array((weights.ravel(), friends.ravel(), np.arange(0, n * degree + 1, degree)), shape=(n, n))
    scores = np.sort(rng.integers(0, 6, (n, 3)), axis=1)[:, ::-1]
    seconds, decision = best_of(
        5, lambda: mediate_sparse(scores, matrix, mode="strict", vote=StrongMajority(0.51))
    )
    assert decision.exists, "no certificate"
    return {"name": "sparse", "n": n, "seconds": seconds, "error": decision.error, "solver": decision.solver}


def random_groups(size: int, n: int, *, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return monotone scores for three audiences and weights in whole percents, everybody listening to everybody."""
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.integers(0, 6, (size, n, 3), dtype=np.uint8), axis=2)[:, :, ::-1]
    weights = rng.integers(0, 101, (size, n, n)) / 100 * (1 - np.eye(n))
    return np.ascontiguousarray(scores), weights


def loop(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the position of each decision, by numpy's solver and one group after the other."""
    n = weights.shape[1]
    identity = np.eye(n)
    choices = np.zeros(len(scores), dtype=np.int64)
    for k, (wishes, given) in enumerate(zip(scores.astype(float), weights, strict=True)):
        totals = given.sum(axis=1)
        used = given * np.minimum(1, CAP / np.maximum(totals, 1e-300))[:, None]
        passing = np.flatnonzero((np.linalg.solve(identity - used, 2 * wishes - 5) >= 0).all(axis=0))
        choices[k] = passing[-1] + 1 if len(passing) else 0
    return choices


def best_of(times: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of the quickest run, and its result."""
    best, result = float("inf"), None
    for _ in range(times):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


if __name__ == "__main__":
    main()
