"""Many small mediations at once: arrays in, arrays out, the same bits as one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous import _check
from entrenous._parallel import map_in_threads
from entrenous.access.decision import HARD_LIMIT, NO_AGREEMENT, NO_EQUILIBRIUM, NOTHING_PASSED, RULES
from entrenous.access.item import HIGHEST, MODES
from entrenous.access.mediation import judge
from entrenous.access.settling.equilibrium import ILL_CONDITIONED, TIE, BoolArray, Equilibrium
from entrenous.access.settling.peers import CAP, EXACT_SIZE, FloatArray, Weights
from entrenous.access.votes import DEFAULT, Vote, check_vote
from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from entrenous.access.settling._kernels import Results

__all__ = ["BatchDecision", "as_numbers", "check_ceilings", "check_scores", "mediate_batch"]

_CHUNK_BYTES = 1 << 20
"""Weights per task: enough that starting a task costs nothing, little enough to stay in a core's cache."""


@dataclass(frozen=True)
class BatchDecision:
    """What `mediate_batch` answers, one entry per mediation along the first axis.

    `choice` is the position of the audience to enforce, `rule` the position in `RULES` of what decided;
    `accepting` tells who accepts it. `settled`, `totals`, `defect` and `residual` are as in `Decision` and
    its `Certificate`; `exact` marks what was settled with fractions.
    """

    choice: NDArray[np.int64]
    rule: NDArray[np.int8]
    accepting: BoolArray
    settled: FloatArray
    totals: FloatArray
    defect: FloatArray
    residual: FloatArray
    exact: BoolArray

    def __len__(self) -> int:
        return len(self.choice)

    def rule_names(self) -> list[str]:
        """Return what decided each mediation, in words."""
        return [RULES[code] for code in self.rule]


def mediate_batch(
    scores: ArrayLike,
    weights: ArrayLike,
    *,
    method: str = "oc",
    mode: str = "cap",
    vote: Vote | None = None,
    ceilings: ArrayLike | None = None,
    monotone: bool = True,
) -> BatchDecision:
    """Mediate many groups of the same size, at most 64 people each, independently of each other.

    Parameters
    ----------
    scores
        Shape (mediations, people, choices), whole numbers from 0 to 5. With method "oc" the choices are those
        wider than the narrowest, with "oo" all of them; from the narrower to the wider.
    weights
        Shape (mediations, people, people), from 0 to 1, nothing on the diagonal.
    method, mode, vote, monotone
        As in `mediate`; circles are method "oc" with one choice, to allow.
    ceilings
        Shape (mediations, people): the position of the widest choice each hard limit leaves open, where 0 is
        the narrowest choice. None means no limits.

    Examples
    --------
    >>> scores = [[[5, 5, 4], [3, 3, 0]], [[5, 5, 4], [3, 3, 3]]]
    >>> batch = mediate_batch(scores, np.zeros((2, 2, 2)), ceilings=[[3, 3], [2, 3]])
    >>> batch.choice, batch.rule_names()
    (array([2, 2]), ['consensus', 'hard limit'])
    """
    complement = _check.one_of("method", method, ("oc", "oo")) == "oc"
    cap = CAP if _check.one_of("mode", mode, MODES) == "cap" else 0.0
    points = check_scores(scores, monotone=monotone and complement, largest=EXACT_SIZE)
    size, n, columns = points.shape
    given = np.ascontiguousarray(as_numbers("weights", weights), dtype=np.float64)
    if given.shape != (size, n, n):
        raise ArgumentError("weights", f"expected shape ({size}, {n}, {n}); got {given.shape}")
    widest = check_ceilings(ceilings, size, n, columns - 1 + complement)
    task = _Task(points, given, widest, method, mode, DEFAULT if vote is None else check_vote(vote))
    return _decided(task, task.run(cap))


@dataclass(frozen=True)
class _Task:
    """A checked batch."""

    points: NDArray[np.uint8]
    given: FloatArray
    widest: NDArray[np.int64]
    method: str
    mode: str
    vote: Vote

    def run(self, cap: float) -> Results:
        """Hand the batch to the compiled kernel in chunks, on every core; the kernel holds no lock."""
        from entrenous.access.settling._kernels import Results, Terms, mediate_all

        size, n, columns = self.points.shape
        complement = self.method == "oc"
        terms = Terms(cap, self.vote.needed(n), TIE, float(HIGHEST), ILL_CONDITIONED, complement)
        results = Results(
            settled=np.empty((size, n, columns)),
            totals=np.empty((size, n)),
            defect=np.empty(size),
            residual=np.empty(size),
            accepts=np.empty((size, n, columns), dtype=np.bool_),
            choice=np.empty(size, dtype=np.int64),
            cut=np.empty(size, dtype=np.bool_),
            unsure=np.empty(size, dtype=np.bool_),
        )

        chunk_size = max(1, _CHUNK_BYTES // (8 * n * n))

        def mediate_chunk(start: int) -> None:
            part = slice(start, start + chunk_size)
            _check_weights(self.given[part], start)
            chunk = Results._make(field[part] for field in results)
            mediate_all(terms, self.points[part], self.given[part], self.widest[part], chunk)

        list(map_in_threads(mediate_chunk, range(0, size, chunk_size)))
        return results

    def decide_carefully(self, place: int, batch: BatchDecision) -> None:
        """Decide one mediation as `mediate` would, with fractions where needed, and write it down."""
        weights = Weights(self.given[place], self.mode)
        equilibrium = Equilibrium.find(weights, self.points[place].astype(np.float64))
        if equilibrium is None:
            batch.choice[place], batch.rule[place] = 0, RULES.index(NO_EQUILIBRIUM)
            batch.accepting[place] = False
            batch.settled[place], batch.totals[place] = np.nan, np.nan
            batch.defect[place], batch.residual[place] = np.inf, np.inf
            return
        verdict = judge(equilibrium, method=self.method, vote=self.vote, widest=int(self.widest[place]))
        batch.choice[place], batch.rule[place] = verdict.choice, RULES.index(verdict.rule)
        batch.accepting[place] = verdict.accepting
        batch.settled[place], batch.totals[place] = equilibrium.settled, equilibrium.totals
        batch.defect[place], batch.residual[place] = equilibrium.defect, equilibrium.residual
        batch.exact[place] = verdict.exact_ties or equilibrium.solver == "fractions"


def _decided(task: _Task, raw: Results) -> BatchDecision:
    """Name the rules, and decide with care what the kernel left open."""
    complement = task.method == "oc"
    passed = raw.choice >= 0
    choice = np.maximum(raw.choice, 0)
    nothing = RULES.index(NOTHING_PASSED if complement else NO_AGREEMENT)
    rule = np.where(passed, RULES.index(task.vote.name), nothing).astype(np.int8)
    if complement:
        rule[raw.cut] = RULES.index(HARD_LIMIT)
    column = np.maximum(choice - complement, 0)
    accepting = raw.accepts[np.arange(len(choice)), :, column] & passed[:, None]
    batch = BatchDecision(
        choice=choice,
        rule=rule,
        accepting=accepting,
        settled=raw.settled,
        totals=raw.totals,
        defect=raw.defect,
        residual=raw.residual,
        exact=np.zeros(len(choice), dtype=np.bool_),
    )
    # Several options passing side by side: which rule told them apart is for the careful path to say.
    for place in np.flatnonzero(raw.unsure if complement else raw.unsure | raw.cut):
        task.decide_carefully(int(place), batch)
    return batch


def as_numbers(argument: str, value: ArrayLike) -> NDArray[Any]:
    """Return an array of real numbers; text, true and false, and rows of different lengths are none."""
    try:
        numbers = np.asarray(value)
    except ValueError:
        raise ArgumentError(argument, "expected an array; got rows of different lengths") from None
    if numbers.dtype.kind not in "iuf":
        raise ArgumentError(argument, "expected an array of numbers; got something else")
    return numbers


def check_scores(scores: ArrayLike, *, monotone: bool, largest: int | None) -> NDArray[np.uint8]:
    """Return scores of shape (mediations, people, choices) as small whole numbers."""
    points = as_numbers("scores", scores)
    if points.ndim != 3 or 0 in points.shape[1:]:
        raise ArgumentError("scores", "expected numbers of shape (mediations, people, choices)")
    if largest is not None and points.shape[1] > largest:
        raise ArgumentError("scores", f"expected at most {largest} people; got {points.shape[1]}")
    if points.size and not (points.min() >= 0 and points.max() <= HIGHEST):
        raise _fault("scores", ~((points >= 0) & (points <= HIGHEST)), f"a whole number from 0 to {HIGHEST}")
    whole = points.astype(np.uint8)
    if points.dtype.kind == "f" and not (whole == points).all():
        raise _fault("scores", whole != points, f"a whole number from 0 to {HIGHEST}")
    if monotone:
        rising = whole[:, :, 1:] > whole[:, :, :-1]
        if rising.any():
            raise _fault("scores", rising, "no higher score for the wider of two choices (or monotone=False)")
    return whole


def _check_weights(given: FloatArray, start: int) -> None:
    """Refuse weights out of range, or on the own wish; `start` is the number of the first mediation."""
    if not (given.min() >= 0 and given.max() <= 1):
        raise _fault("weights", ~((given >= 0) & (given <= 1)), "a number from 0 to 1", start)
    own = np.diagonal(given, axis1=1, axis2=2)
    if own.any():
        raise _fault("weights", own != 0, "no weight of a person on their own wish", start)


def check_ceilings(ceilings: ArrayLike | None, size: int, n: int, widest: int) -> NDArray[np.int64]:
    """Return for every mediation the position of the widest choice that all hard limits leave open."""
    if ceilings is None:
        return np.full(size, widest, dtype=np.int64)
    positions = as_numbers("ceilings", ceilings)
    if positions.shape != (size, n) or positions.dtype.kind not in "iu":
        raise ArgumentError("ceilings", f"expected whole numbers of shape ({size}, {n})")
    wrong = (positions < 0) | (positions > widest)
    if wrong.any():
        raise _fault("ceilings", wrong, f"a position from 0 to {widest}")
    return np.asarray(positions.min(axis=1), dtype=np.int64)


def _fault(argument: str, wrong: BoolArray, expected: str, start: int = 0) -> ArgumentError:
    """Return an error that names the place of the first fault, not its value."""
    mediation, person = np.argwhere(wrong)[0][:2]
    return ArgumentError(
        argument, f"expected {expected}; got something else in mediation {start + mediation}, person {person}"
    )
