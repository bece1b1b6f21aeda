"""What an adversary would try, to check the promises: every attack returns a `Finding`."""

from __future__ import annotations

from entrenous.attack.disclosure import Disclosure, attackers, disclose, disclose_mail, disclosures
from entrenous.attack.edges import EdgeInference, Guess, guess_ties, infer_edge
from entrenous.attack.findings import Finding
from entrenous.attack.link_classes import KnownLinks, known_links
from entrenous.attack.manipulation import Groups, Lie, Manipulation, manipulate, manipulate_rules, tempted
from entrenous.attack.roc import Roc, allowed_advantage, allowed_auc, allowed_true_rate

__all__ = [
    "Disclosure",
    "EdgeInference",
    "Finding",
    "Groups",
    "Guess",
    "KnownLinks",
    "Lie",
    "Manipulation",
    "Roc",
    "allowed_advantage",
    "allowed_auc",
    "allowed_true_rate",
    "attackers",
    "disclose",
    "disclose_mail",
    "disclosures",
    "guess_ties",
    "infer_edge",
    "known_links",
    "manipulate",
    "manipulate_rules",
    "tempted",
]
