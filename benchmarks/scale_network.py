"""Networks of millions: how time and memory of reading, releasing and comparing grow with the edges.

``python -m benchmarks.scale --part network [--quick] [--json FILE]``

Two kinds of graphs, ten edges to a node: `groups` (half of the edges inside groups of a hundred) and `tails` (degrees
with a heavy tail, three in five edges inside groups of two hundred). Every step is a process of its own: `read` an edge
list, `map` the file it was written to, `release` by owner at epsilon 1, `compare` the release with the original
(paths from 1024 sources and everything else counted, communities apart), and `communities` (one partition, by igraph,
for smaller graphs). The last rows hold the exponent of time in edges of each step, and megabytes per million edges.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.rows import synthetic_graph
from benchmarks.steps import exponent, measured, slope
from entrenous.graph import Graph

__all__ = ["GOAL", "rows"]

GOAL = 1.1  # the largest exponent of time in edges
SIZES = (300_000, 1_000_000, 3_000_000, 10_000_000)
QUICK_SIZES = (100_000, 300_000)
COMMUNITIES_UP_TO = 3_000_000  # edges; a partition of ten million takes more than a minute
GROUPS = ("degrees", "assortativity", "clustering", "centrality", "paths")
PER_NODE = 10  # edges


def rows(quick: bool) -> Iterator[dict[str, Any]]:
    """Yield a row per step, graph and size, then the exponents."""
    for kind in ("tails",) if quick else KINDS:
        found = []
        for edges in QUICK_SIZES if quick else SIZES:
            with tempfile.TemporaryDirectory() as folder:
                for row in _steps(Path(folder), kind, edges):
                    found.append(row)
                    yield row
        yield from _growth(kind, found)


def _steps(folder: Path, kind: str, edges: int) -> Iterator[dict[str, Any]]:
    listed, mapped, released = (folder / name for name in ("graph.edges", "graph.csr", "released.csr"))
    measured(_make, kind, edges, listed)
    about = {"graph": kind, "edges": edges}
    yield {"step": "read"} | about | measured(_read, listed, mapped, warm=_warm_reading)
    yield {"step": "map"} | about | measured(_map, mapped, warm=_warm_reading)
    yield {"step": "release"} | about | measured(_release, mapped, released, warm=_warm)
    yield {"step": "compare"} | about | measured(_compare, mapped, released, warm=_warm)
    if edges <= COMMUNITIES_UP_TO:
        yield {"step": "communities"} | about | measured(_communities, mapped, warm=_warm)


def _growth(kind: str, found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for step in dict.fromkeys(row["step"] for row in found):
        steps = [row for row in found if row["step"] == step]
        edges, seconds = [row["edges"] for row in steps], [row["seconds"] for row in steps]
        yield {
            "step": f"{step}: exponent",
            "graph": kind,
            "of all": exponent(edges, seconds),
            "of the two largest": exponent(edges[-2:], seconds[-2:]),
            "mb_per_million_edges": 1e6 * slope(edges, [row["peak_mb"] for row in steps]),
            "goal": GOAL,
        }


def _make(kind: str, edges: int, file: Path) -> dict[str, Any]:
    """Write an edge list in no particular order, as they come."""
    graph = KINDS[kind](edges)
    shuffled = np.random.default_rng(2).permutation(graph.edges())
    with file.open("w", encoding="ascii") as stream:
        for start in range(0, len(shuffled), 1 << 18):
            part = shuffled[start : start + (1 << 18)]
            stream.write("%d %d\n" * len(part) % tuple(part.ravel().tolist()))
    return {}


def _read(listed: Path, mapped: Path) -> dict[str, Any]:
    graph = Graph.read(listed)
    graph.write(mapped)
    return {"nodes": graph.n}


def _map(mapped: Path) -> dict[str, Any]:
    return {"nodes": Graph.read(mapped).n}


def _release(mapped: Path, released: Path) -> dict[str, Any]:
    from entrenous import network

    made = network.release(Graph.read(mapped), epsilon=1.0)
    made.artifact.write(released)
    return {"released_edges": made.artifact.m}


def _compare(mapped: Path, released: Path) -> dict[str, Any]:
    from entrenous.graph import compare

    found = compare(Graph.read(mapped), Graph.read(released), only=GROUPS, sources=1024)
    low, high = found.intervals["avg_sp_orig"]
    return {
        "mean_path": found["avg_sp_orig"],
        "half_interval": (high - low) / 2,
        "triangles": found["tri_orig"],
    }


def _communities(mapped: Path) -> dict[str, Any]:
    from entrenous.graph import measure

    found = measure(Graph.read(mapped), only=["communities"], seeds=1)
    assert found.best_partition is not None
    return {"modularity": found.best_partition.modularity}


def _warm_reading() -> None:
    """Import what reading needs; it compiles nothing."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "graph.edges"
        listed.write_text("0 1\n1 2\n", encoding="ascii")
        _read(listed, listed.with_suffix(".csr"))
        _map(listed.with_suffix(".csr"))


def _warm() -> None:
    """Import and compile everything that the steps need, on a small graph."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{name}.csr" for name in ("graph", "released")]
        synthetic_graph(2000, 20_000).write(files[0])
        _release(*files)
        _compare(*files)


def _groups(edges: int) -> Graph:
    return synthetic_graph(edges // PER_NODE, edges)


def _tails(edges: int, *, inside: float = 0.6, size: int = 200) -> Graph:
    """Draw a graph whose degrees have a tail of exponent 2.5: the same one every time.

    Both ends of an edge are drawn with the weight of a node; the second in three of five cases from its group.
    """
    n = edges // PER_NODE
    rng = np.random.default_rng(1)
    weight = np.minimum((1 - rng.random(n)) ** (-1 / 1.5), np.sqrt(n))
    copies = np.ceil(4 * weight).astype(np.int64)
    ends = np.repeat(np.arange(n, dtype=np.int32), copies)
    starts = np.concatenate(([0], np.cumsum(copies)))
    keys = np.empty(0, np.int64)
    while len(keys) < edges:
        drawn = 2 * (edges - len(keys))
        first = ends[rng.integers(len(ends), size=drawn)].astype(np.int64)
        group = first // size * size
        near = rng.random(drawn) < inside
        low = np.where(near, starts[group], 0)
        high = np.where(near, starts[np.minimum(group + size, n)], len(ends))
        second = ends[low + (rng.random(drawn) * (high - low)).astype(np.int64)].astype(np.int64)
        drawn_keys = (np.minimum(first, second) << 32) | np.maximum(first, second)
        keys = np.unique(np.concatenate((keys, drawn_keys[first != second])))
    kept = rng.permutation(keys)[:edges]
    return Graph.from_edges(np.column_stack((kept >> 32, kept & 0xFFFFFFFF)), n=n)


KINDS: dict[str, Callable[[int], Graph]] = {"tails": _tails, "groups": _groups}
