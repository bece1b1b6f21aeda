"""One large mediation: thousands of co-owners, each listening to a few.

Iterative solvers, tried in turn (BiCGSTAB, GMRES, plain repetition of the best replies), and none of them
trusted: what counts is the certificate. With h > 0 and |1 - (I - W) h| <= defect < 1 the equilibrium
exists, and every settled score is within max h / (1 - defect) times the residual of the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous import _check
from entrenous.access.decision import HARD_LIMIT, NO_EQUILIBRIUM
from entrenous.access.item import HIGHEST, MODES
from entrenous.access.mediation import scan, tally
from entrenous.access.settling.batch import as_numbers, check_ceilings, check_scores
from entrenous.access.settling.equilibrium import TIE, BoolArray
from entrenous.access.settling.peers import CAP, FloatArray
from entrenous.access.votes import DEFAULT, Vote, check_vote
from entrenous.errors import ArgumentError

__all__ = ["SparseDecision", "mediate_sparse"]

ACCURACY = TIE / 10
"""The largest error, relative to the scores, that cannot turn a tie into a difference."""

REPETITIONS = 20_000
"""Rounds of best replies before giving up."""

Solver = Callable[[Any, FloatArray, float], FloatArray]


@dataclass(frozen=True)
class SparseDecision:
    """What `mediate_sparse` answers.

    `choice` is the position of the audience to enforce, `rule` what decided, `accepting` who accepts it,
    `settled` the scores per person and choice, `totals` h. `exists` tells whether an equilibrium is
    certified; if so, no settled score is off by more than `error`.
    """

    choice: int
    rule: str
    accepting: BoolArray
    settled: FloatArray
    totals: FloatArray
    exists: bool
    defect: float
    residual: float
    error: float
    solver: str


def mediate_sparse(
    scores: ArrayLike,
    weights: Any,
    *,
    method: str = "oc",
    mode: str = "cap",
    vote: Vote | None = None,
    ceilings: ArrayLike | None = None,
    monotone: bool = True,
) -> SparseDecision:
    """Mediate one large group.

    Parameters
    ----------
    scores
        Shape (people, choices), as for `mediate_batch`.
    weights
        A scipy sparse matrix or array, people by people, from 0 to 1, nothing on the diagonal.
    ceilings
        Per person the position of the widest choice a hard limit leaves open; None means no limits.
    method, mode, vote, monotone
        As in `mediate_batch`. Near-ties are ties here: fractions are for small groups.

    Notes
    -----
    In mode "strict" a radius so close to 1 that no solver reaches a certificate accurate enough to tell ties
    is reported as "no equilibrium".

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> weights = csr_array(np.array([[0, 0.4], [0, 0]]))
    >>> decision = mediate_sparse([[5, 5, 4], [3, 3, 0]], weights)
    >>> decision.choice, decision.settled[0].round(2).tolist(), decision.error < 1e-10
    (2, [6.2, 6.2, 4.0], True)
    """
    complement = _check.one_of("method", method, ("oc", "oo")) == "oc"
    capped = _check.one_of("mode", mode, MODES) == "cap"
    ballot = DEFAULT if vote is None else check_vote(vote)
    alone = as_numbers("scores", scores)[None]
    points = check_scores(alone, monotone=monotone and complement, largest=None)[0]
    n, columns = points.shape
    limits = None if ceilings is None else as_numbers("ceilings", ceilings)[None]
    widest = int(check_ceilings(limits, 1, n, columns - 1 + complement)[0])
    used = _capped(_checked_weights(weights, n), capped)
    initial = points.astype(np.float64)
    settled, totals, proof = _settle(used, initial)
    if not proof.defect < 1:
        return _unsettled(initial, proof.solver)
    choice, rule, accepting = _vote(settled, totals, ballot, widest, complement)
    return SparseDecision(
        choice=choice,
        rule=rule,
        accepting=accepting,
        settled=settled,
        totals=totals,
        exists=True,
        defect=proof.defect,
        residual=proof.residual,
        error=proof.error,
        solver=proof.solver,
    )


@dataclass(frozen=True)
class _Proof:
    defect: float
    residual: float
    error: float
    solver: str


def _unsettled(initial: FloatArray, solver: str) -> SparseDecision:
    """Return the answer where no equilibrium is certified: the narrowest choice, and nothing settled."""
    return SparseDecision(
        choice=0,
        rule=NO_EQUILIBRIUM,
        accepting=np.zeros(len(initial), dtype=np.bool_),
        settled=np.full_like(initial, np.nan),
        totals=np.full(len(initial), np.nan),
        exists=False,
        defect=float("inf"),
        residual=float("inf"),
        error=float("inf"),
        solver=solver,
    )


def _settle(used: Any, initial: FloatArray) -> tuple[FloatArray, FloatArray, _Proof]:
    """Solve (I - W) (X, h) = (X0, 1), asking one solver after the other until the proof is good enough."""
    known = np.column_stack([initial, np.ones(len(initial))])
    solution, proof = known, _Proof(float("inf"), float("inf"), float("inf"), "none")
    for name, solver in _SOLVERS.items():
        # A residual is amplified by up to max h: asking for a hundredth usually leaves the error small enough.
        candidate = solver(used, known, ACCURACY / 100)
        found = _prove(used, candidate, known, name)
        # The best candidate so far stays: a later solver may do worse.
        if found.error < proof.error or proof.solver == "none":
            solution, proof = candidate, found
        if proof.error <= ACCURACY * max(1, HIGHEST * float(solution[:, -1].max())):
            return solution[:, :-1], solution[:, -1], proof
    return solution[:, :-1], solution[:, -1], replace(proof, defect=float("inf"))


def _prove(used: Any, solution: FloatArray, known: FloatArray, solver: str) -> _Proof:
    totals = solution[:, -1]
    if not (np.isfinite(solution).all() and (totals > 0).all()):
        return _Proof(float("inf"), float("inf"), float("inf"), solver)
    # The order of summation does not matter here: the bound is far above rounding.
    rest = np.abs(known - solution + used @ solution)
    defect, residual = float(rest[:, -1].max()), float(rest[:, :-1].max())
    error = float(totals.max()) / (1 - defect) * residual if defect < 1 else float("inf")
    return _Proof(defect, residual, error, solver)


def _bicgstab(used: Any, known: FloatArray, accuracy: float) -> FloatArray:
    return _column_by_column("bicgstab", used, known, accuracy, maxiter=500)


def _gmres(used: Any, known: FloatArray, accuracy: float) -> FloatArray:
    return _column_by_column("gmres", used, known, accuracy, maxiter=50, restart=50)


def _column_by_column(name: str, used: Any, known: FloatArray, accuracy: float, **options: int) -> FloatArray:
    from scipy.sparse import identity, linalg

    system = (identity(used.shape[0], format="csr") - used).tocsr()
    with np.errstate(all="ignore"):  # a breakdown is found by the proof, not by a warning
        columns = [
            # The proof is about absolute errors, so no relative ones are asked for; wishes start near where they end.
            getattr(linalg, name)(system, column, x0=column, rtol=0.0, atol=accuracy, **options)[0]
            for column in known.T
        ]
    return np.column_stack(columns)


def _best_replies(used: Any, known: FloatArray, accuracy: float) -> FloatArray:
    """Let everybody answer everybody until nothing moves: the Neumann series."""
    solution = known
    for _ in range(REPETITIONS):
        following = known + used @ solution
        step = float(np.abs(following - solution).max())
        solution = following
        # Nothing moves any more, or everything grows without end; both end the series.
        if not accuracy < step < 1e12:
            break
    return solution


_SOLVERS: dict[str, Solver] = {"bicgstab": _bicgstab, "gmres": _gmres, "best replies": _best_replies}


def _vote(
    settled: FloatArray, totals: FloatArray, vote: Vote, widest: int, complement: bool
) -> tuple[int, str, BoolArray]:
    tolerance = TIE * np.maximum(1, HIGHEST * totals[:, None])
    needed = vote.needed(len(totals))
    if complement:
        # A near-tie is a tie, and a tie accepts, as in `Equilibrium.balance`.
        accepts = 2 * settled - HIGHEST * totals[:, None] >= -tolerance
        choice, rule = scan(accepts, needed, widest, vote.name)
        return choice, rule, accepts[:, choice - 1] & (choice > 0)
    liked = [_favourites(settled[:, : last + 1], tolerance) for last in (widest, settled.shape[1] - 1)]
    best, rule = tally(liked[0], needed, vote.name)
    if best is None:
        return 0, rule, np.zeros(len(totals), dtype=np.bool_)
    return best, rule if tally(liked[1], needed, vote.name)[0] == best else HARD_LIMIT, liked[0][:, best]


def _favourites(settled: FloatArray, tolerance: FloatArray) -> BoolArray:
    return np.asarray(settled.max(axis=1, keepdims=True) - settled <= tolerance)


def _capped(weights: Any, capped: bool) -> Any:
    if not capped:
        return weights
    from scipy.sparse import diags_array

    totals = np.asarray(weights.sum(axis=1)).ravel()
    scale = np.where(totals > CAP, CAP / np.where(totals > CAP, totals, 1.0), 1.0)
    return (diags_array(scale) @ weights).tocsr()


def _checked_weights(weights: Any, n: int) -> Any:
    from scipy.sparse import csr_array, issparse

    if not issparse(weights):
        raise ArgumentError("weights", "expected a scipy sparse matrix; use mediate_batch for dense ones")
    if weights.shape != (n, n):
        raise ArgumentError("weights", f"expected shape ({n}, {n}); got {weights.shape}")
    if weights.dtype.kind not in "iuf":
        raise ArgumentError("weights", "expected a matrix of numbers; got something else")
    matrix = csr_array(weights, dtype=np.float64, copy=True)  # sorted below, and not under the caller's hands
    matrix.sum_duplicates()
    wrong: NDArray[np.bool_] = ~((matrix.data >= 0) & (matrix.data <= 1))
    if wrong.any():
        person = int(np.searchsorted(matrix.indptr, np.flatnonzero(wrong)[0], side="right")) - 1
        raise ArgumentError(
            "weights", f"expected numbers from 0 to 1; got something else for person {person}"
        )
    own = np.flatnonzero(matrix.diagonal())
    if len(own):
        raise ArgumentError("weights", f"expected no weight on the own wish; got one for person {own[0]}")
    return matrix
