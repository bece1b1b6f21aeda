"""Publish what an organization talks about, without what anyone said."""

from __future__ import annotations

from entrenous.words.corpus import Corpus
from entrenous.words.table import Names, NeighbourCounts, Table

__all__ = ["Corpus", "Names", "NeighbourCounts", "Table"]
