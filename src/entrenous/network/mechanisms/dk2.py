"""dK-2 series: the joint degree distribution with noise, and a random graph that has it.

1. *Bound.* The largest degree with noise (one edge changes it by at most one) is where degrees are capped.
2. *Joint degrees.* For every k <= l up to the bound D: how many edges join a node of (capped) degree k to one of
   (capped) degree l, with noise. A new edge {u, v} moves all edges at u, at most D - 1 of them if u is not yet
   capped and none if it is, from one cell to the next; so do those at v. Each moved edge counts twice, the new one
   once: L1 sensitivity 4 (D - 1) + 1. For D = n - 1 that is 4 n - 7, the global sensitivity of the paper, which goes
   below it by smooth sensitivity and a delta; capping at a noisy bound needs no delta.
3. *Post-processing.* Cells are clipped so that they add up to a noisy number of edges, classes of nodes are made
   large enough for their cells, and edges are drawn cell by cell. Noise describes graphs that do not exist; edges
   for which a cell has no room go wherever nodes are short of their degree.

A joint degree distribution does not know who is who: the nodes take their places at random.

References
----------
Wang & Wu (2013), Preserving differential privacy in degree-correlation based graph generation, Transactions on Data
Privacy 6. Mahadevan, Krioukov, Fall & Vahdat (2006), Systematic topology analysis and generation using degree
correlations, SIGCOMM.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entrenous.hrg.sampling import draw, pair_counts
from entrenous.network import statistics
from entrenous.network.drawing.clipping import clip_to_total
from entrenous.network.drawing.pairs import NamedPairs, draw_by_weight, pair_numbers, pairs_of
from entrenous.network.mechanism import SIZE_SHARE, GraphDesk, Mechanism, Outcome, Request

__all__ = ["MECHANISM", "MOST_DEGREE", "class_sizes", "run"]

MOST_DEGREE = 4000  # degrees are capped here at the latest: the table has half the square of it
BOUND_SHARE = 0.02
_ROUNDS = 30


def run(asked: GraphDesk, request: Request) -> Outcome:
    """Ask for the size, the largest degree and joint degrees, and draw edges cell by cell."""
    size, cap = request.spendable * SIZE_SHARE, request.spendable * BOUND_SHARE
    edges = asked(statistics.Size(epsilon=size))
    largest = asked(statistics.LargestDegree(epsilon=cap))
    bound = int(np.clip(largest, 1, min(request.n - 1, MOST_DEGREE)))
    noisy = asked(statistics.JointDegrees(bound, epsilon=request.spendable - size - cap))
    cells = clip_to_total(noisy, min(edges, request.n * (request.n - 1) // 2))
    drawn = _draw(request.n, np.triu_indices(bound), cells, asked.generator)
    parameters: dict[str, str | int | float] = {"largest degree": bound, "nodes": "placed at random"}
    nobody = np.zeros((0, 2), dtype=np.int32)
    return Outcome(drawn, parameters, NamedPairs.trusted(nobody, request.n, edges=edges, trust=0.5))


def class_sizes(degree: NDArray[np.int64], table: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Choose how many nodes each degree gets: as many as its edge ends need, and enough to hold its edges.

    Parameters
    ----------
    degree
        The degree of each class.
    table
        The edges between every two classes, symmetric, inside ones on the diagonal.
    n
        The number of nodes. Classes that together have more are made smaller, each keeping one.
    """
    ends = table.sum(axis=1) + np.diag(table)
    size = np.maximum(np.rint(ends / degree), 1)
    for _ in range(_ROUNDS):
        room = np.outer(size, size)
        np.fill_diagonal(room, size * (size - 1) / 2)
        tightness = (table / np.maximum(room, 0.5)).max(axis=1)
        if tightness.max() <= 1:
            break
        size = np.ceil(size * np.sqrt(np.maximum(tightness, 1)))
    if size.sum() > n:
        size = np.maximum(np.floor(size * n / size.sum()), 1)
        surplus = int(size.sum()) - n
        if surplus > 0:  # many classes of one node: the smallest degrees go first
            size[:surplus] = 0
    return np.asarray(size, dtype=np.int64)


def _draw(
    n: int,
    upper: tuple[NDArray[np.intp], ...],
    cells: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Draw a simple graph with the given joint degrees, as far as one exists, on nodes placed at random."""
    from entrenous.network.drawing._kernels import edge_table, settle_degrees

    filled = np.flatnonzero(cells)
    if not len(filled):
        return np.zeros((0, 2), dtype=np.int32)
    present, place = np.unique(np.concatenate([upper[0][filled], upper[1][filled]]), return_inverse=True)
    a, b = place.reshape(2, -1)
    table = np.zeros((len(present), len(present)), dtype=np.int64)
    table[a, b] = table[b, a] = cells[filled]
    size = class_sizes(present + 1, table, n)
    start = np.concatenate([[0], np.cumsum(size)])
    rectangles = np.column_stack([start[a], start[a + 1], start[b], start[b + 1]])
    counts = np.minimum(cells[filled], pair_counts(rectangles))
    nodes = rng.permutation(n)
    edges = draw(nodes, rectangles, count=counts, rng=rng)
    # Ends move inside a class until its nodes share them evenly; the cells stay as they are.
    label = np.full(n, len(present), dtype=np.int64)
    label[nodes[: start[-1]]] = np.repeat(np.arange(len(present)), size)
    reached = np.bincount(edges.ravel(), minlength=n)
    settle_degrees(
        edges,
        reached,
        _even(label, reached, rng),
        label,
        len(present) + 1,
        edge_table(edges, n, len(edges)),
        rng,
    )
    return _fill_up(edges, np.append(present + 1, 0)[label], int(cells.sum()), rng)


def _fill_up(
    edges: NDArray[np.int32], degree: NDArray[np.int64], total: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Add edges for which their cells had no room, where nodes are short of their degree."""
    missing = total - len(edges)
    if missing <= 0:
        return edges
    lacking = np.maximum(degree - np.bincount(edges.ravel(), minlength=len(degree)), 0)
    everybody = np.zeros(len(degree), dtype=np.int64)
    numbers = pair_numbers(np.sort(edges, axis=1))
    extra = draw_by_weight(lacking + 1e-6, everybody, np.array([missing]), rng, taken=numbers)
    return pairs_of(np.concatenate([numbers, extra]))


def _even(
    label: NDArray[np.int64], reached: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return degrees with the same sum in every class that differ by at most one inside it."""
    total, size = np.bincount(label, reached).astype(np.int64), np.bincount(label)
    share, rest = np.divmod(total, np.maximum(size, 1))
    order = np.lexsort((rng.random(len(label)), label))
    rank = np.empty(len(label), dtype=np.int64)
    rank[order] = np.arange(len(label)) - np.repeat(np.cumsum(size) - size, size)
    return np.asarray(share[label] + (rank < rest[label]), dtype=np.int64)


MECHANISM = Mechanism("dk2", "joint degrees of tied nodes", run)
