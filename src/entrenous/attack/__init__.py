"""What an adversary would try, to check the promises: every attack returns a `Finding`."""

from __future__ import annotations

from entrenous.attack.audit import audit, broken_settings, settings
from entrenous.attack.inference.disclosure import Disclosure, attackers, disclose, disclose_mail, disclosures
from entrenous.attack.inference.edges import EdgeInference, infer_edge
from entrenous.attack.inference.guesses import Guess, guess_edges
from entrenous.attack.inference.known_links import KnownLinks, known_links
from entrenous.attack.inference.linkage import linkage, releases_allowed
from entrenous.attack.inference.low_bits import low_bits
from entrenous.attack.inference.manipulation import (
    Groups,
    Lie,
    Manipulation,
    manipulate,
    manipulate_rules,
    tempted,
)
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.lower_bound import LowerBound, epsilon_lower_bound
from entrenous.attack.tools.roc import Roc, allowed_advantage, allowed_auc, allowed_true_rate
from entrenous.attack.tools.setting import Setting

__all__ = [
    "Disclosure",
    "EdgeInference",
    "Finding",
    "Groups",
    "Guess",
    "KnownLinks",
    "Lie",
    "LowerBound",
    "Manipulation",
    "Roc",
    "Setting",
    "allowed_advantage",
    "allowed_auc",
    "allowed_true_rate",
    "attackers",
    "audit",
    "broken_settings",
    "disclose",
    "disclose_mail",
    "disclosures",
    "epsilon_lower_bound",
    "guess_edges",
    "infer_edge",
    "known_links",
    "linkage",
    "low_bits",
    "manipulate",
    "manipulate_rules",
    "releases_allowed",
    "settings",
    "tempted",
]
