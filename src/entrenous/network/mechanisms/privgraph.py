"""Communities found with noise, degrees inside them, edges between them: in the manner of PrivGraph.

1. *Start*, a third of epsilon. Nodes are put into small groups at random, edges between any two groups are counted
   with noise (each edge is in one count: sensitivity 1), and Louvain joins groups into communities.
2. *Adjustment*, a third. Every node draws a community by the exponential mechanism, leaning towards those where its
   neighbours were put at first. An edge {u, v} adds one to one score of u and one to one score of v, so two draws
   change by at most e^(epsilon'/2) each when the weights are exp(epsilon'/2 times the neighbours).
3. *Extraction*, a third. Degrees inside communities (an inner edge changes two: L1 sensitivity 2) and counts between
   communities (an outer edge changes one). An edge is one or the other, so both parts may use the whole third.
4. *Post-processing.* Inside, edges in proportion to noisy inner degrees (Chung-Lu); between communities, uniformly.

*Repaired.* The draws of step 2 are paid for twice, once per end; noisy counts are whole numbers; counts are clipped
without changing their sum.

References
----------
Yuan, Zhang, Du, Chen, Cheng & Sun (2023), PrivGraph: differentially private graph data publication by exploiting
community information, USENIX Security.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entrenous.graph.measures.partitions import join_groups
from entrenous.hrg.sampling import draw
from entrenous.network import statistics
from entrenous.network.drawing.clipping import clip_without_bias
from entrenous.network.drawing.deconvolution import LOWEST_MEAN
from entrenous.network.drawing.model import fit
from entrenous.network.drawing.pairs import draw_by_weight, pairs_of
from entrenous.network.mechanism import GraphDesk, Mechanism, Outcome, Request

__all__ = ["MECHANISM", "find_communities", "run"]

_GROUP, _MOST_GROUPS = 20, 1000  # nodes in a random group, at least, and groups, at most


def find_communities(asked: GraphDesk, n: int, *, epsilon: float) -> NDArray[np.int64]:
    """Return a first community for each node, from noisy counts between random groups."""
    groups = max(1, min(n // _GROUP, _MOST_GROUPS))
    group = asked.generator.permutation(np.arange(n, dtype=np.int64) % groups)
    noisy = asked(statistics.Cells(group, groups, epsilon=epsilon))
    a, b = np.triu_indices(groups)
    size = np.bincount(group, minlength=groups)
    room = np.where(a == b, size[a] * (size[a] - 1) // 2, size[a] * size[b])
    weight = clip_without_bias(noisy[a, b].astype(np.int64), room)
    joined = join_groups(np.column_stack([a, b]), weight, groups, seed=int(asked.generator.integers(2**31)))
    return np.asarray(joined[group])


def run(asked: GraphDesk, request: Request) -> Outcome:
    """Find communities, adjust them, and count inside and between them, each for a third of epsilon."""
    epsilon = request.spendable / 3
    first = find_communities(asked, request.n, epsilon=epsilon)
    community = asked(statistics.Communities(first, epsilon=epsilon))
    inner, outer = asked(statistics.CommunityCounts(community, epsilon=epsilon))
    size = np.bincount(community)
    degrees = clip_without_bias(inner, size[community] - 1)
    a, b = np.triu_indices(len(size), 1)
    between = np.rint(clip_without_bias(outer, size[a] * size[b])).astype(np.int64)
    drawn = _draw(community, degrees, between, asked.generator)
    cells = np.diag(np.bincount(community, degrees) / 2)
    cells[a, b] = between
    outside = (cells + cells.T - 2 * np.diag(np.diag(cells))).sum(axis=1) / size
    model = fit(community, np.maximum(degrees + outside[community], LOWEST_MEAN), cells)
    return Outcome(drawn, {"communities": len(size)}, model, {"communities": community})


def _draw(
    community: NDArray[np.int64],
    degrees: NDArray[np.float64],
    between: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Draw edges inside communities in proportion to degrees, and between communities uniformly."""
    order = np.argsort(community, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(community))])
    a, b = np.triu_indices(len(start) - 1, 1)
    rectangles = np.column_stack([start[a], start[a + 1], start[b], start[b + 1]])
    outer = draw(order, rectangles, count=between, rng=rng)
    target = np.rint(np.bincount(community, degrees) / 2).astype(np.int64)
    inner = pairs_of(draw_by_weight(degrees, community, target, rng))
    return np.concatenate([inner, outer])


MECHANISM = Mechanism("privgraph", "communities found with noise (PrivGraph)", run)
