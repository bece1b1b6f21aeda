"""Microseconds per step of the chain over dendrograms, against two other implementations in the same run.

``python -m benchmarks.hrg_speed [--quick] [--json FILE]``

Each graph is timed at the start (a uniformly random dendrogram) and late (after many steps), at a private temperature
(epsilon 0.5) and at beta = 1, with the published local moves. CPU time of this process is measured, compilation left
out. Side by side: the naive twin of the tests, which rebuilds and recounts, and `igraph_hrg_fit` of igraph's C library
where that is installed (Debian: libigraph3; the Python package igraph leaves it out), which runs at beta = 1 and keeps
the best tree. The last line is the growth exponent of the time per step in the number of nodes.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from tests import naive

from benchmarks.rows import arguments, real_graph, show, synthetic_graph, write
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram, run
from entrenous.hrg.utility import beta_for

GRAPHS = ("polblogs", "wiki-Vote", "ca-HepPh", "ca-AstroPh", "dblp-2010")
SYNTHETIC = "synthetic-1M"


def main() -> None:
    """Time every graph and print the growth exponent."""
    options = arguments(__doc__)
    rows = []
    for row in measured(options.quick):
        show(row)
        rows.append(row)
    print(f"growth exponent in n: {growth_exponent(rows):.2f}")
    write(rows, options.json)


def measured(quick: bool) -> Iterator[dict[str, Any]]:
    """Yield one row per graph, temperature, phase and implementation."""
    compile_once()
    for name in (*GRAPHS, SYNTHETIC):
        graph = synthetic_graph() if name == SYNTHETIC else real_graph(name)
        about = {"graph": name, "n": graph.n, "m": graph.m}
        for label, beta in (("private", beta_for(0.5, graph.n)), ("1", 1.0)):
            common = about | {"beta": beta, "temperature": label}
            yield from chain_rows(graph, common, quick)
        if name in GRAPHS[:4]:
            yield from peer_rows(graph, about, quick)


def chain_rows(graph: Graph, common: dict[str, Any], quick: bool) -> Iterator[dict[str, Any]]:
    """Time the compiled chain at the start and late in one run from a uniformly random dendrogram."""
    timed = 400_000 if quick else 4_000_000
    between = min((50 if quick else 1000) * graph.n, 800_000 if quick else 40_000_000)
    clock: list[tuple[int, float]] = []
    run(
        graph,
        beta=common["beta"],
        steps=2 * timed + between + timed // 8,  # the last slice, which ends with exact sums, is not timed
        rng=1,
        moves="local",
        trace_every=timed // 8,
        progress=lambda done, _: clock.append((done, time.process_time())),
    )
    for phase, (begin, end) in {
        "start": (0, timed),
        "late": (timed + between, 2 * timed + between),
    }.items():
        entries = [entry for entry in clock if begin < entry[0] <= end]
        (first, started), (last, ended) = entries[0], entries[-1]
        spent = (ended - started) / (last - first) * 1e6
        yield common | {"phase": phase, "us_per_step": spent, "implementation": "entrenous"}


def peer_rows(graph: Graph, about: dict[str, Any], quick: bool) -> Iterator[dict[str, Any]]:
    """Time other implementations on a random start at beta = 1."""
    common = about | {"beta": 1.0, "temperature": "1", "phase": "start"}
    if graph.n < 2000:
        yield common | {"us_per_step": naive_time(graph, 1 if quick else 3), "implementation": "naive twin"}
    library = igraph_library()
    if library is None:
        print("igraph's C library is not installed (Debian: apt install libigraph3): left out")
        return
    spent = igraph_time(library, graph, 20_000 if quick else 100_000)
    yield common | {"us_per_step": spent, "implementation": "igraph_hrg_fit"}


def naive_time(graph: Graph, steps: int) -> float:
    """Time the slow twin of the local move."""
    edges = {frozenset(edge) for edge in graph.edges().tolist()}
    rng = np.random.default_rng(1)
    tree = Dendrogram.random(graph.n, rng).nested()
    begin = time.process_time()
    for _ in range(steps):
        tree = naive.local_step(tree, edges, 1.0, rng)
    return (time.process_time() - begin) / steps * 1e6


def igraph_library() -> ctypes.CDLL | None:
    """Load igraph's C library, version 0.10, if the system has it."""
    for name in (ctypes.util.find_library("igraph"), "libigraph.so.3"):
        if name is not None:
            try:
                return ctypes.CDLL(name)
            except OSError:
                continue
    return None


def igraph_time(library: ctypes.CDLL, graph: Graph, steps: int) -> float:
    """Time `igraph_hrg_fit` by the difference between few and many steps."""
    # The structures of the library are opaque here; these buffers are larger than any of them.
    vector, network, fit = ((ctypes.c_int64 * 128)() for _ in range(3))
    flat = np.ascontiguousarray(graph.edges(), dtype=np.int64).ravel()
    library.igraph_vector_int_view.restype = ctypes.c_void_p
    library.igraph_vector_int_view(vector, flat.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(len(flat)))
    library.igraph_create(network, vector, ctypes.c_int64(graph.n), ctypes.c_int(0))
    library.igraph_hrg_init(fit, ctypes.c_int64(graph.n))
    spent = []
    for count in (1, steps + 1):
        begin = time.process_time()
        library.igraph_hrg_fit(network, fit, ctypes.c_int(0), ctypes.c_int64(count))
        spent.append(time.process_time() - begin)
    library.igraph_hrg_destroy(fit)
    library.igraph_destroy(network)
    return (spent[1] - spent[0]) / steps * 1e6


def compile_once() -> None:
    """Let numba compile, or load what it compiled before, and say so."""
    begin = time.perf_counter()
    print("compiling the chain (some ten seconds the first time) ...", flush=True)
    run(Graph.from_edges([(0, 1), (1, 2)], n=4), beta=1.0, steps=10, rng=1)
    print(f"ready after {time.perf_counter() - begin:.1f} s")


def growth_exponent(rows: list[dict[str, Any]]) -> float:
    """Fit the slope of log time per step against log nodes over all rows of ours."""
    ours = [row for row in rows if row["implementation"] == "entrenous"]
    logs = np.log([(row["n"], row["us_per_step"]) for row in ours])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


if __name__ == "__main__":
    main()
