"""Dendrograms: rooted binary trees whose leaves are the nodes of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous._check import at_least
from entrenous.errors import ArgumentError
from entrenous.hrg import newick

if TYPE_CHECKING:
    from entrenous.graph import Graph

__all__ = ["Dendrogram"]

Array = TypeVar("Array", bound=NDArray[Any])


@dataclass(frozen=True, eq=False, repr=False)
class Dendrogram:
    """An immutable dendrogram over the leaves 0..n-1, with internal nodes n..2n-2 and the root last.

    Parameters
    ----------
    children
        Row k holds the two children of internal node n + k; both have smaller numbers than their parent.

    Notes
    -----
    Arrays "per internal node" have n - 1 entries, entry k for node n + k. Two dendrograms are equal if they
    group the leaves alike, whatever is left or right and however internal nodes are numbered.

    Examples
    --------
    >>> tree = Dendrogram.from_nested(((0, 1), (2, (3, 4))))
    >>> tree.n, tree.pairs.tolist()
    (5, [1, 1, 2, 6])
    >>> tree == Dendrogram.from_nested((((4, 3), 2), (1, 0)))
    True
    """

    children: NDArray[np.int32]

    def __post_init__(self) -> None:
        children = np.array(self.children, dtype=np.int32).reshape(-1, 2)
        n = len(children) + 1
        if (np.sort(children, axis=None) != np.arange(2 * n - 2)).any():
            raise ArgumentError("children", f"expected every node of {2 * n - 1} but the last exactly once")
        if (children.max(axis=1, initial=-1) >= np.arange(n, 2 * n - 1)).any():
            raise ArgumentError("children", "expected children numbered below their parent; got one above")
        children.flags.writeable = False
        object.__setattr__(self, "children", children)

    # ------------------------------------------------------------------ making

    @classmethod
    def random(cls, n: int, rng: np.random.Generator | int | None = None) -> Dendrogram:
        """Return a dendrogram drawn uniformly from all (2n - 3)!! over `n` leaves.

        >>> Dendrogram.random(5, rng=1).n
        5
        """
        from entrenous.hrg.compiled._tree_kernels import random_children

        return cls(random_children(at_least("n", n, 1), np.random.default_rng(rng)))

    @classmethod
    def from_nested(cls, nested: Any) -> Dendrogram:
        """Build a dendrogram from nested tuples of the numbers 0..n-1.

        A group of more than two is split into a balanced binary tree, in the order given; a group of one is
        the same as its member.

        >>> Dendrogram.from_nested((0, (1, 2, 3))).nested()
        (0, ((1, 2), 3))
        """
        members: list[list[int]] = [[]]
        merges: list[tuple[int, int]] = []
        open_groups = [iter((nested,))]
        while True:
            for item in open_groups[-1]:
                if isinstance(item, tuple | list):
                    open_groups.append(iter(item))
                    members.append([])
                    break
                members[-1].append(at_least("nested", item, 0))
            else:
                open_groups.pop()
                whole = _join(members.pop(), merges)
                if not open_groups:
                    break
                members[-1].append(whole)
        return cls(_numbered(merges, len(merges) + 1))

    @classmethod
    def from_merges(cls, merges: ArrayLike, n: int) -> Dendrogram:
        """Build a dendrogram from a merge list: row k joins two earlier nodes into node n + k.

        This is how agglomerative methods report what they did. A list that ends early leaves several
        trees; they are joined at the top into a balanced binary tree.

        >>> Dendrogram.from_merges([(0, 1), (2, 3)], n=5).nested()
        (((0, 1), (2, 3)), 4)
        """
        leaves = at_least("n", n, 1)
        rows = np.asarray(merges, dtype=np.int64).reshape(-1, 2)
        if len(rows) > leaves - 1 or (rows.size and not 0 <= rows.min() <= rows.max() < leaves + len(rows)):
            raise ArgumentError(
                "merges", f"expected at most {leaves - 1} rows of node numbers; got {len(rows)} rows"
            )
        top = np.setdiff1d(np.arange(leaves + len(rows)), rows)
        trees = sorted(top.tolist(), key=lambda node: (node < leaves, node))
        joins: list[tuple[int, int]] = []
        _join(trees, joins)
        return cls(np.concatenate([rows.astype(np.int32), _numbered(joins, leaves + len(rows))]))

    # ------------------------------------------------------------------ shape

    @property
    def n(self) -> int:
        """The number of leaves."""
        return len(self.children) + 1

    @property
    def root(self) -> int:
        """The number of the root node."""
        return 2 * self.n - 2

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of leaves below each node, leaves (1 each) included: 2n - 1 entries."""
        from entrenous.hrg.compiled._tree_kernels import subtree_sizes

        return _frozen(subtree_sizes(self.children))

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each node's leaves begin in `order`; they end at ``starts + sizes``. 2n - 1 entries."""
        from entrenous.hrg.compiled._tree_kernels import interval_starts

        return _frozen(interval_starts(self.children, self.sizes))

    @cached_property
    def order(self) -> NDArray[np.int32]:
        """The leaves from left to right; the leaves below any node stand next to each other."""
        order = np.empty(self.n, np.int32)
        order[self.starts[: self.n]] = np.arange(self.n)
        return _frozen(order)

    @cached_property
    def rectangles(self) -> NDArray[np.int64]:
        """The leaf pairs of each internal node: its two children's intervals in `order`, as for `draw`."""
        sides = [(self.starts[side], self.starts[side] + self.sizes[side]) for side in self.children.T]
        return _frozen(np.column_stack([*sides[0], *sides[1]]))

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """The number of leaf pairs N_r that meet at each internal node."""
        sizes = self.sizes[self.children]
        return _frozen(sizes[:, 0] * sizes[:, 1])

    # ------------------------------------------------------------------ against a graph

    def counts(self, graph: Graph) -> NDArray[np.int64]:
        """Return e_r, the number of edges whose ends meet at each internal node, in O(n log n + m).

        >>> from entrenous.graph import Graph
        >>> tree = Dendrogram.from_nested(((0, 1), (2, 3)))
        >>> tree.counts(Graph.from_edges([(0, 1), (1, 2), (0, 3)], n=4)).tolist()
        [1, 0, 2]
        """
        if graph.n != self.n:
            raise ArgumentError(
                "graph", f"expected {self.n} nodes, as the dendrogram has leaves; got {graph.n}"
            )
        return np.bincount(self.meeting(graph.edges()), minlength=self.n - 1)

    def meeting(self, pairs: ArrayLike) -> NDArray[np.int64]:
        """Return the internal node (from 0) where the two leaves of each row meet: their lowest common ancestor.

        >>> Dendrogram.from_nested(((0, 1), (2, 3))).meeting([(0, 1), (3, 1)]).tolist()
        [0, 2]
        """
        one, other = self.starts[np.asarray(pairs, np.int64).reshape(-1, 2).T]
        return self._meeting(np.minimum(one, other), np.maximum(one, other))

    def log_likelihood(self, graph: Graph) -> float:
        """Return the log-likelihood of the graph with the best link probability e_r / N_r at every node.

        References
        ----------
        Clauset, Moore & Newman (2008), Nature 453, equation 1.
        """
        from entrenous.hrg.utility import Published

        return Published().total(self.counts(graph), self.pairs)

    def _meeting(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the internal node (from 0) where two leaf positions meet, for many pairs low < high.

        Each gap between neighbouring leaves belongs to the one node that splits there. Parents have larger
        numbers, so two leaves meet at the largest number among the gaps between them: a range maximum,
        answered from windows of doubling width, one width at a time to stay within O(n) memory.
        """
        widest = np.empty(self.n - 1, np.int64)
        widest[self.starts[self.children[:, 1]] - 1] = np.arange(self.n - 1)
        # The exponent of a float is the logarithm rounded down, exactly.
        level = (np.frexp(high - low)[1] - 1).astype(np.int8)
        by_level = np.argsort(level, kind="stable")
        bounds = np.searchsorted(level[by_level], np.arange(level.max(initial=-1) + 2))
        meeting = np.empty(len(low), np.int64)
        for depth, (begin, end) in enumerate(pairwise(bounds.tolist())):
            chosen = by_level[begin:end]
            # Two windows of this width cover the gaps; where they overlap the maximum does not mind.
            meeting[chosen] = np.maximum(widest[low[chosen]], widest[high[chosen] - (1 << depth)])
            if len(widest) > 1 << depth:
                widest = np.maximum(widest[: -(1 << depth)], widest[1 << depth :])
        return meeting

    # ------------------------------------------------------------------ comparing and writing

    @cached_property
    def _canonical(self) -> NDArray[np.int32]:
        from entrenous.hrg.compiled._tree_kernels import canonical_children

        return _frozen(canonical_children(self.children))

    def canonical(self) -> Dendrogram:
        """Return the same tree with the smallest leaf of every pair of sides on the left."""
        return Dendrogram(self._canonical)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dendrogram):
            return NotImplemented
        return np.array_equal(self._canonical, other._canonical)

    def __hash__(self) -> int:
        return hash(self._canonical.tobytes())

    def __repr__(self) -> str:
        return f"<Dendrogram: {self.n} leaves>"

    def nested(self) -> Any:
        """Return the tree as nested pairs of leaf numbers, left before right."""
        return self._folded(range(self.n))

    def newick(self, *, names: Sequence[str] | None = None) -> str:
        """Return the tree in Newick format, leaves by number or by the names given.

        >>> Dendrogram.from_nested((0, (1, 2))).newick(names=["Ann", "Bob", "Cy Ng"])
        "(Ann,(Bob,'Cy Ng'));"
        """
        return newick.join(self.order, self.children, self.starts, _labels(names, self.n)) + ";"

    @classmethod
    def from_newick(cls, text: str, *, names: Sequence[str] | None = None) -> Dendrogram:
        """Read a tree in Newick format; `names` says which name is which leaf, without it leaves are numbers.

        Groups of more than two are allowed, as `from_nested` allows them; branch lengths, labels of inner
        nodes and comments are ignored.

        >>> Dendrogram.from_newick("(Cy,(Ann,Bob));", names=["Ann", "Bob", "Cy"]).nested()
        (2, (0, 1))
        """
        return cls.from_nested(newick.parse(text, names))

    def write(self, path: str | Path, *, names: Sequence[str] | None = None) -> None:
        """Write the tree to a Newick file."""
        Path(path).write_text(self.newick(names=names) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: str | Path, *, names: Sequence[str] | None = None) -> Dendrogram:
        """Read a tree, such as a public hierarchy, from a Newick file."""
        return cls.from_newick(newick.read_text(Path(path)), names=names)

    def _folded(self, leaves: Iterable[Any]) -> Any:
        nodes = list(leaves)
        for left, right in self.children.tolist():
            nodes.append((nodes[left], nodes[right]))
        return nodes[-1]


def _labels(names: Sequence[str] | None, n: int) -> list[str]:
    """Return quoted names, or numbers."""
    if names is None:
        return [str(leaf) for leaf in range(n)]
    if len(names) != n:
        raise ArgumentError("names", f"expected {n}, one per leaf; got {len(names)}")
    return [newick.quoted(name) for name in names]


def _join(trees: Sequence[int], merges: list[tuple[int, int]]) -> int:
    """Append balanced merges of neighbouring trees; return what is left, merge k being called -1 - k."""
    if not trees:
        raise ArgumentError("nested", "expected at least one leaf in every group; got an empty group")
    level = list(trees)
    while len(level) > 1:
        joined = []
        for left, right in zip(level[::2], level[1::2], strict=False):
            merges.append((left, right))
            joined.append(-len(merges))
        level = joined + level[len(level) - len(level) % 2 :]
    return level[0]


def _numbered(merges: list[tuple[int, int]], first: int) -> NDArray[np.int32]:
    """Turn the names -1 - k that `_join` gave into node numbers from `first` on."""
    rows = np.asarray(merges, dtype=np.int64).reshape(-1, 2)
    return np.where(rows < 0, first - 1 - rows, rows).astype(np.int32)


def _frozen(array: Array) -> Array:
    """Return the array, made read-only."""
    array.flags.writeable = False
    return array
