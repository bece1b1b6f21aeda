"""Super-nodes: merge whoever has too few bits open with those around, until everybody has enough."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, reduce
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from entrenous import _check
from entrenous._files import read_table, write_table
from entrenous.card import Card, Provenance
from entrenous.errors import ArgumentError, FormatError, MissingDataError
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram
from entrenous.links.entropy import added_down, class_entropy, side_entropies
from entrenous.links.obfuscation import Obfuscation, as_obfuscation
from entrenous.links.release import exposure_order
from entrenous.noise import Noise
from entrenous.release import GRAPH, Artifact, Release, declare, graph_room
from entrenous.vault import Vault, pay

__all__ = ["GENERALIZED", "Generalized", "generalize", "generalized_entropy", "set_aside", "super_nodes"]

# A super-node of a subtree holds at most so many nodes, or so large a share of all.
_SMALL_GROUP, _LARGEST_SHARE = 10, 0.02


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


def generalize(
    release: Release[Graph],
    *,
    bits: float,
    vault: Vault | None = None,
    rng: np.random.Generator | int | None = None,
) -> Release[Generalized]:
    """Merge nodes into super-nodes until every node has at least so many bits of ego entropy.

    A node that has too few is merged with all others below the lowest ancestor in the dendrogram where that
    suffices: of the ties inside a super-node only their number is told, so they become one link class. That is what
    tight groups need. Nodes almost without ties hang high up in the tree, where an ancestor holds half of the graph:
    they are set aside together as one super-node of their own. The graph is drawn anew along the changed dendrogram.

    Parameters
    ----------
    release
        What `obfuscate` returned, with its private half.
    bits
        The least ego entropy that every node is to have.
    vault
        As in `obfuscate`.
    rng
        None for real randomness; a seed makes a rehearsal.

    Privacy
    -------
    No formal guarantee, as for `obfuscate`. Who was merged with whom is published: the entropies hold for an
    attacker who knows that and the changed dendrogram, and has not seen the obfuscated graph it came from. Publish
    one of the two, not both. See docs/links.md.

    Examples
    --------
    >>> from entrenous import datasets, links
    >>> hidden = links.obfuscate(datasets.karate_club(), rng=7)
    >>> coarse = generalize(hidden, bits=10.0, rng=7)
    >>> bool(generalized_entropy(coarse).min() >= 10), coarse.guarantee is None
    (True, True)
    """
    distribution, graph = as_obfuscation(release), release.private.get("original")
    if not isinstance(graph, Graph):
        raise ArgumentError("release", "expected the original graph in its private half; got none")
    target = _check.epsilon("bits", bits)
    noise = Noise(rng)
    distribution, top = super_nodes(graph, distribution, target)
    order = exposure_order("links generalize", rehearsal=noise.rehearsal)
    with pay(vault, order, data=graph, room=graph_room(graph)) as paid:
        drawn = graph.with_edges(distribution.draw(rng=noise.generator))
        generalized = _contracted(drawn, distribution.tree, top)
        before = release.provenance
        provenance = Provenance(
            "links: generalized",
            {**before.parameters, "least bits per node": target},
            before.rehearsal or noise.rehearsal,
        )
        private = {"generalized": distribution, "top": top, "merged": generalized.merged}
        return paid.complete(Release(generalized, None, provenance, private))


def super_nodes(
    graph: Graph, distribution: Obfuscation, bits: float
) -> tuple[Obfuscation, NDArray[np.int64]]:
    """Return what to draw from, and for each node the tree node whose leaves are merged with it, or itself."""
    tree = distribution.tree
    aside: set[int] = set()  # the nodes that no small group can give enough
    while True:
        distribution = Obfuscation.of(graph, tree)
        entropies = _merged_entropies(distribution)
        # `set_aside` puts the group left of the root, unless it is everything.
        group = -1 if not aside else tree.root if len(aside) == graph.n else int(tree.children[-1, 0])
        top = _small_groups(tree, entropies, bits)
        top[list(aside)] = group
        lost = np.flatnonzero(top < 0)
        if len(lost):
            aside.update(lost.tolist())
        elif not aside or entropies[group] >= bits:
            return distribution, top
        elif len(aside) == graph.n:
            raise ArgumentError(
                "bits", f"expected at most {entropies[group]:.4g}, which merging all reaches; got {bits:g}"
            )
        else:  # those with the fewest bits join until the group has enough
            others = np.setdiff1d(np.arange(graph.n), list(aside))
            fewest = others[np.argsort(entropies[others], kind="stable")]
            # A tenth more each time: the loop ends after logarithmically many trees.
            aside.update(fewest[: 1 + len(aside) // 10].tolist())
        tree = set_aside(distribution.tree, aside)


def set_aside(tree: Dendrogram, leaves: Collection[int]) -> Dendrogram:
    """Return the tree with some leaves taken out and put together, left of the root.

    >>> set_aside(Dendrogram.from_nested((((0, 1), 2), (3, 4))), {1, 3}).nested()
    ((1, 3), ((0, 2), 4))
    """
    rows: list[tuple[int, int]] = []

    def join(left: int, right: int) -> int:
        rows.append((left, right))
        return tree.n + len(rows) - 1

    group = reduce(join, sorted(leaves))
    taken = set(leaves)
    now: list[int | None] = [None if leaf in taken else leaf for leaf in range(tree.n)]
    for left, right in tree.children.tolist():
        one, other = now[left], now[right]
        now.append(
            join(one, other) if one is not None and other is not None else one if other is None else other
        )
    rest = now[-1]
    if rest is not None:
        join(group, rest)
    return Dendrogram(np.array(rows, np.int32))


def generalized_entropy(coarse: Release[Generalized]) -> NDArray[np.float64]:
    """Return the ego entropy of every original node, known to be in its super-node. For the curator."""
    distribution = coarse.private.get("generalized")
    if not isinstance(distribution, Obfuscation):
        raise ArgumentError(
            "coarse", "expected a release of links.generalize with its private half; got none"
        )
    top: NDArray[np.int64] = coarse.private["top"]
    return _merged_entropies(distribution)[top]


def _small_groups(tree: Dendrogram, entropies: NDArray[np.float64], bits: float) -> NDArray[np.int64]:
    """Return for each leaf the node to merge at: the lowest that gives enough and is not too large, or -1."""
    n = tree.n
    largest = max(_SMALL_GROUP, int(_LARGEST_SHARE * n))
    suffices = ((entropies >= bits) & (tree.sizes <= largest)).tolist()
    lowest = [-1] * (2 * n - 1)
    lowest[-1] = tree.root if suffices[-1] else -1
    downwards = list(zip(range(2 * n - 2, n - 1, -1), tree.children[::-1].tolist(), strict=True))
    for node, children in downwards:
        for child in children:
            lowest[child] = child if suffices[child] else lowest[node]
    merged = {node for node in lowest[:n] if node >= n}
    highest = [-1] * (2 * n - 1)  # where a node is merged, if it is: as high up as any below it asks for
    highest[-1] = tree.root if tree.root in merged else -1
    for node, children in downwards:
        for child in children:
            highest[child] = highest[node] if highest[node] >= 0 or child not in merged else child
    return np.where(np.array(highest[:n]) >= 0, highest[:n], lowest[:n])


def _merged_entropies(distribution: Obfuscation) -> NDArray[np.float64]:
    """Return per tree node the ego entropy of the leaves below it if they were merged there."""
    tree = distribution.tree
    above = added_down(tree.children, side_entropies(distribution))
    inside = np.concatenate([np.zeros(tree.n, np.int64), distribution.edges])
    for node, (left, right) in enumerate(tree.children.tolist(), start=tree.n):
        # Merged leaves leave only the number of edges among them: all classes below become one.
        inside[node] += inside[left] + inside[right]
    sizes = tree.sizes
    return above + class_entropy(sizes * (sizes - 1) // 2, inside, sizes - 1)


def _contracted(graph: Graph, tree: Dendrogram, top: NDArray[np.int64]) -> Generalized:
    """Contract the leaves of each super-node; single nodes keep their names.

    They come in the order of their first members, which tells nothing about where in the tree they are.
    """
    tops, first, sorted_place = np.unique(top, return_index=True, return_inverse=True)
    order = np.argsort(first)
    tops, member_of = tops[order], np.argsort(order)[sorted_place]
    own = tuple(graph.name(node) for node in range(graph.n))
    taken, names, number = set(own), [], 0
    for node in tops.tolist():
        if node < tree.n:
            names.append(own[node])
            continue
        number += 1
        while f"group-{number}" in taken:
            number += 1
        names.append(f"group-{number}")
    ends = np.sort(member_of[graph.edges()], axis=1)
    within = ends[:, 0] == ends[:, 1]
    inner = np.bincount(ends[within, 0], minlength=len(tops))
    rows, between = np.unique(ends[~within], axis=0, return_counts=True)
    contracted = Graph.from_edges(rows, n=len(tops), names=names, nodes_from=graph.nodes_from)
    return Generalized(contracted, member_of, inner, between, own)


def _write(artifact: Generalized, folder: Path, file_format: str | None, stamp: str | None) -> dict[str, str]:
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
        write_table(folder / file, head, zip(*columns, strict=True), stamp=stamp, delimiter="\t")
    return GRAPH.write(artifact.graph, folder, file_format, stamp) | _TABLES


def _read(folder: Path, card: Card) -> Generalized:
    graph = GRAPH.read(folder, card)
    node = {graph.name(place): place for place in range(graph.n)}
    try:
        nodes, ties, members = (
            read_table(folder / file, stamped=card.provenance.rehearsal, delimiter="\t") for file in _TABLES
        )
        inner = {node[row["node"]]: int(row["ties inside"]) for row in nodes}
        across = {frozenset((node[row["node"]], node[row["other"]])): int(row["ties"]) for row in ties}
        return Generalized(
            graph,
            member_of=np.array([node[row["node"]] for row in members], dtype=np.int64),
            inner=np.array([inner[place] for place in range(graph.n)], dtype=np.int64),
            between=np.array([across[frozenset(edge)] for edge in graph.edges().tolist()], dtype=np.int64),
            names=tuple(row["member"] for row in members),
        )
    except OSError:
        raise MissingDataError(
            f"{folder.name}: expected {', '.join(_TABLES)}; not all of them are there"
        ) from None
    except (KeyError, TypeError, ValueError):
        raise FormatError("expected tables that agree with the graph beside them", file=folder.name) from None


_TABLES = {
    "super-nodes.tsv": "how many members each node stands for, and the ties among them",
    "densities.tsv": "how many ties there are between nodes",
    "members.tsv": "which node each member went into",
}
GENERALIZED = declare(
    Artifact(
        noun="graph of super-nodes",
        of=Generalized,
        files=_TABLES | dict(GRAPH.files),
        write=_write,
        read=_read,
        page="entrenous.links.page",
    )
)
