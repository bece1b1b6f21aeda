"""Everything that is ever asked of a private graph: the only code that sees edges and noise together.

Each file holds a question, how far one edge moves its answer, and how the answer is drawn. `docs/guarantees.md` has the
proofs; a line `# proof: anchor` stands where a draw relies on one.
"""

from __future__ import annotations

from entrenous.network.statistics.cells import Cells
from entrenous.network.statistics.communities import Communities, CommunityCounts
from entrenous.network.statistics.degrees import Degrees, LargestDegree
from entrenous.network.statistics.joint_degrees import JointDegrees
from entrenous.network.statistics.passing_pairs import PassingPairs
from entrenous.network.statistics.size import Size
from entrenous.network.statistics.slots import Slots
from entrenous.network.statistics.spectrum import Eigenvectors, QuadraticForms
from entrenous.network.statistics.tails import Tails
from entrenous.network.statistics.trees import LinkCounts, Tree
from entrenous.network.statistics.triangles import Triangles

__all__ = [
    "Cells",
    "Communities",
    "CommunityCounts",
    "Degrees",
    "Eigenvectors",
    "JointDegrees",
    "LargestDegree",
    "LinkCounts",
    "PassingPairs",
    "QuadraticForms",
    "Size",
    "Slots",
    "Tails",
    "Tree",
    "Triangles",
]
