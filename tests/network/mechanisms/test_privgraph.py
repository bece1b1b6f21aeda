"""privgraph: "keeps communities", as its paper says."""

from __future__ import annotations

import numpy as np
import pytest
from tests.network.planted import planted
from tests.real_data import DATA

from entrenous.desk import desk
from entrenous.graph import Graph
from entrenous.graph.measures.partitions import louvain
from entrenous.network import release
from entrenous.network.mechanisms.privgraph import find_communities


def modularity_kept(graph: Graph, epsilon: float, seeds: int) -> dict[str, float]:
    """The modularity of releases, mean over seeds, as a share of the original's."""
    truth = louvain(graph, seeds=1)[0].modularity
    return {
        method: float(np.mean([louvain(made.artifact, seeds=1)[0].modularity for made in releases]) / truth)
        for method in ("privgraph", "chung-lu")
        for releases in [[release(graph, epsilon=epsilon, method=method, rng=seed) for seed in range(seeds)]]
    }


def test_communities_are_kept_better_than_by_degrees_alone() -> None:
    kept = modularity_kept(planted(3, 100, 0.4, 0.02), 12.0, 5)
    assert kept["privgraph"] > 1.5 * kept["chung-lu"]


@pytest.mark.data
def test_the_two_camps_of_the_blogs_stay_apart() -> None:
    kept = modularity_kept(Graph.read(DATA / "graphs" / "polblogs.edges.gz"), 1.0, 2)
    assert kept["privgraph"] > 0.6
    assert kept["chung-lu"] < 0.4


def test_first_communities_join_random_groups() -> None:
    asked = desk(planted(4, 50, 0.5, 0.01), unit="edge", epsilon=1.0, rng=1)
    found = find_communities(asked, 200, epsilon=1.0)
    assert set(np.unique(found)) <= set(range(10))
    assert asked.parts == pytest.approx({"cells": 1.0})
