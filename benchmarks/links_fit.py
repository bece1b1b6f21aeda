"""How well a dendrogram fits within a minute on one core: our search, and the published local moves beside it.

``python -m benchmarks.links_fit [--quick] [--json FILE]``

Rows: log-likelihood per node (nats, higher is better) and the CPU seconds it took, merging communities included and
compilation left out. "guided" starts from merged communities and cools down with local moves, slides and guided jumps;
"guided, two chains" is the better of two, side by side on both cores (its seconds are CPU seconds of both); "local" has
the published moves at beta = 1 from a random dendrogram, with the best state kept, for as long as "guided" took, or for
six seconds if that is less and ``--quick`` is given. The goals are -60 for wiki-Vote and -25 for ca-HepPh within 60
seconds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.rows import arguments, real_graph, show, write
from entrenous.graph import Graph
from entrenous.hrg import run
from entrenous.links import exposure, fit
from entrenous.links.fitting import Fit
from entrenous.links.obfuscation import Obfuscation

GOALS = {"wiki-Vote": -60.0, "ca-HepPh": -25.0}
OTHERS = ("polblogs", "ca-AstroPh")
STEPS, QUICK_STEPS = 600, 300  # per node
QUICK_LOCAL_SECONDS = 6.0


def main() -> None:
    """Fit every graph and say whether the goals are reached."""
    options = arguments(__doc__)
    compile_once()
    rows = []
    for name in GOALS if options.quick else (*GOALS, *OTHERS):
        for row in measured(name, options.quick):
            show(row)
            rows.append(row)
    write(rows, options.json)


def compile_once() -> None:
    """Compile, or load from the cache, everything that is timed."""
    path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    exposure(Obfuscation.of(path, fit(path, steps=10, rng=1).tree))


def measured(name: str, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield the rows of one graph."""
    graph = real_graph(name)
    steps = (QUICK_STEPS if quick else STEPS) * graph.n
    started = time.process_time()
    found = fit(graph, chains=1, steps=steps, rng=1)
    seconds = time.process_time() - started
    yield described(name, "guided", graph, found, seconds)
    if not quick:
        started = time.process_time()
        found = fit(graph, chains=2, steps=steps, rng=2)
        yield described(name, "guided, two chains", graph, found, time.process_time() - started)
    best, used = local_only(graph, min(seconds, QUICK_LOCAL_SECONDS) if quick else seconds)
    yield {
        "graph": name,
        "search": "local",
        "log_likelihood_per_node": best / graph.n,
        "cpu_seconds": used,
        "goal": GOALS.get(name),
    }


def described(name: str, search: str, graph: Graph, found: Fit, seconds: float) -> dict[str, Any]:
    """Return a row, with what the fit does to privacy."""
    exposed = exposure(Obfuscation.of(graph, found.tree))
    per_node = found.log_likelihood / graph.n
    return {
        "graph": name,
        "search": search,
        "log_likelihood_per_node": per_node,
        "cpu_seconds": seconds,
        "goal": GOALS.get(name),
        "reached": name not in GOALS or (per_node >= GOALS[name] and seconds <= 60),
        "retention": exposed.retention,
        "median_ego_entropy": exposed.median_ego_entropy,
    }


def local_only(graph: Graph, seconds: float) -> tuple[float, float]:
    """Run the published chain, slice by slice, for so many CPU seconds; return its best log-likelihood."""
    started = time.process_time()
    state, best = None, -math.inf
    while time.process_time() - started < seconds:
        part = run(graph, beta=1.0, steps=50 * graph.n, moves="local", rng=1, start=state, best=True)
        state, best = part.dendrogram, max(best, part.best_utility or best)
    return best, time.process_time() - started


if __name__ == "__main__":
    main()
