"""Search the laws that a belief allows for one that breaks its card.

A family draws laws of one shape, hidden variables included, from numbers between 0 and 1; it knows nothing of the
belief. Whether a law is in the class is asked of the belief's constraints alone. From random starts the numbers are
first moved into the class and then, one after the other, to where an output moves the odds of the secret most.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from entrenous.words.beliefs import Belief
from entrenous.words.beliefs.laws import ROUNDING, Law, Laws

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Family:
    """Laws of one shape: how many numbers it takes, and the law they make."""

    name: str
    numbers: int
    law: Callable[[Numbers], Law]


def coins(chances: Numbers) -> Numbers:
    """The joint distribution of independent bits."""
    product = np.ones(())
    for chance in chances:
        product = np.multiply.outer(product, np.array([1 - chance, chance]))
    return product


def star(bits: int) -> Family:
    """Neighbours independent given the edge, each with chances of its own."""

    def law(x: Numbers) -> Law:
        given = x[1:].reshape(2, bits - 1)
        return Law(np.stack([(1 - x[0]) * coins(given[0]), x[0] * coins(given[1])]))

    return Family("star", 1 + 2 * (bits - 1), law)


def topic(bits: int) -> Family:
    """A hidden topic; given it all bits are independent, that of the edge itself included."""

    def law(x: Numbers) -> Law:
        given = x[1:].reshape(2, bits)
        return Law(np.stack([(1 - x[0]) * coins(given[0]), x[0] * coins(given[1])]), hidden=1)

    return Family("topic", 1 + 2 * bits, law)


def chain(bits: int, secret: int) -> Family:
    """A Markov chain, each step with chances of its own."""

    def law(x: Numbers) -> Law:
        table = np.array([1 - x[0], x[0]])
        for step in x[1:].reshape(-1, 2):
            table = table[..., None] * np.stack([1 - step, step], axis=-1)
        return Law(table, secret)

    return Family("chain", 1 + 2 * (bits - 1), law)


def two_topics(bits: int, secret: int) -> Family:
    """On each side of the secret a hidden topic that depends on it; all bits of a side alike, given their topic."""

    def law(x: Numbers) -> Law:
        total = 0
        for bit, chance in enumerate((1 - x[0], x[0])):
            sides = []
            for (given0, given1, low, high), size in zip(
                x[1:].reshape(2, 4), (secret, bits - 1 - secret), strict=True
            ):
                there = (given0, given1)[bit]
                sides.append((1 - there) * coins(np.full(size, low)) + there * coins(np.full(size, high)))
            at = np.eye(2)[bit]
            total = total + chance * np.multiply.outer(np.multiply.outer(sides[0], at), sides[1])
        return Law(total, secret)

    return Family("two topics", 9, law)


def numbers_of_neighbours(bits: int) -> Family:
    """Any distribution of how many neighbours carry it, given the edge, any of them; by the chances to stop."""
    ones = np.add.reduce(np.indices((2,) * (bits - 1)))
    ways = np.array([math.comb(bits - 1, number) for number in range(bits)])

    def law(x: Numbers) -> Law:
        worlds = []
        for stop in x[1:].reshape(2, bits - 1):
            go_on = np.append(1.0, np.cumprod(1 - stop))
            worlds.append((go_on * np.append(stop, 1.0) / ways)[ones])
        return Law(np.stack([(1 - x[0]) * worlds[0], x[0] * worlds[1]]))

    return Family("numbers", 1 + 2 * (bits - 1), law)


def anything(bits: int) -> Family:
    """Any law at all, by the chance of each bit given those before it."""

    def law(x: Numbers) -> Law:
        table, used = np.ones(1), 0
        for place in range(bits):
            chance = x[used : used + 2**place]
            used += 2**place
            table = np.stack([table * (1 - chance), table * chance], axis=-1).ravel()
        return Law(table.reshape((2,) * bits))

    return Family("anything", 2**bits - 1, law)


def outputs(bits: int, eta: float, scale: float, *, patterns: bool) -> Numbers:
    """How likely each configuration makes the outputs of some mechanisms, one row each.

    Counts with geometric noise of a scale, and, if asked, what grows or falls by e^eta with each bit: these are
    eta-DP per bit and among the most telling.
    """
    configurations = np.indices((2,) * bits).reshape(bits, -1)
    ones = configurations.sum(axis=0)
    rows = [np.exp(-np.abs(ones - seen) / scale) for seen in range(bits + 1)]
    if patterns:
        rows += [
            np.exp(eta * np.array(signs) @ configurations)
            for signs in itertools.product((-1, 1), repeat=bits)
        ]
    return np.array(rows)


def worst(law: Law, seen: Numbers) -> float:
    """By how much an output moves the odds of the secret bit at most."""
    absent, present = law.worlds()
    if min(absent.sum(), present.sum()) < 0.5:  # one value of the secret is impossible
        return 0.0
    return float(np.abs(np.log(seen @ present) - np.log(seen @ absent)).max())


def worst_chain_whatever_came_earlier(
    flip: float, length: int, secret: int, seen: Numbers
) -> tuple[float, Law]:
    """The worst of all laws whose next bit has either value with `flip` or more, whatever came earlier.

    Each constraint is linear in the law, and for one output the ratio is a quotient of linear functions, so that a
    linear program finds the worst law for it: both values of the secret as likely, the output's chance without the
    bit set to 1.
    """
    size = 2**length
    codes = np.arange(size).reshape((2,) * length)
    rows = []
    for ordered in (codes, codes.transpose()):
        for place in range(1, length):
            for before in ordered.reshape(2**place, 2, -1):
                for bit in (0, 1):
                    row = np.zeros(size)
                    row[before.ravel()] = flip
                    row[before[bit]] -= 1
                    rows.append(row)
    there = np.indices((2,) * length)[secret].ravel()
    found = []
    for output in seen:
        balance = [2.0 * there - 1, np.where(there == 0, output, 0.0)]
        best = linprog(-np.where(there == 1, output, 0.0), A_ub=np.array(rows), b_ub=np.zeros(len(rows)),
                       A_eq=np.array(balance), b_eq=[0, 1])  # fmt: skip
        found.append((math.log(-best.fun), Law((best.x / best.x.sum()).reshape((2,) * length), secret)))
    return max(found, key=lambda each: each[0])


def worst_of_all_mechanisms(law: Law, eta: float) -> float:
    """The same over all mechanisms that are eta-DP per bit, by linear programs."""
    size = 2**law.bits
    rows = np.zeros((size * law.bits, size))
    for row, (x, bit) in enumerate(itertools.product(range(size), range(law.bits))):
        rows[row, x], rows[row, x ^ (1 << bit)] = 1, -math.exp(eta)
    found = []
    for top, bottom in itertools.permutations(law.worlds()):
        best = linprog(-top, A_ub=rows, b_ub=np.zeros(len(rows)), A_eq=[bottom], b_eq=[1])
        found.append(math.log(-best.fun))
    return max(found)


def search(
    laws: Laws, family: Family, seen: Numbers, *, starts: int, seed: int, sweeps: int = 12, mixed: int = 0
) -> tuple[float, Law | None]:
    """The worst law of a family that the constraints allow, and by how much it moves the odds of the secret."""
    rng = np.random.default_rng(seed)
    best: tuple[float, Law | None] = (0.0, None)
    for start in range(starts):
        x = rng.random(family.numbers)
        if start % 3 == 1:
            x = np.round(x)
            x[0] = 0.5
        elif start % 3 == 2:
            x = 0.5 + 0.1 * (x - 0.5)
        if not _inside(laws, family, x, rng):
            continue
        value = worst(family.law(x), seen)
        for _ in range(sweeps):
            before = value
            for place in rng.permutation(family.numbers):
                value = _moved(laws, family, seen, x, np.eye(family.numbers)[place], value)
            for _ in range(mixed):  # several numbers at once, where a constraint ties them together
                along = rng.choice([-1.0, 0.0, 1.0], family.numbers)
                value = _moved(laws, family, seen, x, along, value)
            if value <= before * (1 + 1e-7):
                break
        if value > best[0]:
            best = (value, family.law(x))
    return best


def _inside(laws: Laws, family: Family, x: Numbers, rng: np.random.Generator) -> bool:
    """Move the numbers into the class, one after the other."""
    amount = laws.violation(family.law(x))
    for _ in range(4):
        for place in rng.permutation(family.numbers):
            if amount <= ROUNDING:
                return True
            for number in np.linspace(0.025, 0.975, 39):
                old, x[place] = x[place], number
                found = laws.violation(family.law(x))
                if found < amount:
                    amount = found
                else:
                    x[place] = old
    return amount <= ROUNDING


def _moved(laws: Laws, family: Family, seen: Numbers, x: Numbers, along: Numbers, value: float) -> float:
    """Move the numbers along a direction, both ways, as far as the class allows or part of it, if that is worse."""
    start, best = x.copy(), x.copy()
    least = np.where(np.arange(len(x)) == 0, 1e-6, 0.0)  # either value of the secret must be possible
    for way in (along, -along):
        inside, outside = 0.0, 1.0
        if family.law(np.clip(start + way, least, 1 - least)) in laws:
            inside = 1.0
        else:
            for _ in range(30):
                middle = (inside + outside) / 2
                fits = family.law(np.clip(start + middle * way, least, 1 - least)) in laws
                inside, outside = (middle, outside) if fits else (inside, middle)
        for share in (inside, inside / 2, inside / 8) if inside > 1e-9 else ():
            x[:] = np.clip(start + share * way, least, 1 - least)
            law = family.law(x)
            if law in laws and (found := worst(law, seen)) > value:
                value, best = found, x.copy()
    x[:] = best
    return value


def noise_of(belief: Belief, stated: float) -> tuple[float, float]:
    """What a belief lets a mechanism spend on one bit, and the scale of geometric noise on a count."""
    return belief.edge_epsilon(stated), belief.laplace_scale(stated)
