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

from entrenous.graph import Graph
from entrenous.graph.conversion import seeded_igraph, to_igraph
from entrenous.hrg import draw
from entrenous.network.cells import noisy_cells
from entrenous.network.degrees import DEGREE_SENSITIVITY, LOWEST_MEAN
from entrenous.network.hrg import clip_without_bias
from entrenous.network.mechanism import Order, Outcome
from entrenous.network.model import fit
from entrenous.network.pairs import draw_by_weight, pairs_of
from entrenous.noise import Noise

__all__ = ["adjust", "find_communities", "inner_degrees", "outer_counts", "run"]

#: Subtracted from epsilon in the draw of communities: pays for the rounding of weights to whole numbers, at both ends.
ROUNDING = 2e-8
_GROUP, _MOST_GROUPS = 20, 1000  # nodes in a random group, at least, and groups, at most


def find_communities(graph: Graph, *, epsilon: float, noise: Noise) -> NDArray[np.int64]:
    """Return a first community for each node, from noisy counts between random groups; epsilon-edge-DP."""
    groups = max(1, min(graph.n // _GROUP, _MOST_GROUPS))
    group = noise.generator.permutation(np.arange(graph.n, dtype=np.int64) % groups)
    noisy = noisy_cells(graph, group, groups, epsilon=epsilon, noise=noise)
    a, b = np.triu_indices(groups)
    size = np.bincount(group, minlength=groups)
    room = np.where(a == b, size[a] * (size[a] - 1) // 2, size[a] * size[b])
    weight = clip_without_bias(noisy[a, b].astype(np.int64), room)
    across = (weight > 0) & (a != b)
    other = to_igraph(Graph.from_edges(np.column_stack([a, b])[across], n=groups))
    inside = (weight > 0) & (a == b)
    other.add_edges(np.column_stack([a, b])[inside].tolist())
    with seeded_igraph(int(noise.generator.integers(2**31))):
        found = other.community_multilevel(weights=np.concatenate([weight[across], weight[inside]]).tolist())
    return np.asarray(np.array(found.membership)[group], dtype=np.int64)


def adjust(graph: Graph, community: NDArray[np.int64], *, epsilon: float, noise: Noise) -> NDArray[np.int64]:
    """Draw a better community for each node, numbered without holes; epsilon-edge-DP, both ends of an edge paid for."""
    from entrenous.network._rival_kernels import adjust_communities

    adjusted, used = adjust_communities(
        graph.indptr,
        graph.indices,
        community,
        int(community.max()) + 1,
        max(epsilon - ROUNDING, 0.0) / 2,
        noise.words(2 * graph.n + 1024),
    )
    if not used:
        raise RuntimeError("random words ran out")  # one in four is redrawn at most: twice the nodes suffice
    return np.asarray(np.unique(adjusted, return_inverse=True)[1], dtype=np.int64)


def inner_degrees(graph: Graph, community: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many neighbours each node has in its own community."""
    u, v = graph.edges().T
    inner = community[u] == community[v]
    return np.bincount(np.concatenate([u[inner], v[inner]]), minlength=graph.n).astype(np.int64)


def outer_counts(graph: Graph, community: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of edges between every two communities c < d, as a flat upper triangle."""
    from entrenous.network._kernels import cell_counts

    communities = int(community.max()) + 1
    counts = cell_counts(graph.indptr, graph.indices, community, communities)
    return np.asarray(counts[np.triu_indices(communities, 1)], dtype=np.int64)


def run(graph: Graph, order: Order, noise: Noise) -> Outcome:
    """Carry out the mechanism; its three steps are together epsilon-edge-differentially private."""
    epsilon = order.spendable / 3
    first = find_communities(graph, epsilon=epsilon, noise=noise)
    community = adjust(graph, first, epsilon=epsilon, noise=noise)
    inner = noise.geometric(inner_degrees(graph, community), sensitivity=DEGREE_SENSITIVITY, epsilon=epsilon)
    outer = noise.geometric(outer_counts(graph, community), sensitivity=1, epsilon=epsilon)
    size = np.bincount(community)
    degrees = clip_without_bias(inner, size[community] - 1)
    a, b = np.triu_indices(len(size), 1)
    between = np.rint(clip_without_bias(outer, size[a] * size[b])).astype(np.int64)
    drawn = _draw(community, degrees, between, noise.generator)
    cells = np.diag(np.bincount(community, degrees) / 2)
    cells[a, b] = between
    outside = (cells + cells.T - 2 * np.diag(np.diag(cells))).sum(axis=1) / size
    model = fit(community, np.maximum(degrees + outside[community], LOWEST_MEAN), cells)
    parameters: dict[str, str | int | float] = {
        f"epsilon for {part}": round(epsilon, 6) for part in ("first communities", "adjustment", "counts")
    }
    return Outcome(drawn, parameters | {"communities": len(size)}, model, {"communities": community})


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
    wished = np.rint(np.bincount(community, degrees) / 2).astype(np.int64)
    inner = pairs_of(draw_by_weight(degrees, community, wished, rng))
    return np.concatenate([inner, outer])
