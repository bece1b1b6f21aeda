"""How many edges, or senders, carry each n-gram of a public list: asked for, estimated, published."""

from __future__ import annotations

from entrenous.words.histogram.estimating import Counting, counted
from entrenous.words.histogram.release import PUBLISHED_VOCABULARY, histogram, listed_ngrams, predict
from entrenous.words.histogram.tallies import CONFIDENCE, HISTOGRAM, Histogram
from entrenous.words.histogram.wanted import HistogramRequest

__all__ = [
    "CONFIDENCE",
    "HISTOGRAM",
    "PUBLISHED_VOCABULARY",
    "Counting",
    "Histogram",
    "HistogramRequest",
    "counted",
    "histogram",
    "listed_ngrams",
    "predict",
]
