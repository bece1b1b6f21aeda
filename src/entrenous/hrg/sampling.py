"""Draw random graphs from blocks of node pairs: the one sampling facility of every mechanism.

A *rectangle* is a set of node pairs: one interval of a node order against another, or an interval against
itself (the pairs inside). Edges are drawn per rectangle, in time proportional to nodes, rectangles and
edges, never to the number of pairs; pair counts are 64-bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous.errors import ArgumentError

if TYPE_CHECKING:
    from entrenous.hrg.dendrogram import Dendrogram

__all__ = ["draw", "pair_counts", "sample"]


def draw(
    order: ArrayLike,
    rectangles: ArrayLike,
    *,
    probability: ArrayLike | None = None,
    count: ArrayLike | None = None,
    rng: np.random.Generator | int | None = None,
) -> NDArray[np.int32]:
    """Draw the edges of a random simple graph, rectangle by rectangle.

    Parameters
    ----------
    order
        Node numbers; rectangles speak of positions in this sequence.
    rectangles
        Rows ``(start, stop, other_start, other_stop)``, half-open. The two intervals of a row are disjoint,
        or the same. Rows must not share a pair, or the result may hold an edge twice.
    probability
        One number, or one per rectangle: every pair is an edge independently with this probability.
    count
        One number, or one per rectangle: exactly that many edges, all sets being equally likely.
    rng
        A generator or a seed; None takes fresh entropy of the operating system.

    Returns
    -------
    Array of shape (edges, 2), smaller node first, in no particular order.

    Examples
    --------
    Two teams of three: everybody inside a team is linked, and two edges go across.

    >>> blocks = [(0, 3, 0, 3), (3, 6, 3, 6), (0, 3, 3, 6)]
    >>> edges = draw(range(6), blocks, count=[3, 3, 2], rng=1)
    >>> len(edges), len({tuple(edge) for edge in edges.tolist()})
    (8, 8)
    """
    from entrenous.hrg.compiled._sampling_kernels import draw_pairs

    nodes = np.ascontiguousarray(order, dtype=np.int32)
    boxes = np.ascontiguousarray(rectangles, dtype=np.int64).reshape(-1, 4)
    _check_rectangles(boxes, len(nodes))
    pairs = pair_counts(boxes)
    generator = np.random.default_rng(rng)
    if (probability is None) == (count is None):
        raise ArgumentError("probability, count", "expected exactly one of the two; got both or neither")
    if probability is not None:
        chances = _per_rectangle("probability", probability, len(boxes), np.float64)
        if not ((chances >= 0) & (chances <= 1)).all():
            raise ArgumentError("probability", "expected numbers from 0 to 1; got one outside")
        # How many edges first, then which: a pair that is none costs nothing.
        counts = generator.binomial(pairs, chances)
    else:
        counts = _per_rectangle("count", count, len(boxes), np.int64)
        if not ((counts >= 0) & (counts <= pairs)).all():
            raise ArgumentError(
                "count", "expected 0 up to the number of pairs of each rectangle; got one outside"
            )
    edges: NDArray[np.int32] = draw_pairs(nodes, boxes, pairs, counts, generator)
    return edges


def pair_counts(rectangles: ArrayLike) -> NDArray[np.int64]:
    """Return the number of node pairs in each rectangle.

    >>> pair_counts([(0, 3, 0, 3), (0, 3, 3, 7)]).tolist()
    [3, 12]
    """
    boxes = np.asarray(rectangles, dtype=np.int64).reshape(-1, 4)
    rows = boxes[:, 1] - boxes[:, 0]
    columns = boxes[:, 3] - boxes[:, 2]
    # An interval against itself has each pair once, and no node with itself.
    inside = (boxes[:, 0] == boxes[:, 2]) & (boxes[:, 1] == boxes[:, 3])
    return np.where(inside, rows * (rows - 1) // 2, rows * columns)


def sample(
    dendrogram: Dendrogram, probabilities: ArrayLike, *, rng: np.random.Generator | int | None = None
) -> NDArray[np.int32]:
    """Draw a graph from a hierarchical random graph: one link probability per internal node.

    Two leaves are linked with the probability of their lowest common ancestor.

    >>> from entrenous.hrg import Dendrogram
    >>> tree = Dendrogram.from_nested(((0, 1), (2, 3)))
    >>> sorted(sample(tree, [1, 1, 0]).tolist())
    [[0, 1], [2, 3]]

    References
    ----------
    Clauset, Moore & Newman (2008), Hierarchical structure and the prediction of missing links in networks,
    Nature 453.
    """
    return draw(dendrogram.order, dendrogram.rectangles, probability=probabilities, rng=rng)


def _per_rectangle(
    argument: str, value: ArrayLike | None, length: int, dtype: type[np.float64 | np.int64]
) -> NDArray[Any]:
    """Return one value per rectangle, a single number standing for all."""
    array = np.asarray(value)
    if dtype is np.int64 and array.size and not np.issubdtype(array.dtype, np.integer):
        raise ArgumentError(argument, f"expected whole numbers; got {array.dtype}")
    if array.ndim and array.shape != (length,):
        raise ArgumentError(argument, f"expected one number, or {length}; got shape {array.shape}")
    return np.ascontiguousarray(np.broadcast_to(array, (length,)), dtype=dtype)


def _check_rectangles(boxes: NDArray[np.int64], nodes: int) -> None:
    """Make sure that the kernel will stay inside the order and that no pair is a loop."""
    start, stop, other_start, other_stop = boxes.T
    if (
        not ((start >= 0) & (start <= stop) & (stop <= nodes)).all()
        or not ((other_start >= 0) & (other_start <= other_stop) & (other_stop <= nodes)).all()
    ):
        raise ArgumentError("rectangles", f"expected intervals within 0 and {nodes}; got one outside")
    # Intervals that overlap in part would hold some pairs twice.
    same = (start == other_start) & (stop == other_stop)
    if not (same | (stop <= other_start) | (other_stop <= start)).all():
        raise ArgumentError(
            "rectangles", "expected two disjoint intervals or the same one twice; got an overlap"
        )
