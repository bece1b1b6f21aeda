"""Edge owners: our default mechanism, pure edge differential privacy without a Markov chain.

1. *Size.* A noisy number of edges decides how the budget is shared and how many slots are worth having.
2. *Degrees* with noise give a public order of the nodes, hubs first; how many nodes have at least each degree is
   counted with noise as well.
3. *Slots.* In that order every node draws a slot (a community), leaning towards the slots of neighbours that were
   placed before it. An edge counts only for its later endpoint, its *owner*: one edge influences one draw.
4. *Cells.* Nodes are further split into strata of similar noisy degree; the edges between any two of the resulting
   groups are counted with noise. Every edge is in one cell.
5. *Triangles* are counted with noise, by the stratum of their corner of lowest noisy degree.
6. *Post-processing.* Degrees are deconvolved, cells drawn towards broader sums, a degree-corrected block model is
   fitted to both, and a graph is drawn from it, part of its ties in teams, with the estimated law of degrees and
   the measured triangles.

The proof stands in docs/guarantees.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from entrenous.graph import Graph
from entrenous.network.cells import noisy_cells, settle_cells
from entrenous.network.degrees import DegreeEstimate, measured_degrees
from entrenous.network.drawing import draw_graph, groups
from entrenous.network.hierarchy import blocks
from entrenous.network.mechanism import SIZE_SHARE, Order, Outcome, noisy_size
from entrenous.network.model import fit
from entrenous.network.slot_tree import slot_tree
from entrenous.network.triangles import LEAST_EPSILON, measured_triangles
from entrenous.noise import Noise

__all__ = ["SHARES", "Plan", "plan", "run", "slots_for"]

SHARES = ("structure", "counts", "degrees")
#: Subtracted from epsilon in the draw of slots: pays for the rounding of weights to whole numbers.
ROUNDING = 1e-8
_RESOLUTION = 0.8  # how strongly full slots push away; below 1 leaves room for communities of unequal size
_WORTH_SLOTS = 18.0  # epsilon times mean degree below which slots cost more than they give
# The loss in likelihood, per node, that the noise of finer cells may bring: strata alone seldom gain more than that.
_WORTH_NATS, _WORTH_NATS_STRATA = 0.2, 0.01
_MOST_SLOTS, _MOST_STRATA, _MOST_GROUPS = 64, 10, 256
# Shares of epsilon for triangles and for the law of degrees: so many over the number of nodes, within these bounds.
# Counts of many nodes bear more noise.
_TRIANGLES, _LEAST_TRIANGLES, _MOST_TRIANGLES = 85, 0.06, 0.07
_FEW_TRIANGLES, _FEW_COUNTS = 0.03, 0.02  # where no slots are worth having, degrees need nearly all there is
_LAW, _LEAST_LAW, _MOST_LAW = 100, 0.02, 0.08
_TRIANGLES_OF_COUNTS = 0.5  # of a caller's share for counts, which pays for cells and for triangles
_LAW_OF_DEGREES = 0.15  # of a caller's share for degrees, which pays for their law as well


@dataclass(frozen=True)
class Plan:
    """How epsilon is spent; chosen from public and noisy values only. `counts` are those of cells."""

    structure: float
    counts: float
    degrees: float
    triangles: float
    law: float = 0.0
    size: float = 0.0

    @classmethod
    def of_shares(cls, epsilon: float, shares: Sequence[float], size: float = 0.0) -> Plan:
        """Return a plan by shares for structure, counts and degrees; triangles take their part of counts."""
        structure, counts, degrees = ((epsilon - size) * share for share in shares)
        triangles, law = counts * _TRIANGLES_OF_COUNTS, degrees * _LAW_OF_DEGREES
        return cls(structure, counts - triangles, degrees - law, triangles, law, size).without_drowned()

    def without_drowned(self) -> Plan:
        """Return the plan with the share of triangles given to degrees, if noise would drown them."""
        if self.triangles >= LEAST_EPSILON:
            return self
        return replace(self, degrees=self.degrees + self.triangles, triangles=0.0)

    def without_cells(self) -> Plan:
        """Return the plan for a single group, whose cell would say nothing: triangles, if any, get its share."""
        return replace(self, counts=0.0, triangles=self.triangles and self.triangles + self.counts)

    def printed(self) -> dict[str, str | int | float]:
        """Return what stands on the card."""
        return {
            "epsilon for size": round(self.size, 6),
            "epsilon for degrees": round(self.degrees, 6),
            "epsilon for the law of degrees": round(self.law, 6),
            "epsilon for structure": round(self.structure, 6),
            "epsilon for counts": round(self.counts, 6),
            "epsilon for triangles": round(self.triangles, 6),
        }


def plan(epsilon: float, n: int, edges: int) -> Plan:
    """Choose the shares from epsilon, public n and a noisy number of edges.

    The rules were fitted on real graphs (docs/network.md); they matter for utility alone, never for privacy.

    >>> plan(1.0, 7115, 100762).structure > 0, plan(0.5, 7115, 100762).structure > 0
    (True, False)
    """
    size = epsilon * SIZE_SHARE
    if epsilon * 2 * edges / n < _WORTH_SLOTS:
        triangles, counts = epsilon * _FEW_TRIANGLES, epsilon * _FEW_COUNTS
        if _groups_worth(n, edges, counts, _WORTH_NATS_STRATA) < 2:
            counts = 0.0
        return Plan(0.0, counts, epsilon - size - triangles - counts, triangles, size=size).without_drowned()
    triangles = epsilon * min(max(_TRIANGLES / n, _LEAST_TRIANGLES), _MOST_TRIANGLES)
    law = epsilon * min(max(_LAW / n, _LEAST_LAW), _MOST_LAW)
    left = epsilon - size - triangles - law
    degrees = left * min(max(0.38 / math.sqrt(epsilon), 0.15), 0.5)
    wished = 4 * slots_for(epsilon, n, edges)  # worth having: each slot in four strata
    counts = min(max(wished**2 / math.sqrt(4 * _WORTH_NATS * edges * n), 0.05 * epsilon), 0.12 * epsilon)
    return Plan(left - degrees - counts, counts, degrees, triangles, law, size).without_drowned()


def slots_for(epsilon: float, n: int, edges: float) -> int:
    """Choose the number of slots: more where degrees, epsilon and the graph are larger.

    >>> slots_for(1.0, 1224, 16715), slots_for(1.0, 12006, 118489)
    (3, 4)
    """
    information = epsilon * 2 * edges / n
    return int(min(max(round(0.018 * information**0.9 * n**0.3), 2), _MOST_SLOTS, n))


def run(graph: Graph, order: Order, noise: Noise) -> Outcome:
    """Carry out the mechanism; the whole of it is `order.epsilon`-edge-differentially private."""
    spent = _plan_for(graph, order, noise)
    degrees = measured_degrees(graph, epsilon=spent.degrees, noise=noise, tails_epsilon=spent.law)
    edges = float(degrees.mean.sum()) / 2
    worth = _WORTH_NATS if spent.structure or order.hierarchy is not None else _WORTH_NATS_STRATA
    groups_worth = _groups_worth(graph.n, edges, spent.counts, worth)
    if order.hierarchy is not None:
        slot = blocks(order.hierarchy, most=int(min(max(groups_worth, 2), _MOST_SLOTS)))
    elif spent.structure > ROUNDING:
        slots = slots_for(order.epsilon, graph.n, edges)
        slot = _draw_slots(graph, degrees, slots, epsilon=spent.structure, noise=noise)
    else:
        slot = np.zeros(graph.n, dtype=np.int64)
    slots = int(slot.max()) + 1
    stratum = _strata(
        degrees, int(min(max(groups_worth / slots, 1), _MOST_STRATA, max(_MOST_GROUPS / slots, 1)))
    )
    strata = int(stratum.max()) + 1
    if slots * strata < 2:
        spent = spent.without_cells()
    cells = _settled_cells(graph, degrees, slot, stratum, epsilon=spent.counts, noise=noise)
    triangles = None
    if spent.triangles:
        triangles = measured_triangles(
            graph, degrees, epsilon=spent.triangles, degrees_epsilon=spent.degrees, noise=noise
        )
    model = fit(groups(slot, stratum), degrees.expected, cells)
    drawn = draw_graph(degrees, slot, stratum, cells, noise.generator, triangles)
    labels = np.arange(slots * strata)
    known = np.zeros((len(labels), len(labels))) if cells is None else cells
    volume = np.asarray(np.bincount(slot, degrees.mean), dtype=np.float64)
    private = {"slots": slot, "slot tree": slot_tree(known, labels // strata, volume)}
    return Outcome(drawn, spent.printed() | {"slots": slots, "degree strata": strata}, model, private)


def _plan_for(graph: Graph, order: Order, noise: Noise) -> Plan:
    """Choose the plan: by the caller's shares, for a public hierarchy, or by the noisy size of the graph."""
    if order.shares is not None:
        return Plan.of_shares(order.spendable, order.shares)
    if order.hierarchy is not None:
        return Plan.of_shares(order.spendable, (0.0, 0.15, 0.85))
    size = noisy_size(graph, epsilon=order.spendable * SIZE_SHARE, noise=noise)
    return plan(order.spendable, graph.n, size)


def _draw_slots(
    graph: Graph, degrees: DegreeEstimate, slots: int, *, epsilon: float, noise: Noise
) -> NDArray[np.int64]:
    """Draw the slot of every node, hubs first; one edge influences the draw of its owner alone."""
    from entrenous.network._kernels import assign_slots

    slot, used = assign_slots(
        np.lexsort((noise.generator.random(graph.n), -degrees.noisy)),
        graph.indptr,
        graph.indices,
        degrees.expected,
        epsilon - ROUNDING,
        _RESOLUTION,
        slots,
        noise.words(2 * graph.n + 1024),
    )
    if not used:
        raise RuntimeError("random words ran out")  # one in 64 is redrawn at most: twice the nodes never do
    return np.asarray(slot, dtype=np.int64)


def _groups_worth(n: int, edges: float, epsilon: float, nats: float) -> float:
    """Return how many groups can be told apart before the noise of their cells costs `nats` per node.

    With G groups a cell holds about 2m / G^2 edges and noise of variance 2 / epsilon^2, which costs G^4 / (4 m
    epsilon^2) nats in all.
    """
    return float((nats * 4 * edges * n * epsilon**2) ** 0.25)


def _strata(degrees: DegreeEstimate, strata: int) -> NDArray[np.int64]:
    """Cut the nodes into strata of about equal volume by noisy degree; equal noisy degrees stay together."""
    values, place = np.unique(degrees.noisy, return_inverse=True)
    volume = np.cumsum(np.bincount(place, degrees.mean, minlength=len(values)))
    stratum = np.minimum((volume / max(volume[-1], 1e-9) * strata).astype(np.int64), strata - 1)
    return np.asarray(np.unique(stratum, return_inverse=True)[1][place], dtype=np.int64)


def _settled_cells(
    graph: Graph,
    degrees: DegreeEstimate,
    slot: NDArray[np.int64],
    stratum: NDArray[np.int64],
    *,
    epsilon: float,
    noise: Noise,
) -> NDArray[np.float64] | None:
    """Count edges between groups with noise, and draw the counts towards what degrees and broader sums say."""
    from entrenous.network._kernels import expectations

    strata = int(stratum.max(initial=0)) + 1
    count = (int(slot.max(initial=0)) + 1) * strata
    if count < 2 or epsilon == 0:
        return None
    group = groups(slot, stratum)
    noisy = noisy_cells(graph, group, count, epsilon=epsilon, noise=noise)
    plain = fit(group, degrees.expected)
    ones: NDArray[np.float64] = np.ones((count, count))
    expected = expectations(plain.propensity, plain.size, plain.group, ones)[1]
    labels = np.arange(count)
    return settle_cells(noisy, expected, labels // strata, labels % strata, epsilon=epsilon)
