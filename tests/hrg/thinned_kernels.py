"""Compiled helper of the chain's tests: writing down thinned states of a long run."""

from __future__ import annotations

import numpy as np
from numba import njit

from entrenous.hrg.compiled._kernels import advance


@njit(cache=True)
def thinned_children(run, utility, count, thin):
    """Return the children of every internal node after every `thin` steps."""
    n = len(run.state.labels)
    tally = np.zeros((4, 2), np.int64)
    states = np.empty((count, n - 1, 2), np.int32)
    for at in range(count):
        advance(run, utility, tally, thin)
        for node in range(n, 2 * n - 1):
            states[at, node - n, 0] = run.state.nodes[node].left
            states[at, node - n, 1] = run.state.nodes[node].right
    return states
