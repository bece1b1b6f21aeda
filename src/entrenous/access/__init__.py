"""Decide together who may see a shared thing.

Several people own an item together. Each says how strongly they want each audience and how much the others'
wishes move their own; `mediate` computes where that settles and lets them vote.
"""

from __future__ import annotations

from entrenous.access.decision import Certificate, Decision, Guidance, may_see
from entrenous.access.explanation import Reason, explain
from entrenous.access.item import CHOICES, Item
from entrenous.access.mediation import ENGINE, decide, mediate
from entrenous.access.peers import capped_peers
from entrenous.access.reading import examples, read_example, read_item
from entrenous.access.vote import Consensus, StrongMajority

__all__ = [
    "CHOICES",
    "ENGINE",
    "Certificate",
    "Consensus",
    "Decision",
    "Guidance",
    "Item",
    "Reason",
    "StrongMajority",
    "capped_peers",
    "decide",
    "examples",
    "explain",
    "may_see",
    "mediate",
    "read_example",
    "read_item",
]
