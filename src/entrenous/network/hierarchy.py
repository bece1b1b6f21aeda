"""A public hierarchy: a dendrogram or a partition that was not derived from the protected ties.

Departments, reporting lines or addresses cost no privacy; what would have gone into finding structure goes into
counting.
"""

from __future__ import annotations

import heapq
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entrenous.errors import ArgumentError, FormatError, MissingDataError
from entrenous.graph import Graph
from entrenous.hrg import Dendrogram

__all__ = ["MOST_BLOCKS", "as_hierarchy", "blocks", "read"]

MOST_BLOCKS = 512


def as_hierarchy(value: Dendrogram | ArrayLike, n: int) -> Dendrogram | NDArray[np.int64]:
    """Check a hierarchy handed in: a dendrogram over all nodes, or one block label per node.

    >>> as_hierarchy(["sales", "sales", "law"], 3)
    array([1, 1, 0])
    """
    if isinstance(value, Dendrogram):
        if value.n != n:
            raise ArgumentError("hierarchy", f"expected a dendrogram over {n} nodes; got one over {value.n}")
        return value
    try:
        labels = np.asarray(value)
        names, block = np.unique(labels, return_inverse=True)
    except (TypeError, ValueError):
        raise ArgumentError("hierarchy", "expected one block label per node, all of one kind") from None
    if labels.shape != (n,):
        raise ArgumentError("hierarchy", f"expected one block per node, {n} in all; got shape {labels.shape}")
    if len(names) > MOST_BLOCKS:
        raise ArgumentError(
            "hierarchy", f"expected at most {MOST_BLOCKS} blocks; got {len(names)}. Use a coarser partition"
        )
    return np.asarray(block, dtype=np.int64)


def blocks(hierarchy: Dendrogram | NDArray[np.int64], *, most: int) -> NDArray[np.int64]:
    """Return the block of each node; a dendrogram is cut, always splitting the largest block, into `most` parts.

    >>> blocks(Dendrogram.from_nested((((0, 1), 2), (3, 4))), most=3).tolist()
    [0, 0, 2, 1, 1]
    """
    if not isinstance(hierarchy, Dendrogram):
        return hierarchy
    tree = hierarchy
    heap = [(-tree.n, tree.root)]  # the largest block first; leaves come last
    while len(heap) < min(most, tree.n):
        _, node = heapq.heappop(heap)
        for child in tree.children[node - tree.n].tolist():
            heapq.heappush(heap, (-int(tree.sizes[child]), child))
    block = np.empty(tree.n, dtype=np.int64)
    for number, (size, root) in enumerate(sorted(heap)):
        start = int(tree.starts[root])
        block[tree.order[start : start - size]] = number
    return block


def read(path: str | Path, graph: Graph) -> Dendrogram | NDArray[np.int64]:
    """Read a public hierarchy: a Newick tree, or a text with a node and its block on each line.

    The messages name lines, never nodes.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        raise MissingDataError(f"the hierarchy {path.name} cannot be opened") from None
    except UnicodeDecodeError:
        raise FormatError("expected UTF-8 text", file=path.name) from None
    if text.lstrip().startswith("("):
        return as_hierarchy(Dendrogram.read(path, names=graph.names), graph.n)
    return as_hierarchy(_read_partition(text, path.name, graph), graph.n)


def _read_partition(text: str, file: str, graph: Graph) -> list[str]:
    number = {graph.name(i): i for i in range(graph.n)}
    labels: dict[int, str] = {}
    for line, row in enumerate(text.splitlines(), start=1):
        if not row.strip() or row.startswith(("#", "%")):
            continue
        parts = row.replace(",", "\t").split("\t") if "\t" in row or "," in row else row.split()
        if len(parts) != 2:
            raise FormatError(
                f"expected a node and its block; got {len(parts)} columns", line=line, file=file
            )
        node = number.get(parts[0].strip())
        if node is None:
            raise FormatError("expected a node of the graph; got an unknown one", line=line, file=file)
        if node in labels:
            raise FormatError("expected each node once; got one twice", line=line, file=file)
        labels[node] = parts[1].strip()
    if len(labels) != graph.n:
        raise FormatError(f"expected a block for each of {graph.n} nodes; got {len(labels)}", file=file)
    return [labels[i] for i in range(graph.n)]
