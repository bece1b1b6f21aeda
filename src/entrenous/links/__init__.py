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
from entrenous.links.generalization import Generalized, generalize, generalized_entropy
from entrenous.links.obfuscation import Obfuscation
from entrenous.links.randomization import RANDOMIZATIONS, perturb, retained, sparsify, switch

__all__ = [
    "DESCRIPTION",
    "RANDOMIZATIONS",
    "Exposure",
    "Generalized",
    "Obfuscation",
    "class_entropy",
    "ego_entropy",
    "exposure",
    "generalize",
    "generalized_entropy",
    "joint_entropy",
    "link_entropy",
    "perturb",
    "retained",
    "shannon_entropy",
    "sparsify",
    "switch",
]
