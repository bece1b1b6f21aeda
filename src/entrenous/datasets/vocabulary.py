"""The words of invented mail: a few everyday words, and as many made-up ones as needed."""

from __future__ import annotations

import numpy as np

from entrenous import _check
from entrenous.errors import ArgumentError

__all__ = ["EVERYDAY", "invented_words"]

# Frequent words first: mail draws them with a skew.
EVERYDAY = tuple(
    """
    the to and of a in for is on that we with please be this it are at from will have as your by
    if or can not was our all me they but any has meeting let would there which been more about
    today week time report call team plan thanks new draft number next work review question
    answer office list change order note room monday friday morning date copy price offer agenda
    budget table visit travel paper page letter file desk phone train lunch coffee garden window
    door key lamp chair bridge river harbour market street station ticket music picture weather
    """.split()  # noqa: SIM905 - a block of words reads better than quotes around each
)

_CONSONANTS = "bcdfghjklmnprstvz"
_VOWELS = "aeiou"
_SYLLABLES = tuple(consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS)
_MOST = len(_SYLLABLES) ** 3
_STRIDE = 214_987  # no common factor with _MOST = 85**3, so that no word comes twice


def invented_words(count: int) -> list[str]:
    """Return so many distinct made-up words of three syllables, always the same ones.

    >>> invented_words(3)
    ['bababa', 'hurugi', 'pulolu']
    """
    if _check.at_least("count", count, 0) > _MOST:
        raise ArgumentError("count", f"expected {_MOST} at most; got {count}")
    codes = np.arange(count) * _STRIDE % _MOST
    first, second, third = np.unravel_index(codes, (len(_SYLLABLES),) * 3)
    return [
        _SYLLABLES[a] + _SYLLABLES[b] + _SYLLABLES[c]
        for a, b, c in zip(first.tolist(), second.tolist(), third.tolist(), strict=True)
    ]
