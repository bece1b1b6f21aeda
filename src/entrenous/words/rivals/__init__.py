"""Published rules that do what `vocabulary` does, on the same table and at the same price, to compare with."""

from __future__ import annotations

from entrenous.words.rivals.contenders import (
    DPNE,
    DPSIPS,
    MAD,
    RIVALS,
    Ours,
    PolicyGaussian,
    TunedDPNE,
    WeightedGaussian,
)
from entrenous.words.rivals.rival import Rival
from entrenous.words.rivals.side_by_side import Standing, compare

__all__ = [
    "DPNE",
    "DPSIPS",
    "MAD",
    "RIVALS",
    "Ours",
    "PolicyGaussian",
    "Rival",
    "Standing",
    "TunedDPNE",
    "WeightedGaussian",
    "compare",
]
