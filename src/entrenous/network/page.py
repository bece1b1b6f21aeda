"""What a page tells about a released graph: by itself, and for the curator beside its original."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from entrenous.graph import Graph, compare, measure
from entrenous.graph.measures.comparison import TOP
from entrenous.graph.measures.summary import COMMUNITIES_UP_TO
from entrenous.network.groups import block_densities, largest_groups
from entrenous.page.describing import Description
from entrenous.page.pictures import shapes
from entrenous.page.sections import Picture, Ranking, Row, Section
from entrenous.page.wording import number

if TYPE_CHECKING:
    from entrenous.graph.measures.comparison import Comparison
    from entrenous.graph.measures.summary import Measures
    from entrenous.release import Release

__all__ = ["compared", "published"]

CURATOR_TITLE = "The original and the released graph, side by side"
BEST_CONNECTED = 10

CAPTIONS: Mapping[str, str] = {
    "degrees": "The share of nodes with at least so many ties. A long straight fall means that a few nodes "
    "have very many.",
    "distances": "Of all connected pairs of nodes, the share that are so many steps apart.",
    "blocks": "Groups found in the released graph, the largest first, small ones pooled in the last. "
    "The darker, the more of the possible ties are there.",
    "blocks compared": "Groups found in the original, the largest first, small ones pooled in the last, in "
    "the same order on both sides. The darker, the more of the possible ties are there.",
    "influence": "Of the most influential nodes of the original (by eigenvector centrality), the share that "
    "is among as many most influential nodes of the release.",
    "scores": "The influence (eigenvector centrality) of the most influential node, the second, and so on.",
    "comparison": "What the release kept of the original, and what it lost.",
    "pairs": "The same quantity in both graphs.",
    "gaps": "How much the two graphs differ, or agree, in one number each.",
    "trace": "The utility of the structure while the chain ran. A level end suggests, and does not prove, "
    "that the chain has forgotten where it began.",
    "best connected": "By ties in the released graph; noise moves ranks, so read them as a rough order.",
    "chain": "The structure was drawn by a Markov chain. Its path depends on the original graph.",
}

PAIRS: Mapping[str, tuple[str, str]] = {
    "edges": ("Ties", "All ties of the graph."),
    "isolated": ("Nodes without a tie", "Nodes that are tied to nobody."),
    "tri": ("Triangles", "Three nodes that are all tied to each other."),
    "gcc": (
        "Transitivity",
        "How often two neighbours of a node are tied to each other, over all such pairs.",
    ),
    "acc": ("Local clustering", "The same, for each node first, then the mean over nodes."),
    "ass": (
        "Assortativity",
        "Above 0, well-connected nodes are tied to each other; below 0, to poorly connected ones.",
    ),
    "mod": ("Modularity", "How clearly the graph falls into groups: 0 not at all, near 1 very clearly."),
    "lambda1": ("Leading eigenvalue", "How fast something that passes along ties can spread."),
    "avg_sp": ("Distance", "The mean number of steps between two nodes that are connected."),
    "reach": ("Connected pairs", "The share of pairs of nodes with any path between them."),
}

GAPS: Mapping[str, tuple[str, str]] = {
    "deg_KS": (
        "Degrees, Kolmogorov-Smirnov",
        "The widest gap between the two degree curves: 0 is best, 1 worst.",
    ),
    "deg_Hellinger": (
        "Degrees, Hellinger",
        "The distance of the two degree distributions: 0 is best, 1 worst.",
    ),
    "deg_W1": (
        "Degrees, Wasserstein",
        "By how many ties the degrees are off, on average over ranks; 0 is best.",
    ),
    "dist_Hellinger": (
        "Distances, Hellinger",
        "The same for the distances between nodes: 0 is best, 1 worst.",
    ),
    "cd_NMI": ("Groups, mutual information", "How much the groups of both graphs agree: 1 is best."),
    "nmi_ceiling": (
        "Groups, attainable",
        "The same for the original against itself: searching groups is random.",
    ),
    "cd_ARI": ("Groups, adjusted Rand", "Agreement of the groups beyond chance: 1 is best, 0 is chance."),
    "evc_max1_MAE@10": ("Influence scores, top 10", "The mean gap of the i-th largest scores, of at most 1."),
    "evc_max1_MAE@1%": ("Influence scores, top 1 %", "The same for one node in a hundred."),
    "evc_max1_MAE@5%": ("Influence scores, top 5 %", "The same for one node in twenty."),
    "edge_recall": ("Ties in both", "The share of the original's ties that the release has, too."),
}


def published(release: Release[Graph]) -> Description:
    """Describe a released graph by itself."""
    graph = release.artifact
    return Description(f"Released graph: {graph.n:,} nodes, {graph.m:,} ties", [_released_section(graph)])


def compared(
    original: Graph,
    release: Release[Graph],
    comparison: Comparison | None = None,
    *,
    further: Sequence[Section] = (),
) -> Description:
    """Set the original beside the release, for the curator.

    Parameters
    ----------
    original
        The confidential graph.
    release
        What was made from it.
    comparison
        What `entrenous.graph.compare` found, if it was computed already.
    further
        What stands between the comparison and the chain, if there is one.
    """
    graph = release.artifact
    sections = _comparison_sections(original, graph, comparison or compare(original, graph))
    sections += further
    if "trace" in release.private:
        trace = release.private["trace"]  # of entrenous.hrg.chain
        sections.append(_chain_section(trace.steps, trace.utility))
    return Description(CURATOR_TITLE, sections)


def _released_section(graph: Graph) -> Section:
    """Describe a released graph by itself: all of it follows from what is published anyway."""
    groups = ["degrees", "centrality", "paths"] + ["communities"] * (graph.m <= COMMUNITIES_UP_TO)
    found = measure(graph, only=groups, seeds=1)
    mean = number(found.paths.mean if found.paths else math.nan)
    if "avg_sp" in found.intervals:
        mean = _sampled(mean, found.intervals["avg_sp"])
    rows = (
        Row("Nodes", (number(graph.n),), "The list of nodes is public and released as it is."),
        Row(
            "Ties",
            (number(graph.m),),
            "Do not take a single tie for a fact: some were added, others removed.",
        ),
        Row("Ties of a node", (number(2 * graph.m / max(graph.n, 1)),), "The mean over all nodes."),
        Row("Nodes without a tie", (number(found.isolated),), "They stay in the list of nodes."),
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


def _comparison_sections(original: Graph, released: Graph, comparison: Comparison) -> list[Section]:
    """Set the original beside the release; measures that were not compared are left out."""
    measures = {"original": comparison.original, "released": comparison.released}
    pictures = list(_pictures(measures, {"original": original, "released": released}))
    overlaps = {
        label.replace("%", " %"): comparison[f"evc_max1_overlap@{label}"]
        for label, size in TOP.items()
        if f"evc_max1_overlap@{label}" in comparison and size <= original.n
    }
    if overlaps:
        pictures.insert(-1, Picture("Who is influential", CAPTIONS["influence"], shapes.influence(overlaps)))
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


def _chain_section(steps: NDArray[np.int64], utility: NDArray[np.float64]) -> Section:
    """Show how the chain that drew the structure moved."""
    picture = Picture("Fit along the chain", CAPTIONS["trace"], shapes.trace(steps, utility), wide=True)
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
        pictures.append(Picture("How many ties nodes have", CAPTIONS["degrees"], shapes.degrees(degrees)))
    if paths:
        pictures.append(Picture("How far apart nodes are", CAPTIONS["distances"], shapes.distances(paths)))
    if scores:
        pictures.append(Picture("How influence falls off", CAPTIONS["scores"], shapes.scores(scores)))
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
    return shapes.blocks(densities, groups.sizes.tolist())


def _best_connected(graph: Graph) -> Ranking | None:
    ranked = np.argsort(-graph.degrees, kind="stable")[:BEST_CONNECTED]
    entries = tuple(
        (graph.name(int(node)), int(graph.degrees[node])) for node in ranked if graph.degrees[node]
    )
    return Ranking("Best connected", CAPTIONS["best connected"], entries) if entries else None


def _measured(comparison: Comparison, name: str) -> str:
    """Write a value, and that it was sampled, with the 95 % interval if it has one."""
    value = number(comparison[name])
    if name in comparison.intervals:
        return _sampled(value, comparison.intervals[name])
    return f"{value} (from samples)" if name in comparison.sampled else value


def _sampled(value: str, interval: tuple[float, float]) -> str:
    """Write a sampled value.

    >>> _sampled("3.9", (3.85, 3.95))
    '3.9 (sampled, 95 % interval 3.85 to 3.95)'
    """
    return f"{value} (sampled, 95 % interval {number(interval[0])} to {number(interval[1])})"
