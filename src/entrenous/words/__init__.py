"""Publish what an organization talks about, without what anyone said."""

from __future__ import annotations

from entrenous.words.table import Names, NeighbourCounts, Table

__all__ = ["Names", "NeighbourCounts", "Table"]
