"""The Markov quilt mechanism: noise for the nearby bits alone, when the others sit behind bits that say little.

Bits form a chain or a tree. Going away from the secret bit, in every direction, the next bit equals the one before it
with a probability of `flip` or more, and differs from it with a probability of `flip` or more. A quilt is a set of
bits that separates the secret bit from the remote ones. What the quilt's bits tell about the secret is its
max-influence e; the rest of the budget hides the bits inside the quilt: scale = nearby / (epsilon - e). It holds for
every query that one bit changes by 1 at most, and for every mechanism that is (1 / scale)-DP per bit.

For chains `transfer.chain_edge_epsilon` is exact, and about 2 to 4 times better.

References
----------
Song, Wang, Chaudhuri: Pufferfish privacy mechanisms for correlated data. SIGMOD 2017 (Markov quilt mechanism).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.words.pufferfish.transfer import checked_flip

__all__ = ["Quilt", "chain_quilt", "tree_quilt"]

Influences = NDArray[np.float64]


@dataclass(frozen=True)
class Quilt:
    """The best quilt of the bit that needs the most noise.

    Parameters
    ----------
    nearby
        How many bits are inside the quilt, the secret one counted.
    influence
        What the quilt's own bits tell about the secret: the largest log-ratio of their probabilities.
    scale
        The scale of the noise.
    distances
        In a chain, how far away the quilt's bits are, before and after; None where the chain ends first.
    """

    nearby: int
    influence: float
    scale: float
    distances: tuple[int | None, int | None] | None = None


def chain_quilt(flip: float, length: int, epsilon: float) -> Quilt:
    """Return the best quilt for a chain of bits.

    Examples
    --------
    >>> best = chain_quilt(flip=0.1, length=201, epsilon=1.0)
    >>> best.distances, round(best.scale, 3)
    ((12, 12), 31.738)
    """
    flip, epsilon = checked_flip(flip), _check.epsilon("epsilon", epsilon)
    length = _check.at_least("length", length, 1)
    most = max(1, min(length, math.ceil(epsilon * _symmetric_scale(flip, length, epsilon))))
    # Beyond `most` steps a side alone costs more than a known quilt; so all middles of the chain are alike.
    sides = {(min(i, most), min(length - 1 - i, most)) for i in range(length)}
    influences = np.array([_influence(flip, distance) for distance in range(1, most + 2)])
    quilts = (_best_of_two(influences, *both, most, epsilon) for both in sorted(sides))
    return max(quilts, key=lambda quilt: quilt.scale)


def tree_quilt(edges: Sequence[tuple[int, int]], flip: float, epsilon: float) -> Quilt:
    """Return the best quilt for a tree of bits, the optimum over all quilts.

    For each branch and each number of bits kept nearby in it the least influence is found from the branches behind
    it: cut at its first bit, or keep that bit and share the rest among the branches behind.

    Parameters
    ----------
    edges
        The tree: pairs of bits, numbered from 0.
    flip
        The least probability that the next bit, away from the secret, differs from the one before it, and the least
        that it agrees.
    epsilon
        The privacy parameter.

    Examples
    --------
    >>> star = [(0, leaf) for leaf in range(1, 4)]
    >>> [tree_quilt(star, flip, epsilon=1.0).nearby for flip in (0.3, 0.45)]
    [4, 1]
    """
    flip, epsilon = checked_flip(flip), _check.epsilon("epsilon", epsilon)
    near, order, parent = _rooted(edges)
    toward: dict[tuple[int, int], Influences] = {}  # (bit, the next one towards the secret) -> influences
    for bit in reversed(order[1:]):
        behind = [toward[other, bit] for other in near[bit] if other != parent[bit]]
        toward[bit, parent[bit]] = _branch(behind, flip)
    for bit in order:
        for child in near[bit]:
            if child != parent[bit]:
                behind = [toward[other, bit] for other in near[bit] if other != child]
                toward[bit, child] = _branch(behind, flip)
    best = [_best(_shared([toward[other, bit] for other in near[bit]]), epsilon) for bit in order]
    return max(best, key=lambda quilt: quilt.scale)


def _influence(flip: float, distance: int) -> float:
    """Return what a bit that many steps away tells: the log-ratio of its probabilities given 1 and given 0."""
    kept = (1 - 2 * flip) ** distance
    return math.log1p(kept) - math.log1p(-kept)


def _symmetric_scale(flip: float, length: int, epsilon: float) -> float:
    """Return the scale of the best quilt with the same distance on both sides, or of none: a bound for the best."""
    scales = [length / epsilon]
    for distance in range(1, length):
        left = epsilon - 2 * _influence(flip, distance)
        scales += [(2 * distance - 1) / left] if left > 0 else []
    return min(scales)


def _best_of_two(influences: Influences, before: int, after: int, most: int, epsilon: float) -> Quilt:
    """Return the best quilt of a bit with so many bits before and after it; those beyond `most` are cut off."""
    choices = []
    for side in (before, after):
        steps = np.arange(1, side + 1 + (side < most))  # one step beyond the end: the side is kept as a whole
        choices.append((steps, np.where(steps <= side, influences[steps - 1], 0.0)))
    (left, left_tells), (right, right_tells) = choices
    nearby = left[:, None] + right - 1
    remaining = epsilon - left_tells[:, None] - right_tells
    scales = np.where(remaining > 0, nearby / np.where(remaining > 0, remaining, 1), math.inf)
    one, other = (int(place) for place in np.unravel_index(np.argmin(scales), scales.shape))
    distances = (
        int(left[one]) if left[one] <= before else None,
        int(right[other]) if right[other] <= after else None,
    )
    return _quilt(int(nearby[one, other]), float(left_tells[one] + right_tells[other]), epsilon, distances)


def _quilt(
    nearby: int, influence: float, epsilon: float, distances: tuple[int | None, int | None] | None = None
) -> Quilt:
    scale = nearby / (epsilon - influence) if influence < epsilon else math.inf
    return Quilt(nearby, influence, scale, distances)


def _best(influences: Influences, epsilon: float) -> Quilt:
    """Return the best quilt of a bit whose branches together have these influences, by bits kept nearby."""
    quilts = (_quilt(1 + kept, float(influence), epsilon) for kept, influence in enumerate(influences))
    return min(quilts, key=lambda quilt: quilt.scale)


def _branch(behind: list[Influences], flip: float) -> Influences:
    """Return the influences of a branch, seen over its first edge: cut at once, or one bit and more kept nearby."""
    kept = _shared(behind)
    weaker = np.logaddexp(math.log1p(-flip) + kept, math.log(flip)) - np.logaddexp(
        math.log(flip) + kept, math.log1p(-flip)
    )
    return np.append(_influence(flip, 1), weaker)


def _shared(branches: list[Influences]) -> Influences:
    """Return the least sum of influences for each number of bits that branches keep nearby together."""
    total = np.zeros(1)
    for branch in branches:
        rows = np.full((len(branch), len(total) + len(branch) - 1), math.inf)
        for kept, influence in enumerate(branch):
            rows[kept, kept : kept + len(total)] = total + influence
        total = rows.min(axis=0)
    return total


def _rooted(edges: Sequence[tuple[int, int]]) -> tuple[list[list[int]], list[int], list[int]]:
    """Return the neighbours of each bit, all bits from bit 0 outwards, and from which bit each was reached."""
    near: list[list[int]] = [[] for _ in range(len(edges) + 1)]
    try:
        for one, other in edges:
            near[one].append(other)
            near[other].append(one)
    except IndexError:
        near = [[]]
    order, parent = [0], [-1] * len(near)
    for bit in order:
        for other in near[bit]:
            if other != parent[bit]:
                parent[other] = bit
                order.append(other)
        if len(order) > len(near):
            break
    if len(near) != len(edges) + 1 or sorted(order) != list(range(len(near))):
        raise ArgumentError(
            "edges", "expected the edges of one tree on bits 0, 1, 2, ...; got something else"
        )
    return near, order, parent
