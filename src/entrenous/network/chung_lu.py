"""Noisy degrees alone: the baseline that any structure has to beat.

References
----------
Chung & Lu (2002), Connected components in random graphs with given expected degree sequences.
"""

from __future__ import annotations

import numpy as np

from entrenous.graph import Graph
from entrenous.network.degrees import measured_degrees
from entrenous.network.drawing import draw_graph
from entrenous.network.mechanism import Order, Outcome
from entrenous.network.model import fit
from entrenous.noise import Noise

__all__ = ["run"]


def run(graph: Graph, order: Order, noise: Noise) -> Outcome:
    """Spend all of epsilon on degrees; epsilon-edge-differentially private (L1 sensitivity 2)."""
    degrees = measured_degrees(graph, epsilon=order.epsilon, noise=noise)
    one_group = np.zeros(graph.n, dtype=np.int64)
    model = fit(one_group, degrees.expected)
    drawn = draw_graph(degrees, one_group, one_group, None, noise.generator)
    return Outcome(drawn, {}, model)
