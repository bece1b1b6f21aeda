"""How telling a published n-gram is: frequencies worked out from nothing but what was published."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.words.reading.text import words_of

__all__ = ["Counted", "idf", "idf_intervals", "ngrams_of", "tf_idf"]


class Counted(Protocol):
    """Published n-grams with noisy counts: a vocabulary with counts, or a histogram."""

    @property
    def names(self) -> Any:
        """The n-grams."""

    @property
    def counts(self) -> Any:
        """How many holders have each, with noise."""


def idf(published: Counted, *, holders: int) -> dict[str, float]:
    """Return the inverse document frequency of published n-grams: ln((1 + holders) / (1 + count)).

    It uses nothing but what was published, so it may be published too. Noisy counts are taken as between 1 and
    `holders`. How far they may be off, `idf_intervals` tells.

    Parameters
    ----------
    published
        A vocabulary with counts, or a histogram.
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
            "published", "expected noisy counts: publish with counts, or a histogram of the vocabulary"
        )
    counts = np.clip(np.asarray(published.counts, np.float64), 1.0, holders)
    values = math.log(1 + holders) - np.log1p(counts)
    return dict(zip(published.names, values.tolist(), strict=True))


def idf_intervals(
    published: Any, *, holders: int, confidence: float = 0.95
) -> dict[str, tuple[float, float]]:
    """Return for each published n-gram between which values its true inverse document frequency may lie.

    Noise and what bounding leaves out are both in it, as in the intervals of the counts.

    Parameters
    ----------
    published
        A histogram, or a vocabulary with counts, that has intervals.
    holders
        How many edges (or senders) there are: public.
    confidence
        With which probability each interval covers the true value.

    Examples
    --------
    >>> from entrenous.words.histogram.tallies import Correction, Histogram
    >>> from entrenous.words.prediction import Noisy
    >>> none = Correction(np.zeros(1), np.zeros(1), 0.0, covered=True)
    >>> counted = Histogram(("budget",), np.array([99]), Noisy("gaussian", 10.0), none)
    >>> [round(bound, 2) for bound in idf_intervals(counted, holders=999)["budget"]]
    [2.12, 2.52]
    """
    holders = _check.at_least("holders", holders, 1)
    if not hasattr(published, "intervals"):
        raise ArgumentError(
            "published", "expected counts with intervals: a histogram, or a vocabulary with counts"
        )
    low, high = np.clip(published.intervals(confidence), 0.0, holders).T
    bounds = math.log(1 + holders) - np.log1p(np.column_stack([high, low]))
    return {name: (first, last) for name, (first, last) in zip(published.names, bounds.tolist(), strict=True)}


def tf_idf(text: Mapping[str, int], published: Counted, *, holders: int) -> dict[str, float]:
    """Return how telling each published n-gram of a text is: how often the text has it, times its idf.

    The frequencies are nobody's secret. The text is the caller's own: what is returned must not be published unless it
    may be.

    Parameters
    ----------
    text
        How often a text has each n-gram; what was not published is left out.
    published, holders
        As in `idf`.

    Examples
    --------
    >>> from entrenous.words.vocabulary import Vocabulary
    >>> released = Vocabulary(("budget", "draft"), np.array([9.0, 7.0]), np.array([99.0, 9.0]), 999)
    >>> {name: round(value, 2) for name, value in tf_idf({"draft": 2, "secret": 9}, released, holders=999).items()}
    {'draft': 9.21}
    """
    known = idf(published, holders=holders)
    return {name: count * known[name] for name, count in text.items() if name in known}


def ngrams_of(text: str, *, n: int) -> Counter[str]:
    """Return how often a text has each n-gram of up to n words, split as mail is.

    >>> sorted(ngrams_of("The budget: the Budget!", n=2).items())
    [('budget', 2), ('budget the', 1), ('the', 2), ('the budget', 2)]
    """
    words = words_of(text).split()
    return Counter(
        " ".join(words[place : place + length])
        for length in range(1, n + 1)
        for place in range(len(words) - length + 1)
    )
