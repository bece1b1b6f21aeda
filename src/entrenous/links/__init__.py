"""Hide who is linked to whom: a best-fitting hierarchy with every tie blurred, and how much that hides.

Nothing here is a guarantee. What is hidden is measured, as entropy, and told to the curator.
"""

from __future__ import annotations

from entrenous.links.entropy import ego_entropy, joint_entropy
from entrenous.links.exposure import exposure
from entrenous.links.fitting import fit
from entrenous.links.generalization import generalize, generalized_entropy
from entrenous.links.link_probabilities import consensus
from entrenous.links.obfuscation import Obfuscation
from entrenous.links.release import obfuscate
from entrenous.links.trade_off import compare, frontier

__all__ = [
    "Obfuscation",
    "compare",
    "consensus",
    "ego_entropy",
    "exposure",
    "fit",
    "frontier",
    "generalize",
    "generalized_entropy",
    "joint_entropy",
    "obfuscate",
]
