"""Which n-grams take part in a round: those that some holder has there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entrenous.words.statistics.weights import Rows

__all__ = ["taking_part"]


def taking_part(rows: Rows, ngrams: int) -> NDArray[np.int32]:
    """Return the n-grams that some holder has, in order. Confidential.

    >>> taking_part(Rows(np.array([0, 2, 3]), np.array([4, 0, 4], np.int32)), 6).tolist()
    [0, 4]
    """
    there = np.zeros(ngrams, np.bool_)
    there[rows.ngram] = True
    return np.flatnonzero(there).astype(np.int32)
