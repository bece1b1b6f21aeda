"""Hierarchical random graphs: dendrograms, the chain that samples them, diagnostics and drawing graphs."""

from __future__ import annotations

from entrenous.hrg.chain import Chain, Trace, run
from entrenous.hrg.dendrogram import Dendrogram
from entrenous.hrg.diagnostics import (
    Diagnosis,
    WindowRule,
    diagnose,
    effective_sample_size,
    r_hat,
    window_rule,
)
from entrenous.hrg.sampling import draw, pair_counts, sample
from entrenous.hrg.utility import Clipped, Published, beta_for, delta_u

__all__ = [
    "Chain",
    "Clipped",
    "Dendrogram",
    "Diagnosis",
    "Published",
    "Trace",
    "WindowRule",
    "beta_for",
    "delta_u",
    "diagnose",
    "draw",
    "effective_sample_size",
    "pair_counts",
    "r_hat",
    "run",
    "sample",
    "window_rule",
]
