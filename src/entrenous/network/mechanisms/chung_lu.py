"""Noisy degrees alone: the baseline that any structure has to beat.

References
----------
Chung & Lu (2002), Connected components in random graphs with given expected degree sequences.
"""

from __future__ import annotations

import numpy as np

from entrenous.network.drawing.graph import draw_graph
from entrenous.network.drawing.model import fit
from entrenous.network.mechanism import GraphDesk, Mechanism, Outcome, Request, ask_degrees

__all__ = ["MECHANISM", "run"]


def run(asked: GraphDesk, request: Request) -> Outcome:
    """Spend all of epsilon on degrees."""
    degrees = ask_degrees(asked, request, epsilon=request.epsilon)
    one_group = np.zeros(request.n, dtype=np.int64)
    model = fit(one_group, degrees.expected)
    drawn = draw_graph(degrees, one_group, one_group, None, asked.generator)
    return Outcome(drawn, {}, model)


MECHANISM = Mechanism("chung-lu", "noisy degrees alone", run)
