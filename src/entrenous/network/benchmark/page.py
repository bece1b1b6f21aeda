"""The curator's page about a benchmark: the ranking first, then the figures of the PrivHRG paper for every graph."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from entrenous.graph.measures.comparison import TOP
from entrenous.noise import REHEARSAL
from entrenous.page.pictures.curves import curves
from entrenous.page.report import Report, rendered
from entrenous.page.sections import Head, Picture, Row, Section

if TYPE_CHECKING:
    from entrenous.network.benchmark.grid import Result
    from entrenous.network.benchmark.ranking import Standing

__all__ = ["benchmark_report", "benchmark_sections"]

TITLE = "Methods side by side"
SUMMARY = (
    "Every method released every graph several times, rehearsing with known seeds, and each release was compared with "
    "its original. The numbers tell about the originals: nothing of this was charged to a vault, and nothing of it "
    "may be published with a promise."
)
MEASURES: Mapping[str, tuple[str, str]] = {
    "deg_KS": ("Degrees", "KS; 0 is best"),
    "dist_KS": ("Path lengths", "KS; 0 is best"),
    "gcc_RE": ("Clustering", "error; 0 is best"),
    "tri_RE": ("Triangles", "error; 0 is best"),
    "lambda1_RE": ("Leading eigenvalue", "error; 0 is best"),
    "evc_overlap@50": ("Influence", "share; 1 is best"),
}
CAPTIONS: Mapping[str, str] = {
    "ranking": "Means over {seeds}, with the spread of single runs. Bold: first, or so close to the first that runs "
    "cannot tell them apart (two standard errors, both taken to scatter like the steadier one).",
    "ranking again": "Means over {seeds}, to be read as above.",
    "count": "How often a method is first, or level with the first. KS is the widest gap of two cumulative "
    "distributions, of degrees and of distances between connected nodes; errors are relative, of the transitivity, of "
    "the number of triangles and of the leading eigenvalue; influence is the share of the 50 most influential nodes "
    "that original and release both name.",
    "graph": "The figures of the PrivHRG paper at epsilon {epsilon:g}; histograms are of the first seed, overlaps are "
    "means.",
    "degrees": "The share of nodes with at least so many ties.",
    "distances": "Of all connected pairs of nodes, the share that are so many steps apart.",
    "overlap": "Of the most influential nodes of the original, the share that is among as many of the release.",
    "fixed": "The mean gap of the i-th largest scores, of at most 1, among the most influential nodes, for three ways "
    "to divide epsilon 1 between structure (eps1) and counts (eps2).",
    "small": "The same gap for the top 5 % when counts get little: eps2 from .005 to .9.",
}


def benchmark_report(results: Sequence[Result]) -> Report:
    """Put the results of `entrenous.network.benchmark.grid.run` on one page, which must not be published."""
    cells = [result.cell for result in results if result.cell.epsilon]
    facts = [
        ("graphs", ", ".join(_distinct(cell.graph for cell in cells))),
        ("methods", ", ".join(sorted(_distinct(cell.method for cell in cells), key=_house_order))),
        ("epsilons", ", ".join(f"{e:g}" for e in sorted({c.epsilon for c in cells if c.split is None}))),
        ("seeds", len({cell.seed for cell in cells})),
        ("releases", len(cells)),
    ]
    head = Head(SUMMARY, facts, stamp=REHEARSAL)
    return Report(rendered(TITLE, head, benchmark_sections(results), curator=True), private=True)


def benchmark_sections(results: Sequence[Result]) -> list[Section]:
    """Return the ranking per measure and graph, then the pictures graph by graph, then how privhrg divides epsilon."""
    from entrenous.network.benchmark.ranking import rank

    standings = rank(results)
    seeds = len({result.cell.seed for result in results if result.cell.epsilon})
    runs = f"{seeds} seeds" if seeds > 1 else "a single seed, whose spread is unknown"
    sections = [_count_section(standings)]
    for place, (graph, epsilon) in enumerate(dict.fromkeys((each.graph, each.epsilon) for each in standings)):
        here = [each for each in standings if (each.graph, each.epsilon) == (graph, epsilon)]
        caption = CAPTIONS["ranking again" if place else "ranking"].format(seeds=runs)
        sections.append(_ranking_section(f"{graph}, epsilon {epsilon:g}", here, caption))
    for number, graph in enumerate(_distinct(each.graph for each in standings)):
        sections.append(_graph_section(number, graph, results))
    divided = [result for result in results if result.cell.split is not None]
    return sections + ([_split_section(divided)] if divided else [])


def _count_section(standings: Sequence[Standing]) -> Section:
    """Count first places: one row per graph, one column per method."""
    methods = tuple(sorted(_distinct(each.method for each in standings), key=_house_order))
    rows = []
    for graph in _distinct(each.graph for each in standings):
        here = [each for each in standings if each.graph == graph]
        total = len(here) // len(methods)
        values = (sum(each.level for each in here if each.method == method) for method in methods)
        rows.append(Row(graph, tuple(str(value) for value in values), f"of {total}"))
    return Section("Who comes first how often", CAPTIONS["count"], columns=methods, rows=tuple(rows))


def _ranking_section(title: str, standings: Sequence[Standing], caption: str) -> Section:
    """Show one graph at one epsilon: one row per measure, one column per method, those in front in bold."""
    methods = sorted(_distinct(each.method for each in standings), key=_house_order)
    by_place = {(each.measure, each.method): each for each in standings}
    rows = tuple(
        Row(name, tuple(_score(by_place[measure, method]) for method in methods), meaning)
        for measure, (name, meaning) in MEASURES.items()
    )
    return Section(title, caption, columns=tuple(methods), rows=rows)


def _graph_section(number: int, graph: str, results: Sequence[Result]) -> Section:
    """Draw degrees, distances and overlaps of all methods on one graph, at its smallest epsilon."""
    here = [r for r in results if r.cell.graph == graph and r.cell.split is None]
    epsilon = min(r.cell.epsilon for r in here if r.cell.epsilon)
    chosen = sorted(
        (r for r in here if r.cell.epsilon in (0, epsilon)), key=lambda r: _house_order(r.cell.method)
    )
    shown = {r.cell.method: r for r in chosen if r.cell.seed == 0}
    methods = [method for method in shown if method != "original"]
    overlaps = {
        method: (
            np.arange(len(TOP)),
            np.array([_mean(chosen, method, f"evc_max1_overlap@{label}") for label in TOP]),
        )
        for method in methods
    }
    tails = {method: _tail(r.degrees) for method, r in shown.items()}
    shares = {
        method: (np.arange(1, len(r.distances) + 1), np.array(r.distances) / max(sum(r.distances), 1))
        for method, r in shown.items()
    }
    pictures = (
        Picture("How many ties nodes have", CAPTIONS["degrees"], curves(
            tails, name=f"degrees-{number}", title=f"Degrees, {graph}", logarithmic="xy", percent=True,
            labels=("ties of a node", "nodes with at least so many")), wide=True),
        Picture("How far apart nodes are", CAPTIONS["distances"], curves(
            shares, name=f"distances-{number}", title=f"Path lengths, {graph}", percent=True,
            labels=("steps from one node to another", "pairs that far apart")), wide=True),
        Picture("Who is influential", CAPTIONS["overlap"], curves(
            overlaps, name=f"overlap-{number}", title=f"Top-k overlap, {graph}", percent=True, ticks=_top_labels(),
            labels=("most influential nodes", "named by both graphs")), wide=True),
    )  # fmt: skip
    return Section(graph, CAPTIONS["graph"].format(epsilon=epsilon), pictures)


def _split_section(results: Sequence[Result]) -> Section:
    """Draw the errors of influence scores for all divisions of epsilon."""
    from entrenous.network.benchmark.grid import FIXED_SPLITS, SMALL_SPLITS

    fixed = {
        f"eps1 {first:g}, eps2 {second:g}": (
            np.arange(len(TOP)),
            np.array([_mean_split(results, (first, second), f"evc_max1_MAE@{label}") for label in TOP]),
        )
        for first, second in FIXED_SPLITS
    }
    small = {
        f"eps1 {first:g}": (
            np.array([second for each, second in SMALL_SPLITS if each == first]),
            np.array(
                [
                    _mean_split(results, (first, second), "evc_max1_MAE@5%")
                    for each, second in SMALL_SPLITS
                    if each == first
                ]
            ),
        )
        for first in dict.fromkeys(first for first, _ in SMALL_SPLITS)
    }
    pictures = (
        Picture("Three divisions", CAPTIONS["fixed"], curves(
            fixed, name="fixed-splits", title="Error of influence scores for three divisions", ticks=_top_labels(),
            labels=("most influential nodes", "mean absolute error")), wide=True),
        Picture("Little for counts", CAPTIONS["small"], curves(
            small, name="small-splits", title="Error of influence scores when counts get little", logarithmic="x",
            labels=("eps2", "mean absolute error")), wide=True),
    )  # fmt: skip
    return Section(
        "How privhrg divides epsilon",
        f"On {results[0].cell.graph}, the smallest graph, at as many steps as everywhere.",
        pictures,
    )


def _score(standing: Standing) -> str:
    """Write a mean with its spread, in bold for those in front; a missing mean is said to be undefined."""
    if math.isnan(standing.mean):
        return "undefined"
    spread = "" if math.isnan(standing.sd) else f"± {standing.sd:.3f}"
    bold = Markup("<strong>{:.3f}</strong><br><small>{}</small>")
    plain = Markup("{:.3f}<br><small>{}</small>")
    return (bold if standing.level else plain).format(standing.mean, spread)


def _tail(histogram: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the degrees that occur, from 1, and the share of nodes with at least so many ties."""
    counts = np.array(histogram, dtype=float)
    at_least = np.cumsum(counts[::-1])[::-1] / max(float(counts.sum()), 1.0)
    degrees = np.flatnonzero(counts)
    degrees = degrees[degrees > 0]
    return degrees, at_least[degrees]


def _mean(results: Sequence[Result], method: str, measure: str) -> float:
    return float(np.mean([r.measures.get(measure, math.nan) for r in results if r.cell.method == method]))


def _mean_split(results: Sequence[Result], split: tuple[float, float], measure: str) -> float:
    return float(np.mean([r.measures.get(measure, math.nan) for r in results if r.cell.split == split]))


def _top_labels() -> tuple[str, ...]:
    return tuple(f"top {label}".replace("%", " %") for label in TOP)


def _house_order(method: str) -> int:
    """Sort methods as the package lists them, whatever order they were run in; the original comes last."""
    from entrenous.network import MECHANISMS

    return [*MECHANISMS, "original"].index(method)


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
