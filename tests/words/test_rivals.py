"""Rivals: none moves further than it says, none names more than its delta, and each draws by the law of its paper."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import ndtr
from tests import naive
from tests.real_data import DATA

from entrenous.desk import Desk
from entrenous.errors import ArgumentError, PrivacyError
from entrenous.noise import Noise
from entrenous.price import gaussian_delta
from entrenous.words.corpus import Corpus
from entrenous.words.counting.table import Table
from entrenous.words.request import TableDesk
from entrenous.words.rivals import DPNE, RIVALS, Ours, Rival, TunedDPNE, compare
from entrenous.words.rivals.statistics import ShrinkingSets, TwoAdaptiveRounds
from entrenous.words.rivals.statistics import _kernels as _rival_kernels
from entrenous.words.rivals.statistics.adaptive_degree import adaptive_weights, discount
from entrenous.words.statistics.candidates import Candidates
from entrenous.words.statistics.weights import GRID, Rows, policy_weights, uniform_weights

FloatArray = NDArray[np.float64]
NGRAMS = 6
HOLDERS = st.lists(st.lists(st.integers(0, NGRAMS - 1), unique=True, max_size=NGRAMS), min_size=1, max_size=8)
BIASES = st.lists(st.floats(0.5, 1.0) | st.just(1.0), min_size=NGRAMS, max_size=NGRAMS)
SET = st.lists(st.integers(0, NGRAMS - 1), unique=True, max_size=NGRAMS)
Rule = Callable[[Sequence[Sequence[int]]], FloatArray]
ALL = (Ours, *RIVALS.values())


def rows_of(holders: Sequence[Sequence[int]]) -> Rows:
    offsets = np.cumsum([0, *map(len, holders)]).astype(np.int64)
    return Rows(offsets, np.array([ngram for holder in holders for ngram in holder], np.int32))


def uniform(holders: Sequence[Sequence[int]]) -> FloatArray:
    return uniform_weights(rows_of(holders), NGRAMS) / GRID


def policy(cutoff: float) -> Rule:
    return lambda holders: policy_weights(rows_of(holders), NGRAMS, cutoff=cutoff) / GRID


def adaptive(most: int, needed: float, bias: Sequence[float] | None = None) -> Rule:
    biases = None if bias is None else np.array(bias)
    least, largest = (1.0, 1.0) if bias is None else (0.5, 2.0)
    return lambda holders: (
        adaptive_weights(
            rows_of(holders),
            NGRAMS,
            most=most,
            needed=needed,
            bias=biases,
            least_bias=least,
            most_bias=largest,
        )
        / GRID
    )


def rerouted(share: float, most: int, needed: float) -> Rule:
    """Adaptive weights with any share of the excess rerouted, sound or not."""

    def rule(holders: Sequence[Sequence[int]]) -> FloatArray:
        total, rows = np.zeros(NGRAMS), rows_of(holders)
        _rival_kernels.reroute(rows.offsets, rows.ngram, np.ones(NGRAMS), 1.0, most, needed, share, total)
        return total

    return rule


def movement(rule: Rule, holders: Sequence[Sequence[int]]) -> float:
    """Return by how much the weights move, at most, when one holder is removed."""
    everything = rule(holders)
    return max(
        float(np.linalg.norm(everything - rule([*holders[:left_out], *holders[left_out + 1 :]])))
        for left_out in range(len(holders))
    )


# How far one holder moves the weights


@given(HOLDERS, st.integers(1, 6), st.floats(1.0, 3.0))
def test_adaptive_weights_move_by_one_at_most(holders: list[list[int]], most: int, needed: float) -> None:
    assert movement(adaptive(most, needed), holders) <= 1


@given(HOLDERS, st.integers(1, 6), st.floats(1.0, 3.0), BIASES)
def test_biased_weights_move_by_one_at_most(
    holders: list[list[int]], most: int, needed: float, bias: list[float]
) -> None:
    assert movement(adaptive(most, needed, bias), holders) <= 1


@pytest.mark.parametrize("biased", [False, True])
def test_a_random_hunt_finds_no_offender(biased: bool) -> None:
    rng, worst = np.random.default_rng(3), 0.0
    for _ in range(1500):
        most = int(rng.integers(1, 7))
        common = list(rng.permutation(NGRAMS)[:most])
        holders = [common] * int(rng.integers(1, 30)) + [[common[0]]] * int(rng.integers(0, 4))
        bias = rng.choice([0.5, 0.7, 1.0], NGRAMS).tolist() if biased else None
        worst = max(worst, movement(adaptive(most, float(rng.uniform(1, 4)), bias), [common, *holders]))
    assert 0.9 < worst <= 1


def test_rerouting_all_of_the_excess_would_be_noticed() -> None:
    """Forty holders of the same two n-grams, and one that lifts the first to just where excess begins."""
    holders, needed = [[0, 1]] * 40 + [[0]], 20.5
    assert movement(rerouted(1.0, 2, needed), holders) > 1.04
    assert movement(adaptive(2, needed), holders) <= 1


@given(HOLDERS, st.integers(1, 6), st.floats(1.0, 3.0), BIASES, st.data())
def test_novel_ngrams_weigh_no_more_than_the_threshold_allows(
    holders: list[list[int]], most: int, needed: float, bias: list[float], data: st.DataObject
) -> None:
    novel = data.draw(st.integers(1, NGRAMS - 1))
    mine = data.draw(st.lists(st.integers(0, NGRAMS - novel - 1), unique=True))
    others = [[ngram for ngram in holder if ngram < NGRAMS - novel] for holder in holders]
    weights = adaptive(most, needed, bias)([*others, [*mine, *range(NGRAMS - novel, NGRAMS)]])[-novel:]
    biased = np.array(bias[-novel:]) < 1  # noise may have shown them high
    for kind in (biased, ~biased):
        assert not kind.any() or weights[kind].max() <= 1 / math.sqrt(kind.sum())


@given(HOLDERS, SET, SET, st.floats(0.5, 6.0), st.integers(1, 6))
def test_a_replaced_set_moves_weights_by_what_each_rival_says(
    holders: list[list[int]], first: list[int], second: list[int], cutoff: float, most: int
) -> None:
    named = {
        "weighted Gaussian": uniform,
        "DP-SIPS": uniform,  # of what earlier rounds left over
        "DPNE": uniform,  # of what released n-grams form
        "policy Gaussian": policy(cutoff),
        "MAD, two rounds": adaptive(most, 1 + cutoff / 6),
    }
    assert named.keys() == RIVALS.keys() - {TunedDPNE.name}
    for name, rule in named.items():
        moved = rule([*holders, first]) - rule([*holders, second])
        assert np.linalg.norm(moved) <= RIVALS[name].replaced * (1 + 1e-12)


@given(st.integers(1, NGRAMS), st.integers(1, NGRAMS))
def test_a_part_of_a_set_moves_uniform_weights_by_less(most: int, least: int) -> None:
    whole, part = list(range(max(most, least))), list(range(min(most, least)))
    moved = float(np.linalg.norm(uniform([whole]) - uniform([part])))
    assert moved == pytest.approx(math.sqrt(2 - 2 * math.sqrt(len(part) / len(whole))), abs=1e-6)
    assert moved <= math.sqrt(2 - 2 / math.sqrt(len(whole))) + 1e-6


def test_bounded_sets_can_have_nothing_in_common_with_what_a_message_leaves() -> None:
    """Without one message the n-grams of an edge that take part are others: sqrt 2 is reached."""
    edge = Table.from_counts([{"a": 5, "b": 1}], ends=[(0, 1)])
    left = Table.from_counts([{"a": 0, "b": 1}], ends=[(0, 1)])
    names = [{table.names[int(i)] for i in Rows.of(table, most=1).ngram} for table in (edge, left)]
    assert names == [{"a"}, {"b"}]
    assert np.linalg.norm(uniform([[0]]) - uniform([[1]])) == pytest.approx(RIVALS["DPNE"].replaced)


@given(HOLDERS, BIASES, st.integers(1, 6), st.floats(1, 3), st.floats(0, 1), st.floats(1, 2))
def test_rerouting_matches_its_naive_twin(
    holders: list[list[int]], bias: list[float], most: int, needed: float, share: float, largest: float
) -> None:
    total, rows = np.zeros(NGRAMS), rows_of(holders)
    _rival_kernels.reroute(rows.offsets, rows.ngram, np.array(bias), largest, most, needed, share, total)
    assert total.tolist() == pytest.approx(naive.reroute(holders, bias, largest, most, needed, share))


def test_weights_refuse_what_is_not_proven() -> None:
    with pytest.raises(ArgumentError, match="needed"):
        adaptive(2, 0.9)([[0]])
    endless = np.broadcast_to(np.int32(0), (2**33,))  # takes no memory
    with pytest.raises(ArgumentError, match="rounding"):
        adaptive_weights(Rows(np.array([0, len(endless)]), endless), 1, most=2, needed=2.0)


# What it costs


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
@pytest.mark.parametrize("moved", [False, True])
def test_the_price_keeps_what_is_asked_for(kind: type[Rival], moved: bool) -> None:
    epsilon, delta = 2.0, 1e-4
    rule = kind.within(epsilon, delta, moved=moved)
    paid = gaussian_delta(rule.mu * (kind.replaced if moved else 1.0), epsilon)
    assert 0.99 * delta < paid + rule.delta * (2 if moved else 1) <= delta
    assert kind.within(epsilon, delta, moved=moved).contribution == kind.usual


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_a_rule_spends_all_of_its_price_and_no_more(kind: type[Rival]) -> None:
    table = Table.from_counts([{"a": 1, "b": 1, "a b": 1}] * 400, ends=[(0, 1)] * 400)
    rule = kind.within(3.0, 1e-4)
    desk: TableDesk = Desk(table, unit=table.by.unit, ceiling=rule.price, noise=Noise(1))
    assert set(rule.ask(desk).names) >= {"a", "b"}
    assert desk.spent.mu == pytest.approx(rule.mu)
    assert desk.spent.delta == pytest.approx(rule.delta)
    with pytest.raises(PrivacyError, match="exceeds"):
        rule.ask(desk)


@pytest.mark.parametrize("growth", [0.4, 1.0, 1.7])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_dpne_divides_its_budget_over_lengths(growth: float, n: int) -> None:
    rule = DPNE(0.5, 1e-6, 100, n=n, growth=growth)
    scales = [rule.scale_of(length) for length in range(1, n + 1)]
    assert math.fsum(1 / scale**2 for scale in scales) == pytest.approx(0.25)
    assert [b / a for a, b in itertools.pairwise(scales)] == pytest.approx([growth] * (n - 1))


@pytest.mark.parametrize("spurious", [0.001, 0.01, 0.2])
def test_dpne_caps_what_noise_alone_releases(spurious: float) -> None:
    words = Candidates(np.arange(500, dtype=np.int32).reshape(-1, 1))
    least = DPNE(0.5, 1e-6, 100, spurious=spurious).least(words)
    assert words.total == 500**2
    assert words.total * ndtr(-least) == pytest.approx(spurious * 500)
    with pytest.raises(ArgumentError, match="spurious"):
        DPNE(0.5, 1e-6, 100, spurious=1.5)


# What is lost at the threshold


def alone(rule: Rival, novel: int) -> float:
    """Return the chance that any of so many n-grams, all of one holder alone, is named; each weighs 1 / sqrt(novel)."""
    question = rule.question  # type: ignore[attr-defined]
    rounds = question.rounds if isinstance(question, ShrinkingSets | TwoAdaptiveRounds) else (question,)
    kept = 1.0
    for one in rounds:
        kept *= float(ndtr((one.threshold - 1 / math.sqrt(novel)) / one.scale)) ** novel
    return 1 - kept


@pytest.mark.parametrize("kind", RIVALS.values(), ids=lambda kind: kind.name)
def test_a_holder_alone_is_named_with_delta_at_most(kind: type[Rival]) -> None:
    rule = kind.within(1.0, 1e-3, contribution=200)
    worst = max(alone(rule, novel) for novel in range(1, 201))
    assert 0.5 * rule.delta < worst <= rule.delta * (1 + 1e-9)


@pytest.mark.long
@pytest.mark.parametrize("kind", RIVALS.values(), ids=lambda kind: kind.name)
def test_what_one_holder_alone_says_is_seldom_drawn(kind: type[Rival]) -> None:
    rule = kind(0.7, 0.05, 1, 1)
    times = 4000
    table = Table.from_counts([{f"w{i}": 1} for i in range(times)], ends=[(0, 1)] * times, n=1)
    desk: TableDesk = Desk(table, unit=table.by.unit, ceiling=rule.price, noise=Noise(2))
    named = len(rule.ask(desk).names)
    assert 0.5 * alone(rule, 1) * times < named
    assert named <= 0.05 * times + 5.5 * math.sqrt(0.05 * 0.95 * times)


# The law of what comes out: one n-gram that is all that some holders have


def one_round(weight: float, scale: float, threshold: float, cells: FloatArray) -> FloatArray:
    """Return the chances that nothing is named, then of a noisy weight in each cell above the threshold."""
    cells = threshold + cells * scale
    return np.array([ndtr((threshold - weight) / scale), *np.diff(ndtr((cells - weight) / scale))])


def law(rule: Rival, holders: int, cells: FloatArray) -> FloatArray:
    """Return the chances of all that may come out: nothing, or a round with a cell of the noisy weight."""
    question = rule.question  # type: ignore[attr-defined]
    if not isinstance(question, ShrinkingSets | TwoAdaptiveRounds):
        drawn = one_round(holders, question.scale, question.threshold, cells)
        return drawn if holders else np.array([1.0, *(0.0 * drawn[1:])])
    if holders == 0:
        return np.array([1.0, *np.zeros(len(question.rounds) * (len(cells) - 1))])
    if isinstance(question, ShrinkingSets):
        left, named = 1.0, []
        for one in question.rounds:
            drawn = one_round(holders, one.scale, one.threshold, cells)
            named.append(left * drawn[1:])
            left *= drawn[0]
        return np.concatenate([[left], *named])
    first, second = question.rounds
    weight = rerouted_weight(question, holders, 1.0, first.threshold + 2 * first.scale, 1.0)
    drawn = one_round(weight, first.scale, first.threshold, cells)
    shown = np.linspace(first.threshold - 14 * first.scale - weight, first.threshold, 1001)
    chances = np.diff(ndtr((shown - weight) / first.scale))
    nothing, later = float(ndtr((shown[0] - weight) / first.scale)), np.zeros(len(cells) - 1)
    for height, chance in zip((shown[1:] + shown[:-1]) / 2, chances, strict=True):
        if height + question.high * first.scale <= second.threshold:
            nothing += chance
            continue
        likely = max(height - question.low * first.scale, 1e-9)
        bias = min(max(second.threshold / likely, question.least_bias), 1.0)
        weight = rerouted_weight(question, holders, bias, second.threshold + 2 * second.scale, 0.5)
        after = one_round(weight, second.scale, second.threshold, cells)
        nothing += chance * after[0]
        later += chance * after[1:]
    return np.concatenate([[nothing], drawn[1:], later])


def rerouted_weight(
    question: TwoAdaptiveRounds, holders: int, bias: float, needed: float, least: float
) -> float:
    """Return the weight of an n-gram that is all that so many holders have."""
    early = holders * bias**2
    back = holders * bias**2 * max(1 - needed / early, 0.0)
    return (
        min(early, needed)
        + holders * (bias - bias**2)
        + discount(question.degree, least) * back / question.degree
    )


ONE_QUESTION = [kind for kind in RIVALS.values() if not issubclass(kind, DPNE)]
CELLS = np.linspace(0.0, 30.0, 601)


@pytest.mark.parametrize("holders", [1, 2, 4, 9])
@pytest.mark.parametrize("kind", ONE_QUESTION, ids=lambda kind: kind.name)
def test_rivals_keep_the_promise_on_a_tiny_table(kind: type[Rival], holders: int) -> None:
    epsilon, delta = 1.5, 1e-2
    rule = kind.within(epsilon, delta, contribution=1)
    more, less = law(rule, holders, CELLS), law(rule, holders - 1, CELLS)
    assert more.sum() == pytest.approx(1, abs=1e-6)
    lost = [np.maximum(a - math.exp(epsilon) * b, 0.0).sum() for a, b in ((more, less), (less, more))]
    assert max(lost) <= delta


@pytest.mark.parametrize("kind", ONE_QUESTION, ids=lambda kind: kind.name)
def test_a_third_of_the_noise_would_be_noticed(kind: type[Rival]) -> None:
    epsilon, delta = 1.5, 1e-2
    rule = kind.within(epsilon, delta, contribution=1)
    low = kind(3 * rule.mu, rule.delta, 1)
    laws = [law(low, holders, CELLS) for holders in range(1, 8)]
    lost = [np.maximum(b - math.exp(epsilon) * a, 0.0).sum() for a, b in itertools.pairwise(laws)]
    assert max(lost) > 2 * delta


@pytest.mark.long
@pytest.mark.parametrize("kind", ONE_QUESTION, ids=lambda kind: kind.name)
@pytest.mark.parametrize("holders", [5, 8])
def test_the_law_of_each_rival_is_the_one_that_is_drawn(kind: type[Rival], holders: int) -> None:
    rule, times = kind(0.4, 0.2, 1), 2000
    words = [{f"w{word}": 1} for word in range(times) for _ in range(holders)]
    table = Table.from_counts(words, ends=[(0, 1)] * len(words))
    desk: TableDesk = Desk(table, unit=table.by.unit, ceiling=rule.price, noise=Noise(5))
    share = len(rule.ask(desk).names) / times
    exact = 1 - law(rule, holders, CELLS)[0]
    assert 0.05 < exact < 0.99
    assert abs(share - exact) < 5.5 * math.sqrt(exact * (1 - exact) / times) + 1e-3


@pytest.mark.long
def test_the_law_of_dpne_is_the_one_that_is_drawn() -> None:
    """Two words in a row at every holder: words come first, then all pairs of released ones, said or not."""
    rule, holders, times = DPNE(1.4, 0.05, 10, spurious=0.09), 6, 3000
    table = Table.from_counts([{"a": 1, "b": 1, "a b": 1}] * holders, ends=[(0, 1)] * holders)
    seen = {"a": 0, "a b": 0, "b a": 0, "both": 0}
    for seed in range(times):
        desk: TableDesk = Desk(table, unit=table.by.unit, ceiling=rule.price, noise=Noise(seed))
        names = set(rule.ask(desk).names)
        both = {"a", "b"} <= names
        seen["a"] += "a" in names
        seen["both"] += both
        seen["a b"] += both and "a b" in names
        seen["b a"] += both and "b a" in names
    word = float(1 - ndtr((rule.threshold - holders / math.sqrt(2)) / rule.scale_of(1)))
    least = rule.least(Candidates(np.array([[0], [1]], np.int32)))
    said = float(1 - ndtr(least - holders / rule.scale_of(2)))
    spurious = 0.09 * 2 / 4
    assert ndtr(-least) == pytest.approx(spurious)
    exact = {"a": word, "both": word**2, "a b": word**2 * said, "b a": word**2 * spurious}
    for name, chance in exact.items():
        assert abs(seen[name] / times - chance) < 5.5 * math.sqrt(chance * (1 - chance) / times), name


# Side by side


def test_rules_are_compared_at_one_price() -> None:
    table = Table.from_counts([{"a": 1, "b": 1, "a b": 1}] * 300, ends=[(0, 1)] * 300)
    steps: list[tuple[int, int]] = []
    rows = compare(
        table,
        epsilon=3.0,
        delta=1e-5,
        seeds=[4, 5],
        progress=lambda made, total: steps.append((made, total)),
    )
    assert [row.rule for row in rows] == [Ours.name, *RIVALS]
    assert steps == [(made, 2 * len(rows)) for made in range(1, 2 * len(rows) + 1)]
    for row in rows:
        assert 2 <= row.least <= row.named <= row.most <= 3
        assert 0.5 < row.precision <= 1
        assert row.citation
    moved = compare(table, epsilon=3.0, delta=1e-5, seeds=1, moved=True)
    assert all(more.threshold > one.threshold for more, one in zip(moved, rows, strict=True))


def test_what_names_nothing_is_not_wrong() -> None:
    table = Table.from_counts([{"a": 1}], ends=[(0, 1)])
    assert {(row.named, row.precision) for row in compare(table, epsilon=1.0, delta=1e-6, seeds=1)} == {
        (0.0, 1.0)
    }


@pytest.mark.data
@pytest.mark.long
def test_ours_names_more_of_real_mail_than_any_rival() -> None:
    table = Corpus.read(DATA / "mail" / "enron-core.jsonl.gz").table(n=2)
    ours, *rivals = compare(table, epsilon=3.0, delta=1e-5, seeds=1)
    assert ours.named > 1.3 * max(row.named for row in rivals)
