"""How far one content moves each question, and how seldom its own words are named: tried on tiny mail."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import norm

from entrenous.noise import Noise
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.statistics import Agreement, GuidedWords, ListedCounts
from entrenous.words.statistics.listed_counts import true_counts
from entrenous.words.statistics.threshold import normal_excess

CONTENTS = [
    dict.fromkeys(words, 1)
    for size in range(4)
    for words in itertools.combinations(("ask", "bid", "call"), size)
]


def table(first: dict[str, int], second: dict[str, int]) -> Table:
    return Table.from_counts([first, second], ends=[(0, 1), (1, 2)])


@pytest.mark.parametrize("contribution", [1, 2, 3])
@pytest.mark.parametrize("names", [None, ("ask", "bid")])
def test_agreement_moves_as_far_as_it_says_and_no_further(
    contribution: int, names: tuple[str, ...] | None
) -> None:
    """One of two neighbouring edges gets or loses its whole content; the counts of the pair move by 2c in all."""
    question = Agreement(1.0, contribution, np.array([[0, 1]]), names)
    empty: dict[str, int] = {}
    moved = [
        np.abs(question.count(table(first, second)) - question.count(other)).sum()
        for first, second in itertools.product(CONTENTS, CONTENTS)
        for other in (table(empty, second), table(first, empty))
    ]
    reach = contribution if names is None else min(contribution, len(names))
    assert max(moved) == 2 * reach
    assert max(moved) <= question.sensitivity(Unit.EDGE_CONTENT)


@pytest.mark.parametrize("mechanism", ["geometric", "gaussian"])
def test_a_list_that_nobody_says_gets_its_noise_all_the_same(mechanism: str) -> None:
    """An error, or exact zeros, would tell that nobody says anything."""
    question = ListedCounts(("gold", "silver"), 1, mechanism, 5.0)
    silent = Table.from_counts([{"lunch": 1}] * 3, ends=[(0, 1), (1, 2), (2, 3)])
    drawn = [question.draw(silent, Unit.EDGE_CONTENT, Noise(seed)).answer for seed in range(40)]
    assert np.std(drawn) > 2


def test_a_word_of_one_edge_is_hardly_ever_named() -> None:
    """Forty edges each have a word of their own: at a delta of a millionth none of them is named."""
    own = Table.from_counts([{f"word{i}": 5} for i in range(40)], ends=[(i, i + 1) for i in range(40)])
    question = GuidedWords(0.5, 1e-6, 10)
    assert not any(len(question.draw(own, Unit.EDGE_CONTENT, Noise(seed)).names) for seed in range(25))


@pytest.mark.parametrize(("delta", "ngrams"), [(1e-3, 1), (1e-5, 10), (1e-6, 1000)])
def test_the_largest_of_many_draws_exceeds_the_threshold_with_delta(delta: float, ngrams: int) -> None:
    """The worst number of n-grams crosses together with probability delta, and a lower height would not do."""
    height = normal_excess(delta, ngrams)
    assert -np.expm1(ngrams * norm.logcdf(height)) == pytest.approx(delta, rel=1e-6)


@pytest.mark.parametrize(
    ("replaced", "removed"),
    [(Unit.REPLACED_CONTENT, Unit.EDGE_CONTENT), (Unit.REPLACED_SENDER, Unit.SENDER)],
    ids=str,
)
def test_a_replaced_content_costs_what_it_moves(replaced: Unit, removed: Unit) -> None:
    """Two contents without a common word: replacing one by the other moves all counts of both."""
    pure, normal = (ListedCounts(("ask", "bid"), 1, kind, 4.0) for kind in ("geometric", "gaussian"))
    one, other = ({"ask": 1}, {"bid": 1})
    moved = np.abs(true(pure, one) - true(pure, other)).sum()
    assert moved == 2
    assert pure.price(replaced).epsilon >= moved / 4.0
    assert pure.price(replaced).epsilon == 2 * pure.price(removed).epsilon
    assert normal.price(replaced).mu >= np.sqrt(moved) / 4.0


def true(question: ListedCounts, content: dict[str, int]) -> np.ndarray:
    """The counts of mail with one content, without noise."""
    alone = Table.from_counts([content], ends=[(0, 1)])
    return true_counts(alone, question.names, contribution=question.contribution)
