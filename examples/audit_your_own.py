"""Audit mechanisms that others wrote: noise steps of published graph generators, as their papers claim, and repaired.

Three of the six generators in PGB, a benchmark of private synthetic graphs (https://arxiv.org/abs/2408.02928), state an
epsilon that their noise does not keep. DGG and DP-1K add noise for a sensitivity of 1, where one tie changes two
degrees; PrivSKG reads the sensitivity off the data and protects it not at all. Here are these steps alone, a few lines
each and in our own words. Whoever audits a mechanism of their own needs the same three things: a function, two
neighbouring inputs, and the epsilon that is stated.
"""

from __future__ import annotations

import networkx as nx
import numpy as np

from entrenous import attack

EPSILON, MOST = 1.0, 5  # MOST: the largest degree that is counted


def degree_sequence(graph: nx.Graph, rng: np.random.Generator, sensitivity: float = 1.0) -> np.ndarray:
    """All degrees with noise. One tie changes two of them by one each: the sensitivity is 2."""
    degrees = np.array([degree for _, degree in graph.degree()])
    return degrees + rng.laplace(scale=sensitivity / EPSILON, size=len(degrees))


def degree_histogram(graph: nx.Graph, rng: np.random.Generator, sensitivity: float = 1.0) -> np.ndarray:
    """How many nodes have each degree, with noise. Two nodes leave a bin and enter another: the sensitivity is 4."""
    counts = np.bincount([min(degree, MOST) for _, degree in graph.degree()], minlength=MOST + 1)
    return counts + rng.laplace(scale=sensitivity / EPSILON, size=len(counts))


def triangles(graph: nx.Graph, rng: np.random.Generator, sensitivity: float | None = None) -> float:
    """How many triangles there are, with noise for what one tie changes here: that alone tells about ties."""
    count = sum(nx.triangles(graph).values()) / 3
    if sensitivity is None:
        sensitivity = max(len(list(nx.common_neighbors(graph, u, v))) for u in graph for v in graph if u < v)
    return count + rng.laplace(scale=sensitivity / EPSILON)


def main() -> None:
    without = nx.empty_graph(4)
    without.add_edges_from([(0, 2), (0, 3)])
    tie = nx.Graph(without)
    tie.add_edge(1, 2)
    square, diagonal = nx.cycle_graph(4), nx.cycle_graph(4)
    diagonal.add_edge(0, 2)
    apart = nx.empty_graph(4)
    apart.add_edge(0, 2)
    path = nx.Graph(apart)
    path.add_edge(1, 2)
    for step, neighbours, right in (
        (degree_sequence, (tie, without), 2.0),
        (degree_histogram, (nx.path_graph(2), nx.empty_graph(2)), 4.0),
        (
            triangles,
            [(diagonal, square), (path, apart)],
            2.0,
        ),  # of four nodes, two can be neighbours of both ends
    ):
        claimed = attack.audit(step, neighbours=neighbours, epsilon=EPSILON, rng=1)
        repaired = attack.audit(
            lambda graph, rng, step=step, right=right: step(graph, rng, right),
            neighbours=neighbours,
            epsilon=EPSILON,
            name=f"{step.__name__}, repaired",
            rng=1,
        )
        print(claimed)
        print(repaired)


if __name__ == "__main__":
    main()
