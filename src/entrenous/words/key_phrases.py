"""Key phrases: what stands out among published n-grams from what people say anyway.

It is worked out from nothing but what was published and a public list, so it may be published too and costs nothing.

References
----------
Monroe, Colaresi, Quinn: Fightin' words: lexical feature selection and evaluation for identifying the content of
political conflict. Political Analysis 2008 (log-odds in deviations of their error).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.words.background import EVERYDAY, Background

__all__ = ["KeyPhrase", "Named", "distinctiveness", "key_phrases"]

_SURE = 2.0  # deviations of its error by which a key phrase must stand out
_LEAST_ANCHORS = 8  # everyday words that must be published to learn how counts go with frequency
_USUAL = 0.6  # how counts of holders go with frequency, to the power of it, where that cannot be learnt

FloatArray = NDArray[np.float64]


class Named(Protocol):
    """Published n-grams: a histogram, or a vocabulary."""

    @property
    def names(self) -> Any:
        """The n-grams."""

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class KeyPhrase:
    """An n-gram that stands out.

    Attributes
    ----------
    ngram
        The word or phrase.
    value
        What was published of it: an estimated count, or a score.
    log_odds
        The logarithm of how much more there is of it than of an n-gram that is as common elsewhere.
    deviations
        By how many standard deviations of its error that is above 0.
    """

    ngram: str
    value: float
    log_odds: float
    deviations: float


def key_phrases(
    published: Named, *, background: Background | None = None, top: int | None = None
) -> list[KeyPhrase]:
    """Return the published n-grams that stand out by more than two deviations, the most distinctive first.

    Parameters
    ----------
    published
        A histogram, or a vocabulary; without counts its scores are taken.
    background
        A public list of what is said elsewhere. (default: everyday English)
    top
        How many at most.

    Examples
    --------
    >>> from entrenous.words.vocabulary import Vocabulary
    >>> words = ("the", "to", "and", "is", "on", "your", "time", "week", "pipeline", "of the")
    >>> released = Vocabulary(words, np.array([90.0, 80, 80, 60, 50, 40, 30, 20, 45, 50]), None, None)
    >>> [found.ngram for found in key_phrases(released)]
    ['pipeline']
    """
    values, errors = _values(published)
    odds, error = _odds(published.names, values, errors, background or EVERYDAY)
    found = [
        (
            odds[i] - _SURE * error[i],
            KeyPhrase(name, float(values[i]), float(odds[i]), float(odds[i] / error[i])),
        )
        for i, name in enumerate(published.names)
        if odds[i] > _SURE * error[i]
    ]
    found.sort(key=lambda each: (-each[0], each[1].ngram))
    most = len(found) if top is None else _check.at_least("top", top, 1)
    return [phrase for _, phrase in found[:most]]


def distinctiveness(published: Named, *, background: Background | None = None) -> FloatArray:
    """Return the log-odds of each n-gram less two deviations of its error: key phrases are above 0."""
    values, errors = _values(published)
    odds, error = _odds(published.names, values, errors, background or EVERYDAY)
    return np.asarray(odds - _SURE * error)


def _values(published: Any) -> tuple[FloatArray, FloatArray]:
    """Return what was published of each n-gram, and the standard deviation of its error."""
    counted = getattr(published, "counted", None)
    published = published if counted is None else counted  # of a vocabulary with counts
    if hasattr(published, "estimates"):
        return np.asarray(published.estimates, np.float64), np.asarray(published.deviations, np.float64)
    values = np.asarray(published.score, np.float64)
    return values, np.ones(len(values))


def _odds(
    names: tuple[str, ...], values: FloatArray, errors: FloatArray, background: Background
) -> tuple[FloatArray, FloatArray]:
    """Return the log-odds of each n-gram against its background, and the standard deviation of their error."""
    if not len(values):
        return np.zeros(0), np.ones(0)
    common = np.array([background.of(name) for name in names])
    least = np.maximum(errors, 1e-9)
    shown = np.maximum(values, least)  # below its error nothing can be told anyway
    error = errors / shown + 1e-12
    level, power = _trend(names, np.log(shown), np.log(common), values > 2 * errors, background)
    odds = np.log(shown) - level - power * np.log(common)
    fillers = np.array([background.is_filler(name) for name in names])
    return np.where(fillers | (values <= least), -np.inf, odds), error


def _trend(
    names: tuple[str, ...],
    shown: FloatArray,
    common: FloatArray,
    sure: NDArray[np.bool_],
    background: Background,
) -> tuple[float, float]:
    """Return how what is published goes with how common words are elsewhere: a straight line of logarithms.

    Counts of holders grow less than frequencies do, for a holder counts once. The line goes through the words that the
    background has, each with its frequency's worth, so that many rare ones do not outweigh the commonest.
    """
    known = np.array([name in background.frequency and " " not in name for name in names], dtype=bool) & sure
    if known.sum() < _LEAST_ANCHORS or np.ptp(common[known]) < 1:
        place = known if known.any() else np.ones(len(names), dtype=bool)
        return float(np.median(shown[place] - _USUAL * common[place])), _USUAL
    power, level = np.polyfit(common[known], shown[known], 1)
    power = min(max(float(power), 0.1), 1.0)
    level = float(np.mean(shown[known] - power * common[known]))
    return level if math.isfinite(level) else 0.0, power
