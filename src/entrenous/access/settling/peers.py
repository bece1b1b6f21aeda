"""Peer effects: who listens to whom, how much, and the same numbers as exact fractions.

Row i of the matrix W holds what co-owner i gives to everybody else's wish. Mode "cap" scales a row whose
sum over the co-owners of this item exceeds 0.9 down to 0.9, which makes every group solvable, also after
people join or leave.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from entrenous.access.item import Item

__all__ = ["CAP", "EXACT_SIZE", "ExactInverse", "Weights", "capped_peers"]

CAP = 0.9
"""The largest sum of a row in mode "cap"."""

EXACT_SIZE = 64
"""Up to this many co-owners near-ties are settled with fractions."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """The weights as given, and as used.

    Examples
    --------
    >>> weights = Weights(np.array([[0.0, 0.9, 0.9], [0.3, 0.0, 0.0], [0.0, 0.0, 0.0]]), mode="cap")
    >>> weights.used.round(2)
    array([[0.  , 0.45, 0.45],
           [0.3 , 0.  , 0.  ],
           [0.  , 0.  , 0.  ]])
    >>> weights.exact_row(0)[1]
    Fraction(9, 20)
    """

    given: FloatArray
    mode: str

    @classmethod
    def of(cls, item: Item) -> Weights:
        """Return the weights among the co-owners of `item`, in its order of people."""
        place = {who: index for index, who in enumerate(item.people)}
        given = np.zeros((len(place), len(place)))
        for who, row in item.peers.items():
            for friend, weight in row.items():
                given[place[who], place[friend]] = weight
        return cls(given, item.mode)

    @cached_property
    def used(self) -> FloatArray:
        """W after capping."""
        return cap_rows(self.given) if self.mode == "cap" else self.given

    def exact_row(self, person: int) -> list[Fraction]:
        """Return a row of W after capping in fractions; a weight is read as the decimal it is written as."""
        # The shortest decimal that names the float is what was typed: 0.1 is one tenth here.
        row = [Fraction(repr(weight)) for weight in self.given[person].tolist()]
        total, limit = sum(row), Fraction(repr(CAP))
        return [weight * limit / total for weight in row] if self.mode == "cap" and total > limit else row

    def exact_among(self, people: Sequence[int]) -> list[list[Fraction]]:
        """Return what some people give to each other, in fractions."""
        rows = (self.exact_row(person) for person in people)
        return [[row[other] for other in people] for row in rows]

    @cached_property
    def exact_inverse(self) -> ExactInverse | None:
        """(I - W)^-1 in fractions, or None if there is no equilibrium."""
        return ExactInverse.of(self.exact_among(range(len(self.given))))


def cap_rows(given: FloatArray) -> FloatArray:
    """Return the weights with every row sum at most `CAP`.

    Rows are summed from left to right, never in a machine-dependent order, so that a decision can be
    recomputed bit for bit.
    """
    # `sum` adds pairwise or by vector instructions, as the machine has them.
    totals = np.add.accumulate(given, axis=-1)[..., -1:]
    scale = np.where(totals > CAP, CAP / np.where(totals > CAP, totals, 1.0), 1.0)
    return given * scale


def capped_peers(item: Item) -> dict[str, dict[str, float]]:
    """Return the weights a mediation of `item` uses, per person, without zeros.

    >>> capped_peers(Item({"ann": None, "bob": None}, {"ann": {"bob": 1.0}, "bob": {"ann": 0.2}}))
    {'ann': {'bob': 0.9}, 'bob': {'ann': 0.2}}
    """
    used = Weights.of(item).used.tolist()
    return {
        who: {friend: weight for friend, weight in zip(item.people, row, strict=True) if weight}
        for who, row in zip(item.people, used, strict=True)
    }


@dataclass(frozen=True)
class ExactInverse:
    """The inverse of I - W as integers over one determinant."""

    adjugate: list[list[int]]
    determinant: int

    @classmethod
    def of(cls, weights: list[list[Fraction]]) -> ExactInverse | None:
        """Return the inverse of I - W, or None if the spectral radius of W is 1 or more.

        Fraction-free Gauss-Jordan elimination (Bareiss 1968). The k-th pivot is the k-th leading minor, up
        to the positive row denominators, and I - W is a non-singular M-matrix if and only if all of them
        are positive (Berman & Plemmons 1994, theorem 6.2.3), which is the same as spectral radius below 1.

        >>> ExactInverse.of([[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]]) is None
        True
        """
        n = len(weights)
        rows = []
        for i, row in enumerate(weights):
            # A row times its common denominator is whole: the sign of its minors stays, since that is positive.
            common = math.lcm(*(weight.denominator for weight in row))
            left = [int((int(i == j) - weight) * common) for j, weight in enumerate(row)]
            rows.append(left + [common * int(i == j) for j in range(n)])
        previous = 1
        for k in range(n):
            pivot_row = rows[k]
            pivot = pivot_row[k]
            if pivot <= 0:
                return None
            for i in range(n):
                if i != k:
                    factor = rows[i][k]
                    rows[i] = [
                        # Bareiss: this division leaves no rest, and numbers stay as short as minors are.
                        (pivot * a - factor * b) // previous
                        for a, b in zip(rows[i], pivot_row, strict=True)
                    ]
            previous = pivot
        return cls([row[n:] for row in rows], previous)

    def settled(self, person: int, initial: FloatArray) -> Fraction:
        """Return the settled score of one person for one choice; initial scores are multiples of one half."""
        # Doubled, scores are whole: those who are silent count as 2.5.
        total = sum(a * int(2 * x) for a, x in zip(self.adjugate[person], initial.tolist(), strict=True))
        return Fraction(total, 2 * self.determinant)
