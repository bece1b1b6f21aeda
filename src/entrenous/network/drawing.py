"""Draw a graph whose degrees follow the estimated law and whose cells follow the settled counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entrenous.network.degrees import DegreeEstimate
from entrenous.network.model import fit

__all__ = ["draw_graph", "groups"]


def draw_graph(
    degrees: DegreeEstimate,
    slot: NDArray[np.int64],
    stratum: NDArray[np.int64],
    cells: NDArray[np.float64] | None,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Draw a graph whose degrees follow the estimated law and whose cells follow the settled counts.

    Ties are first drawn independently from the model, which scatters degrees around their expectation; then ends of
    ties move, first inside a group, then inside a slot, then anywhere, from nodes with too many to nodes with too few.
    """
    from entrenous.network._kernels import edge_table, settle_degrees

    wished = degrees.draw(rng)
    group = groups(slot, stratum)
    edges = fit(group, wished.astype(np.float64), cells).draw(rng)
    n = len(wished)
    reached = np.bincount(edges.ravel(), minlength=n)
    table = edge_table(edges, n)
    for label in (group, slot, np.zeros(n, dtype=np.int64)):
        settle_degrees(edges, reached, wished, label, int(label.max(initial=0)) + 1, table, rng)
    return edges


def groups(slot: NDArray[np.int64], stratum: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the group of each node: its slot and stratum in one number."""
    return np.asarray(slot * (stratum.max(initial=0) + 1) + stratum, dtype=np.int64)
