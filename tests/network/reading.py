"""Exact probabilities of draws that are made of random words, read off a statistic from outside.

A choice falls on the option in whose range a word lies, modulo the sum of all weights. So the smallest words with
another choice are the bounds of the ranges, found by bisection.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

LARGEST = 2**52  # the weight of the likeliest option: no range is wider


def ranges(choose: Callable[[int], int], options: int, near: Sequence[int] = ()) -> list[int]:
    """Return the first word of each option, and of the second round: the sum of all weights.

    Parameters
    ----------
    choose
        Returns the option for a word.
    options
        How many options there are.
    near
        Where the bounds are, give or take a few, where that is known: it saves time and decides nothing.
    """
    bounds = [0]
    for option in range(options):
        low, high = bounds[-1], bounds[-1] + LARGEST + 1
        assert choose(low) == option != choose(high)
        for guess in (near[option] - 9, near[option] + 9) if near else ():
            if low < guess < high:
                low, high = (guess, high) if choose(guess) == option else (low, guess)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if choose(middle) == option else (low, middle)
        bounds.append(high)
    return bounds


def distribution(
    draw: Callable[[Sequence[int]], Sequence[int]], order: Sequence[int], options: int
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
    """
    found: dict[tuple[int, ...], Fraction] = {}

    def follow(words: list[int], chance: Fraction) -> None:
        if len(words) == len(order):
            found[tuple(draw(words))] = chance
            return
        node = order[len(words)]
        bounds = ranges(lambda word: draw([*words, word])[node], options)
        for low, high in itertools.pairwise(bounds):
            follow([*words, low], chance * Fraction(high - low, bounds[-1]))

    follow([], Fraction(1))
    assert len(found) == options ** len(order)
    return found
