"""The compiled moves that carry a subtree further than the local move: along its ancestors, or anywhere."""

# mypy: disallow-untyped-decorators=False, warn-return-any=False

from __future__ import annotations

import numpy as np

from entrenous.hrg.compiled._state_kernels import (
    ROOT,
    Run,
    State,
    accepts,
    compiled,
    inlined,
    move_leaves,
    node_value,
    replace_first,
    replace_last,
    sibling,
    touch,
)

# What a subtree does at the ancestors on its way. Typed numbers, or numba would compile a copy for every constant.
JOINS, LEAVES, FIRST = np.int64(1), np.int64(-1), np.int64(0)
# A jump aims anywhere with this probability, else above a neighbour: so many levels up that each further one is half
# as likely, and none is beyond twenty.
ANYWHERE = 0.1
HIGHEST = 20


@compiled
def count_on_path(state: State, x: int, child: int, start: int, end: int) -> tuple[int, int]:
    """Count the neighbours of x inside `child`, and for each node of the path those it has beyond the one below."""
    labels, path = state.labels, state.path
    low, high = labels[state.nodes[child].first], labels[state.nodes[child].last]
    outer_low, outer_high = (path[end - 1].low, path[end - 1].high) if end > start else (low, high)
    inside = beyond = 0
    leaf, last = state.nodes[x].first, state.nodes[x].last
    while True:
        for at in range(state.indptr[leaf], state.indptr[leaf + 1]):
            label = labels[state.indices[at]]
            if label < outer_low or label > outer_high:
                continue
            if low <= label <= high:
                inside += 1
                continue
            # The intervals are nested: search the smallest that holds the label.
            lowest, highest = start, end - 1
            while lowest < highest:
                middle = (lowest + highest) >> 1
                if path[middle].low <= label <= path[middle].high:
                    highest = middle
                else:
                    lowest = middle + 1
            path[lowest].hits += 1
            beyond += 1
        if leaf == last:
            return inside, beyond
        leaf = state.links[leaf].after


@compiled
def survey(run: Run, x: int, ends: tuple[int, int], sign: int, start: int) -> tuple[float, int, int, int]:
    """Find what changes at the ancestors of ends[0] up to ends[1] when x joins or leaves from below.

    The path is written from place `start` on. Returns the gain along it, the neighbours of x inside ends[0], those
    further up the path, and the place after the path.
    """
    state, target = run.state, run.target
    nodes, path = state.nodes, state.path
    child, top = ends
    end = start
    node = child
    while node != top:
        node = nodes[node].parent
        path[end].node = node
        path[end].low = state.labels[nodes[node].first]
        path[end].high = state.labels[nodes[node].last]
        path[end].hits = 0
        end += 1
    inside, beyond = count_on_path(state, x, child, start, end)
    gain = 0.0
    below = child
    for at in range(start, end):
        node = path[at].node
        aside = nodes[node].right if nodes[node].left == below else nodes[node].left
        pairs = (np.int64(nodes[below].size) + sign * nodes[x].size) * nodes[aside].size
        path[at].value = node_value(nodes[node].edges + sign * path[at].hits, pairs, target)
        gain += path[at].value - nodes[node].value
        below = node
    return gain, inside, beyond, end


@compiled
def settle(state: State, x: int, sign: int, start: int, end: int) -> None:
    """Carry out along a path what `survey` found."""
    nodes, path = state.nodes, state.path
    for at in range(start, end):
        node = path[at].node
        nodes[node].size += sign * nodes[x].size
        nodes[node].volume += sign * nodes[x].volume
        nodes[node].edges += sign * path[at].hits
        nodes[node].value = path[at].value


@inlined
def replace_child(state: State, node: int, old: int, new: int) -> None:
    """Put `new` in the place of a child, or at the root if `node` is none."""
    state.nodes[new].parent = node
    if node < 0:
        state.marks[ROOT] = new
        return
    touch(state, node)
    if state.nodes[node].left == old:
        state.nodes[node].left = new
    else:
        state.nodes[node].right = new


@compiled
def transplant(state: State, x: int, z: int, rng: np.random.Generator) -> None:
    """Cut x off together with its parent p and insert p above z, x on a random side."""
    nodes = state.nodes
    p = nodes[x].parent
    above = nodes[p].parent
    if nodes[p].left == x:
        y = nodes[p].right
        replace_first(state, above, nodes[x].first, nodes[y].first)
    else:
        y = nodes[p].left
        replace_last(state, above, nodes[x].last, nodes[y].last)
    replace_child(state, above, p, y)
    above = nodes[z].parent
    replace_child(state, above, z, p)
    nodes[z].parent = p
    touch(state, p)
    first, last, size = nodes[x].first, nodes[x].last, nodes[x].size
    if rng.random() < 0.5:
        nodes[p].left, nodes[p].right = x, z
        before = state.links[nodes[z].first].before
        if before != last:  # else it stands in front of z already
            move_leaves(state, first, last, size, before)
        replace_first(state, above, nodes[z].first, first)
    else:
        nodes[p].left, nodes[p].right = z, x
        move_leaves(state, first, last, size, nodes[z].last)
        replace_last(state, above, nodes[z].last, last)
    nodes[p].first, nodes[p].last = nodes[nodes[p].left].first, nodes[nodes[p].right].last
    nodes[p].size = size + nodes[z].size
    nodes[p].volume = nodes[x].volume + nodes[z].volume


@compiled
def carry(run: Run, x: int, z: int, sign: int, correction: float) -> tuple[bool, float]:
    """Propose to carry x up to an ancestor z of its parent, which it leaves, or down to z below its sibling."""
    state = run.state
    nodes = state.nodes
    p = np.int64(nodes[x].parent)
    ends = (p, z) if sign < 0 else (z, sibling(state, x))
    gain, _, beyond, end = survey(run, x, ends, sign, FIRST)
    edges = nodes[p].edges - sign * beyond
    # Going up, z still holds x; below the new place of p it will not.
    size = nodes[z].size - nodes[x].size if sign < 0 else nodes[z].size
    value = node_value(edges, np.int64(nodes[x].size) * size, run.target)
    gain += value - nodes[p].value
    if not accepts(run, gain, correction):
        return False, 0.0
    settle(state, x, sign, FIRST, end)
    transplant(state, x, z, run.rng)
    nodes[p].edges, nodes[p].value = edges, value
    return True, gain


@compiled
def cross(run: Run, x: int, z: int, turn: tuple[int, int], correction: float) -> tuple[bool, float]:
    """Propose to carry x over to z on the other side of their common ancestor: turn = (its child above x, itself)."""
    state, target = run.state, run.target
    nodes = state.nodes
    a, c = turn
    b = sibling(state, a)
    p = np.int64(nodes[x].parent)
    leaving, _, left_behind, middle = survey(run, x, (p, a), LEAVES, FIRST)
    joining, inside, passed, end = survey(run, x, (z, b), JOINS, middle)
    # x changes sides at c: its edges to b meet further down from now on, those to the rest of a meet at c.
    edges = nodes[c].edges - inside - passed + nodes[p].edges + left_behind
    size = nodes[x].size
    value = node_value(edges, (np.int64(nodes[a].size) - size) * (nodes[b].size + size), target)
    p_value = node_value(inside, np.int64(size) * nodes[z].size, target)
    gain = leaving + joining + value - nodes[c].value + p_value - nodes[p].value
    if not accepts(run, gain, correction):
        return False, 0.0
    settle(state, x, LEAVES, FIRST, middle)
    settle(state, x, JOINS, middle, end)
    nodes[c].edges, nodes[c].value = edges, value
    transplant(state, x, z, run.rng)
    nodes[p].edges, nodes[p].value = inside, p_value
    return True, gain


@compiled
def move_above(run: Run, x: int, z: int, correction: float) -> tuple[bool, float]:
    """Propose to insert x above z, which is neither its parent nor below x, wherever in the tree."""
    nodes, labels = run.state.nodes, run.state.labels
    p = np.int64(nodes[x].parent)
    y = sibling(run.state, x)
    low, high = labels[nodes[z].first], labels[nodes[z].last]
    if labels[nodes[y].first] <= low and high <= labels[nodes[y].last]:
        return carry(run, x, z, JOINS, correction)
    a, c = p, np.int64(nodes[p].parent)  # climb until c holds z as well; a is the child on the way
    while low < labels[nodes[c].first] or high > labels[nodes[c].last]:
        a, c = c, np.int64(nodes[c].parent)
    if c == z:
        return carry(run, x, z, LEAVES, correction)
    return cross(run, x, z, (a, c), correction)


# ---------------------------------------------------------------------- the moves


@compiled
def slide_step(run: Run, chance: float) -> tuple[bool, float]:
    """Carry a small subtree k levels up its ancestors, or k levels down below its sibling, k log-uniform.

    Up there is one way. Down, each turn is taken in proportion to the number of leaves, so the way to z has
    probability |z| / |y|: the ratio of the two is the correction of Metropolis and Hastings.
    """
    state, mixture, rng = run.state, run.mixture, run.rng
    nodes = state.nodes
    n = len(state.labels)
    x = int(chance * (2 * n - 1))
    if x == state.marks[ROOT] or nodes[x].size > mixture.largest:
        return False, 0.0
    # Log-uniform: steps of all orders of size are equally common, so slow and fast directions both mix.
    levels = int((mixture.levels + 1.0) ** rng.random())
    y = sibling(state, x)
    upwards = rng.random() < 0.5
    z = np.int64(nodes[x].parent) if upwards else y
    for _ in range(levels):
        if upwards:
            z = np.int64(nodes[z].parent)
            if z < 0:
                return False, 0.0
        else:
            # A proposal that leads out of the tree is refused, not drawn anew: drawing anew would bias the chain.
            if z < n:
                return False, 0.0
            left = nodes[z].left
            z = np.int64(left if rng.random() * nodes[z].size < nodes[left].size else nodes[z].right)
    size = nodes[z].size - nodes[x].size if upwards else nodes[z].size
    return carry(run, x, z, LEAVES if upwards else JOINS, np.log(nodes[y].size / size))


@compiled
def regraft_step(run: Run, chance: float) -> tuple[bool, float]:
    """Cut a random leaf off and insert it above a node chosen uniformly from all others."""
    nodes, rng = run.state.nodes, run.rng
    n = len(run.state.labels)
    x = int(chance * n)
    p = np.int64(nodes[x].parent)
    z = np.int64(rng.random() * (2 * n - 3))
    z += np.int64(z >= x)  # all nodes but x and p, which comes after x
    z += np.int64(z >= p)
    return move_above(run, x, z, 0.0)


@inlined
def parent_without(state: State, node: int, p: int) -> np.int64:
    """Return the parent of a node in the tree from which p, the parent of a subtree cut off, is gone."""
    parent = state.nodes[node].parent
    return np.int64(state.nodes[p].parent if parent == p else parent)


@compiled
def chance_of_aim(state: State, x: int, z: int) -> float:
    """Return the probability that a jump of x aims at z: over all neighbours below z, how likely the climb is.

    It speaks of the tree without x, which is the same before and after the jump.
    """
    nodes, labels = state.nodes, state.labels
    p = np.int64(nodes[x].parent)
    low, high = labels[nodes[z].first], labels[nodes[z].last]
    own_low, own_high = labels[nodes[x].first], labels[nodes[x].last]
    total = 0.0
    leaf, last = nodes[x].first, nodes[x].last
    while True:
        reached = 0.0
        for at in range(state.indptr[leaf], state.indptr[leaf + 1]):
            node = np.int64(state.indices[at])
            label = labels[node]
            if label < low or label > high or own_low <= label <= own_high:
                continue
            levels = 0
            # Beyond, a climb was never proposed: its probability is 0, not small.
            while node != z and levels < HIGHEST:
                node = parent_without(state, node, p)
                levels += 1
            if node == z:
                reached += 0.5 ** (levels + 1)
        if reached > 0.0:
            total += reached / (state.indptr[leaf + 1] - state.indptr[leaf])
        if leaf == last:
            return (1.0 - ANYWHERE) * total / nodes[x].size + ANYWHERE / len(nodes)
        leaf = state.links[leaf].after


@compiled
def jump_target(run: Run, x: int) -> np.int64:
    """Draw where a jump of x aims: not far above a neighbour of one of its leaves, or anywhere; -1 if it is lost."""
    state, rng = run.state, run.rng
    nodes = state.nodes
    if rng.random() < ANYWHERE:
        return np.int64(rng.random() * len(nodes))
    leaf = nodes[x].first
    for _ in range(int(rng.random() * nodes[x].size)):
        leaf = state.links[leaf].after
    degree = state.indptr[leaf + 1] - state.indptr[leaf]
    if degree == 0:
        return np.int64(-1)
    z = np.int64(state.indices[state.indptr[leaf] + int(rng.random() * degree)])
    own_low, own_high = state.labels[nodes[x].first], state.labels[nodes[x].last]
    if own_low <= state.labels[z] <= own_high:
        return np.int64(-1)
    p = np.int64(nodes[x].parent)
    levels = 0
    while z >= 0 and rng.random() < 0.5:
        z = parent_without(state, z, p)
        levels += 1
        if levels > HIGHEST:
            return np.int64(-1)
    return z


@compiled
def jump_step(run: Run, chance: float) -> tuple[bool, float]:
    """Cut a small subtree off and insert it near a graph neighbour, or anywhere.

    Where x aims depends on the tree without x alone, and it came from above its sibling y: the reverse jump aims
    at y in that same tree, and the ratio of the two chances is the correction of Metropolis and Hastings.
    """
    state, mixture = run.state, run.mixture
    nodes, labels = state.nodes, state.labels
    x = np.int64(chance * len(nodes))
    if x == state.marks[ROOT] or nodes[x].size > mixture.largest:
        return False, 0.0
    z = jump_target(run, x)
    y = sibling(state, x)
    if z < 0 or z == y or z == nodes[x].parent:
        return False, 0.0
    # z lies below x: a subtree cannot be put into itself.
    if labels[nodes[x].first] <= labels[nodes[z].first] and labels[nodes[z].last] <= labels[nodes[x].last]:
        return False, 0.0
    return move_above(run, x, z, np.log(chance_of_aim(state, x, y) / chance_of_aim(state, x, z)))
