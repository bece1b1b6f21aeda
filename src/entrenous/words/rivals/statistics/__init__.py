"""What rivals ask of a table of words: for rehearsals that compare, by the same prices and proofs as ours."""

from __future__ import annotations

from entrenous.words.rivals.statistics.adaptive_degree import TwoAdaptiveRounds
from entrenous.words.rivals.statistics.shrinking_sets import ShrinkingSets
from entrenous.words.rivals.statistics.valid_ngrams import SingleWords, ValidNgrams

__all__ = ["ShrinkingSets", "SingleWords", "TwoAdaptiveRounds", "ValidNgrams"]
