"""Super-nodes: merge whoever has too few bits open with those around, until everybody has enough."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous.errors import ArgumentError
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.links.entropy import _side_entropies, added_down, class_entropy
from entrenous.links.obfuscation import Obfuscation, as_obfuscation
from entrenous.release import Provenance, Release, write_artifact

__all__ = ["Generalized", "generalize", "generalized_entropy", "super_nodes"]


@dataclass(frozen=True, eq=False)
class Generalized:
    """A graph of super-nodes, with how many nodes each stands for and how densely they are tied.

    Attributes
    ----------
    graph
        The super-nodes and remaining nodes, tied where any of their members are.
    member_of
        The node of `graph` that each original node went into.
    inner
        The number of edges among the members of each node of `graph`.
    between
        The number of edges across each row of ``graph.edges()``.
    names
        The names of the original nodes.
    """

    graph: Graph
    member_of: NDArray[np.int64]
    inner: NDArray[np.int64]
    between: NDArray[np.int64]
    names: tuple[str, ...]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many original nodes each node stands for."""
        return np.bincount(self.member_of, minlength=self.graph.n)

    @property
    def inner_density(self) -> NDArray[np.float64]:
        """The share of pairs of members that are tied; 0 for a single node."""
        return np.asarray(self.inner / np.maximum(self.sizes * (self.sizes - 1) // 2, 1))

    @property
    def density(self) -> NDArray[np.float64]:
        """The share of pairs across each edge of `graph` that are tied."""
        ends = self.sizes[self.graph.edges()]
        return np.asarray(self.between / (ends[:, 0] * ends[:, 1]))

    @property
    def merged(self) -> dict[str, tuple[str, ...]]:
        """What was merged: the names of the members of each super-node of two or more."""
        groups: dict[str, list[str]] = {}
        for node, group in enumerate(self.member_of.tolist()):
            if self.sizes[group] > 1:
                groups.setdefault(self.graph.name(group), []).append(self.names[node])
        return {name: tuple(members) for name, members in groups.items()}


def generalize(release: Release[Graph], *, bits: float) -> Release[Generalized]:
    """Merge nodes into super-nodes until every node has at least so many bits of ego entropy.

    A node that has too few is merged with all others below the lowest ancestor in the dendrogram where that
    suffices: of the ties inside a super-node only their number is told, so they become one link class. Cliques and
    nodes almost without ties go first, as they have the fewest bits. Nobody is merged without need.

    Parameters
    ----------
    release
        What `obfuscate` returned, with its private half.
    bits
        The wished ego entropy of every node.

    Privacy
    -------
    No formal guarantee, as for `obfuscate`. Who was merged with whom is published: the entropies hold for an
    attacker who knows that, and the hierarchy above. See docs/links.md.

    Examples
    --------
    >>> from entrenous import datasets, links
    >>> hidden = links.obfuscate(datasets.karate_club(), rng=7)
    >>> coarse = generalize(hidden, bits=10.0)
    >>> bool(generalized_entropy(hidden, coarse.artifact).min() >= 10), coarse.guarantee is None
    (True, True)
    """
    law = as_obfuscation(release)
    wished = _check.epsilon("bits", bits)
    top = super_nodes(law, wished)
    generalized = _contracted(release.artifact, law.tree, top)
    before = release.provenance
    provenance = Provenance(
        "links: generalized", {**before.parameters, "least bits per node": wished}, before.rehearsal
    )
    return Release(generalized, None, provenance, {**release.private, "merged": generalized.merged})


def super_nodes(law: Obfuscation, bits: float) -> NDArray[np.int64]:
    """Return for each leaf the tree node whose leaves are merged with it, or the leaf itself."""
    tree = law.tree
    n = tree.n
    entropies = _merged_entropies(law)
    reached = entropies.tolist()  # the most that merging at a node, or above it, can give
    lowest = list(range(2 * n - 1))  # the lowest node, from here upwards, where merging gives enough
    downwards = list(zip(range(2 * n - 2, n - 1, -1), tree.children[::-1].tolist(), strict=True))
    for node, children in downwards:
        for child in children:
            if reached[child] < bits:
                lowest[child] = lowest[node]
            reached[child] = max(reached[child], reached[node])
    if min(reached[:n]) < bits:
        raise ArgumentError(
            "bits", f"expected at most {min(reached[:n]):.4g}, which merging can reach; got {bits:g}"
        )
    merged = set(lowest[:n]) - set(range(n))
    top = list(range(2 * n - 1))
    for node, children in downwards:
        if node in merged or top[node] != node:
            for child in children:
                top[child] = top[node]
    return np.array(top[:n])


def generalized_entropy(
    released: Obfuscation | Release[Graph], generalized: Generalized
) -> NDArray[np.float64]:
    """Return the ego entropy of every original node once it is known to be in its super-node."""
    law = as_obfuscation(released)
    tree = law.tree
    entropies = _merged_entropies(law)
    # A super-node is the tree node that begins where its members do in the order, and is as large.
    node_of = {
        (int(start), int(size)): node
        for node, (start, size) in enumerate(zip(tree.starts, tree.sizes, strict=True))
    }
    first = np.full(generalized.graph.n, tree.n)
    np.minimum.at(first, generalized.member_of, tree.starts[: tree.n])
    nodes = [
        node_of[start, size] for start, size in zip(first.tolist(), generalized.sizes.tolist(), strict=True)
    ]
    return entropies[np.array(nodes, np.int64)[generalized.member_of]]


def _merged_entropies(law: Obfuscation) -> NDArray[np.float64]:
    """Return per tree node the ego entropy of the leaves below it if they were merged there."""
    tree = law.tree
    above = added_down(tree.children, _side_entropies(law))
    inside = np.concatenate([np.zeros(tree.n, np.int64), law.edges])
    for node, (left, right) in enumerate(tree.children.tolist(), start=tree.n):
        inside[node] += inside[left] + inside[right]
    sizes = tree.sizes
    return above + class_entropy(sizes * (sizes - 1) // 2, inside, sizes - 1)


def _contracted(graph: Graph, tree: Dendrogram, top: NDArray[np.int64]) -> Generalized:
    """Contract the leaves of each super-node; single nodes keep their names."""
    tops, member_of = np.unique(top, return_inverse=True)
    own = tuple(graph.name(node) for node in range(graph.n))
    taken, names, number = set(own), [], 0
    for node in tops.tolist():
        if node < tree.n:
            names.append(own[node])
            continue
        number += 1
        while f"group {number}" in taken:
            number += 1
        names.append(f"group {number}")
    ends = np.sort(member_of[graph.edges()], axis=1)
    within = ends[:, 0] == ends[:, 1]
    inner = np.bincount(ends[within, 0], minlength=len(tops))
    rows, between = np.unique(ends[~within], axis=0, return_counts=True)
    contracted = Graph.from_edges(rows, n=len(tops), names=names, nodes_from=graph.nodes_from)
    return Generalized(contracted, member_of, inner, between, own)


@write_artifact.register
def _(
    artifact: Generalized,
    folder: Path,
    format: str | None,  # noqa: A002 - as the function it extends
    stamp: str | None,
) -> dict[str, str]:
    name = [artifact.graph.name(node) for node in range(artifact.graph.n)]
    sizes, inner, inside = artifact.sizes.tolist(), artifact.inner.tolist(), artifact.inner_density.tolist()
    ends, between, density = artifact.graph.edges(), artifact.between.tolist(), artifact.density.tolist()
    first, second = ([name[node] for node in side] for side in ends.T.tolist())
    homes = [name[node] for node in artifact.member_of.tolist()]
    tables = {
        "super-nodes.tsv": (
            ("node", "members", "ties inside", "density inside"),
            (name, sizes, inner, inside),
        ),
        "densities.tsv": (("node", "other", "ties", "density"), (first, second, between, density)),
        "members.tsv": (("member", "node"), (artifact.names, homes)),
    }
    for file, (head, columns) in tables.items():
        with (folder / file).open("w", encoding="utf-8", newline="") as target:
            if stamp:
                target.write(f"# {stamp}\n")
            table = csv.writer(target, delimiter="\t", lineterminator="\n")
            table.writerow(head)
            table.writerows(zip(*columns, strict=True))
    return write_artifact(artifact.graph, folder, format, stamp) | {
        "super-nodes.tsv": "how many members each node stands for, and the ties among them",
        "densities.tsv": "how many ties there are between nodes",
        "members.tsv": "which node each member went into",
    }
