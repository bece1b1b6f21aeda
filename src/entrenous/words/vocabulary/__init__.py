"""Which words and phrases an organization uses, published without a public list of them."""

from __future__ import annotations

from entrenous.words.vocabulary.artifact import VOCABULARY, Vocabulary
from entrenous.words.vocabulary.name_counts import NameCounts
from entrenous.words.vocabulary.release import Prediction, predict, vocabulary
from entrenous.words.vocabulary.support import Support
from entrenous.words.vocabulary.vocabulary_request import CONTRIBUTION, VocabularyRequest
from entrenous.words.vocabulary.weightings import WEIGHTINGS, Weighting

__all__ = [
    "CONTRIBUTION",
    "VOCABULARY",
    "WEIGHTINGS",
    "NameCounts",
    "Prediction",
    "Support",
    "Vocabulary",
    "VocabularyRequest",
    "Weighting",
    "predict",
    "vocabulary",
]
