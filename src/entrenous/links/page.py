"""The curator's pages about an obfuscated graph: what it gives away, what it leaves open, and the hierarchy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from entrenous.graph import Graph
from entrenous.links.entropy import ego_entropy
from entrenous.links.exposure import DESCRIPTION, LABELS, exposure
from entrenous.page.describing import Description, describing
from entrenous.page.pictures import hierarchies
from entrenous.page.sections import Picture, Row, Section
from entrenous.page.wording import capital
from entrenous.release import GRAPH, Release

if TYPE_CHECKING:
    from entrenous.graph.measures.comparison import Comparison
    from entrenous.links import Obfuscation
    from entrenous.links.generalization import Generalized
    from entrenous.links.trade_off import FrontierPoint

__all__ = ["compared", "links_sections", "published"]

MOST_LEAVES = 160

MEANINGS: Mapping[str, str] = {
    "retention": "Of the true ties, the share that a blurred graph is expected to keep by chance.",
    "certain_edges": "True ties in classes where all pairs are tied: blurring changes nothing there.",
    "likely_edges": "True ties in classes where at least half of the pairs are tied.",
    "certain_non_edges": "Pairs that are known not to be tied, because nobody in their class is.",
    "largest_posterior": "How sure one can be of the surest tie.",
    "bits_per_edge": "How much is open about all pairs together, per tie.",
    "minimum_ego_entropy": "Who is least protected: the joint entropy of all ties of that node.",
    "median_ego_entropy": "Half of the nodes have more open about their ties, half have less.",
}
CAPTIONS: Mapping[str, str] = {
    "entropies": "How many nodes have how many bits open about their ties. Those at the left end are in tight "
    "groups, or have next to no ties.",
    "dendrogram": "The hierarchy that was blurred along, for up to {most} evenly spaced nodes. Where two branches "
    "join, the height is the number of nodes below and the colour the share of pairs across that are tied; grey joints "
    "have no tie across. Much is hidden where many pairs share few ties; where all pairs are tied nothing is.",
    "frontier": "From the best fit to softer and softer hierarchies, by temperature. What is gained in entropy is paid "
    "for in what the blurred graph keeps: the share of true ties; degrees and path lengths (1 less their Hellinger "
    "distance); triangles (1 less the relative error).",
}


def published(release: Release[Graph | Generalized]) -> Description:
    """Describe a release as any released graph."""
    return describing(GRAPH).published(_as_graph(release))


def compared(
    original: Graph,
    release: Release[Graph | Generalized],
    comparison: Comparison | None = None,
    *,
    frontier: Sequence[FrontierPoint] = (),
) -> Description:
    """Set the original beside the release, and tell what is hidden where the release still knows its hierarchy.

    Parameters
    ----------
    original
        The confidential graph.
    release
        What `entrenous.links.obfuscate` made from it.
    comparison
        What `entrenous.graph.compare` found, if it was computed already.
    frontier
        What `entrenous.links.frontier` found, for a picture of what softer hierarchies hide and keep.
    """
    obfuscation = release.private.get("obfuscation")
    hidden = [] if obfuscation is None else links_sections(obfuscation, frontier)
    return describing(GRAPH).compared(original, _as_graph(release), comparison=comparison, further=hidden)


def links_sections(obfuscation: Obfuscation, frontier: Sequence[FrontierPoint] = ()) -> list[Section]:
    """Describe an obfuscation: its exposure and entropies, its hierarchy, and its frontier if that was measured."""
    rows = tuple(
        Row(capital(LABELS[name][0]), (_text(value, LABELS[name][1]),), MEANINGS[name])
        for name, value in exposure(obfuscation).to_json().items()
    )
    pictures = [
        Picture("Bits of a node", CAPTIONS["entropies"], hierarchies.entropies(ego_entropy(obfuscation))),
        Picture(
            "The hierarchy",
            CAPTIONS["dendrogram"].format(most=MOST_LEAVES),
            _dendrogram(obfuscation),
            wide=True,
        ),
    ]
    if frontier:
        pictures.append(Picture("Hidden and kept", CAPTIONS["frontier"], _frontier(frontier), wide=True))
    return [Section("What is hidden", DESCRIPTION, tuple(pictures), ("value",), rows)]


def _as_graph(release: Release[Graph | Generalized]) -> Release[Graph]:
    found = release.artifact
    graph = found if isinstance(found, Graph) else found.graph
    return Release(graph, release.guarantee, release.provenance, release.private)


def _dendrogram(obfuscation: Obfuscation) -> Markup:
    """Draw the tree that evenly spaced leaves span: where neighbours among them meet, all of them do."""
    tree = obfuscation.tree
    places = np.unique(np.linspace(0, tree.n - 1, min(MOST_LEAVES, tree.n)).astype(np.int64))
    leaves = tree.order[places]
    joints = tree.meeting(np.column_stack([leaves[:-1], leaves[1:]]))
    lowest_first = np.argsort(joints).tolist()  # parents have larger numbers than what is below them
    return hierarchies.dendrogram(lowest_first, tree.sizes[tree.n + joints], obfuscation.probability[joints])


def _frontier(points: Sequence[FrontierPoint]) -> Markup:
    bits = np.array([point.exposure.median_ego_entropy for point in points])
    kept = {
        "true ties": [point.exposure.retention for point in points],
        "degrees": [1 - point.comparison["deg_Hellinger"] for point in points],
        "path lengths": [1 - point.comparison["dist_Hellinger"] for point in points],
        "triangles": [max(0.0, 1 - point.comparison["tri_RE"]) for point in points],
    }
    labels = ["best fit" if point.temperature is None else f"{point.temperature:g}" for point in points]
    return hierarchies.frontier(
        np.maximum(bits, 1e-3), {name: np.nan_to_num(np.array(share)) for name, share in kept.items()}, labels
    )


def _text(value: float, is_share: bool) -> str:
    return f"{100 * value:.3g} %" if is_share else f"{value:,.4g}"
