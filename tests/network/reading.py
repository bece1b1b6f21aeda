"""Exact probabilities of draws that are made of random words, read off a statistic from outside.

A choice falls on the option in whose range a word lies, modulo the sum of all weights. So the smallest words with
another choice are the bounds of the ranges, found by bisection.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction

LARGEST = 2**52  # the weight of the likeliest option: no range is wider


def ranges(choose: Callable[[int], int], options: int, points: Sequence[int] = ()) -> list[int]:
    """Return the first word of each option, and of the second round: the sum of all weights.

    Parameters
    ----------
    choose
        Returns the option for a word.
    options
        How many options there are.
    points
        Words near which bounds may lie, ascending. They save time and decide nothing.
    """
    bounds = [0]
    for option in range(options):
        low, high = bounds[-1], bounds[-1] + LARGEST + 1
        assert choose(low) == option != choose(high)
        between = list(points[bisect_right(points, low) : bisect_left(points, high)])
        while between or high - low > 1:
            middle = between[len(between) // 2] if between else (low + high) // 2
            low, high = (middle, high) if choose(middle) == option else (low, middle)
            between = [point for point in between if low < point < high]
        bounds.append(high)
    return bounds


def distribution(
    draw: Callable[[Sequence[int]], Sequence[int]], order: Sequence[int], options: int, points: list[int]
) -> dict[tuple[int, ...], Fraction]:
    """Return the exact probability of every outcome of a draw in which one node after the other takes an option.

    Parameters
    ----------
    draw
        Returns the option of every node for the first words drawn; all further words are 0.
    order
        In which order nodes draw.
    options
        How many options there are.
    points
        As for `ranges`; what is found is added to them.
    """
    found: dict[tuple[int, ...], Fraction] = {}

    def follow(words: list[int], chance: Fraction) -> None:
        if len(words) == len(order):
            found[tuple(draw(words))] = chance
            return
        node = order[len(words)]
        bounds = ranges(lambda word: draw([*words, word])[node], options, points)
        points[:] = sorted({*points, *(around for bound in bounds for around in (bound - 1, bound))})
        for low, high in itertools.pairwise(bounds):
            follow([*words, low], chance * Fraction(high - low, bounds[-1]))

    follow([], Fraction(1))
    assert len(found) == options ** len(order)
    return found
