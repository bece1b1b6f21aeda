"""What an adversary would try, to check the promises: every attack returns a `Finding`."""

from __future__ import annotations

from entrenous.attack.audit import audit_settings, settings
from entrenous.attack.foreign import audit
from entrenous.attack.inference.broadcasts import broadcasts
from entrenous.attack.inference.disclosure import attackers, disclose_mail, disclosures
from entrenous.attack.inference.edges import infer_edge
from entrenous.attack.inference.guesses import guess_edges
from entrenous.attack.inference.known_links import known_links
from entrenous.attack.inference.linkage import linkage, releases_allowed
from entrenous.attack.inference.low_bits import low_bits
from entrenous.attack.inference.manipulation import Groups, manipulate, tempted
from entrenous.attack.one_run.planted_letters import planted_letters
from entrenous.attack.one_run.planted_ties import planted_ties
from entrenous.attack.replay import (
    Replay,
    replay,
    replay_correlation,
    replay_histogram,
    replay_vocabulary,
    replays,
)
from entrenous.attack.side_channels.telling_apart import side_channels
from entrenous.attack.tools.findings import Finding
from entrenous.attack.tools.roc import allowed_auc

__all__ = [
    "Finding",
    "Groups",
    "Replay",
    "allowed_auc",
    "attackers",
    "audit",
    "audit_settings",
    "broadcasts",
    "disclose_mail",
    "disclosures",
    "guess_edges",
    "infer_edge",
    "known_links",
    "linkage",
    "low_bits",
    "manipulate",
    "planted_letters",
    "planted_ties",
    "releases_allowed",
    "replay",
    "replay_correlation",
    "replay_histogram",
    "replay_vocabulary",
    "replays",
    "settings",
    "side_channels",
    "tempted",
]
