"""The compiled chain: its local move and the loop over all moves, which leave the same distribution in place."""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entrenous.hrg.compiled._carry_kernels import jump_step, regraft_step, slide_step
from entrenous.hrg.compiled._state_kernels import (
    ROOT,
    Run,
    State,
    accepts,
    compiled,
    count_between,
    inlined,
    keep_best,
    move_leaves,
    node_value,
    prefetch,
    replace_first,
    replace_last,
    sibling,
    touch,
)

LOCAL, SLIDE, REGRAFT, JUMP = 0, 1, 2, 3


@inlined
def local_step(run: Run, chance: float) -> tuple[bool, float]:
    """Turn ((s, t), u) into ((s, u), t) at a random node: the move of Clauset, Moore and Newman."""
    state, target, rng = run.state, run.target, run.rng
    nodes = state.nodes
    n = len(state.labels)
    # n - 2 internal nodes below the root, and for each which of its children stays.
    pick = int(chance * (2 * n - 4))
    r = n + (pick >> 1)
    r += r >= state.marks[ROOT]
    p = nodes[r].parent
    s, t = nodes[r].left, nodes[r].right
    if pick & 1:
        s, t = t, s
    u = sibling(state, r)
    across = nodes[p].edges  # e(s, u) + e(t, u)
    # Edges are counted by walking the leaves of one of the three subtrees: the one with the fewest ends.
    if across == 0:
        s_u = 0
    elif nodes[t].volume < min(nodes[s].volume, nodes[u].volume):
        s_u = across - count_between(state, t, u)
    elif nodes[s].volume < nodes[u].volume:
        s_u = count_between(state, s, u)
    else:
        s_u = count_between(state, u, s)
    below = node_value(s_u, np.int64(nodes[s].size) * nodes[u].size, target)
    above_edges = nodes[r].edges + across - s_u
    above = node_value(above_edges, (np.int64(nodes[s].size) + nodes[u].size) * nodes[t].size, target)
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


# ---------------------------------------------------------------------- the loop


@inlined
def draw_start(run: Run, place: int) -> None:
    """Draw where a coming step will start, which does not depend on the state, and fetch that node from memory."""
    mixture, n = run.mixture, len(run.state.labels)
    kind = LOCAL
    if mixture.local < 1.0:
        share = run.rng.random() - mixture.local
        if share >= mixture.slide + mixture.regraft:
            kind = JUMP
        elif share >= mixture.slide:
            kind = REGRAFT
        elif share >= 0.0:
            kind = SLIDE
    chance = run.rng.random()
    first, count = (n, n - 2) if kind == LOCAL else (0, n if kind == REGRAFT else 2 * n - 1)
    start = run.state.ahead[place]
    start.kind, start.chance, start.node = kind, chance, first + int(chance * count)
    prefetch(run.state.nodes, np.int64(start.node))


@compiled
def advance(run: Run, utility: NDArray[np.float64], tally: NDArray[np.int64], steps: int) -> float:
    """Make some steps; update utility = [now, best] and tally = tried and accepted per move; return the mean.

    Large trees do not fit into the processor's caches, so every step is drawn two steps ahead and its surroundings
    are fetched meanwhile.
    """
    state = run.state
    nodes, ahead = state.nodes, state.ahead
    now, best = utility
    total = 0.0
    if ahead[0].kind < 0:
        draw_start(run, 0)
        draw_start(run, 1)
    for _ in range(steps):
        move, chance = ahead[0].kind, ahead[0].chance
        ahead[0] = ahead[1]
        draw_start(run, 1)
        coming = nodes[ahead[0].node]
        prefetch(nodes, np.int64(coming.parent))
        prefetch(nodes, np.int64(coming.left))
        prefetch(nodes, np.int64(coming.right))
        if move == LOCAL:
            accepted, gain = local_step(run, chance)
        elif move == SLIDE:
            accepted, gain = slide_step(run, chance)
        elif move == REGRAFT:
            accepted, gain = regraft_step(run, chance)
        else:
            accepted, gain = jump_step(run, chance)
        tally[move, 0] += 1
        if accepted:
            tally[move, 1] += 1
            # Rounding adds up here; `_drive` takes the exact sum from time to time.
            now += gain
            if len(state.best) and now > best:
                best = now
                keep_best(state)
        total += now
    utility[0] = now
    utility[1] = best
    return total / steps
