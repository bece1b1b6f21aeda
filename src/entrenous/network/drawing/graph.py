"""Draw a graph with the estimated distribution of degrees, the settled counts of cells and the measured triangles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entrenous.network.drawing.deconvolution import DEGREE_SENSITIVITY, DegreeEstimate
from entrenous.network.drawing.model import fit
from entrenous.network.drawing.teams import draw_teams
from entrenous.network.drawing.triangle_classes import TriangleCounts, triangles_by_class
from entrenous.price import geometric_scale

__all__ = ["draw_graph", "groups"]

_ROUNDS, _ROUNDS_IF_LARGE = 5, 3  # of drawing, counting triangles and asking for more or fewer
_LARGE = 500_000  # edges from which on fewer rounds must do
_CLOSE = 0.02  # relative error of every count of triangles that is good enough
_MOST_GAIN = 6.0  # by which steps towards the target triangles may outgrow the first
# Powers of the degree by which clustering rises below and falls above what was measured.
_RISE, _DECLINE = 0.4, 0.75
_DENSE = 0.4  # of a cell's pairs are tied: nearly every two neighbours of a node in there are tied as well
_LEAST_LEFT = 0.05  # of a cell, however much of it teams have used


@dataclass(frozen=True)
class _Targets:
    """What a drawn graph should look like: degrees and groups of nodes, edges of cells (None: whatever they are)."""

    degrees: NDArray[np.int64]
    slot: NDArray[np.int64]
    group: NDArray[np.int64]
    cells: NDArray[np.float64] | None


def draw_graph(
    degrees: DegreeEstimate,
    slot: NDArray[np.int64],
    stratum: NDArray[np.int64],
    cells: NDArray[np.float64] | None,
    rng: np.random.Generator,
    triangles: TriangleCounts | None = None,
) -> NDArray[np.int32]:
    """Draw a graph whose degrees follow the estimated distribution and whose cells follow the settled counts.

    With `triangles`, part of the ties is drawn in teams. How many is found by trial: a graph is drawn, its triangles
    are counted in the way the private ones were, its degrees blurred by as much noise, and teams grow or shrink by
    the difference. The drawing whose triangles are off by the fewest is kept.
    """
    targets = _Targets(degrees.draw(rng), slot, groups(slot, stratum), cells)
    none: NDArray[np.int32] = np.empty((0, 2), dtype=np.int32)
    edges = _draw(targets, none, rng)
    if triangles is None:
        return edges
    pool = triangles.pooled()
    label = pool[triangles.label(_blurred(targets.degrees, triangles.epsilon, rng))]
    target = np.maximum(np.bincount(pool, triangles.noisy), 0.0)
    corners = np.bincount(label, _pairs(targets.degrees), minlength=len(target)).astype(np.float64)
    most = _most_clustering(target, corners)
    clustering, gain = np.zeros(len(target)), np.ones(len(target))
    missing: NDArray[np.float64] = target - _count(edges, label, len(target))
    best, least = edges, np.abs(missing).sum()
    for _ in range(_ROUNDS if len(edges) <= _LARGE else _ROUNDS_IF_LARGE):
        if (np.abs(missing) <= _CLOSE * target).all():
            break
        stepped = np.clip(clustering + gain * missing / np.maximum(corners, 1), 0, most)
        clustering = _without_spill(stepped, clustering, target, missing)
        curve = _curve(clustering, targets.degrees, label)
        ties = _where_sparse(targets, draw_teams(targets.degrees, slot, curve, rng))
        edges = _draw(targets, ties, rng)
        before, missing = missing, target - _count(edges, label, len(target))
        if np.abs(missing).sum() < least:
            best, least = edges, np.abs(missing).sum()
        answer = (before - missing) / np.where(before == 0, 1, before)  # 1 where the step was right
        gain = np.clip(gain / np.clip(answer, 0.3, 2), 0.7, _MOST_GAIN)
    return best


def groups(slot: NDArray[np.int64], stratum: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the group of each node: its slot and stratum in one number."""
    return np.asarray(slot * (stratum.max(initial=0) + 1) + stratum, dtype=np.int64)


def _draw(targets: _Targets, ties: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
    """Draw what the ties of teams leave over from a block model, and move and add ends until degrees fit.

    Ties are first drawn independently from the model, which scatters degrees around their expectation; then ends of
    ties move, first inside a group, then inside a slot, then anywhere, from nodes with too many to nodes with too few;
    then nodes that still miss some are tied to each other.
    """
    from entrenous.network.drawing._kernels import edge_table, enter_edges, pair_up, settle_degrees

    n = len(targets.degrees)
    left = targets.degrees - np.bincount(ties.ravel(), minlength=n)
    cells = None if targets.cells is None else _cells_left(targets, ties, left)
    drawn = fit(targets.group, np.maximum(left, _LEAST_LEFT).astype(np.float64), cells).draw(rng)
    table = edge_table(ties, n, len(ties) + len(drawn))
    drawn = drawn[enter_edges(table, drawn, n)]
    reached = targets.degrees - left + np.bincount(drawn.ravel(), minlength=n)
    for label in (targets.group, targets.slot, np.zeros(n, dtype=np.int64)):
        settle_degrees(drawn, reached, targets.degrees, label, int(label.max(initial=0)) + 1, table, rng)
    added = pair_up(np.maximum(targets.degrees - reached, 0), table, rng)
    return np.concatenate([ties, drawn, added])


def _most_clustering(target: NDArray[np.float64], pairs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the most clustering of each class that teams are asked for: 1, but less in the lowest of several classes.

    There noise is largest, and a count may ask for more triangles than teams can make. The target ones have at most
    three corners in it.
    """
    most = np.ones(len(target))
    if len(target) > 1:
        most[0] = min(3 * target[0] / max(pairs[0], 1), 1)
    return most


def _without_spill(
    clustering: NDArray[np.float64],
    before: NDArray[np.float64],
    target: NDArray[np.float64],
    missing: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Halve the clustering of a class if teams of it reach into the next, which gets far too many triangles of them.

    Clustering changes gradually from class to class. Where the next has no teams of its own and has more triangles too
    many than the class asked for, noise made the class ask for too many.
    """
    settled = clustering.copy()
    for c in range(len(settled) - 1, 0, -1):
        if settled[c] == 0 and -missing[c] > target[c - 1]:
            settled[c - 1] = before[c - 1] / 2
    return settled


def _where_sparse(targets: _Targets, ties: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the ties of teams but those in dense cells: these have their triangles without teams."""
    if targets.cells is None:
        return ties
    size = np.bincount(targets.group, minlength=len(targets.cells)).astype(np.float64)
    pairs = np.outer(size, size)
    pairs[np.diag_indices(len(size))] = size * (size - 1) / 2
    cell = np.sort(targets.group[ties], axis=1)
    return ties[(targets.cells < _DENSE * pairs)[cell[:, 0], cell[:, 1]]]


def _cells_left(
    targets: _Targets, ties: NDArray[np.int32], left: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """Return the edges of cells that teams have not used, in proportion to the degrees that groups have left."""
    cells = targets.cells
    if cells is None or not len(ties):
        return cells
    pair = np.sort(targets.group[ties], axis=1)
    used = np.zeros_like(cells)
    np.add.at(used, (pair[:, 0], pair[:, 1]), 1.0)
    rest = np.triu(np.maximum(cells - used, _LEAST_LEFT * cells))
    full = rest + rest.T  # the diagonal twice: an edge inside a group has two ends there
    volume = np.bincount(targets.group, left, minlength=len(cells)).astype(np.float64)
    for _ in range(50):
        factor = np.sqrt(volume / np.maximum(full.sum(axis=1), 1e-9))
        full *= np.outer(factor, factor)
    upper: NDArray[np.float64] = np.triu(full)
    upper[np.diag_indices(len(cells))] /= 2
    return upper


def _count(edges: NDArray[np.int32], label: NDArray[np.int64], classes: int) -> NDArray[np.int64]:
    """Count the triangles of each class in drawn edges."""
    from entrenous.network.drawing._kernels import adjacency

    indptr, indices = adjacency(edges, len(label))
    return triangles_by_class(indptr, indices, label, classes)


def _curve(
    clustering: NDArray[np.float64], degrees: NDArray[np.int64], label: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the clustering of each node, between that of classes by its degree."""
    pairs = _pairs(degrees)
    level = np.log(np.maximum(degrees, 1))
    weight = np.bincount(label, pairs, minlength=len(clustering))
    centre = np.bincount(label, pairs * level, minlength=len(clustering)) / np.maximum(weight, 1e-9)
    known = weight > 0
    if not known.any():
        return np.zeros(len(degrees))
    order = np.argsort(centre[known])
    points, values = centre[known][order], clustering[known][order]
    above, below = np.maximum(level - points[-1], 0), np.maximum(points[0] - level, 0)
    beyond = np.exp(_RISE * below - _DECLINE * above)
    return np.asarray(np.minimum(np.interp(level, points, values) * beyond, 1.0), dtype=np.float64)


def _blurred(degrees: NDArray[np.int64], epsilon: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Blur drawn degrees as the private ones were: for a fair comparison, not for privacy."""
    success = -math.expm1(-1 / geometric_scale(DEGREE_SENSITIVITY, epsilon))
    up, down = rng.geometric(success, size=(2, len(degrees)))
    return np.asarray(degrees + up - down, dtype=np.int64)


def _pairs(degrees: NDArray[np.int64]) -> NDArray[np.float64]:
    return degrees * (degrees - 1) / 2
