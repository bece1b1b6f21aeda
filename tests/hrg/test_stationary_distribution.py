"""The compiled chain against the exact distribution, enumerated over all 945 dendrograms of the test graph."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.stats import chi2
from tests import naive
from tests.hrg.thinned_kernels import thinned_children

from entrenous.graph import Graph
from entrenous.hrg import Clipped, Dendrogram, Published, chain
from entrenous.hrg.compiled._state_kernels import prepare
from entrenous.hrg.utility import Utility, beta_for

EDGES = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)]
G0 = Graph.from_edges(EDGES, n=6)
COUNT = 100_000
UTILITIES = [Published(), Clipped(0.1, 0.5)]


@cache
def enumerated(utility: Utility) -> dict[tuple[int, ...], float]:
    """The utility of each of the 945 dendrograms, each known by the sets of leaves below its internal nodes."""
    edges = {frozenset(edge) for edge in EDGES}
    return {
        tuple(sorted(sum(1 << leaf for leaf in naive.leaves_of(node)) for node in naive.inner_nodes(tree))): (
            naive.utility_of(tree, edges, *utility.bounds)
        )
        for tree in naive.all_dendrograms(tuple(range(6)))
    }


def thinned_codes(utility: Utility, beta: float, moves: str, thin: int) -> np.ndarray:
    """Run the compiled chain and return its thinned states as sorted rows of leaf sets."""
    rng = np.random.default_rng(20)
    start = Dendrogram.random(6, rng)
    engine = chain._engine(G0, start, start.counts(G0), (beta, utility, chain.MOVES[moves], False), rng)
    value = np.full(2, prepare(engine.state, engine.target))
    children = thinned_children(engine, value, COUNT, thin)
    below = np.zeros((COUNT, 11), np.int64)
    below[:, :6] = 1 << np.arange(6)
    rows = np.arange(COUNT)[:, None]
    for _ in range(
        5
    ):  # a node's set is complete once its children's are: at most as often as there are levels
        below[:, 6:] = below[rows, children[:, :, 0]] | below[rows, children[:, :, 1]]
    return np.sort(below[:, 6:], axis=1)


def chi_square(codes: np.ndarray, utility: Utility, beta: float) -> tuple[float, int]:
    """Compare the states seen with the distribution exp(beta u), every dendrogram being a cell of its own."""
    weighted = enumerated(utility)
    weights = np.exp(beta * np.array(list(weighted.values())))
    expected = COUNT * weights / weights.sum()
    place = {code: at for at, code in enumerate(weighted)}
    states, times = np.unique(codes, axis=0, return_counts=True)
    seen = np.zeros(len(weighted))
    for state, number in zip(states.tolist(), times.tolist(), strict=True):
        seen[place[tuple(state)]] = number
    # Cells of fewer than ten expected states are pooled, smallest first, as the test's approximation asks.
    order = np.argsort(expected)
    pool = np.searchsorted(np.cumsum(expected[order]), 10) + 1 if expected.min() < 10 else 0
    rare, common = order[:pool], order[pool:]
    cells = np.append(seen[common], seen[rare].sum()), np.append(expected[common], expected[rare].sum())
    filled = cells[1] > 0
    statistic = ((cells[0] - cells[1])[filled] ** 2 / cells[1][filled]).sum()
    return float(statistic), int(filled.sum()) - 1


THIN = {"local": 30, "slide": 150, "regraft": 20, "jump": 40, "mixture": 40, "guided": 40}


@pytest.mark.long
@pytest.mark.parametrize("utility", UTILITIES, ids=lambda utility: type(utility).__name__)
@pytest.mark.parametrize("moves", THIN)
def test_the_chain_has_the_exact_law_and_no_other(moves: str, utility: Utility) -> None:
    beta = beta_for(5.0, 6, utility)
    codes = thinned_codes(utility, beta, moves, THIN[moves])
    statistic, freedom = chi_square(codes, utility, beta)
    assert statistic < chi2.ppf(0.999, freedom)
    for wrong in (0.9 * beta, 1.1 * beta):
        statistic, freedom = chi_square(codes, utility, wrong)
        assert statistic > chi2.ppf(0.999, freedom)
