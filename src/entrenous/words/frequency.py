"""How telling a published n-gram is: frequencies worked out from nothing but what was published."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from entrenous import _check
from entrenous.errors import ArgumentError

__all__ = ["Counted", "idf"]


class Counted(Protocol):
    """Published n-grams with noisy counts: a vocabulary of fixed weights, or a histogram."""

    @property
    def names(self) -> Any:
        """The n-grams."""

    @property
    def counts(self) -> Any:
        """How many holders have each, with noise."""


def idf(published: Counted, *, holders: int) -> dict[str, float]:
    """Return the inverse document frequency of published n-grams: ln((1 + holders) / (1 + count)).

    It uses nothing but what was published, so it may be published too. Noisy counts are taken as between 1 and
    `holders`.

    Parameters
    ----------
    published
        A vocabulary of fixed weights, or a histogram.
    holders
        How many edges (or senders) there are: public.

    Examples
    --------
    >>> from entrenous.words.vocabulary import Vocabulary
    >>> released = Vocabulary(("budget", "draft"), np.array([9.0, 7.0]), np.array([99.0, 9.0]), 999)
    >>> {name: round(value, 3) for name, value in idf(released, holders=999).items()}
    {'budget': 2.303, 'draft': 4.605}
    """
    holders = _check.at_least("holders", holders, 1)
    if published.counts is None:
        raise ArgumentError(
            "published", "expected noisy counts: publish with fixed weights, or a histogram of the vocabulary"
        )
    counts = np.clip(np.asarray(published.counts, np.float64), 1.0, holders)
    values = math.log(1 + holders) - np.log1p(counts)
    return dict(zip(published.names, values.tolist(), strict=True))
