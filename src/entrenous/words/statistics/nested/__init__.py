"""Names of n-grams where a message counts once: weights of messages, clipped to edges and to senders."""

from __future__ import annotations

from entrenous.words.statistics.nested.nested_names import ROUNDS, NestedLonger, NestedWords
from entrenous.words.statistics.nested.nesting import NESTINGS, Nesting

__all__ = ["NESTINGS", "ROUNDS", "NestedLonger", "NestedWords", "Nesting"]
