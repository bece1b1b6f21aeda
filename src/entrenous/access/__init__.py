"""Decide together who may see a shared thing.

Several people own an item together. Each says how strongly they want each audience and how much the others'
wishes move their own; `mediate` computes where that settles and lets them vote.
"""

from __future__ import annotations

from entrenous.access.circles import mediate_viewers
from entrenous.access.decision import Decision, may_see
from entrenous.access.insight.explanation import explain
from entrenous.access.insight.influence import key_players
from entrenous.access.insight.picture import draw
from entrenous.access.insight.pivotality import pivotality, second_round
from entrenous.access.insight.rivals import compare
from entrenous.access.insight.sealed_words import own_line, sealed_reason
from entrenous.access.item import CHOICES, Item
from entrenous.access.item_files import read_example, read_item
from entrenous.access.mediation import ENGINE, decide, mediate
from entrenous.access.settling.batch import mediate_batch
from entrenous.access.settling.peers import capped_peers
from entrenous.access.settling.sparse import mediate_sparse
from entrenous.access.votes.consensus import Consensus
from entrenous.access.votes.strong_majority import StrongMajority

__all__ = [
    "CHOICES",
    "ENGINE",
    "Consensus",
    "Decision",
    "Item",
    "StrongMajority",
    "capped_peers",
    "compare",
    "decide",
    "draw",
    "explain",
    "key_players",
    "may_see",
    "mediate",
    "mediate_batch",
    "mediate_sparse",
    "mediate_viewers",
    "own_line",
    "pivotality",
    "read_example",
    "read_item",
    "sealed_reason",
    "second_round",
]
