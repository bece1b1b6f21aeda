from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from entrenous.errors import ArgumentError
from entrenous.hrg import Dendrogram, sample
from entrenous.hrg.sampling import draw, pair_counts


@st.composite
def blocks(draw_from: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """An order and the rectangles of a partition of it: all pairs of its intervals, none twice."""
    sizes = draw_from(st.lists(st.integers(0, 12), min_size=1, max_size=5))
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    intervals = list(itertools.pairwise(bounds.tolist()))
    pairs = list(itertools.combinations_with_replacement(intervals, 2))
    order = np.random.default_rng(draw_from(st.integers(0, 99))).permutation(bounds[-1])
    return order, np.array([[*left, *right] for left, right in pairs])


@given(blocks(), st.integers(0, 2**32), st.floats(0, 1))
@settings(deadline=None)
def test_counts_are_exact_and_the_graph_simple(parts, seed: int, share: float) -> None:
    order, rectangles = parts
    pairs = pair_counts(rectangles)
    count = np.random.default_rng(seed).binomial(pairs, share)
    edges = draw(order, rectangles, count=count, rng=seed)
    assert (edges[:, 0] < edges[:, 1]).all()
    assert len(np.unique(edges, axis=0)) == len(edges) == count.sum()
    position = np.argsort(order)
    for (start, stop, other_start, other_stop), wanted in zip(
        rectangles.tolist(), count.tolist(), strict=True
    ):
        ends = np.sort(position[edges], axis=1)
        inside = (
            (ends[:, 0] >= start)
            & (ends[:, 0] < stop)
            & (ends[:, 1] >= other_start)
            & (ends[:, 1] < other_stop)
        )
        assert inside.sum() == wanted


@pytest.mark.long
@pytest.mark.parametrize("rectangle", [(0, 5, 0, 5), (0, 2, 2, 6), (2, 6, 0, 2)])
@pytest.mark.parametrize("count", [1, 3, 6])
def test_every_set_of_pairs_is_equally_likely(rectangle: tuple[int, ...], count: int) -> None:
    rng = np.random.default_rng(count)
    possible = math.comb(int(pair_counts([rectangle])[0]), count)
    draws = 100 * possible
    seen = Counter(
        tuple(sorted(map(tuple, draw(range(6), [rectangle], count=count, rng=rng).tolist())))
        for _ in range(draws)
    )
    statistic = sum((times - 100) ** 2 / 100 for times in seen.values()) + 100 * (possible - len(seen))
    assert statistic < chi2.ppf(0.999, possible - 1)


@pytest.mark.parametrize(("claimed", "accepted"), [(0.3, True), (0.36, False)])
def test_the_number_of_edges_is_binomial(claimed: float, accepted: bool) -> None:
    rng = np.random.default_rng(5)
    pairs = 45
    sizes = np.array([len(draw(range(10), [(0, 10, 0, 10)], probability=0.3, rng=rng)) for _ in range(2000)])
    off = (sizes.mean() - pairs * claimed) / math.sqrt(pairs * claimed * (1 - claimed) / len(sizes))
    spread = sizes.var() / (pairs * claimed * (1 - claimed))
    assert (abs(off) < 3.3 and 0.9 < spread < 1.1) == accepted


def test_dense_and_full_rectangles() -> None:
    assert len(draw(range(300), [(0, 300, 0, 300)], probability=1)) == 300 * 299 // 2
    edges = draw(range(300), [(0, 100, 100, 300)], count=19_999, rng=3)
    assert len(np.unique(edges, axis=0)) == 19_999


def test_a_huge_sparse_rectangle_takes_no_quadratic_time() -> None:
    n = 2_000_000
    edges = draw(np.arange(n), [(0, n, 0, n)], count=200_000, rng=3)
    assert len(np.unique(edges, axis=0)) == 200_000
    # A pair's larger end lies above n / sqrt 2 half of the time: 64-bit indices reach every pair.
    assert (edges[:, 1] > n / math.sqrt(2)).mean() == pytest.approx(0.5, abs=0.006)


def test_a_dendrogram_is_sampled_with_the_probability_where_two_leaves_meet() -> None:
    tree = Dendrogram.from_nested(((0, 1), ((2, 3), 4)))
    chances = np.array([0.9, 0.1, 0.5, 0.2])
    rng = np.random.default_rng(8)
    draws = 4000
    seen = Counter(tuple(edge) for _ in range(draws) for edge in sample(tree, chances, rng=rng).tolist())
    for pair, chance in {
        (0, 1): 0.9,
        (2, 3): 0.1,
        (2, 4): 0.5,
        (3, 4): 0.5,
        (0, 2): 0.2,
        (1, 4): 0.2,
    }.items():
        assert abs(seen[pair] - draws * chance) < 4 * math.sqrt(draws * chance * (1 - chance))


def test_a_seed_repeats_itself_and_no_seed_does_not() -> None:
    block = [(0, 100, 0, 100)]
    assert (draw(range(100), block, count=50, rng=4) == draw(range(100), block, count=50, rng=4)).all()
    assert (draw(range(100), block, count=50) != draw(range(100), block, count=50)).any()


@pytest.mark.parametrize(
    ("rectangles", "options", "argument"),
    [
        ([(0, 4, 2, 6)], {"count": 1}, "rectangles"),
        ([(0, 2, 2, 7)], {"count": 1}, "rectangles"),
        ([(2, 0, 2, 3)], {"count": 1}, "rectangles"),
        ([(0, 2, 2, 6)], {"count": 9}, "count"),
        ([(0, 2, 2, 6)], {"count": -1}, "count"),
        ([(0, 2, 2, 6)], {"count": 1.5}, "count"),
        ([(0, 2, 2, 6)], {"count": [1, 1]}, "count"),
        ([(0, 2, 2, 6)], {"probability": 1.1}, "probability"),
        ([(0, 2, 2, 6)], {"probability": math.nan}, "probability"),
        ([(0, 2, 2, 6)], {}, "probability, count"),
        ([(0, 2, 2, 6)], {"count": 1, "probability": 0.5}, "probability, count"),
    ],
)
def test_wrong_arguments_are_named(rectangles, options, argument: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        draw(range(6), rectangles, **options)
    assert raised.value.argument == argument


def test_empty_intervals_hold_no_pairs() -> None:
    assert pair_counts([(0, 5, 0, 0), (0, 0, 0, 5), (3, 3, 3, 3), (0, 1, 0, 1)]).tolist() == [0, 0, 0, 0]
    assert draw(range(5), [(0, 5, 0, 0)], probability=1).shape == (0, 2)
    assert draw([], [], probability=0.5).shape == (0, 2)
