"""The compiled chain's state: a dendrogram whose subtrees are intervals of leaf labels.

The leaves form a linked list from left to right and carry sparse, increasing 64-bit labels, so the leaves of a
subtree are an interval of labels and "is this neighbour inside that subtree" is two comparisons. Moving a subtree
relabels its own leaves alone, which every move arranges to be the fewest possible.
"""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

# The kernels allocate nothing, so they are compiled without numba's reference counting (`_nrt`): counting every
# array of the state at every call would take several times as long as the step itself.
compiled = njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
inlined = njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=True)

# One record per node, leaves first. `edges` and `value` (the node's part of the utility) are 0 at leaves; `first`
# and `last` are the outermost leaves below, and everything below `left` comes before everything below `right`.
NODE = np.dtype(
    [
        ("parent", np.int32),
        ("left", np.int32),
        ("right", np.int32),
        ("first", np.int32),
        ("last", np.int32),
        ("size", np.int32),
        ("edges", np.int32),
        ("volume", np.int32),
        ("value", np.float64),
    ],
    align=True,
)
# The leaf before and the leaf after; entry n stands for both ends and closes the list to a ring.
LINK = np.dtype([("before", np.int32), ("after", np.int32)], align=True)
# An ancestor that a move passes: its label interval, the moved subtree's neighbours met there, its value to be.
PASSAGE = np.dtype(
    [("low", np.int64), ("high", np.int64), ("value", np.float64), ("node", np.int32), ("hits", np.int32)],
    align=True,
)
# A node's children in the best state, and whether they have changed since; `stale` is a list of those that have.
KEPT = np.dtype(
    [("left", np.int32), ("right", np.int32), ("stale", np.int32), ("is_stale", np.bool_)], align=True
)
# Where a step starts: its kind, a uniform number that picks the place, and about which node that is.
START = np.dtype([("kind", np.int32), ("node", np.int32), ("chance", np.float64)], align=True)
# Places in State.marks: root now, root at best, how many nodes have changed since.
ROOT, BEST_ROOT, STALE = 0, 1, 2
_TOP_LABEL = 1 << 62


@intrinsic
def prefetch(_: Any, array: Any, index: Any) -> Any:  # noqa: ARG001 - seen by the compiler
    """Ask the processor to fetch an element that will be needed soon: large trees do not fit into its caches."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = cgutils.pointer_add(builder, view.data, builder.mul(arguments[1], view.itemsize))
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(fetch, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    from numba import types

    return types.void(array, types.intp), emit


class State(NamedTuple):
    """Everything the chain changes, and the graph it looks at; the arrays are owned by one chain."""

    nodes: NDArray[Any]
    labels: NDArray[np.int64]
    links: NDArray[Any]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    marks: NDArray[np.int64]
    path: NDArray[Any]  # scratch of the moves that carry a subtree along a path
    best: NDArray[Any]  # the best state, entry k for node n + k; empty if it is not kept
    ahead: NDArray[Any]  # where the next two steps will start; of kind -1 until they are drawn


class Target(NamedTuple):
    """The distribution the chain targets: exp(beta u), u the profile log-likelihood with p in [lo, hi]."""

    beta: float
    lo: float
    hi: float
    log_lo: float
    log_not_lo: float
    log_hi: float
    log_not_hi: float


class Mixture(NamedTuple):
    """How often each move is tried (jumps take the rest), how far slides reach, and how large a subtree moves."""

    local: float
    slide: float
    regraft: float
    levels: int
    largest: int


class Run(NamedTuple):
    """One chain: what it changes, where it is bound for, how it moves, and its randomness."""

    state: State
    target: Target
    mixture: Mixture
    rng: np.random.Generator


@inlined
def node_value(edges: int, pairs: int, target: Target) -> float:
    """Return the largest e ln p + (N - e) ln(1 - p) for p in [lo, hi]; the logs of 0 are stored as 0."""
    if edges <= target.lo * pairs:
        return edges * target.log_lo + (pairs - edges) * target.log_not_lo
    if edges >= target.hi * pairs:
        return edges * target.log_hi + (pairs - edges) * target.log_not_hi
    p = edges / pairs
    return edges * np.log(p) + (pairs - edges) * np.log1p(-p)


@compiled
def prepare(state: State, target: Target) -> float:
    """Fill in sizes, extremes, volumes and values above the leaves, parents after children; return the utility."""
    nodes = state.nodes
    n = len(state.labels)
    for leaf in range(n):
        nodes[leaf].size = 1
        nodes[leaf].volume = state.indptr[leaf + 1] - state.indptr[leaf]
        nodes[leaf].first = leaf
        nodes[leaf].last = leaf
    nodes[2 * n - 2].parent = -1
    for node in range(n, 2 * n - 1):
        left, right = nodes[node].left, nodes[node].right
        nodes[left].parent = node
        nodes[right].parent = node
        nodes[node].first = nodes[left].first
        nodes[node].last = nodes[right].last
        nodes[node].size = nodes[left].size + nodes[right].size
        nodes[node].volume = nodes[left].volume + nodes[right].volume
    state.marks[ROOT] = 2 * n - 2
    ends = n
    for node in range(n, 2 * n - 1):  # neighbouring leaves meet where the gap between them is split
        left, right = nodes[nodes[node].left].last, nodes[nodes[node].right].first
        state.links[left].after = right
        state.links[right].before = left
    head, tail = nodes[2 * n - 2].first, nodes[2 * n - 2].last
    state.links[ends].after, state.links[head].before = head, ends
    state.links[ends].before, state.links[tail].after = tail, ends
    relabel(state)
    return total_utility(state, target)


@compiled
def total_utility(state: State, target: Target) -> float:
    """Recompute every node's value from its counts and add them up."""
    nodes = state.nodes
    total = 0.0
    for node in range(len(state.labels), len(nodes)):
        pairs = np.int64(nodes[nodes[node].left].size) * nodes[nodes[node].right].size
        nodes[node].value = node_value(nodes[node].edges, pairs, target)
        total += nodes[node].value
    return total


# ---------------------------------------------------------------------- the order of the leaves


@compiled
def relabel(state: State) -> None:
    """Spread all labels evenly."""
    n = len(state.labels)
    step = _TOP_LABEL // (n + 1)
    leaf = state.links[n].after
    for rank in range(n):
        state.labels[leaf] = (rank + 1) * step
        leaf = state.links[leaf].after


@compiled
def move_leaves(state: State, first: int, last: int, size: int, before: int) -> None:
    """Take the run of leaves first..last out of the order and put it right after the leaf `before`."""
    n = len(state.labels)
    links, labels = state.links, state.labels
    left, right = links[first].before, links[last].after
    links[left].after, links[right].before = right, left
    after = links[before].after
    links[before].after, links[first].before = first, before
    links[last].after, links[after].before = after, last
    low = labels[before] if before < n else 0
    high = labels[after] if after < n else _TOP_LABEL
    step = (high - low) // (size + 1)
    if step == 0:
        relabel(state)
        return
    leaf = first
    for _ in range(size):
        low += step
        labels[leaf] = low
        leaf = links[leaf].after


@compiled
def replace_first(state: State, node: int, old: int, new: int) -> None:
    """From `node` upwards, let the first leaf be `new` where it was `old`."""
    while node >= 0 and state.nodes[node].first == old:
        state.nodes[node].first = new
        node = state.nodes[node].parent


@compiled
def replace_last(state: State, node: int, old: int, new: int) -> None:
    """From `node` upwards, let the last leaf be `new` where it was `old`."""
    while node >= 0 and state.nodes[node].last == old:
        state.nodes[node].last = new
        node = state.nodes[node].parent


@inlined
def count_between(state: State, small: int, other: int) -> int:
    """Count the edges between two disjoint subtrees by looking at all neighbours of the first."""
    nodes, labels = state.nodes, state.labels
    low = labels[nodes[other].first]
    high = labels[nodes[other].last]
    leaf, last = nodes[small].first, nodes[small].last
    count = 0
    while True:
        for at in range(state.indptr[leaf], state.indptr[leaf + 1]):
            label = labels[state.indices[at]]
            count += (label >= low) & (label <= high)
        if leaf == last:
            return count
        leaf = state.links[leaf].after


# ---------------------------------------------------------------------- what all moves ask


@inlined
def sibling(state: State, node: int) -> np.int64:
    """Return the other child of a node's parent."""
    parent = state.nodes[node].parent
    left = state.nodes[parent].left
    return np.int64(state.nodes[parent].right if left == node else left)


@inlined
def accepts(run: Run, gain: float, correction: float) -> bool:
    """Decide by the rule of Metropolis and Hastings; `correction` is the log of the proposals' ratio."""
    exponent = run.target.beta * gain + correction
    return exponent >= 0.0 or run.rng.random() < np.exp(exponent)


# ---------------------------------------------------------------------- keeping the best state


@inlined
def touch(state: State, node: int) -> None:
    """Note that the children of a node change."""
    place = node - len(state.labels)
    if len(state.best) and not state.best[place].is_stale:
        state.best[place].is_stale = True
        state.best[state.marks[STALE]].stale = node
        state.marks[STALE] += 1


@compiled
def keep_best(state: State) -> None:
    """Copy what changed since the best state was last kept: constant work per accepted step in the long run."""
    n = len(state.labels)
    for at in range(state.marks[STALE]):
        node = state.best[at].stale
        state.best[node - n].left = state.nodes[node].left
        state.best[node - n].right = state.nodes[node].right
        state.best[node - n].is_stale = False
    state.marks[STALE] = 0
    state.marks[BEST_ROOT] = state.marks[ROOT]
