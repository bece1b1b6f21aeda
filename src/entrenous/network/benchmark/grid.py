"""Every method on every graph: a resumable grid of rehearsals, each compared with its original.

A *cell* is one rehearsal: graph, method, epsilon, seed. Each is written to a file of its own, under another name
first, so that whatever ends a run (also kill -9) costs at most the cells in hand; the same call again goes on where
it stopped. Everything here is computed from private graphs: the folder is the curator's, never published.
"""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from entrenous import _check
from entrenous._parallel import one_thread_each, threads
from entrenous.errors import ArgumentError, InputError, MissingDataError
from entrenous.graph import Graph, compare, measure
from entrenous.graph.measures.summary import Measures
from entrenous.network import MECHANISMS
from entrenous.network.release import check_request, release

__all__ = ["FIXED_SPLITS", "SMALL_SPLITS", "Cell", "Result", "Source", "grid", "run"]

FIXED_SPLITS = ((0.1, 0.9), (0.5, 0.5), (0.9, 0.1))
SMALL_SPLITS = tuple(
    (first, second) for first in (0.3, 0.5) for second in (0.005, 0.01, 0.05, 0.1, 0.3, 0.6, 0.9)
)
_ORIGINAL = "original"


@dataclass(frozen=True)
class Source:
    """Where a private graph is read from."""

    path: Path
    clean: bool = False

    @property
    def name(self) -> str:
        """The name of the file without its endings."""
        return self.path.name.split(".")[0]


@dataclass(frozen=True)
class Cell:
    """One rehearsal.

    `split` is (eps1, eps2), for structure and counts of privhrg; None leaves the shares to the method.
    """

    graph: str
    method: str
    epsilon: float
    seed: int
    split: tuple[float, float] | None = None

    @property
    def shares(self) -> tuple[float, ...] | None:
        """The split as shares of epsilon."""
        return None if self.split is None else tuple(part / sum(self.split) for part in self.split)

    @property
    def file(self) -> str:
        """The name of its file."""
        split = "" if self.split is None else f"_{self.split[0]:g}_{self.split[1]:g}"
        return f"{self.graph}_{self.method}_{self.epsilon!r}{split}_{self.seed}.json"


@dataclass(frozen=True)
class Result:
    """What a rehearsal gave: measures, and the histograms behind its pictures.

    Attributes
    ----------
    cell
        Which rehearsal; that of an original has the method "original".
    fingerprint
        Of the private graph and of the code: results of another graph of the same name, or of methods as they
        were before, are not taken for theirs.
    seconds, memory
        What the release took, and the most memory its process had meanwhile, in megabytes.
    measures
        By the names of `entrenous.graph.compare`, and the cross-entropy of the model.
    degrees, distances
        Nodes by degree, and connected pairs by distance, from 1.
    """

    cell: Cell
    fingerprint: str
    seconds: float
    memory: float
    measures: Mapping[str, float]
    degrees: tuple[int, ...]
    distances: tuple[float, ...]

    def write(self, folder: Path) -> None:
        """Write the file of a cell: complete, or not at all."""
        file = folder / self.cell.file
        aside = file.with_name(f".{file.name}.{os.getpid()}.partial")
        values = asdict(self) | {
            "measures": {
                name: value if math.isfinite(value) else None for name, value in self.measures.items()
            }
        }
        aside.write_text(json.dumps(values, allow_nan=False), encoding="utf-8")
        aside.replace(file)

    @classmethod
    def read(cls, file: Path) -> Result | None:
        """Read the file of a cell; None if it is not there or not ours."""
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
            split = values["cell"].pop("split")
            cell = Cell(**values.pop("cell"), split=None if split is None else tuple(split))
            measures = {
                name: math.nan if value is None else float(value)
                for name, value in values.pop("measures").items()
            }
            degrees, distances = tuple(values.pop("degrees")), tuple(values.pop("distances"))
            return cls(cell=cell, measures=measures, degrees=degrees, distances=distances, **values)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None


def grid(
    nodes: Mapping[str, int], *, methods: Sequence[str], epsilons: Sequence[float], seeds: int
) -> list[Cell]:
    """Return all cells, those that take longest first.

    The pictures about how "privhrg" divides epsilon are drawn for the smallest graph alone, at all its divisions: a
    chain makes a thousand steps per node, which is minutes on large graphs.

    Parameters
    ----------
    nodes
        The number of nodes of each graph.
    methods, epsilons, seeds
        What is combined; seeds are 0, 1, ...

    Examples
    --------
    >>> len(grid({"club": 34}, methods=["owner", "tmf"], epsilons=[1.0, 2.0], seeds=3))
    12
    """
    for method in methods:
        _check.one_of("methods", method, MECHANISMS)
    if not nodes or not methods or not epsilons:
        raise ArgumentError("grid", "expected at least one graph, one method and one epsilon; got none")
    checked = dict.fromkeys(_check.epsilon("epsilons", epsilon) for epsilon in epsilons)
    draws = range(_check.at_least("seeds", seeds, 1))
    cells = [Cell(g, m, e, s) for g in nodes for m in dict.fromkeys(methods) for e in checked for s in draws]
    smallest = min(nodes, key=lambda name: nodes[name])
    cells += [
        Cell(smallest, method, round(sum(split), 6), seed, split)
        for method in dict.fromkeys(methods)
        if MECHANISMS[method].chain
        for split in (*FIXED_SPLITS, *SMALL_SPLITS)
        for seed in draws
    ]
    # What takes longest first: chains, and large graphs.
    return sorted(cells, key=lambda cell: (not MECHANISMS[cell.method].chain, -nodes[cell.graph]))


def run(
    sources: Sequence[Source],
    folder: Path,
    *,
    methods: Sequence[str],
    epsilons: Sequence[float],
    seeds: int,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[Result]:
    """Fill in whatever is missing in the folder, and return the results of the whole grid, originals first.

    Parameters
    ----------
    sources
        The private graphs.
    folder
        Where cells are kept, in `cells`; results that are there, of the same graph, are not computed again.
    methods, epsilons, seeds
        The grid.
    workers
        How many processes share the work; by default as many as there are threads.
    progress
        Called with cells done and cells in all.
    """
    by_name = {source.name: source for source in sources}
    if len(by_name) != len(sources):
        raise ArgumentError("graphs", "expected files with different names; got two of one name")
    graphs = {name: _graph(source) for name, source in by_name.items()}
    prints = {name: _fingerprint(graph) for name, graph in graphs.items()}
    cells = [Cell(name, _ORIGINAL, 0.0, 0) for name in graphs]
    cells += grid(
        {name: graph.n for name, graph in graphs.items()}, methods=methods, epsilons=epsilons, seeds=seeds
    )
    for cell in cells[len(graphs) :]:  # whatever is wrong is said now, not after an hour
        check_request(graphs[cell.graph], MECHANISMS[cell.method], epsilon=cell.epsilon, shares=cell.shares)
    kept = folder / "cells"
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise MissingDataError(f"{folder.name} cannot be made there; is the place writable?") from None
    found = {cell: Result.read(kept / cell.file) for cell in cells}
    missing = [
        cell
        for cell, result in found.items()
        if result is None or result.cell != cell or result.fingerprint != prints[cell.graph]
    ]
    _compute(missing, by_name, kept, workers or threads(), len(cells), progress)
    results = [result for cell in cells if (result := Result.read(kept / cell.file)) is not None]
    place = {name: number for number, name in enumerate(graphs)}
    return sorted(results, key=lambda result: (result.cell.epsilon > 0, place[result.cell.graph]))


def _compute(
    cells: Sequence[Cell],
    sources: Mapping[str, Source],
    folder: Path,
    workers: int,
    total: int,
    progress: Callable[[int, int], object] | None,
) -> None:
    """Run cells in processes of their own; what was written stays, whatever happens."""
    tell = progress or _say_nothing
    tell(total - len(cells), total)
    context = multiprocessing.get_context("spawn")  # a forked child may inherit locks of compiled code
    with one_thread_each():
        pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent)
        try:
            left: set[Future[None]] = {
                pool.submit(_fill, cell, sources[cell.graph], folder) for cell in cells
            }
            while left:
                done, left = wait(left, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                tell(total - len(left), total)
        except BrokenProcessPool:
            raise InputError(
                "a process of the benchmark was ended from outside, perhaps for want of memory; what was done is "
                "kept, and the same command goes on from there"
            ) from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _say_nothing(_done: int, _total: int) -> None:
    """Stand in for a progress report that nobody asked for."""


def _fill(cell: Cell, source: Source, folder: Path) -> None:
    """Rehearse one cell and write it down."""
    graph, original = _measured(source)
    if cell.method == _ORIGINAL:
        values, found, spent = {}, original, (0.0, 0.0)
    else:
        with _meter() as meter:
            made = release(graph, epsilon=cell.epsilon, method=cell.method, shares=cell.shares, rng=cell.seed)
        spent = meter()
        comparison = compare(graph, made.artifact, measured=original)
        values = dict(comparison) | {"cross_entropy": made.private["model"].cross_entropy(graph.edges())}
        found = comparison.released
    assert found.degree_histogram is not None
    assert found.paths is not None
    result = Result(
        cell,
        _fingerprint(graph),
        *spent,
        values,
        tuple(found.degree_histogram.tolist()),
        tuple(found.paths.histogram[1:].tolist()),
    )
    result.write(folder)


@lru_cache(maxsize=4)
def _graph(source: Source) -> Graph:
    return Graph.read(source.path, clean=source.clean)


@lru_cache(maxsize=4)
def _measured(source: Source) -> tuple[Graph, Measures]:
    """Return a graph and its measures; a process keeps those of the last graphs it worked on."""
    graph = _graph(source)
    return graph, measure(graph)


def _fingerprint(graph: Graph) -> str:
    digest = hashlib.sha256(_code())
    digest.update(np.ascontiguousarray(graph.indptr).tobytes())
    digest.update(np.ascontiguousarray(graph.indices).tobytes())
    return digest.hexdigest()[:16]


@lru_cache(maxsize=1)
def _code() -> bytes:
    """Return a digest of the code that makes and measures releases: figures of other code are not kept."""
    digest = hashlib.sha256()
    package = Path(__file__).parents[2]
    for part in ("network", "hrg", "graph"):
        for file in sorted((package / part).rglob("*.py")):
            digest.update(file.read_bytes())
    for shared in ("desk.py", "noise.py", "opendp.py", "price.py", "statistic.py", "unit.py"):
        digest.update((package / shared).read_bytes())
    return digest.digest()


@contextmanager
def _meter() -> Iterator[Callable[[], tuple[float, float]]]:
    """Measure seconds and the peak of memory in megabytes; ask the yielded function afterwards."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # Linux: start the peak anew
    start = time.perf_counter()
    spent: list[float] = []
    yield lambda: (spent[0], spent[1])
    spent += [time.perf_counter() - start, _peak_megabytes()]


def _peak_megabytes() -> float:
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) / 1000
    except (OSError, IndexError, ValueError):
        return math.nan


def _end_with_parent() -> None:
    """Make a worker end when the process that started it is gone, however it went."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
