"""How far each answer of a release speaks for each canary tie: the attacker who stands at the desk.

The attacker knows the user's own ties, where canaries may be, and every answer, but no coin. What a statistic says
about a canary is the logarithm of how much likelier its answer is with the tie than without, all other canaries being
there half of the time. Any score is a fair attack: an answer that says next to nothing about a single tie says 0 here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entrenous.attack.one_run.canary_ties import CanaryTies
from entrenous.attack.tools.recorder import Said
from entrenous.errors import PrivacyError
from entrenous.network.drawing.pairs import pair_numbers
from entrenous.network.statistics import (
    Cells,
    CommunityCounts,
    Degrees,
    LinkCounts,
    PassingPairs,
    Size,
    Slots,
    Tails,
)
from entrenous.network.statistics import slots as slot_draws
from entrenous.statistic import Statistic

__all__ = ["all_evidence", "evidence"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Canaries in one count up to which all numbers of the others are gone through; more of them are taken for normal.
_MOST_EXACT = 200


def all_evidence(said: Iterable[Said], ties: CanaryTies) -> Floats:
    """Return what all answers together say about each canary: given the graph, their noises are independent."""
    total = np.zeros(len(ties.pairs))
    for each in said:
        if not each.draws:
            raise PrivacyError(
                f"{each.statistic.name}: answered without any noise; there is nothing to bound"
            )
        total += evidence(each.statistic, each, ties)
    return total


@singledispatch
def evidence(statistic: Statistic[Any, Any], said: Said, ties: CanaryTies) -> Floats:  # noqa: ARG001
    """Return what one answer says about each canary; 0 for statistics that are not known here.

    >>> from entrenous.attack.one_run.canary_ties import place
    >>> from entrenous.attack.tools.recorder import Draw
    >>> from entrenous.graph import Graph
    >>> from entrenous.unit import Unit
    >>> ties = place(Graph.from_edges([(0, 1)], n=4), 2, rng=np.random.default_rng(1))
    >>> high = Draw("geometric", ties.graph.degrees, ties.graph.degrees + 3, scale=2.0)
    >>> evidence(Degrees(epsilon=1.0), Said(Degrees(epsilon=1.0), Unit.EDGE, ties.graph, draws=[high]), ties)
    array([1., 1.])
    """
    return np.zeros(len(ties.pairs))


@evidence.register
def _degrees(statistic: Degrees, said: Said, ties: CanaryTies) -> Floats:  # noqa: ARG001
    drawn = said.draws[0]
    return _at_both_ends(drawn.noisy - ties.graph.degrees, ties.pairs, 1 / drawn.scale)


def _at_both_ends(surplus: Ints, pairs: Ints, fall: float) -> Floats:
    """Return what noisy degrees say, by how far they are above those without canaries."""
    load = np.bincount(pairs.ravel(), minlength=len(surplus))
    said = _counted(surplus, load, fall)
    return np.asarray(said[pairs[:, 0]] + said[pairs[:, 1]])


def _counted(surplus: Ints, canaries: Ints, fall: float) -> Floats:
    """Return what each noisy count says about one of the canaries that are in it; 0 where there is none.

    Of the others, b are there with binomial chances, and noise is what is left of the surplus. From the number of
    canaries on, and up to 0, noise has one sign whatever b is: there a count says the most that it can.
    """
    said = np.zeros(len(surplus))
    for number in np.unique(canaries[canaries > 0]):
        here = canaries == number
        if number > _MOST_EXACT:
            others = number - 1
            doubt = np.full(int(here.sum()), others / 4)
            said[here] = _one_more(surplus[here] - others / 2, doubt, fall)
        else:
            said[here] = _by_surplus(int(number) - 1, fall)[np.clip(surplus[here], 0, number)]
    return said


def _by_surplus(others: int, fall: float) -> Floats:
    """Return what a surplus of 0, 1, ..., others + 1 says about a tie beside so many others."""
    from scipy.stats import binom

    there = np.arange(others + 1)
    surplus = np.arange(-1, others + 2)
    chance = np.exp(-fall * np.abs(surplus[:, None] - there)) @ binom.pmf(there, others, 0.5)
    return np.asarray(np.diff(-np.log(chance)))


@evidence.register
def _size(statistic: Size, said: Said, ties: CanaryTies) -> Floats:  # noqa: ARG001
    drawn, canaries = said.draws[0], np.array([len(ties.pairs)])
    return np.repeat(_counted(drawn.noisy - ties.graph.m, canaries, 1 / drawn.scale), len(ties.pairs))


@evidence.register
def _tails(statistic: Tails, said: Said, ties: CanaryTies) -> Floats:
    """Say what the tails tell: a tie moves each end past one degree, the usual one beside its other canaries."""
    drawn, degrees, load = said.draws[0], ties.graph.degrees, ties.load
    levels = statistic.highest - statistic.lowest
    if not levels:
        return np.zeros(len(ties.pairs))
    usual = np.clip(degrees + load // 2, statistic.lowest, statistic.highest) - statistic.lowest
    nodes = np.bincount(usual, minlength=levels + 1)
    # Of nodes with an odd number of canaries, half are one degree higher.
    unsure = np.bincount(usual, load % 2, minlength=levels + 1)[:-1]
    surplus = drawn.noisy - np.cumsum(nodes[::-1])[::-1][1:] - unsure / 2
    spoken = np.append(_one_more(surplus, unsure / 4, 1 / drawn.scale), 0.0)
    without = degrees + np.maximum(load - 1, 0) // 2 - statistic.lowest
    at_node = np.where(without < 0, 0.0, spoken[np.clip(without, 0, levels)])
    return np.asarray(at_node[ties.pairs[:, 0]] + at_node[ties.pairs[:, 1]])


@evidence.register
def _cells(statistic: Cells, said: Said, ties: CanaryTies) -> Floats:
    drawn, place = said.draws[0], _cell(statistic.group[ties.pairs], statistic.groups)
    return _in_cells(drawn.noisy - statistic.count(ties.graph), place, 1 / drawn.scale)


def _cell(ends: Ints, groups: int) -> Ints:
    """Return the place of the cell of each pair of groups in a flat upper triangle."""
    low, high = ends.min(axis=1), ends.max(axis=1)
    return np.asarray(low * groups - low * (low - 1) // 2 + high - low)


def _in_cells(surplus: Ints, place: Ints, fall: float) -> Floats:
    """Return what noisy counts say about canaries that are in them."""
    return np.asarray(_counted(surplus, np.bincount(place, minlength=len(surplus)), fall)[place])


@evidence.register
def _link_counts(statistic: LinkCounts, said: Said, ties: CanaryTies) -> Floats:
    drawn, classes = said.draws[0], statistic.classes
    tree = classes.tree
    of = np.full(tree.n - 1, -1)
    of[classes.node] = np.arange(len(classes.node))
    whole = np.zeros(tree.n - 1, dtype=bool)
    whole[classes.node] = classes.whole
    for parent in range(tree.n - 2, -1, -1):  # parents before children
        for child in tree.children[parent]:
            if whole[parent] and child >= tree.n:
                of[child - tree.n], whole[child - tree.n] = of[parent], True
    return _in_cells(drawn.noisy - statistic.count(ties.graph), of[tree.meeting(ties.pairs)], 1 / drawn.scale)


@evidence.register
def _community_counts(statistic: CommunityCounts, said: Said, ties: CanaryTies) -> Floats:
    inner, outer = said.draws
    ends = statistic.community[ties.pairs]
    inside = ends[:, 0] == ends[:, 1]
    total = np.zeros(len(ties.pairs))
    surplus = inner.noisy - statistic.inner(ties.graph)
    total[inside] = _at_both_ends(surplus, ties.pairs[inside], 1 / inner.scale)
    communities = int(statistic.community.max()) + 1
    # The triangle has no diagonal here: each row starts one further on.
    place = _cell(ends[~inside], communities) - ends[~inside].min(axis=1) - 1
    total[~inside] = _in_cells(outer.noisy - statistic.outer(ties.graph), place, 1 / outer.scale)
    return total


@evidence.register
def _slots(statistic: Slots, said: Said, ties: CanaryTies) -> Floats:
    from entrenous.attack.one_run._kernels import slot_evidence
    from entrenous.network.statistics._kernels import LOWEST

    graph, epsilon = ties.graph, max(statistic.epsilon - slot_draws.ROUNDING, 0.0)
    turn = np.empty(graph.n, dtype=np.int64)
    turn[statistic.order] = np.arange(graph.n)
    first, second = ties.pairs.T
    swapped = turn[first] > turn[second]
    later, earlier = np.where(swapped, first, second), np.where(swapped, second, first)
    by_node = np.argsort(later, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(later, minlength=graph.n))])
    spoken = slot_evidence(
        statistic.order, graph.indptr, graph.indices, said.answer, statistic.expected, epsilon,
        slot_draws.RESOLUTION, statistic.count, LOWEST, start, earlier[by_node],
    )  # fmt: skip
    total = np.empty(len(by_node))
    total[by_node] = spoken
    return total


@evidence.register
def _passing_pairs(statistic: PassingPairs, said: Said, ties: CanaryTies) -> Floats:
    chances, passed = statistic.filter, np.sort(pair_numbers(said.answer))
    numbers = pair_numbers(ties.pairs)
    place = np.searchsorted(passed, numbers)
    through = np.append(passed, -1)[place] == numbers
    return np.where(
        through,
        math.log(chances.kept) - math.log(chances.invented),
        math.log1p(-chances.kept) + chances.rate,
    )


def _one_more(surplus: NDArray[Any], variance: Floats, fall: float) -> Floats:
    """Return how much likelier a surplus is with one tie more, beside normal doubt and two-sided geometric noise.

    Together these have a density proportional to the sum of e^(-fall x) Phi((x - v fall) / s) and its mirror image.
    """
    from scipy.special import log_ndtr

    spread = np.sqrt(np.maximum(variance, 1e-6))  # next to nothing where nothing is in doubt

    def density(x: Floats) -> Floats:
        sides = [-sign * fall * x + log_ndtr((sign * x - spread**2 * fall) / spread) for sign in (1.0, -1.0)]
        return np.asarray(np.logaddexp(*sides))

    x = np.asarray(surplus, dtype=np.float64)
    return np.asarray(density(x - 1) - density(x))
