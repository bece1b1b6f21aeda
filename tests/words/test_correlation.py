"""Beliefs: from where their numbers may come, and what they then say and allow."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_lowercase

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrenous.errors import ArgumentError, BudgetExceeded, InputError
from entrenous.unit import Unit
from entrenous.vault import Budget, Vault
from entrenous.words.beliefs import Belief, Binomial, Chain, Conditional, Global, Group, Independent, Latent
from entrenous.words.beliefs.belief import CALIBRATED, ESTIMATED, NGRAMS, PUBLIC, STATED
from entrenous.words.beliefs.buckets import (
    Bucket,
    bucket_distributions,
    buckets,
    neighbour_distributions,
    neighbour_probabilities,
)
from entrenous.words.beliefs.estimation import estimate_range
from entrenous.words.corpus import Corpus
from entrenous.words.counting.neighbourhood import (
    largest_neighbourhood,
    neighbourhood_sizes,
    neighbouring_pairs,
)
from entrenous.words.counting.table import NeighbourCounts, Table
from entrenous.words.pufferfish.wasserstein import Distribution, w_infinity
from entrenous.words.statistics.agreement import agreement
from entrenous.words.statistics.weights import Rows

GRAPH = [(1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (1, 5), (5, 6), (5, 7), (5, 8), (5, 9), (6, 7)]
SIZES = {
    (1, 2): 4, (1, 3): 4, (1, 5): 6, (2, 3): 4, (2, 4): 3, (3, 4): 3,
    (5, 6): 5, (5, 7): 5, (5, 8): 4, (5, 9): 4, (6, 7): 2,
}  # fmt: skip

graphs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda e: e[0] < e[1]), unique=True)


@dataclass
class Mail:
    """A corpus of which only this is known: which edge carries which n-gram, and perhaps how often."""

    ends: Sequence[tuple[int, int]]
    contents: Sequence[Collection[str]]

    @property
    def largest_neighbourhood(self) -> int:
        return largest_neighbourhood(self.ends)

    def table(
        self,
        *,
        by: str = "edge",
        n: int = 2,
        contribution: int | None = None,
        listed: Sequence[str] | None = None,
    ) -> Table:
        assert by == "edge"
        counts = [
            content if isinstance(content, dict) else dict.fromkeys(content, 1) for content in self.contents
        ]
        if listed is not None:
            counts = [{name: count[name] for name in count if name in listed} for count in counts]
        table = Table.from_counts(counts, ends=self.ends, n=n)
        return table if contribution is None else table.bounded(contribution)

    def neighbour_counts(self, *, n: int = 2) -> NeighbourCounts:
        rows: dict[tuple[int, int, int, int], int] = {}
        for name in set().union(*self.contents):
            bits = [name in content for content in self.contents]
            for i, end in enumerate(self.ends):
                near = [j for j, other in enumerate(self.ends) if j != i and set(end) & set(other)]
                bucket = len(str(sum(bits))) - 1
                key = (len(near), bucket, int(bits[i]), sum(bits[j] for j in near))
                rows[key] = rows.get(key, 0) + 1
        size, bucket, carried, neighbours = np.array(list(rows)).T
        return NeighbourCounts(
            size.astype(np.int32),
            bucket.astype(np.int8),
            carried.astype(np.int8),
            neighbours.astype(np.int32),
            np.array(list(rows.values()), dtype=np.int64),
        )


MAIL = Mail(
    GRAPH,
    [{"a", "b"}, {"a"}, {"a"}, {"b"}, {"b", "c"}, {"a"}, {"a", "d"}, {"d"}, set(), {"a"}, {"d"}],
)
MODELS: list[Belief] = [
    Independent(),
    Group(12),
    Binomial(0.1, 0.4, 30),
    Latent(0.1, 0.4, 30),
    Chain(0.2, 50),
    Global(Distribution((0, 5), (3, 1)), Distribution((0, 9), (1, 1))),
    Conditional((Bucket(0, 1, 0.5), Bucket(1, 1, 0.25)), neighbours=30),
]


# Neighbourhoods


def test_neighbourhoods_of_the_test_graph() -> None:
    assert dict(zip(GRAPH, neighbourhood_sizes(GRAPH).tolist(), strict=True)) == SIZES
    assert largest_neighbourhood(GRAPH) == 6


def test_parallel_edges_add() -> None:
    assert neighbourhood_sizes([(0, 1), (0, 1), (1, 2)]).tolist() == [3, 3, 2]


@given(graphs, st.integers(1, 4))
def test_neighbourhoods_within_some_hops(ends: list[tuple[int, int]], hops: int) -> None:
    def reached(start: int) -> int:
        found = {start}
        for _ in range(hops):
            found |= {j for i in found for j, end in enumerate(ends) if set(end) & set(ends[i])}
        return len(found) - 1

    assert largest_neighbourhood(ends, hops=hops) == max(map(reached, range(len(ends))), default=0)


@given(graphs)
def test_pairs_are_disjoint_and_of_neighbours_and_leave_few_edges_over(ends: list[tuple[int, int]]) -> None:
    pairs = neighbouring_pairs(ends)
    assert len(np.unique(pairs)) == pairs.size
    assert all(set(ends[i]) & set(ends[j]) for i, j in pairs.tolist())
    left_over = [ends[i] for i in sorted(set(range(len(ends))) - set(pairs.ravel().tolist()))]
    assert not any(set(one) & set(other) for one, other in itertools.combinations(left_over, 2))


# What every model answers


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 30.0])
def test_budgets_there_and_back(model: Belief, epsilon: float) -> None:
    eta = model.edge_epsilon(epsilon)
    assert epsilon / model.w_inf() * (1 - 1e-9) <= eta <= epsilon
    assert model.epsilon_of(eta) == pytest.approx(epsilon, rel=1e-9)
    assert 1 / epsilon <= model.laplace_scale(epsilon) <= model.w_inf() / epsilon * (1 + 1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_a_calibrated_model_promises_nothing_and_says_exactly_that(model: Belief) -> None:
    measured = model.disclaimed()
    assert model.guaranteed
    assert not measured.guaranteed
    assert measured.w_inf() == model.w_inf()
    if not isinstance(model, Independent | Group):
        assert (
            measured.assumption == "calibrated to measured correlation; not a privacy guarantee" == CALIBRATED
        )


def test_assumptions_state_the_numbers_and_where_they_come_from() -> None:
    model = Binomial(0.0277, 0.2739, 1883)
    for part in ("1883", "between 0.0277 and 0.2739", "other edges say nothing more", NGRAMS, STATED):
        assert part in model.assumption
    assert PUBLIC in replace(model, source="public corpus").assumption
    estimated = replace(model, source="private estimate", confidence=0.99)
    assert ESTIMATED.format(confidence=0.99) in estimated.assumption
    assert "any way" in Group(5).assumption
    assert NGRAMS not in Group(5).assumption
    assert "ignorant" not in Global.fit(MAIL).assumption
    assert "knows no degrees" in Global.fit(MAIL).assumption


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Binomial(0.3, 0.2, 5),
        lambda: Binomial(-0.1, 0.2, 5),
        lambda: Binomial(0.1, 0.2, -1),
        lambda: Binomial(0.1, 0.2, 5, defect=1.0),
        lambda: Binomial(0.1, 0.2, 5, source="hearsay"),  # type: ignore[arg-type]
        lambda: Binomial(0.1, 0.2, 5, source="private estimate"),
        lambda: Binomial(0.1, 0.2, 5, confidence=0.9),
        lambda: Latent(0.3, 0.2, 5),
        lambda: Latent(0.1, 0.2, -1),
        lambda: Latent(0.1, 0.2, 5, defect=0.1),
        lambda: Chain(0.0, 5),
        lambda: Chain(0.6, 5),
        lambda: Chain(0.1, 0),
        lambda: Group(0),
        lambda: Global(Distribution((0.5,), (1,)), Distribution((1,), (1,))),
        lambda: Global(Distribution((-1,), (1,)), Distribution((1,), (1,))),
        lambda: Conditional((), 5),
        lambda: Conditional((Bucket(0, 0, 0.5),), 5, defect=0.1),
    ],
)
def test_models_that_make_no_sense_are_refused(wrong: object) -> None:
    with pytest.raises(ArgumentError):
        wrong()  # type: ignore[operator]


def test_a_defect_buys_a_smaller_distance() -> None:
    distributions = Distribution((0, 5), (3, 1)), Distribution((0, 9), (1, 1))
    assert Global(*distributions).w_inf() == 10
    assert Global(*distributions, defect=0.25).w_inf() == 5
    assert Chain(0.1, 201).w_inf() == 201
    assert Chain(0.5, 201).w_inf() == 1


def test_chain_coupling_leaves_over_what_it_says() -> None:
    """Both worlds renew their bits together, with probability 2 flip a step: simulated on both sides."""
    model = Chain(0.2, 10**6, defect=0.01)
    rng = np.random.default_rng(1)
    apart = 1 + (rng.geometric(0.4, size=(2, 10**6)) - 1).sum(axis=0)
    for w, holds in ((model.w_inf(), True), (model.w_inf() - 1, False)):
        assert (np.mean(apart > w) <= 0.0102) == holds
    assert Chain(0.2, 5, defect=0.01).w_inf() == 5


# Fitted to a public corpus


def test_fits_count_all_edges_and_ngrams_exactly() -> None:
    agree = {0: [0, 0], 1: [0, 0]}
    numbers: dict[int, list[int]] = {0: [], 1: []}
    for name in "abcd":
        bits = [name in content for content in MAIL.contents]
        for i, end in enumerate(GRAPH):
            near = [bits[j] for j, other in enumerate(GRAPH) if j != i and set(end) & set(other)]
            agree[bits[i]][0] += sum(near)
            agree[bits[i]][1] += len(near)
            numbers[bits[i]].append(sum(near))
    p0, p1 = (carrying / of for carrying, of in agree.values())
    counts = MAIL.neighbour_counts()
    assert neighbour_probabilities(counts) == (p0, p1)
    assert [distribution.total for distribution in neighbour_distributions(counts)] == [
        len(numbers[0]),
        len(numbers[1]),
    ]
    model = Binomial.fit(MAIL)
    assert (model.p0, model.p1, model.neighbours) == (min(p0, p1), max(p0, p1), 6)
    assert model.source == "public corpus"
    assert Binomial.fit(MAIL, neighbours=100).neighbours == 100
    absent, present = (Distribution.from_counts(numbers[bit], np.ones(len(numbers[bit]))) for bit in (0, 1))
    assert Global.fit(MAIL).w_inf() == 1 + w_infinity(absent, present)


def test_fitted_chains_flip_as_rarely_as_any_neighbour() -> None:
    p0, p1 = neighbour_probabilities(MAIL.neighbour_counts())
    assert Chain.fit(MAIL, length=9) == Chain(min(p0, p1, 1 - p0, 1 - p1), 9, source="public corpus")


def test_buckets_compare_shares_of_neighbourhoods() -> None:
    rows = buckets(MAIL.neighbour_counts())
    distributions = bucket_distributions(MAIL.neighbour_counts())
    assert {(row.size_bucket, row.frequency_bucket) for row in rows} == set(distributions) == {(0, 0)}
    assert rows[0].fraction == w_infinity(*distributions[0, 0])
    assert 0 < rows[0].fraction <= 1
    assert Conditional.fit(MAIL).w_inf() == 1 + np.ceil(rows[0].fraction * 6)


def test_sizes_at_powers_of_ten_fall_into_their_bucket() -> None:
    sizes = np.array([9, 10, 99, 100, 999, 1000] * 2, dtype=np.int32)
    bits = np.repeat([0, 1], 6).astype(np.int8)
    counts = NeighbourCounts(sizes, np.zeros(12, np.int8), bits, sizes * bits, np.ones(12, np.int64))
    assert [bucket.size_bucket for bucket in buckets(counts)] == [0, 1, 2, 3]
    assert [bucket.w(largest=500) for bucket in buckets(counts)] == [10, 100, 500, 500]


def test_neighbourhoods_larger_than_any_measured_get_the_largest_share() -> None:
    seen = (Bucket(0, 0, 0.75), Bucket(1, 0, 0.5))
    assert Conditional(seen, 50).w_inf() == 26
    assert Conditional(seen, 100).w_inf() == 76


def test_classes_of_public_frequency_are_fitted_apart() -> None:
    assert Binomial.fit(MAIL, frequency_bucket=0) == Binomial.fit(MAIL)
    with pytest.raises(InputError, match="state the ranges"):
        Binomial.fit(MAIL, frequency_bucket=3)
    with pytest.raises(InputError, match="state the ranges"):
        Global.fit(MAIL, frequency_bucket=3)


def test_calibrations_are_the_same_fits_without_a_promise() -> None:
    for fitted, measured in (
        (Binomial.fit(MAIL), Binomial.calibrated(MAIL)),
        (Global.fit(MAIL), Global.calibrated(MAIL)),
        (Conditional.fit(MAIL), Conditional.calibrated(MAIL)),
        (Chain.fit(MAIL, length=9), Chain.calibrated(MAIL, length=9)),
    ):
        assert replace(fitted, source="calibrated") == measured
        assert (fitted.guaranteed, measured.guaranteed) == (True, False)
    assert Group.around(MAIL).size == 7


# Estimated privately


def random_mail(rng: np.random.Generator, pairs: int, words: int, p0: float, p1: float) -> Mail:
    """Pairs of neighbouring edges; the second carries a word with p1 if the first has it, else with p0."""
    ends = [end for pair in range(pairs) for end in ((3 * pair, 3 * pair + 1), (3 * pair + 1, 3 * pair + 2))]
    first = rng.random((pairs, words)) < 0.4
    second = rng.random((pairs, words)) < np.where(first, p1, p0)
    contents = [
        {ascii_lowercase[i] for i in np.flatnonzero(bits)}
        for both in zip(first, second, strict=True)
        for bits in both
    ]
    return Mail(ends, contents)


def test_estimated_ranges_cover_the_truth_as_often_as_they_say_and_not_always() -> None:
    rng = np.random.default_rng(5)
    vocabulary = list(ascii_lowercase[:10])
    covered = narrow = 0
    for seed in range(60):
        mail = random_mail(rng, 80, 10, p0=0.2, p1=0.5)
        p0, p1 = estimate_range(
            mail, epsilon=5.0, contribution=10, vocabulary=vocabulary, confidence=0.8, rng=seed
        )
        covered += p0 <= 0.2 and p1 >= 0.5
        narrow += p0 > 0.05 and p1 < 0.75
    assert covered >= 48
    assert narrow >= 50


def test_ranges_widen_with_less_budget_and_more_confidence() -> None:
    mail = random_mail(np.random.default_rng(2), 200, 10, p0=0.2, p1=0.5)

    def upper(epsilon: float, confidence: float) -> float:
        draws = [
            estimate_range(mail, epsilon=epsilon, contribution=10, confidence=confidence, rng=seed)[1]
            for seed in range(20)
        ]
        return float(np.mean(draws))

    assert upper(5.0, 0.9) < upper(5.0, 0.999) < upper(1.0, 0.999) <= 1


def test_without_a_public_vocabulary_nothing_is_said_about_absent_ngrams() -> None:
    mail = random_mail(np.random.default_rng(2), 100, 10, p0=0.2, p1=0.5)
    model = Binomial.estimate(mail, epsilon=5.0, contribution=10)
    assert model.p0 == 0
    assert 0 < model.p1 <= 1
    assert (model.source, model.confidence, model.guaranteed) == ("private estimate", 0.99, True)
    assert model.edge_epsilon(1.0) > 1 / model.w_inf()


def test_listed_ngrams_that_no_mail_can_hold_are_refused_before_anything_is_charged(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "mail.vault", Budget(epsilon=2.0, unit=Unit.EDGE_CONTENT))
    mail = Corpus.from_messages([{"from": "a", "to": ["b", "c"], "body": "the budget"}])
    with pytest.raises(
        ArgumentError, match="1 n-grams that can never be said, the first at place 2"
    ) as refused:
        Binomial.estimate(mail, epsilon=1.0, contribution=1, vocabulary=["budget", "Budget"], vault=vault)
    assert "udget" not in str(refused.value)
    assert [entry.kind for entry in vault.entries()] == ["opened", "budget"]


def test_an_estimate_speaks_of_the_bits_that_a_histogram_of_the_same_list_counts() -> None:
    """What is not listed takes no place: gold, which neighbours share, is kept though all say iron more often."""
    rng = np.random.default_rng(8)
    pairs, p1 = 2000, 0.8
    ends = [end for i in range(pairs) for end in ((3 * i, 3 * i + 1), (3 * i + 1, 3 * i + 2))]
    first = rng.random(pairs) < 0.5
    gold = np.column_stack([first, rng.random(pairs) < np.where(first, p1, 0.1)]).ravel()
    mail = Mail(ends, [{"iron": 9} | ({"gold": 1} if bit else {}) for bit in gold.tolist()])
    p0, p1 = estimate_range(mail, epsilon=20.0, contribution=1, vocabulary=["gold"], rng=1)
    assert p0 <= 0.1
    assert 0.8 <= p1 < 0.9


def test_one_edge_changes_the_counts_by_twice_its_contribution_at_most() -> None:
    rng = np.random.default_rng(3)
    largest = 0
    for _ in range(300):
        ends = [(int(a), int(b)) for a, b in rng.integers(0, 5, size=(6, 2)) if a != b]
        contents = [set(rng.choice(list("abcdef"), 4)) for _ in ends]
        if len(neighbouring_pairs(ends)) == 0:
            continue
        changed = [*contents]
        changed[int(rng.integers(len(ends)))] = set()
        counts = [
            agreement(Rows.of(Mail(ends, bits).table(contribution=2)), neighbouring_pairs(ends))
            for bits in (contents, changed)
        ]
        largest = max(largest, sum(abs(a - b) for a, b in zip(*counts, strict=True)))
    assert largest == 4


def test_an_estimate_is_charged_before_it_is_drawn(tmp_path: Path) -> None:
    mail = random_mail(np.random.default_rng(2), 20, 5, p0=0.2, p1=0.5)
    vault = Vault.create(tmp_path / "mail.vault", Budget(epsilon=1.0, unit=Unit.EDGE_CONTENT))
    Binomial.estimate(mail, epsilon=0.6, contribution=5, vault=vault)
    (charge,) = vault.state.charges
    assert [(str(each.unit), str(each.epsilon)) for each in charge.promises] == [("edge-content", "0.6")]
    assert charge.entry in vault.state.drawn
    assert set(vault.state.facts) == {"ties"}  # edges are paired by the graph
    before = vault.entries()
    with pytest.raises(BudgetExceeded):
        Binomial.estimate(mail, epsilon=0.6, contribution=5, vault=vault)
    assert vault.entries() == before


def test_a_seeded_estimate_is_a_rehearsal_and_promises_nothing() -> None:
    mail = random_mail(np.random.default_rng(2), 20, 5, p0=0.2, p1=0.5)
    assert not Binomial.estimate(mail, epsilon=5.0, contribution=5, rng=1).guaranteed


def test_nothing_to_pair_is_said_before_the_charge(tmp_path: Path) -> None:
    vault = Vault.create(tmp_path / "mail.vault", Budget(epsilon=1.0, unit=Unit.EDGE_CONTENT))
    with pytest.raises(InputError, match="no two edges"):
        Binomial.estimate(Mail([(0, 1)], [{"a"}]), epsilon=0.6, contribution=5, vault=vault)
    assert [entry.kind for entry in vault.entries()] == ["opened", "budget"]
