"""How good released graphs are: every method, the four graphs of the paper, five seeds.

``python -m benchmarks.network_utility [--quick] [--json FILE]``

Releases are rehearsals: the same laws, drawn from known seeds. Cross-entropy is that of the model a graph was drawn
from, in nats per node; the other measures compare the drawn graph with the original and carry the names of
`entrenous.graph.compare`. The method "uniform" is no method: ties at random with the true density, for scale.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.rows import arguments, real_graph, show, write
from entrenous import network
from entrenous.graph import Graph, compare, measure

GRAPHS = ("polblogs", "wiki-Vote", "ca-HepPh", "ca-AstroPh")
EPSILONS = (0.5, 1.0, 2.0, 4.0)
MEASURES = (
    "cross_entropy",
    "deg_KS",
    "deg_Hellinger",
    "deg_W1",
    "dist_KS",
    "gcc_RE",
    "acc_RE",
    "tri_RE",
    "ass_absdiff",
    "mod_RE",
    "cd_NMI",
    "lambda1_RE",
    "evc_overlap@10",
    "evc_overlap@20",
    "evc_overlap@50",
    "evc_overlap@1%",
    "evc_overlap@5%",
    "evc_MAE@1%",
    "evc_MAE@5%",
    "edges_RE",
)
SHOWN = ("cross_entropy", "deg_KS", "dist_KS", "gcc_RE", "lambda1_RE", "evc_overlap@5%")


def main() -> None:
    """Print the headline measures as they come and write all of them."""
    options = arguments(__doc__)
    graphs, epsilons, seeds = (GRAPHS[:1], (1.0,), 2) if options.quick else (GRAPHS, EPSILONS, 5)
    rows = []
    for name in graphs:
        for row in measured(name, real_graph(name), epsilons, seeds):
            rows.append(row)
            if row["measure"] in SHOWN:
                show(row)
    write(rows, options.json)


def measured(
    name: str,
    graph: Graph,
    epsilons: Sequence[float],
    seeds: int,
    methods: Collection[str] = tuple(network.MECHANISMS),
) -> Iterator[dict[str, Any]]:
    """Yield one row per method, epsilon and measure, with mean and standard deviation over the seeds."""
    about = {"graph": name, "epsilon": 0.0, "seeds": 1}
    yield about | {"method": "uniform", "measure": "cross_entropy", "mean": uniform_entropy(graph), "sd": 0.0}
    original = measure(graph)
    for epsilon in epsilons:
        for method in methods:
            values = defaultdict(list)
            for seed in range(seeds):
                made = network.release(graph, epsilon=epsilon, method=method, rng=seed)
                values["cross_entropy"].append(made.private["model"].cross_entropy(graph.edges()))
                found = compare(graph, made.artifact, measured=original)
                for key in MEASURES[1:]:
                    values[key].append(found[key])
            for key in MEASURES:
                mean, sd = float(np.mean(values[key])), float(np.std(values[key], ddof=1))
                row = {"graph": name, "method": method, "epsilon": epsilon, "measure": key}
                yield row | {"mean": mean, "sd": sd, "seeds": seeds}


def uniform_entropy(graph: Graph) -> float:
    """Return the cross-entropy of ties drawn uniformly with the true density, in nats per node."""
    pairs = graph.n * (graph.n - 1) / 2
    density = graph.m / pairs
    return -(graph.m * math.log(density) + (pairs - graph.m) * math.log1p(-density)) / graph.n


if __name__ == "__main__":
    main()
