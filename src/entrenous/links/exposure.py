"""What an obfuscation gives away and what it leaves open, in numbers for the curator."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from entrenous.links.entropy import class_entropy, ego_entropy
from entrenous.links.obfuscation import Obfuscated, as_obfuscation

__all__ = ["DESCRIPTION", "LABELS", "Exposure", "exposure"]

DESCRIPTION = (
    "This is a description, not a guarantee: it says what somebody who holds the hierarchy and nothing else cannot "
    "tell. Whoever knows some links of a class learns more about the others."
)

LABELS: Mapping[str, tuple[str, bool]] = {
    "retention": ("true ties that a draw keeps, expected", True),
    "kept_edges": ("true ties that this release kept", True),
    "certain_edges": ("true ties that are certain", True),
    "likely_edges": ("true ties at even odds or better", True),
    "certain_non_edges": ("pairs without a tie that are certain", True),
    "largest_posterior": ("largest probability of a tie", True),
    "bits_per_edge": ("bits per tie, over all pairs", False),
    "minimum_ego_entropy": ("bits of the node with the fewest", False),
    "median_ego_entropy": ("bits of the median node", False),
}
"""What each number is called, and whether it is a share."""


@dataclass(frozen=True)
class Exposure:
    """What an obfuscation gives away. Shares are between 0 and 1, entropies in bits.

    Attributes
    ----------
    retention
        The share of true edges that a draw is expected to keep: sum of e_r^2 / N_r over m.
    certain_edges
        The share of true edges in classes where every pair is an edge: they have 0 bits.
    likely_edges
        The share of true edges in classes where at least half of the pairs are edges.
    certain_non_edges
        The share of pairs without an edge that are in classes without any: they have 0 bits.
    largest_posterior
        The largest probability of a single link.
    bits_per_edge
        The joint entropy of all links, over m.
    minimum_ego_entropy, median_ego_entropy
        Over nodes, the joint entropy of a node's links.
    """

    retention: float
    certain_edges: float
    likely_edges: float
    certain_non_edges: float
    largest_posterior: float
    bits_per_edge: float
    minimum_ego_entropy: float
    median_ego_entropy: float

    def to_json(self) -> dict[str, float]:
        """Return the numbers by name."""
        return asdict(self)


def exposure(released: Obfuscated) -> Exposure:
    """Measure what an obfuscation gives away.

    >>> from entrenous.graph import Graph
    >>> from entrenous.hrg import Dendrogram
    >>> from entrenous.links import Obfuscation
    >>> two_triangles = Graph.from_edges([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], n=6)
    >>> tree = Dendrogram.from_nested((((0, 1), 2), (3, (4, 5))))
    >>> found = exposure(Obfuscation.of(two_triangles, tree))
    >>> round(found.retention, 3), round(7 * found.certain_edges)
    (0.873, 6)
    """
    distribution = as_obfuscation(released)
    e, N, p = distribution.edges, distribution.pairs, distribution.probability
    # Of nothing, a share is 0 rather than undefined.
    m, others = max(distribution.m, 1), max(int((N - e).sum()), 1)
    egos = ego_entropy(distribution)
    return Exposure(
        retention=math.fsum(e * p) / m,
        certain_edges=int(e[e == N].sum()) / m,
        # Compared as whole numbers: e / N rounds.
        likely_edges=int(e[2 * e >= N].sum()) / m,
        certain_non_edges=int(N[e == 0].sum()) / others,
        largest_posterior=float(p.max(initial=0.0)),
        bits_per_edge=math.fsum(class_entropy(N, e, N)) / m,
        minimum_ego_entropy=float(egos.min(initial=math.inf)) if len(egos) else 0.0,
        median_ego_entropy=float(np.median(egos)) if len(egos) else 0.0,
    )
