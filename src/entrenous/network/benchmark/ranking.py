"""Who comes first, measure by measure: means over seeds with their spread, and the tidy table behind them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from entrenous.errors import MissingExtraError
from entrenous.network.benchmark.grid import Result

__all__ = ["HEADLINE", "Standing", "rank", "tidy", "write_parquet"]

HEADLINE: Mapping[str, bool] = {
    "deg_KS": False,
    "dist_KS": False,
    "gcc_RE": False,
    "tri_RE": False,
    "lambda1_RE": False,
    "evc_overlap@50": True,
}
"""The measures that are ranked, and whether more is better."""


@dataclass(frozen=True)
class Standing:
    """How a method does on one graph, at one epsilon, by one measure.

    Attributes
    ----------
    mean, sd
        Over the seeds; the spread is not a number for a single seed.
    place
        1 for the best mean, 2 for the next, and so on.
    level
        Whether the distance to the best is within run-to-run noise: two standard errors of a difference, both methods
        taken to scatter like the steadier of the two. So nobody is level with the best by scattering, and a best that
        scatters draws nobody up to it.
    """

    graph: str
    epsilon: float
    measure: str
    method: str
    mean: float
    sd: float
    place: int
    level: bool


def rank(results: Sequence[Result]) -> list[Standing]:
    """Rank the methods on every graph, at every epsilon, by every headline measure; the best first.

    Methods whose value is undefined come last.
    """
    plain = [result for result in results if result.cell.epsilon and result.cell.split is None]
    places = dict.fromkeys((result.cell.graph, result.cell.epsilon) for result in plain)
    standings: list[Standing] = []
    for graph, epsilon in places:
        here = [result for result in plain if (result.cell.graph, result.cell.epsilon) == (graph, epsilon)]
        for name, more_is_better in HEADLINE.items():
            runs: dict[str, list[float]] = {}
            for result in here:
                runs.setdefault(result.cell.method, []).append(result.measures.get(name, math.nan))
            standings += _ranked(graph, epsilon, name, runs, more_is_better=more_is_better)
    return standings


def _ranked(
    graph: str, epsilon: float, name: str, runs: Mapping[str, Sequence[float]], *, more_is_better: bool
) -> Iterator[Standing]:
    mean = {method: float(np.mean(values)) for method, values in runs.items()}
    sd = {
        method: float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
        for method, values in runs.items()
    }
    loss = {
        method: math.inf if math.isnan(value) else -value if more_is_better else value
        for method, value in mean.items()
    }
    ordered = sorted(runs, key=lambda method: loss[method])
    best = ordered[0]
    for place, method in enumerate(ordered, start=1):
        spread = min(sd[method], sd[best]) if len(runs[method]) > 1 < len(runs[best]) else 0.0
        noise = 2 * spread * math.sqrt(1 / len(runs[method]) + 1 / len(runs[best]))
        level = method == best or loss[method] - loss[best] <= noise
        yield Standing(graph, epsilon, name, method, mean[method], sd[method], place, level)


def tidy(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return one row per rehearsal and measure; eps1 and eps2 are not numbers where a method divides by itself."""
    rows = []
    for result in results:
        cell = result.cell
        eps1, eps2 = cell.split if cell.split is not None else (math.nan, math.nan)
        about = {
            "graph": cell.graph,
            "method": cell.method,
            "epsilon": cell.epsilon,
            "eps1": eps1,
            "eps2": eps2,
        }
        about |= {"seed": cell.seed}
        spent = {"seconds": result.seconds, "memory": result.memory}
        rows += [about | {"measure": name, "value": value} | spent for name, value in result.measures.items()]
    return rows


def write_parquet(results: Sequence[Result], path: Path) -> None:
    """Write the tidy table as Parquet; a file that is there is replaced, a half-written one is never seen."""
    require_pyarrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = tidy(results)
    texts, whole = ("graph", "method", "measure"), ("seed",)
    columns = ("graph", "method", "epsilon", "eps1", "eps2", "seed", "measure", "value", "seconds", "memory")
    kinds = {
        name: pa.string() if name in texts else pa.int64() if name in whole else pa.float64()
        for name in columns
    }
    table = pa.table({name: pa.array([row[name] for row in rows], kinds[name]) for name in columns})
    aside = path.with_name(f".{path.name}.partial")
    pq.write_table(table, aside)
    aside.replace(path)


def require_pyarrow() -> None:
    """Raise if the table cannot be written; asked before a long job whose end it is."""
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        raise MissingExtraError("parquet", "the table of a benchmark")
