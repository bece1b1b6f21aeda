"""Which words and phrases an organization uses, published without a public list of them."""

from __future__ import annotations

from entrenous.words.vocabulary.artifact import VOCABULARY, Vocabulary
from entrenous.words.vocabulary.release import (
    CONTRIBUTION,
    Prediction,
    VocabularyRequest,
    predict,
    vocabulary,
)
from entrenous.words.vocabulary.weightings import WEIGHTINGS, Weighting

__all__ = [
    "CONTRIBUTION",
    "VOCABULARY",
    "WEIGHTINGS",
    "Prediction",
    "Vocabulary",
    "VocabularyRequest",
    "Weighting",
    "predict",
    "vocabulary",
]
