"""Everything that looks at who says what and draws noise: all that an auditor of words reads.

`ListedCounts` answers histograms; `HolderSizes`, `LeftOut` and `LeftOutSpread` tell what their bounding leaves out.
`Agreement` answers the private estimate of correlation, `WidestMessages` how many people messages went to. The others
name words without a list: `NamedWeights` and its kind in one question, `GuidedWords` and `GuidedLonger` length by
length, `FixedCounts` in an answer that goes on, and those in `nested` where a message counts once.
"""

from __future__ import annotations

from entrenous.words.statistics.agreement import Agreement
from entrenous.words.statistics.fixed_counts import FixedCounts
from entrenous.words.statistics.guided_weights import GuidedLonger, GuidedWords
from entrenous.words.statistics.left_out import HolderSizes, LeftOut, LeftOutSpread
from entrenous.words.statistics.listed_counts import ListedCounts
from entrenous.words.statistics.named_weights import AdaptiveWeights, NamedWeights, PolicyWeights
from entrenous.words.statistics.widest_messages import WidestMessages

__all__ = [
    "AdaptiveWeights",
    "Agreement",
    "FixedCounts",
    "GuidedLonger",
    "GuidedWords",
    "HolderSizes",
    "LeftOut",
    "LeftOutSpread",
    "ListedCounts",
    "NamedWeights",
    "PolicyWeights",
    "WidestMessages",
]
