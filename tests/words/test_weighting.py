"""Every rule of weights, hunted for a holder that moves the weights by more than 1."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests import naive

from entrenous.errors import ArgumentError
from entrenous.words.counting.table import Table
from entrenous.words.statistics import _kernels as _weighting_kernels
from entrenous.words.statistics.weights import (
    GRID,
    Rows,
    guided_weights,
    holder_counts,
    policy_weights,
    uniform_weights,
)

NGRAMS = 6
ONE = 1 + 1e-12  # for the division by sqrt(contribution) that only these tests do
HOLDERS = st.lists(st.lists(st.integers(0, NGRAMS - 1), unique=True, max_size=NGRAMS), min_size=1, max_size=6)
KNOWN_OFFENDER = [[3, 2, 0, 4], [2, 5, 4, 1], [4], [3, 4, 2, 5, 1, 0], [4, 0]]
Rule = Callable[[Sequence[Sequence[int]]], NDArray[np.float64]]


def rows_of(holders: Sequence[Sequence[int]]) -> Rows:
    offsets = np.cumsum([0, *map(len, holders)]).astype(np.int64)
    return Rows(offsets, np.array([ngram for holder in holders for ngram in holder], np.int32))


def movement(rule: Rule, holders: Sequence[Sequence[int]]) -> float:
    """Return by how much the weights move, at most, when one holder is removed."""
    everything = rule(holders)
    return max(
        float(np.linalg.norm(everything - rule([*holders[:left_out], *holders[left_out + 1 :]])))
        for left_out in range(len(holders))
    )


def hunt(rule: Rule, *, tries: int, seed: int = 0) -> float:
    """Return the largest movement found among random holders."""
    rng = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(tries):
        sizes = rng.integers(1, NGRAMS + 1, size=rng.integers(1, 7))
        worst = max(worst, movement(rule, [list(rng.permutation(NGRAMS)[:size]) for size in sizes]))
    return worst


def uniform(holders: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    return uniform_weights(rows_of(holders), NGRAMS) / GRID


def fixed(holders: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    return holder_counts(rows_of(holders), NGRAMS) / math.sqrt(NGRAMS)


def policy(cutoff: float) -> Rule:
    return lambda holders: policy_weights(rows_of(holders), NGRAMS, cutoff=cutoff) / GRID


def guided(value: Sequence[float]) -> Rule:
    """What earlier rounds showed is the same with and without the holder: that is how rounds compose."""
    return lambda holders: guided_weights(rows_of(holders), np.array(value)) / GRID


def adaptive(kept: Sequence[bool]) -> Rule:
    """The second of two rounds: the noisy first one said which n-grams are kept."""
    return lambda holders: uniform([[ngram for ngram in holder if kept[ngram]] for holder in holders])


def equal_shares(cutoff: float) -> Rule:
    """A policy that is not sound, though published as code: equal shares for all that is below the cutoff."""

    def rule(holders: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        weights = np.zeros(NGRAMS)
        for holder in holders:
            below = [ngram for ngram in holder if weights[ngram] < cutoff]
            for ngram in below:
                weights[ngram] += 1 / math.sqrt(len(below))
        return weights

    return rule


@given(HOLDERS)
def test_uniform_and_fixed_weights_move_by_one_at_most(holders: list[list[int]]) -> None:
    assert movement(uniform, holders) <= 1
    assert movement(fixed, holders) <= ONE


@given(HOLDERS, st.floats(0.5, 6.0))
def test_the_policy_moves_by_one_at_most(holders: list[list[int]], cutoff: float) -> None:
    assert movement(policy(cutoff), holders) <= 1


@given(HOLDERS, st.lists(st.floats(0, 1e3) | st.floats(0, 1e-150), min_size=NGRAMS, max_size=NGRAMS))
def test_guided_weights_move_by_one_at_most(holders: list[list[int]], value: list[float]) -> None:
    assert movement(guided(value), holders) <= 1


@given(HOLDERS, st.lists(st.booleans(), min_size=NGRAMS, max_size=NGRAMS))
def test_the_second_round_of_adaptive_weights_moves_by_one_at_most(
    holders: list[list[int]], kept: list[bool]
) -> None:
    assert movement(adaptive(kept), holders) <= 1


@pytest.mark.parametrize("rule", [uniform, fixed, policy(2.0), guided([1, 2, 3, 4, 5, 6])])
def test_a_random_hunt_finds_no_offender(rule: Rule) -> None:
    assert 0.9 < hunt(rule, tries=300) <= ONE


def test_the_hunt_finds_the_unsound_policy() -> None:
    assert movement(equal_shares(2.0), KNOWN_OFFENDER) == pytest.approx(1.286, abs=5e-4)
    assert hunt(equal_shares(2.0), tries=300) > 1.1
    assert movement(policy(2.0), KNOWN_OFFENDER) <= 1


@given(HOLDERS, st.lists(st.floats(0, 10), min_size=NGRAMS, max_size=NGRAMS), st.floats(0.05, 1))
def test_spreading_matches_its_naive_twin(holders: list[list[int]], value: list[float], cap: float) -> None:
    total = np.zeros(NGRAMS, np.int64)
    rows = rows_of(holders)
    _weighting_kernels.spread(rows.offsets, rows.ngram, np.array(value), 1e6, cap * 1e6, total)
    assert total.tolist() == pytest.approx(naive.spread(holders, value, 1e6, cap * 1e6), abs=len(holders))


@given(HOLDERS, st.floats(0.5, 5))
def test_descending_matches_its_naive_twin(holders: list[list[int]], cutoff: float) -> None:
    total = np.zeros(NGRAMS)
    rows = rows_of(holders)
    _weighting_kernels.descend(rows.offsets, rows.ngram, cutoff, total)
    assert total.tolist() == pytest.approx(naive.descend(holders, NGRAMS, cutoff))


@given(HOLDERS, st.lists(st.booleans(), min_size=NGRAMS, max_size=NGRAMS), st.integers(0, NGRAMS))
def test_restricting_matches_its_naive_twin(holders: list[list[int]], kept: list[bool], most: int) -> None:
    rows = rows_of(holders)
    offsets, ngram = _weighting_kernels.restrict(rows.offsets, rows.ngram, np.array(kept), most)
    left = [ngram[a:b].tolist() for a, b in itertools.pairwise(offsets)]
    assert left == naive.restrict(holders, kept, most)


def test_a_policy_refuses_what_rounding_would_show_in() -> None:
    endless = np.broadcast_to(np.int32(0), (2**33,))  # takes no memory
    with pytest.raises(ArgumentError, match="rounding"):
        policy_weights(Rows(np.array([0, len(endless)]), endless), 1, cutoff=2.0)


def test_rows_are_the_tables_own() -> None:
    table = Table.from_counts([{"a": 3, "b": 1}, {"b": 2}], ends=[(0, 1), (1, 2)])
    assert Rows.of(table).ngram is table.ngram
    assert Rows.of(table).holders == 2
