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
   fitted to both, and a graph is drawn from it, part of its edges in teams, with the estimated distribution of
   degrees and the measured triangles.

The proof stands in docs/guarantees.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from entrenous.network import statistics
from entrenous.network.drawing.deconvolution import DegreeEstimate
from entrenous.network.drawing.graph import draw_graph, groups
from entrenous.network.drawing.model import fit
from entrenous.network.drawing.shrinkage import settle_cells
from entrenous.network.drawing.slot_tree import slot_tree
from entrenous.network.drawing.triangle_classes import (
    LEAST_EPSILON,
    TriangleCounts,
    class_cuts,
    class_shares,
)
from entrenous.network.hierarchy import blocks
from entrenous.network.mechanism import SIZE_SHARE, GraphDesk, Mechanism, Outcome, Request, ask_degrees
from entrenous.network.statistics.slots import ROUNDING

__all__ = ["MECHANISM", "Plan", "plan", "run", "slots_for"]

_WORTH_SLOTS = 18.0  # epsilon times mean degree below which slots cost more than they give
# The loss in likelihood, per node, that the noise of finer cells may bring: strata alone seldom gain more than that.
_WORTH_NATS, _WORTH_NATS_STRATA = 0.2, 0.01
_MOST_SLOTS, _MOST_STRATA, _MOST_GROUPS = 64, 10, 256
# Shares of epsilon for triangles and for the distribution of degrees: so many over the number of nodes, within these
# bounds. Counts of many nodes bear more noise.
_TRIANGLES, _LEAST_TRIANGLES, _MOST_TRIANGLES = 85, 0.06, 0.07
_FEW_TRIANGLES, _FEW_COUNTS = 0.03, 0.02  # where no slots are worth having, degrees need nearly all there is
_DISTRIBUTION, _LEAST_DISTRIBUTION, _MOST_DISTRIBUTION = 100, 0.02, 0.08
_TRIANGLES_OF_COUNTS = 0.5  # of a caller's share for counts, which pays for cells and for triangles
_DISTRIBUTION_OF_DEGREES = 0.15  # of a caller's share for degrees, which pays for their distribution as well


@dataclass(frozen=True)
class Plan:
    """How epsilon is spent; chosen from public and noisy values only. `counts` are those of cells."""

    structure: float
    counts: float
    degrees: float
    triangles: float
    distribution: float = 0.0
    size: float = 0.0

    @classmethod
    def of_shares(cls, epsilon: float, shares: Sequence[float], size: float = 0.0) -> Plan:
        """Return a plan by shares for structure, counts and degrees; triangles take their part of counts."""
        structure, counts, degrees = ((epsilon - size) * share for share in shares)
        triangles, distribution = counts * _TRIANGLES_OF_COUNTS, degrees * _DISTRIBUTION_OF_DEGREES
        return cls(
            structure, counts - triangles, degrees - distribution, triangles, distribution, size
        ).without_drowned()

    def without_drowned(self) -> Plan:
        """Return the plan with the share of triangles given to degrees, if noise would drown them."""
        if self.triangles >= LEAST_EPSILON:
            return self
        return replace(self, degrees=self.degrees + self.triangles, triangles=0.0)

    def without_cells(self) -> Plan:
        """Return the plan for a single group, whose cell would say nothing: triangles, if any, get its share."""
        return replace(self, counts=0.0, triangles=self.triangles and self.triangles + self.counts)


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
    distribution = epsilon * min(max(_DISTRIBUTION / n, _LEAST_DISTRIBUTION), _MOST_DISTRIBUTION)
    left = epsilon - size - triangles - distribution
    degrees = left * min(max(0.38 / math.sqrt(epsilon), 0.15), 0.5)
    target = 4 * slots_for(epsilon, n, edges)  # worth having: each slot in four strata
    counts = min(max(target**2 / math.sqrt(4 * _WORTH_NATS * edges * n), 0.05 * epsilon), 0.12 * epsilon)
    return Plan(left - degrees - counts, counts, degrees, triangles, distribution, size).without_drowned()


def slots_for(epsilon: float, n: int, edges: float) -> int:
    """Choose the number of slots: more where degrees, epsilon and the graph are larger.

    >>> slots_for(1.0, 1224, 16715), slots_for(1.0, 12006, 118489)
    (3, 4)
    """
    information = epsilon * 2 * edges / n
    return int(min(max(round(0.018 * information**0.9 * n**0.3), 2), _MOST_SLOTS, n))


def run(asked: GraphDesk, request: Request) -> Outcome:
    """Ask for size, degrees, slots, cells and triangles, and draw a graph that has them."""
    spent = _plan_for(asked, request)
    degrees = ask_degrees(asked, request, epsilon=spent.degrees, tails_epsilon=spent.distribution)
    slot, stratum = _divide(asked, request, spent, degrees)
    slots, strata = int(slot.max()) + 1, int(stratum.max()) + 1
    if slots * strata < 2:
        spent = spent.without_cells()
    cells = _settled_cells(asked, degrees, slot, stratum, epsilon=spent.counts)
    triangles = _triangles(asked, degrees, spent) if spent.triangles else None
    model = fit(groups(slot, stratum), degrees.expected, cells)
    drawn = draw_graph(degrees, slot, stratum, cells, asked.generator, triangles)
    labels = np.arange(slots * strata)
    known = np.zeros((len(labels), len(labels))) if cells is None else cells
    volume = np.asarray(np.bincount(slot, degrees.mean), dtype=np.float64)
    private = {"slots": slot, "slot tree": slot_tree(known, labels // strata, volume)}
    return Outcome(drawn, {"slots": slots, "degree strata": strata}, model, private)


def _plan_for(asked: GraphDesk, request: Request) -> Plan:
    """Choose the plan: by the caller's shares, for a public hierarchy, or by the noisy size of the graph."""
    if request.shares is not None:
        return Plan.of_shares(request.spendable, request.shares)
    if request.hierarchy is not None:
        return Plan.of_shares(request.spendable, (0.0, 0.15, 0.85))
    size = asked(statistics.Size(epsilon=request.spendable * SIZE_SHARE))
    return plan(request.spendable, request.n, size)


def _divide(
    asked: GraphDesk, request: Request, spent: Plan, degrees: DegreeEstimate
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the slot and the stratum of each node: slots are public, drawn privately, or one for all."""
    edges = float(degrees.mean.sum()) / 2
    worth = _WORTH_NATS if spent.structure or request.hierarchy is not None else _WORTH_NATS_STRATA
    groups_worth = _groups_worth(request.n, edges, spent.counts, worth)
    if request.hierarchy is not None:
        slot = blocks(request.hierarchy, most=int(min(max(groups_worth, 2), _MOST_SLOTS)))
    elif spent.structure > ROUNDING:
        count = slots_for(request.epsilon, request.n, edges)
        order = np.lexsort((asked.generator.random(request.n), -degrees.noisy))
        slot = asked(statistics.Slots(order, degrees.expected, count, epsilon=spent.structure))
    else:
        slot = np.zeros(request.n, dtype=np.int64)
    slots = int(slot.max()) + 1
    strata = int(min(max(groups_worth / slots, 1), _MOST_STRATA, max(_MOST_GROUPS / slots, 1)))
    return slot, _strata(degrees, strata)


def _triangles(asked: GraphDesk, degrees: DegreeEstimate, spent: Plan) -> TriangleCounts:
    """Ask for the triangles of as many classes as their epsilon can tell apart."""
    edges = float(degrees.mean.sum()) / 2
    cuts = class_cuts(degrees.noisy, edges=edges, epsilon=spent.triangles, degrees_epsilon=spent.degrees)
    label = np.searchsorted(cuts, degrees.noisy, side="right")
    question = statistics.Triangles(label, class_shares(spent.triangles, len(cuts) + 1))
    return TriangleCounts(cuts, asked(question), question.deviation, spent.degrees)


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
    asked: GraphDesk,
    degrees: DegreeEstimate,
    slot: NDArray[np.int64],
    stratum: NDArray[np.int64],
    *,
    epsilon: float,
) -> NDArray[np.float64] | None:
    """Ask for the edges between groups, and draw the counts towards what degrees and broader sums say."""
    from entrenous.network.drawing._model_kernels import expectations

    strata = int(stratum.max(initial=0)) + 1
    count = (int(slot.max(initial=0)) + 1) * strata
    if count < 2 or epsilon == 0:
        return None
    group = groups(slot, stratum)
    noisy = asked(statistics.Cells(group, count, epsilon=epsilon))
    plain = fit(group, degrees.expected)
    ones: NDArray[np.float64] = np.ones((count, count))
    expected = expectations(plain.propensity, plain.size, plain.group, ones)[1]
    labels = np.arange(count)
    return settle_cells(noisy, expected, labels // strata, labels % strata, epsilon=epsilon)


MECHANISM = Mechanism(
    "owner",
    "slots drawn by edge owners, degrees, cells and triangles (our default)",
    run,
    shares=("structure", "counts", "degrees"),
    needed=("degrees",),
    takes_partition=True,
    takes_tree=True,
)
