"""Hierarchical random graphs: dendrograms, the chain that samples them, diagnostics and drawing graphs."""

from __future__ import annotations

from entrenous.hrg.chain import Chain, Trace, run
from entrenous.hrg.dendrogram import Dendrogram
from entrenous.hrg.sampling import draw, pair_counts, sample
from entrenous.hrg.utility import Clipped, Published, beta_for, delta_u

__all__ = [
    "Chain",
    "Clipped",
    "Dendrogram",
    "Published",
    "Trace",
    "beta_for",
    "delta_u",
    "draw",
    "pair_counts",
    "run",
    "sample",
]
