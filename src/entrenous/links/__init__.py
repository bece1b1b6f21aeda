"""Hide who is linked to whom: a best-fitting hierarchy with every tie blurred, and how much that hides.

Nothing here is a guarantee. What is hidden is measured, as entropy, and told to the curator.
"""

from __future__ import annotations

from entrenous.links.entropy import (
    class_entropy,
    ego_entropy,
    joint_entropy,
    link_entropy,
    shannon_entropy,
)
from entrenous.links.exposure import DESCRIPTION, Exposure, exposure
from entrenous.links.fitting import Fit, fit, soften, soften_to
from entrenous.links.generalization import Generalized, generalize, generalized_entropy
from entrenous.links.link_probabilities import consensus
from entrenous.links.obfuscation import Obfuscation
from entrenous.links.randomization import RANDOMIZATIONS, perturb, retained, sparsify, switch
from entrenous.links.release import obfuscate
from entrenous.links.trade_off import (
    MEASURES,
    MECHANISMS,
    TEMPERATURES,
    FrontierPoint,
    Rival,
    ahead,
    checked_methods,
    compare,
    frontier,
)

__all__ = [
    "DESCRIPTION",
    "MEASURES",
    "MECHANISMS",
    "RANDOMIZATIONS",
    "TEMPERATURES",
    "Exposure",
    "Fit",
    "FrontierPoint",
    "Generalized",
    "Obfuscation",
    "Rival",
    "ahead",
    "checked_methods",
    "class_entropy",
    "compare",
    "consensus",
    "ego_entropy",
    "exposure",
    "fit",
    "frontier",
    "generalize",
    "generalized_entropy",
    "joint_entropy",
    "link_entropy",
    "obfuscate",
    "perturb",
    "retained",
    "shannon_entropy",
    "soften",
    "soften_to",
    "sparsify",
    "switch",
]
