"""Who must lower what when consideration grows without end.

Only strongly connected groups of people with spectral radius 1 or more are involved. The loop gain of
person i is what comes back to i of one unit of the own wish by way of the others, g = W[i,-i] (I -
W[-i,-i])^-1 W[-i,i]. If the others settle without i, scaling the own row by t leaves an equilibrium if and
only if t g < 1: below 1/g, i alone repairs it. (Row and column sums decide nothing: an equilibrium may
exist where both are 1, and fail where none is.)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from entrenous.access.decision import Guidance
from entrenous.access.settling.equilibrium import certify, solve_dense
from entrenous.access.settling.peers import EXACT_SIZE, ExactInverse, FloatArray, Weights

__all__ = ["guide", "loop_gain", "spectral_radius"]

# Fractions grow by the digits of every weight on the way, so their cost grows much faster than the loop.
EXACT_LOOP = 16
"""Up to this many people in a loop the gain is a fraction; beyond, the closed form is evaluated in floats."""


def guide(people: Sequence[str], weights: Weights) -> tuple[Guidance, ...]:
    """Return what each involved person can do, in the order of `people`; empty if an equilibrium exists.

    Examples
    --------
    A professor and four students, each moved by the other: the loop gain is exactly 1.

    >>> given = np.zeros((5, 5))
    >>> given[0, 1:], given[1:, 0] = 0.25, 1.0
    >>> [advice.alone for advice in guide("pabcd", Weights(given, "strict"))]
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    advice: list[tuple[int, Guidance]] = []
    for members in _loops(weights.used):
        if _settles(weights, members):
            continue
        together = 1 / spectral_radius(weights.used[np.ix_(members, members)])
        for person in members:
            gain = loop_gain(weights, members, person)
            alone = None if gain is None else float(1 / gain)
            advice.append((person, Guidance(people[person], alone, together)))
    return tuple(entry for _, entry in sorted(advice, key=lambda pair: pair[0]))


def loop_gain(weights: Weights, members: Sequence[int], person: int) -> Fraction | float | None:
    """Return how much of a person's wish comes back through the other members, None if they do not settle.

    >>> loop_gain(Weights(np.array([[0, 0.5], [0.4, 0]]), "strict"), (0, 1), 0)
    Fraction(1, 5)
    """
    rest = [other for other in members if other != person]
    if len(members) > EXACT_LOOP:
        used = weights.used
        # One solve for one column: the gain needs no inverse.
        inside = used[np.ix_(rest, rest)]
        settled = solve_dense(inside, used[rest, person][:, None])
        return float(used[person, rest] @ settled[:, 0]) if _certified(inside) else None
    inverse = ExactInverse.of(weights.exact_among(rest))
    if inverse is None:
        return None
    rows = weights.exact_among([person, *rest])
    listens, heard = rows[0][1:], [row[0] for row in rows[1:]]
    # Numerators over the one determinant, which divides once at the end.
    settled_by = [sum(a * w for a, w in zip(row, heard, strict=True)) for row in inverse.adjugate]
    return sum((w * x for w, x in zip(listens, settled_by, strict=True)), Fraction(0)) / inverse.determinant


def spectral_radius(matrix: FloatArray) -> float:
    """Return the largest absolute eigenvalue; only guidance and tests need it, existence does not."""
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def _settles(weights: Weights, members: Sequence[int]) -> bool:
    if len(members) <= EXACT_SIZE:
        return ExactInverse.of(weights.exact_among(members)) is not None
    return _certified(weights.used[np.ix_(members, members)])


def _certified(inside: FloatArray) -> bool:
    ones = np.ones((len(inside), 1))
    return certify(inside, solve_dense(inside, ones), ones, 0)[0] < 1


def _loops(used: FloatArray) -> list[list[int]]:
    """Return the strongly connected components with more than one member."""
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(used > 0, connection="strong")
    components = (np.flatnonzero(label == k).tolist() for k in range(count))
    return [members for members in components if len(members) > 1]
