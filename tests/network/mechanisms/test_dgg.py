"""dgg: "keeps clustering", which degrees alone do not."""

from __future__ import annotations

import numpy as np
from tests.network.planted import cliques

from entrenous.graph.measures.summary import clustering
from entrenous.network import release
from entrenous.network.mechanisms.dgg import affinity_blocks


def test_blocks_keep_clustering_that_degrees_alone_lose() -> None:
    graph = cliques(300, 8)
    kept = {
        method: clustering(release(graph, epsilon=1.0, method=method, rng=1).artifact).mean_local
        for method in ("dgg", "chung-lu")
    }
    assert kept["chung-lu"] < 0.02
    assert kept["dgg"] > 0.1


def test_blocks_hold_nodes_of_similar_degree_and_leave_the_rest() -> None:
    degrees = np.repeat([0, 1, 2, 5, 9], [3, 4, 9, 12, 10])
    blocks = affinity_blocks(degrees, np.random.default_rng(1))
    assert np.array_equal(np.sort(degrees[blocks.members]), degrees[7:])
    excess = blocks.excess(degrees)
    assert np.array_equal(excess[:7], degrees[:7])
    assert (excess[7:] < degrees[7:]).all()
    assert (blocks.block_of()[:7] == -1).all()
