"""The compiled chain: its moves, all of which leave the same law in place, and the loop over them."""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entrenous.hrg._state_kernels import (
    ROOT,
    Run,
    State,
    compiled,
    count_between,
    inlined,
    keep_best,
    move_leaves,
    node_value,
    replace_first,
    replace_last,
    touch,
)

LOCAL, SLIDE, REGRAFT = 0, 1, 2
# What a subtree does at the ancestors on its way. Typed numbers, or numba would compile a copy for every constant.
JOINS, LEAVES, FIRST = np.int64(1), np.int64(-1), np.int64(0)


@inlined
def sibling(state: State, node: int) -> np.int64:
    """Return the other child of a node's parent."""
    parent = state.nodes[node].parent
    left = state.nodes[parent].left
    return np.int64(state.nodes[parent].right if left == node else left)


@inlined
def accepts(run: Run, gain: float, correction: float) -> bool:
    """Decide by the rule of Metropolis and Hastings; `correction` is the log of the proposals' ratio."""
    exponent = run.law.beta * gain + correction
    return exponent >= 0.0 or run.rng.random() < np.exp(exponent)


@inlined
def local_step(run: Run) -> tuple[bool, float]:
    """Turn ((s, t), u) into ((s, u), t) at a random node: the move of Clauset, Moore and Newman."""
    state, law, rng = run.state, run.law, run.rng
    nodes = state.nodes
    n = len(state.labels)
    pick = int(rng.random() * (2 * n - 4))
    r = n + (pick >> 1)
    r += r >= state.marks[ROOT]
    p = nodes[r].parent
    s, t = nodes[r].left, nodes[r].right
    if pick & 1:
        s, t = t, s
    u = sibling(state, r)
    across = nodes[p].edges  # e(s, u) + e(t, u)
    if across == 0:
        s_u = 0
    elif nodes[t].volume < min(nodes[s].volume, nodes[u].volume):
        s_u = across - count_between(state, t, u)
    elif nodes[s].volume < nodes[u].volume:
        s_u = count_between(state, s, u)
    else:
        s_u = count_between(state, u, s)
    below = node_value(s_u, np.int64(nodes[s].size) * nodes[u].size, law)
    above_edges = nodes[r].edges + across - s_u
    above = node_value(above_edges, (np.int64(nodes[s].size) + nodes[u].size) * nodes[t].size, law)
    gain = below + above - nodes[r].value - nodes[p].value
    if not accepts(run, gain, 0.0):
        return False, 0.0
    rotate(state, r, s, rng)
    nodes[r].edges, nodes[r].value = s_u, below
    nodes[p].edges, nodes[p].value = above_edges, above
    return True, gain


@inlined
def rotate(state: State, r: int, s: int, rng: np.random.Generator) -> None:
    """Rebuild ((s, t), u) as ((s, u), t) around r, moving the smallest of the three where s and u do not touch."""
    nodes = state.nodes
    p = nodes[r].parent
    r_is_left = nodes[p].left == r
    u = sibling(state, r)
    s_is_left = nodes[r].left == s
    t = nodes[r].right if s_is_left else nodes[r].left
    old_first, old_last = nodes[p].first, nodes[p].last
    t_before = r_is_left
    if s_is_left == r_is_left:  # t stands between s and u
        smallest = min(nodes[s].size, nodes[t].size, nodes[u].size)
        u_jumps = nodes[u].size == smallest or (nodes[t].size == smallest and rng.random() < 0.5)
        t_before = r_is_left != u_jumps
        if nodes[t].size == smallest:
            edge = state.links[old_first].before if t_before else old_last
            move_leaves(state, nodes[t].first, nodes[t].last, nodes[t].size, edge)
        else:
            moved, partner = (u, s) if u_jumps else (s, u)
            # The moved block lands on its new partner's side that faces t.
            after = state.links[nodes[partner].first].before if t_before else nodes[partner].last
            move_leaves(state, nodes[moved].first, nodes[moved].last, nodes[moved].size, after)
    touch(state, r)
    touch(state, p)
    # Whichever block was moved, s stands on that side of u where r stood.
    nodes[r].left, nodes[r].right = (s, u) if r_is_left else (u, s)
    nodes[p].left, nodes[p].right = (t, r) if t_before else (r, t)
    nodes[u].parent, nodes[t].parent = r, p
    nodes[r].size = nodes[s].size + nodes[u].size
    nodes[r].volume = nodes[s].volume + nodes[u].volume
    nodes[r].first, nodes[r].last = nodes[nodes[r].left].first, nodes[nodes[r].right].last
    replace_first(state, p, old_first, nodes[nodes[p].left].first)
    replace_last(state, p, old_last, nodes[nodes[p].right].last)


# ---------------------------------------------------------------------- moves that carry a subtree further


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
            lowest, highest = (
                start,
                end - 1,
            )  # the intervals are nested: search the smallest that holds the label
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
    state, law = run.state, run.law
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
        path[at].value = node_value(nodes[node].edges + sign * path[at].hits, pairs, law)
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
        if before != last:
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
    size = nodes[z].size - nodes[x].size if sign < 0 else nodes[z].size
    value = node_value(edges, np.int64(nodes[x].size) * size, run.law)
    gain += value - nodes[p].value
    if not accepts(run, gain, correction):
        return False, 0.0
    settle(state, x, sign, FIRST, end)
    transplant(state, x, z, run.rng)
    nodes[p].edges, nodes[p].value = edges, value
    return True, gain


@compiled
def slide_step(run: Run) -> tuple[bool, float]:
    """Carry a small subtree k levels up its ancestors, or k levels down below its sibling, k log-uniform.

    Up there is one way. Down, each turn is taken in proportion to the number of leaves, so the way to z has
    probability |z| / |y|: the ratio of the two is the correction of Metropolis and Hastings.
    """
    state, mixture, rng = run.state, run.mixture, run.rng
    nodes = state.nodes
    n = len(state.labels)
    x = int(rng.random() * (2 * n - 1))
    if x == state.marks[ROOT] or nodes[x].size > mixture.largest:
        return False, 0.0
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
            if z < n:
                return False, 0.0
            left = nodes[z].left
            z = np.int64(left if rng.random() * nodes[z].size < nodes[left].size else nodes[z].right)
    size = nodes[z].size - nodes[x].size if upwards else nodes[z].size
    return carry(run, x, z, LEAVES if upwards else JOINS, np.log(nodes[y].size / size))


@compiled
def regraft_step(run: Run) -> tuple[bool, float]:
    """Cut a random leaf off and insert it above a node chosen uniformly from all others."""
    nodes, labels, rng = run.state.nodes, run.state.labels, run.rng
    n = len(labels)
    x = int(rng.random() * n)
    p = np.int64(nodes[x].parent)
    z = np.int64(rng.random() * (2 * n - 3))
    z += np.int64(z >= x)  # all nodes but x and p, which comes after x
    z += np.int64(z >= p)
    y = sibling(run.state, x)
    low, high = labels[nodes[z].first], labels[nodes[z].last]
    if labels[nodes[y].first] <= low and high <= labels[nodes[y].last]:
        return carry(run, x, z, JOINS, 0.0)
    a, c = p, np.int64(nodes[p].parent)  # climb until c holds z as well; a is the child on the way
    while low < labels[nodes[c].first] or high > labels[nodes[c].last]:
        a, c = c, np.int64(nodes[c].parent)
    if c == z:
        return carry(run, x, z, LEAVES, 0.0)
    return cross(run, x, z, (a, c))


@compiled
def cross(run: Run, x: int, z: int, turn: tuple[int, int]) -> tuple[bool, float]:
    """Propose to carry x over to z on the other side of their common ancestor: turn = (its child above x, itself)."""
    state, law = run.state, run.law
    nodes = state.nodes
    a, c = turn
    b = sibling(state, a)
    p = np.int64(nodes[x].parent)
    leaving, _, left_behind, middle = survey(run, x, (p, a), LEAVES, FIRST)
    joining, inside, passed, end = survey(run, x, (z, b), JOINS, middle)
    edges = nodes[c].edges - inside - passed + nodes[p].edges + left_behind
    size = nodes[x].size
    value = node_value(edges, (np.int64(nodes[a].size) - size) * (nodes[b].size + size), law)
    p_value = node_value(inside, np.int64(size) * nodes[z].size, law)
    gain = leaving + joining + value - nodes[c].value + p_value - nodes[p].value
    if not accepts(run, gain, 0.0):
        return False, 0.0
    settle(state, x, LEAVES, FIRST, middle)
    settle(state, x, JOINS, middle, end)
    nodes[c].edges, nodes[c].value = edges, value
    transplant(state, x, z, run.rng)
    nodes[p].edges, nodes[p].value = inside, p_value
    return True, gain


# ---------------------------------------------------------------------- the loop


@compiled
def advance(run: Run, utility: NDArray[np.float64], tally: NDArray[np.int64], steps: int) -> float:
    """Make some steps; update utility = [now, best] and tally = tried and accepted per move; return the mean."""
    state, mixture, rng = run.state, run.mixture, run.rng
    now, best = utility
    total = 0.0
    move = LOCAL
    for _ in range(steps):
        if mixture.local < 1.0:
            share = rng.random()
            move = (
                LOCAL
                if share < mixture.local
                else SLIDE
                if share < mixture.local + mixture.slide
                else REGRAFT
            )
        if move == LOCAL:
            accepted, gain = local_step(run)
        elif move == SLIDE:
            accepted, gain = slide_step(run)
        else:
            accepted, gain = regraft_step(run)
        tally[move, 0] += 1
        if accepted:
            tally[move, 1] += 1
            now += gain
            if len(state.best) and now > best:
                best = now
                keep_best(state)
        total += now
    utility[0] = now
    utility[1] = best
    return total / steps
