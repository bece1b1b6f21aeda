"""What messages give their n-grams, clipped to their edges and senders and summed, compiled.

A holder's sum is kept in floating point and added to the total in two whole numbers, steps and fine steps of a step,
so that rounding a holder costs next to nothing however many holders one message lies on.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Ids = NDArray[np.int32]
Numbers = NDArray[np.int64]
FloatArray = NDArray[np.float64]

TINY = 1e-280  # below, squares lose digits and a vector could come out longer than it is
FINE = 2.0**20  # fine steps in a step of the grid


@njit(cache=True)
def normalizers(offsets: Offsets, ngram: Ids, value: FloatArray, factor: FloatArray) -> None:
    """Write for each message what makes its values a vector of norm 1; 0 where they are all 0."""
    for message in range(len(offsets) - 1):
        squares = 0.0
        for row in range(offsets[message], offsets[message + 1]):
            squares += value[ngram[row]] * value[ngram[row]]
        factor[message] = 1.0 / math.sqrt(squares) if squares > TINY else 0.0


@njit(cache=True)
def add(total: Numbers, fine: Numbers, ngram: int, weight: float, times: int) -> None:
    """Add a weight, in steps of the grid, so many times."""
    whole = math.floor(weight)
    total[ngram] += int(whole) * times
    fine[ngram] += int((weight - whole) * FINE) * times


@njit(cache=True)
def shorten(held: FloatArray, touched: Ids, count: int, value: FloatArray, cap: float, steep: float) -> float:
    """Cut each entry at `cap` and at `steep` times its value; return the sum of squares."""
    squares = 0.0
    for place in range(count):
        ngram = touched[place]
        held[ngram] = min(held[ngram], cap, steep * value[ngram])
        squares += held[ngram] * held[ngram]
    return squares


@njit(cache=True)
def nested(
    offsets: Offsets,
    ngram: Ids,
    value: FloatArray,
    factor: FloatArray,
    share: FloatArray,
    starts: Offsets,
    messages: Ids,
    times: Numbers,
    outer: Ids,
    largest: float,
    inner_clip: tuple[float, float, float],
    outer_clip: tuple[float, float, float],
    grid: float,
    total: Numbers,
    fine: Numbers,
) -> None:
    """Add to `total`, in steps of `grid`, what holders give: sums of shares of messages, clipped.

    Parameters
    ----------
    offsets, ngram
        Which n-grams each message says.
    value, factor
        What weight is worth for each n-gram, and what makes a message's values a vector of norm 1.
    share
        The share of itself that a message gives each of its holders.
    starts, messages
        The messages of each holder.
    times
        How many holders of the same messages each stands for.
    outer
        The group of each holder, ascending; -1 if there are none.
    largest
        The largest weight that a message gives one n-gram.
    inner_clip, outer_clip
        Of a holder and of a group: the largest entry, the largest entry over its value, the largest norm.
    """
    held, group = np.zeros(len(value)), np.zeros(len(value))
    touched, grouped = np.empty(len(value), np.int32), np.empty(len(value), np.int32)
    members = 0
    for holder in range(len(starts) - 1):
        count = 0
        for place in range(starts[holder], starts[holder + 1]):
            message = messages[place]
            if factor[message] > 0.0:
                for row in range(offsets[message], offsets[message + 1]):
                    gram = ngram[row]
                    if value[gram] > 0.0:
                        if held[gram] == 0.0:
                            touched[count] = gram
                            count += 1
                        held[gram] += min(value[gram] * factor[message], largest) * share[message]
        norm = math.sqrt(shorten(held, touched, count, value, inner_clip[0], inner_clip[1]))
        scale = 1.0 if norm <= inner_clip[2] else inner_clip[2] / norm
        for place in range(count):
            gram = touched[place]
            if outer[holder] < 0:
                add(total, fine, gram, held[gram] * scale * grid, times[holder])
            else:
                if group[gram] == 0.0:
                    grouped[members] = gram
                    members += 1
                group[gram] += held[gram] * scale * times[holder]
            held[gram] = 0.0
        if outer[holder] >= 0 and (holder + 2 == len(starts) or outer[holder + 1] != outer[holder]):
            norm = math.sqrt(shorten(group, grouped, members, value, outer_clip[0], outer_clip[1]))
            scale = 1.0 if norm <= outer_clip[2] else outer_clip[2] / norm
            for place in range(members):
                add(total, fine, grouped[place], group[grouped[place]] * scale * grid, 1)
                group[grouped[place]] = 0.0
            members = 0
