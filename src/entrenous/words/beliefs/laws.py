"""The class of laws that a belief stands for, as constraints that any joint distribution can be held against.

A card promises something for *every* law that its sentences allow. So a belief does not only have sentences and
numbers: it can also be asked whether one particular law, hidden variables included, is among those it speaks of. Tests
search that class for a law that breaks the promise; see tests/words/test_laws.py.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous.errors import ArgumentError

__all__ = [
    "Constraint",
    "Law",
    "Laws",
    "as_many_as",
    "at_most",
    "given_the_edge",
    "given_the_topic",
    "markov",
    "nothing_more",
    "steps",
    "within",
]

ROUNDING = 1e-12  # by how much floating point may miss a constraint

Table = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Law:
    """A joint distribution of bits, one of which is the secret, and perhaps of hidden bits behind them.

    Parameters
    ----------
    table
        One axis of length 2 per bit: the hidden ones first, then those of the edges, for a chain in its order.
    secret
        Which of the edges' bits is the secret.
    hidden
        How many axes are hidden.

    Examples
    --------
    >>> copied = Law([[0.5, 0.0], [0.0, 0.5]])  # two edges that always have the same
    >>> [world.tolist() for world in copied.worlds()]
    [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """

    table: Table
    secret: int = 0
    hidden: int = 0

    def __init__(self, table: ArrayLike, secret: int = 0, hidden: int = 0) -> None:
        numbers = np.asarray(table, dtype=np.float64)
        total = float(numbers.sum())
        if set(numbers.shape) != {2} or numbers.min() < -1e-9 or abs(total - 1) > 1e-6:
            raise ArgumentError("table", "expected probabilities with one axis of length 2 per bit")
        object.__setattr__(self, "table", np.maximum(numbers, 0.0) / total)
        object.__setattr__(self, "secret", secret)
        object.__setattr__(self, "hidden", hidden)

    @property
    def bits(self) -> int:
        """How many edges there are, the one with the secret among them."""
        return self.table.ndim - self.hidden

    def visible(self) -> Table:
        """Return the distribution of the edges' bits alone."""
        return np.asarray(self.table.sum(axis=tuple(range(self.hidden))))

    def worlds(self) -> tuple[Table, Table]:
        """Return the distribution of all edges' bits if the secret bit is 0, and if it is 1, as flat arrays."""
        table = self.visible()
        found = []
        for bit in (0, 1):
            world = np.zeros_like(table)
            place = (slice(None),) * self.secret + (bit,)
            world[place] = table[place]
            found.append((world / max(world.sum(), 1e-300)).ravel())
        return found[0], found[1]

    def numbers(self) -> tuple[Table, Table]:
        """Return how many other edges carry the n-gram, if the secret bit is 0, and if it is 1."""
        ones = np.add.reduce(np.indices(self.visible().shape)).ravel()
        absent, present = self.worlds()
        counts = [
            np.bincount(ones, world, minlength=self.bits + 1).astype(float) for world in (absent, present)
        ]
        return counts[0][:-1], counts[1][1:]


@dataclass(frozen=True)
class Constraint:
    """One thing that a card says of a law, and by how much a law violates it: 0 if it does not."""

    sentence: str
    violation: Callable[[Law], float]


@dataclass(frozen=True)
class Laws:
    """A class of laws: those that violate none of its constraints.

    Examples
    --------
    >>> chains = Laws((markov(), steps(0.1)))
    >>> Law([[0.45, 0.05], [0.05, 0.45]]) in chains, Law([[0.49, 0.01], [0.01, 0.49]]) in chains
    (True, False)
    """

    constraints: tuple[Constraint, ...]

    def violation(self, law: Law) -> float:
        """Return by how much a law lies outside: the sum over all constraints."""
        return math.fsum(constraint.violation(law) for constraint in self.constraints)

    def __contains__(self, law: Law) -> bool:
        return self.violation(law) <= ROUNDING


def at_most(bits: int) -> Constraint:
    """Return the constraint that so many edges are spoken of, the one with the secret counted."""
    return Constraint(f"at most {bits} edges", lambda law: float(max(law.bits - bits, 0)))


def nothing_more() -> Constraint:
    """Return the constraint that the other edges say nothing about the secret."""

    def violation(law: Law) -> float:
        absent, present = (world.reshape((2,) * law.bits) for world in law.worlds())
        return float(np.abs(absent.sum(axis=law.secret) - present.sum(axis=law.secret)).max())

    return Constraint("other edges say nothing about the secret", violation)


def given_the_edge(p0: float, p1: float) -> Constraint:
    """Return the constraint that neighbours are independent given the edge, each with a probability in a range."""

    def violation(law: Law) -> float:
        table = law.visible()
        parts = [np.take(table, bit, axis=law.secret) for bit in (0, 1)]
        return math.fsum(_product_in_range(part, p0, p1)[0] for part in parts if part.sum() > 0)

    return Constraint(f"independent given the edge, between {p0:g} and {p1:g}", violation)


def given_the_topic(b0: float, b1: float) -> Constraint:
    """Return the constraint that all bits are independent given the first hidden one, which never makes one rarer."""

    def violation(law: Law) -> float:
        if not law.hidden:
            return _product_in_range(law.visible(), b0, b1)[0]  # a topic that is always, or never, there
        table = law.table.sum(axis=tuple(range(1, law.hidden)))
        found = [_product_in_range(part, b0, b1) for part in table if part.sum() > 0]
        rarer = (
            [max(a - b, 0.0) for a, b in zip(*(chances for _, chances in found), strict=True)]
            if len(found) == 2
            else []
        )
        return math.fsum(amount for amount, _ in found) + math.fsum(rarer)

    return Constraint(f"independent given the topic, between {b0:g} and {b1:g}", violation)


def markov() -> Constraint:
    """Return the constraint that, given a bit of a chain, those before it say nothing about those behind it."""

    def violation(law: Law) -> float:
        table = law.visible()
        worst = 0.0
        for place in range(1, law.bits - 1):
            for part in np.moveaxis(table, place, 0):
                if (mass := part.sum()) > 0:
                    sides = (part / mass).reshape(2**place, -1)
                    apart = sides - np.outer(sides.sum(axis=1), sides.sum(axis=0))
                    worst = max(worst, float(np.abs(apart).max()))
        return worst

    return Constraint("given a bit, those before it say nothing about those behind it", violation)


def steps(flip: float, *, whatever_came_earlier: bool = False) -> Constraint:
    """Return the constraint that the next bit, in either direction, takes either value with `flip` or more.

    Given the bit before it alone, or given all bits before it: without `markov`, the second does not make a chain.
    """

    def violation(law: Law) -> float:
        table = law.visible()
        worst = 0.0
        for ordered in (table, table.transpose()):
            for place in range(1, law.bits):
                earlier = 0 if whatever_came_earlier else place - 1
                beside = (*range(earlier), *range(place + 1, law.bits))
                both = ordered.sum(axis=beside).reshape(-1, 2)
                seen = both[both.sum(axis=1) > 0]
                rarer = seen.min(axis=1) / seen.sum(axis=1)
                worst = max(worst, float(np.maximum(flip - rarer, 0.0).max()))
        return worst

    return Constraint(f"either bit next, in either direction, with {flip:g} or more", violation)


def as_many_as(absent: ArrayLike, present: ArrayLike) -> Constraint:
    """Return the constraint that neighbours are as many as two distributions say, and any of them."""
    wanted = [np.asarray(side, dtype=np.float64) for side in (absent, present)]

    def violation(law: Law) -> float:
        apart = 0.0
        for number, other in zip(law.numbers(), wanted, strict=True):
            size = max(len(number), len(other))
            padded = [np.pad(side, (0, size - len(side))) for side in (number, other)]
            apart += float(np.abs(padded[0] - padded[1]).max())
        return apart + _not_any(law)

    return Constraint("as many neighbours as the two distributions say, any of them", violation)


def within(w: int) -> Constraint:
    """Return the constraint that the numbers of neighbours in both worlds are at most `w` apart, any of them."""

    def violation(law: Law) -> float:
        below = [np.append(np.cumsum(number), np.ones(w)) for number in law.numbers()]
        size = law.bits
        short = [
            np.maximum(one[:size] - other[w : w + size], 0.0).max()
            for one, other in itertools.permutations(below)
        ]
        return float(sum(short)) + _not_any(law)

    return Constraint(f"numbers of neighbours at most {w} apart, any of them", violation)


def _not_any(law: Law) -> float:
    """Return how far a law is from treating all neighbours alike, given how many there are."""
    places = np.indices((2,) * law.bits).reshape(law.bits, -1)
    ones, apart = places.sum(axis=0), 0.0
    for bit, world in enumerate(law.worlds()):
        for number in range(bit, law.bits + bit):
            alike = world[(ones == number) & (places[law.secret] == bit)]
            apart = max(apart, float(alike.max() - alike.min()))
    return apart


def _product_in_range(part: Table, low: float, high: float) -> tuple[float, list[float]]:
    """Return how far a table is from a product of coins with probabilities in a range, and those probabilities."""
    chances, product = [], np.ones(())
    world = part / part.sum()
    for axis in range(world.ndim):
        coin = world.sum(axis=tuple(other for other in range(world.ndim) if other != axis))
        chances.append(float(coin[1]))
        product = np.multiply.outer(product, coin)
    outside = math.fsum(max(low - chance, chance - high, 0.0) for chance in chances)
    return outside + float(np.abs(world - product).max()), chances
