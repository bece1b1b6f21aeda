"""Hierarchical random graphs: dendrograms, the chain that samples them, diagnostics and drawing graphs."""

from __future__ import annotations

from entrenous.hrg.dendrogram import Dendrogram
from entrenous.hrg.sampling import draw, pair_counts, sample

__all__ = ["Dendrogram", "draw", "pair_counts", "sample"]
