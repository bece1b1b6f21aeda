"""Which words and phrases an organization uses, published without a public list of them."""

from __future__ import annotations

from entrenous.words.vocabulary.artifact import VOCABULARY, Vocabulary
from entrenous.words.vocabulary.release import CONTRIBUTION, WEIGHTINGS, Prediction, predict, vocabulary

__all__ = ["CONTRIBUTION", "VOCABULARY", "WEIGHTINGS", "Prediction", "Vocabulary", "predict", "vocabulary"]
