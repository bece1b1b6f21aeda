"""What stands on a page below the card: pictures and tables, each with a plain explanation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from entrenous.graph import Graph, measure
from entrenous.graph.comparison import TOP
from entrenous.graph.measures import COMMUNITIES_UP_TO
from entrenous.report import plots
from entrenous.report.groups import block_densities, largest_groups
from entrenous.report.texts import CAPTIONS, GAPS, PAIRS

if TYPE_CHECKING:
    from entrenous.graph import Comparison, Measures

__all__ = ["Picture", "Row", "Section", "chain_section", "comparison_sections", "released_section"]

BEST_CONNECTED = 10


@dataclass(frozen=True)
class Picture:
    """An SVG with its heading and caption; a wide one takes the whole line."""

    title: str
    caption: str
    svg: Markup
    wide: bool = False


@dataclass(frozen=True)
class Row:
    """One line of a table: a quantity, its value in each column, and what it tells."""

    name: str
    values: tuple[str, ...]
    meaning: str


@dataclass(frozen=True)
class Section:
    """A heading and an introduction, then pictures, then a table, then names with a number each."""

    title: str
    introduction: str
    pictures: tuple[Picture, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    names: tuple[tuple[str, int], ...] = ()


def released_section(graph: Graph) -> Section:
    """Describe a released graph by itself: all of it follows from what is published anyway."""
    groups = ["degrees", "centrality", "paths"] + ["communities"] * (graph.m <= COMMUNITIES_UP_TO)
    found = measure(graph, only=groups, seeds=1)
    mean = _number(found.paths.mean if found.paths else math.nan)
    if "avg_sp" in found.intervals:
        mean = _sampled(mean, found.intervals["avg_sp"])
    rows = (
        Row("Nodes", (_number(graph.n),), "The list of nodes is public and released as it is."),
        Row(
            "Ties",
            (_number(graph.m),),
            "Do not take a single tie for a fact: some were added, others removed.",
        ),
        Row("Ties of a node", (_number(2 * graph.m / max(graph.n, 1)),), "The mean over all nodes."),
        Row("Nodes without a tie", (_number(found.isolated),), "They stay in the list of nodes."),
        Row("Distance", (mean,), "The mean number of steps between two nodes that are connected."),
    )
    return Section(
        "The released graph",
        "Pictures of the released graph alone. They cost no privacy: only what is published was looked at.",
        _pictures({"released": found}, {"released": graph}),
        ("released",),
        rows,
        _best_connected(graph),
    )


def comparison_sections(original: Graph, released: Graph, comparison: Comparison) -> list[Section]:
    """Set the original beside the release; measures that were not compared are left out."""
    measures = {"original": comparison.original, "released": comparison.released}
    pictures = list(_pictures(measures, {"original": original, "released": released}))
    overlaps = {
        label.replace("%", " %"): comparison[f"evc_max1_overlap@{label}"]
        for label, size in TOP.items()
        if f"evc_max1_overlap@{label}" in comparison and size <= original.n
    }
    if overlaps:
        pictures.insert(-1, Picture("Who is influential", CAPTIONS["influence"], plots.influence(overlaps)))
    pairs = tuple(
        Row(name, tuple(_measured(comparison, f"{key}_{side}") for side in ("orig", "synth")), meaning)
        for key, (name, meaning) in PAIRS.items()
        if f"{key}_orig" in comparison
    )
    gaps = tuple(
        Row(name, (_measured(comparison, key),), meaning)
        for key, (name, meaning) in GAPS.items()
        if key in comparison
    )
    return [
        Section("Original and released", CAPTIONS["comparison"], tuple(pictures)),
        Section("Side by side", CAPTIONS["pairs"], columns=("original", "released"), rows=pairs),
        Section("How far apart", CAPTIONS["gaps"], columns=("value",), rows=gaps),
    ]


def chain_section(steps: NDArray[np.int64], utility: NDArray[np.float64]) -> Section:
    """Show how the chain that drew the structure moved."""
    picture = Picture("Fit along the chain", CAPTIONS["trace"], plots.trace(steps, utility), wide=True)
    return Section("How the structure was drawn", CAPTIONS["chain"], (picture,))


def _pictures(measures: Mapping[str, Measures], graphs: Mapping[str, Graph]) -> tuple[Picture, ...]:
    """Draw what is known of every graph; groups are those of the first one."""
    degrees = {
        role: found.degree_histogram for role, found in measures.items() if found.degree_histogram is not None
    }
    paths = {role: found.paths.histogram[1:] for role, found in measures.items() if found.paths is not None}
    scores = {
        role: found.centrality.scaled for role, found in measures.items() if found.centrality is not None
    }
    partition = next(iter(measures.values())).best_partition
    pictures = []
    if degrees:
        pictures.append(Picture("How many ties nodes have", CAPTIONS["degrees"], plots.degrees(degrees)))
    if paths:
        pictures.append(Picture("How far apart nodes are", CAPTIONS["distances"], plots.distances(paths)))
    if scores:
        pictures.append(Picture("How influence falls off", CAPTIONS["scores"], plots.scores(scores)))
    if partition is not None:
        wide = len(graphs) > 1
        caption = CAPTIONS["blocks compared" if wide else "blocks"]
        pictures.append(
            Picture("Which groups are tied", caption, _block_plot(graphs, partition.labels), wide)
        )
    return tuple(pictures)


def _block_plot(graphs: Mapping[str, Graph], labels: NDArray[np.int64]) -> Markup:
    """Draw the ties between groups; the labels are those of the first graph's nodes."""
    groups = largest_groups(labels)
    first = next(iter(graphs.values()))
    densities = {
        role: block_densities(graph, groups.as_ordered(first, graph)) for role, graph in graphs.items()
    }
    return plots.blocks(densities, groups.sizes.tolist())


def _best_connected(graph: Graph) -> tuple[tuple[str, int], ...]:
    ranked = np.argsort(-graph.degrees, kind="stable")[:BEST_CONNECTED]
    return tuple((graph.name(int(node)), int(graph.degrees[node])) for node in ranked if graph.degrees[node])


def _measured(comparison: Comparison, name: str) -> str:
    """Write a value, and that it was sampled, with the 95 % interval if it has one."""
    value = _number(comparison[name])
    if name in comparison.intervals:
        return _sampled(value, comparison.intervals[name])
    return f"{value} (from samples)" if name in comparison.sampled else value


def _sampled(value: str, interval: tuple[float, float]) -> str:
    """Write a sampled value.

    >>> _sampled("3.9", (3.85, 3.95))
    '3.9 (sampled, 95 % interval 3.85 to 3.95)'
    """
    return f"{value} (sampled, 95 % interval {_number(interval[0])} to {_number(interval[1])})"


def _number(value: float) -> str:
    """Write a number for a reader: whole numbers in full, others with three significant digits.

    >>> _number(12345), _number(0.012345), _number(6.0), _number(float("nan"))
    ('12,345', '0.0123', '6', 'undefined')
    """
    if math.isnan(value):
        return "undefined"
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.3g}"
