"""The sentences of a report that explain its pictures and numbers to people who do not know the field."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CAPTIONS", "GAPS", "PAIRS"]

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
