"""What is allowed: states of an item, who sees it, who may do what, and how a round is decided.

Whoever imports a rule also brings `upkeep` along, which keeps lists and counts up to date: see `store.lists.touched`.
"""

from __future__ import annotations

from entrenous.web.rules import upkeep

__all__ = ["upkeep"]
