"""Hierarchical random graphs: dendrograms, the chain that samples them, diagnostics and drawing graphs."""

from __future__ import annotations

from entrenous.hrg.chain import run
from entrenous.hrg.dendrogram import Dendrogram
from entrenous.hrg.diagnostics import diagnose
from entrenous.hrg.sampling import sample
from entrenous.hrg.utility import Clipped, Published

__all__ = [
    "Clipped",
    "Dendrogram",
    "Published",
    "diagnose",
    "run",
    "sample",
]
