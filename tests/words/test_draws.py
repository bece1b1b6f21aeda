"""What answers about words show besides what is paid for: digits, orders, and numbers that have no noise."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.special import log_ndtr
from scipy.stats import chi2

from entrenous.desk import Desk
from entrenous.errors import ArgumentError, PrivacyError
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.unit import Unit
from entrenous.words.counting.holder import ALL
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.counting.table import Table
from entrenous.words.histogram.wanted import HistogramRequest
from entrenous.words.rivals.statistics.adaptive_degree import TwoAdaptiveRounds, adaptive_weights
from entrenous.words.rivals.statistics.shrinking_sets import ShrinkingSets
from entrenous.words.rivals.statistics.valid_ngrams import SingleWords, ValidNgrams
from entrenous.words.statistics import (
    AdaptiveWeights,
    Agreement,
    FixedCounts,
    GuidedLonger,
    GuidedWords,
    HolderSizes,
    ListedCounts,
    NamedWeights,
    PolicyWeights,
    WidestMessages,
)
from entrenous.words.statistics.candidates import Candidates, occurring, scored
from entrenous.words.statistics.guided_rounds import Rounds, uniform_draws
from entrenous.words.statistics.guided_weights import LARGEST
from entrenous.words.statistics.listed_counts import true_counts
from entrenous.words.statistics.named_weights import noisy_scores
from entrenous.words.statistics.nested import NestedLonger, NestedWords
from entrenous.words.statistics.nested._kernels import FINE, add
from entrenous.words.statistics.threshold import uniform_threshold
from entrenous.words.statistics.weights import GRID, Rows, policy_weights, uniform_weights

EDGES = Table.from_counts([{"budget": 2, "draft": 1}] * 40, ends=[(i, i + 1) for i in range(40)])
PAIRS = np.arange(40).reshape(20, 2)


def test_each_of_the_numbers_of_agreement_has_noise() -> None:
    asked, noise = Agreement(1.0, 2, PAIRS), Noise(1)
    drawn = np.array([asked.draw(EDGES, Unit.EDGE_CONTENT, noise) for _ in range(40)])
    assert (drawn.std(axis=0) > 1.0).all()
    assert (np.abs(np.corrcoef(drawn.T) - np.eye(3)) < 0.8).all()


def test_the_noise_of_agreement_costs_what_the_question_does() -> None:
    asked = Agreement(1.0, 7, PAIRS)
    assert asked.event(Unit.EDGE_CONTENT).price.epsilon == pytest.approx(
        asked.price(Unit.EDGE_CONTENT).epsilon
    )


def test_digits_and_order_of_scores_do_not_tell_who_occurs() -> None:
    """Scores of ten thousand candidates on so coarse a grid that many are equal."""
    candidates, noise = Candidates(np.arange(100, dtype=np.int32)[:, None]), Noise(1)
    there = np.arange(1, 10_000, 40)[::-1]
    found = scored(candidates, there, np.full(len(there), 2.5), noise, grid=4.0)
    occur = np.isin(found.places, there)
    assert 50 < occur.sum() < len(found.places) - 50
    assert (found.score * 4 == np.rint(found.score * 4)).all()
    assert (np.diff(found.chance) >= 0).all()
    equal = np.flatnonzero(np.diff(found.chance) == 0)
    assert len(equal) > 100
    assert (np.diff(found.places)[equal] > 0).all()


def test_candidates_of_ones_own_kind_are_refused() -> None:
    """Their methods would see which n-grams occur."""

    class Looking(Candidates):
        """Candidates that look at what they are given."""

    with pytest.raises(PrivacyError, match="expected candidates"):
        occurring(Looking(np.array([[0], [1]], np.int32)), ("budget", "draft"), EDGES)


@pytest.mark.parametrize("mechanism", ["geometric", "gaussian"])
def test_counts_of_the_most_frequent_get_the_noise_they_pay_for(mechanism: str) -> None:
    """The sum of squares accepts the true deviation and rejects one 30 % off, whatever the noise and the count."""
    names = tuple(f"w{i}" for i in range(4000))
    asked = ListedCounts(names, 3, mechanism, 6.0)
    drawn = asked.draw(EDGES, Unit.EDGE_CONTENT, Noise(1)).answer
    deviation = 6.0 if mechanism == "gaussian" else math.sqrt(2 * math.exp(1 / 6)) / math.expm1(1 / 6)
    low, high = chi2.ppf([1e-7, 1 - 1e-7], 4000) / 4000
    spread = 1.0 if mechanism == "gaussian" else 2.5  # heavier tails make the sum of squares vary more
    for factor, expected in ((1.0, True), (0.7, False), (1.3, False)):
        ratio = (drawn.astype(float) ** 2).mean() / (factor * deviation) ** 2
        assert bool(1 + spread * (low - 1) < ratio < 1 + spread * (high - 1)) == expected


@pytest.mark.parametrize(("group", "coupling"), [(1, 1), (3, 1), (1, 40), (3, 40)])
def test_thresholds_of_counts_are_for_a_whole_group_and_its_coupling(group: int, coupling: int) -> None:
    """Whichever is worse: as many n-grams as a group has, each at one of its holders, or those of one that move far."""
    asked = FixedCounts(10.0, 1e-6, 20, group=group, coupling=coupling)
    for ngrams, moved in ((20 * group, 1), (20, coupling)):
        named = -math.expm1(ngrams * float(log_ndtr((asked.threshold - moved) / 10.0)))
        assert named <= 1e-6
    assert asked.threshold < 10.0 * 6.5 + coupling * 1.5


def test_longer_ngrams_have_noise_of_their_own() -> None:
    table = Table.from_counts(
        [{"budget": 2, "draft": 2, "budget draft": 1}] * 400, ends=[(i, i + 1) for i in range(400)], n=2
    )
    asked, noise = FixedCounts(4.0, 1e-6, 3, n=2), Noise(1)
    scores = []
    for _ in range(20):
        counted = asked.draw(table, Unit.EDGE_CONTENT, noise)
        longer = counted.longer(Candidates(counted.words.rows(1)))
        scores.append((longer.score[0], *counted.words.score))
    assert np.std(scores, axis=0).min() > 0.5
    assert np.abs(np.corrcoef(np.transpose(scores)) - np.eye(3)).max() < 0.8


def test_words_of_no_weight_get_noise_as_well() -> None:
    """Whether anybody gives a word weight follows from who says it."""
    ids, rounds = np.arange(300, dtype=np.int32), Rounds(mu=0.5, count=4, target=4.0, least=-99.0, pace=0.0)
    standing = rounds.run(lambda value: np.zeros(300, np.int64), ids, 300, Noise(1))
    assert (standing.score != 0).all()
    assert 0.8 < standing.score.std() < 1.2


def test_uniform_draws_have_all_their_bits() -> None:
    drawn = uniform_draws(Noise(1), 200_000)
    assert 0 < drawn.min() < 1e-4 < 1 - 1e-4 < drawn.max() < 1
    assert len(np.unique(drawn)) == 200_000


LETTERS = [chr(97 + number) for number in range(20)]
FORMED = Candidates(np.arange(20, dtype=np.int32)[:, None])


def said(first: int) -> dict[str, int]:
    """Return what one holder says: words, and pairs of them."""
    words = LETTERS[first:] + LETTERS[:first]
    return dict.fromkeys([*words[:9], *(f"{one} {other}" for one, other in pairwise(words[:9]))], 1)


@pytest.mark.parametrize(
    ("asked", "largest"),
    [
        (GuidedWords(0.5, 1e-6, 5), LARGEST),
        (GuidedLonger(0.5, FORMED, tuple(LETTERS)), 1.0),
        (NestedWords(0.5, 1e-6), 0.5),
        (NestedLonger(0.5, FORMED, tuple(LETTERS)), 1.0),
    ],
    ids=lambda each: type(each).__name__,
)
def test_one_holder_moves_each_round_by_one_at_most(
    asked: Any, largest: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what a round is about to add noise to, for whatever weight is worth."""
    dividing: list[Any] = []

    def stop(_: Rounds, divide: Any, ids: Any, *__: Any) -> None:
        dividing.append((divide, ids))
        raise InterruptedError

    monkeypatch.setattr(Rounds, "run", stop)
    unit = Unit.MESSAGE if isinstance(asked, NestedWords | NestedLonger) else Unit.EDGE_CONTENT
    for holders in ((0, 3, 6), (0, 3)):
        texts = [said(first) for first in (*range(20), *holders)]
        table: Table = Table.from_counts(texts, ends=[(i, i + 1) for i in range(len(texts))], n=2)
        if unit == Unit.MESSAGE:
            table = MessageTable.of(
                texts,
                senders=range(len(texts)),
                recipients=[[i + 1] for i in range(len(texts))],
                by="message",
                n=2,
            )
        with pytest.raises(InterruptedError):
            asked.draw(table, unit, Noise(1))
    rng = np.random.default_rng(1)
    for _ in range(20):
        value = rng.random(table.ngrams) ** rng.integers(1, 9)
        more, less = (divide(value * np.isin(np.arange(len(value)), ids)) for divide, ids in dividing)
        moved = (more - less) / GRID
        assert 0.1 < np.linalg.norm(moved) <= 1
        assert moved.max() <= largest
        if isinstance(asked, GuidedWords):
            assert 0 < np.count_nonzero(moved) <= 5


@pytest.mark.parametrize(
    "asked",
    [
        GuidedLonger(0.5, FORMED, tuple(LETTERS)),
        NestedLonger(0.5, FORMED, tuple(LETTERS)),
        ValidNgrams(0.5, 9, FORMED, tuple(LETTERS), least=0.0),
        FixedCounts(2.0, 0.1, 20, n=2),
    ],
    ids=lambda each: type(each).__name__,
)
def test_candidates_that_never_occur_are_scored(asked: Any) -> None:
    """Else every name would tell that somebody says it."""
    texts = [dict.fromkeys(LETTERS, 1)] * 40
    unit, noise, found = Unit.EDGE_CONTENT, Noise(1), 0
    table: Table = Table.from_counts(texts, ends=[(i, i + 1) for i in range(40)], n=2)
    if isinstance(asked, NestedLonger):
        unit = Unit.MESSAGE
        table = MessageTable.of(
            texts, senders=range(40), recipients=[[i + 1] for i in range(40)], by="message", n=2
        )
    for _ in range(10):
        drawn = asked.draw(table, unit, noise)
        longer = drawn
        if isinstance(asked, FixedCounts):
            longer = drawn.longer(Candidates(drawn.words.rows(1)))
        found += len(longer.places)
    assert found > 20


@pytest.mark.parametrize("group", [1, 4])
def test_the_threshold_of_guided_words_is_for_a_whole_group(group: int) -> None:
    asked = GuidedWords(0.5, 1e-6, 20, group)
    alone = asked.target - group * LARGEST * asked.mu
    assert -math.expm1(20 * group * float(log_ndtr(alone))) <= 1e-6 * (1 + 1e-9)
    assert -math.expm1(20 * group * float(log_ndtr(alone - 0.01))) > 1e-6


def test_an_ngram_is_listed_once() -> None:
    """Twice on a list, it would move two counts and pay for one."""
    with pytest.raises(PrivacyError, match="each n-gram once"):
        ListedCounts(("budget", "draft", "budget"), 3, "geometric", 6.0)


def test_two_writers_that_change_alike_move_the_same_counts() -> None:
    """An edge has two writers, and both may turn from three words to three others: in L2 that adds up."""
    names = ("a", "b", "c", "x", "y", "z")
    before, after = (
        true_counts(
            Table.from_counts([dict.fromkeys(words, 1)] * 2, ends=[(0, 0), (1, 1)], by=ALL),
            names,
            contribution=3,
        )
        for words in (names[:3], names[3:])
    )
    for mechanism, moved in (
        ("geometric", np.abs(before - after).sum()),
        ("gaussian", ((before - after) ** 2).sum()),
    ):
        assert ListedCounts(names, 3, mechanism, 6.0).event(Unit.ALL_OF_MAIL).repeats == moved


def test_scores_have_noise_of_one_deviation() -> None:
    drawn = noisy_scores(np.zeros(4000, np.int64), np.arange(4000), 1.7, Noise(1))
    low, high = chi2.ppf([1e-7, 1 - 1e-7], 4000) / 4000
    assert low < (drawn**2).mean() < high < (1.3 * drawn**2).mean()


@pytest.mark.parametrize(
    "asked",
    [
        *(kind(1.0, 1e-6, 1) for kind in (NamedWeights, PolicyWeights, AdaptiveWeights, SingleWords)),
        *(kind(1.0, 1e-6, 1) for kind in (ShrinkingSets, TwoAdaptiveRounds, GuidedWords)),
        NestedWords(1.0, 1e-6),
    ],
    ids=lambda each: type(each).__name__,
)
def test_whether_a_word_is_named_depends_on_noise(asked: Any) -> None:
    """For some number of holders it is named in some draws and not in others; a single holder's never is."""
    noise, often, unit = Noise(1), [], Unit.EDGE_CONTENT
    for holders in range(1, 100, 2):
        said_once = [{"budget": 1}] * holders
        table: Table = Table.from_counts(said_once, ends=[(i, i + 1) for i in range(holders)])
        if isinstance(asked, NestedWords):
            unit, others = Unit.MESSAGE, [[i + 1] for i in range(holders)]
            table = MessageTable.of(said_once, senders=range(holders), recipients=others, by="message")
        often.append(sum(len(asked.draw(table, unit, noise).names) for _ in range(20)))
    assert often[0] == 0
    assert often[-1] == 20
    assert any(2 <= times <= 18 for times in often)
    assert asked.price(unit).delta == 1e-6


def test_messages_that_were_counted_for_another_unit_are_refused() -> None:
    """They may be labelled alike, but what hides a message does not hide its thread."""
    table = MessageTable.of([{"budget": 1}], senders=[0], recipients=[[1]], by="message")
    with pytest.raises(PrivacyError, match="expected a table of what thread hides"):
        NestedWords(0.5, 1e-6).draw(table, Unit.THREAD, Noise(1))


@pytest.mark.parametrize("mechanism", ["geometric", "gaussian"])
def test_the_widest_message_is_told_by_noisy_counts(mechanism: str) -> None:
    """One edge with a message to thousands does not show, and two hundred do; between them it is up to noise."""
    asked, noise = WidestMessages(mechanism, 10.0), Noise(1)

    def told(widest: list[int]) -> list[int]:
        edges = Table.from_counts([{"a": 1}] * len(widest), ends=[(i, i + 1) for i in range(len(widest))])
        seen = Table(**vars(edges) | {"widest": np.array(widest, np.int32)})
        return [asked.draw(seen, Unit.EDGE_CONTENT, noise) for _ in range(200)]

    assert told([5000] + [1] * 300).count(4096) <= 2
    assert told([5000] * 200 + [1] * 100).count(4096) > 190
    often = told([5000] * round(asked.least) + [1] * 100).count(4096)
    assert 50 < often < 150


@pytest.mark.parametrize("mechanism", ["geometric", "gaussian"])
def test_one_edge_moves_one_class_of_widest_messages(mechanism: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What noise is added to, with the scale that is paid for, in steps of the grid."""
    asked, seen = WidestMessages(mechanism, 10.0), []

    class Watching(Noise):
        def geometric(self, counts: Any, *, sensitivity: int, epsilon: float) -> Any:
            seen.append(np.array(counts) / (sensitivity / epsilon))
            return counts

        def gaussian(self, values: Any, *, scale: float, **more: Any) -> Any:
            seen.append(np.array(values) / scale)
            return values

    for widest in ([40, 3, 1, 700], [3, 1, 700]):
        edges = Table.from_counts([{"a": 1}] * len(widest), ends=[(i, i + 1) for i in range(len(widest))])
        asked.draw(
            Table(**vars(edges) | {"widest": np.array(widest, np.int32)}), Unit.EDGE_CONTENT, Watching(1)
        )
    moved = np.abs(seen[0] - seen[1])
    assert moved.sum() == pytest.approx(0.1)
    price = asked.price(Unit.EDGE_CONTENT)
    assert moved.sum() == pytest.approx(price.mu or price.epsilon)


def test_classes_of_sizes_are_those_of_the_list() -> None:
    """How many numbers are answered must not depend on the largest holder."""
    asked = HolderSizes(("budget", "draft"), (1, 2, 4, 8), "geometric", 1.0)
    assert asked.draw(EDGES, Unit.EDGE_CONTENT, Noise(1)).shape == (4,)


class Scales(Noise):
    """Noise that notes on what scale it was drawn, and for how many numbers."""

    def __init__(self) -> None:
        super().__init__(1)
        self.scales: list[float] = []
        self.sizes: list[int] = []

    def gaussian(self, values: Any, *, scale: float, **more: Any) -> Any:
        self.scales.append(scale)
        self.sizes.append(len(values))
        return super().gaussian(values, scale=scale)


@pytest.mark.parametrize(
    "asked",
    [
        *(kind(0.5, 1e-6, 9) for kind in (NamedWeights, PolicyWeights, AdaptiveWeights, SingleWords)),
        *(kind(0.5, 1e-6, 9) for kind in (ShrinkingSets, TwoAdaptiveRounds, GuidedWords)),
        GuidedLonger(0.5, FORMED, tuple(LETTERS)),
        ValidNgrams(0.5, 9, FORMED, tuple(LETTERS), least=0.0),
        NestedWords(0.5, 1e-6),
        NestedLonger(0.5, FORMED, tuple(LETTERS)),
    ],
    ids=lambda each: type(each).__name__,
)
def test_all_noise_on_weights_costs_what_is_paid(asked: Any) -> None:
    """Each round moves by 1 at most: its mu is 1 over the scale of its noise, and their squares add up."""
    texts = [said(first) for first in range(20)]
    unit, noise = Unit.EDGE_CONTENT, Scales()
    table: Table = Table.from_counts(texts, ends=[(i, i + 1) for i in range(20)], n=2)
    if isinstance(asked, NestedWords | NestedLonger):
        unit = Unit.MESSAGE
        table = MessageTable.of(
            texts, senders=range(20), recipients=[[i + 1] for i in range(20)], by="message", n=2
        )
    asked.draw(table, unit, noise)
    squares = sum((GRID / scale) ** 2 for scale in noise.scales)
    assert squares == pytest.approx(asked.price(unit).mu ** 2, rel=1e-6)


def test_both_rounds_of_adaptive_weights_share_delta() -> None:
    asked = AdaptiveWeights(0.5, 1e-6, 50)
    first, second = asked._round(0.5), asked._round(0.5)
    for ngrams in range(1, 51):
        crossed = [
            -math.expm1(ngrams * float(log_ndtr((one.threshold - ngrams**-0.5) / one.scale)))
            for one in (first, second)
        ]
        assert sum(crossed) <= 1e-6


@pytest.mark.parametrize("kind", [AdaptiveWeights, TwoAdaptiveRounds])
def test_what_takes_part_in_a_second_round_follows_from_noisy_weights(kind: Any) -> None:
    """If the first round shows nothing, nothing is left for the second, however often it is said."""

    class Nothing(Scales):
        def gaussian(self, values: Any, *, scale: float, **more: Any) -> Any:
            return 0 * super().gaussian(values, scale=scale) - round(1000 * scale)

    table = Table.from_counts([{"budget": 1, "draft": 1}] * 400, ends=[(i, i + 1) for i in range(400)])
    noise = Nothing()
    kind(0.5, 1e-6, 9).draw(table, Unit.EDGE_CONTENT, noise)
    assert noise.sizes == [2, 0]


def test_the_cutoff_of_a_policy_is_public() -> None:
    asked = PolicyWeights(0.5, 1e-6, 9)
    table = Table.from_counts(
        [{"budget": 1, "draft": 1}, {"draft": 1, "lunch": 1}, {"draft": 1}] * 3, ends=[(0, 1)] * 9
    )
    expected = policy_weights(Rows.of(table), table.ngrams, cutoff=asked.threshold + 5 * asked.scale)
    np.testing.assert_array_equal(asked.weights(table), expected)


@pytest.mark.parametrize("size", [1, 7, 1000, 300_000])
def test_what_a_holder_gives_is_never_rounded_up(size: int) -> None:
    """In whole numbers: the squares of its steps together are no more than the grid's, and hardly less."""
    given = uniform_weights(Rows(np.array([0, size]), np.arange(size, dtype=np.int32)), size).tolist()
    assert (1 - 1e-6) * GRID**2 < sum(steps**2 for steps in given) <= GRID**2


@pytest.mark.parametrize("group", [1, 3])
@pytest.mark.parametrize("scale", [0.2, 5.0])
def test_the_uniform_threshold_is_for_a_whole_group(group: int, scale: float) -> None:
    """A group may have as many n-grams as its holders together, each at one of them, or those of one at all of them."""
    threshold, worst = uniform_threshold(scale, 1e-6, 50, group=group), 0.0
    for ngrams in range(1, 51):
        for count, weight in ((group * ngrams, ngrams**-0.5), (ngrams, group * ngrams**-0.5)):
            worst = max(worst, -math.expm1(count * float(log_ndtr((threshold - weight) / scale))))
    assert worst == pytest.approx(1e-6, rel=1e-6)


def test_nested_weights_are_never_rounded_up() -> None:
    """Of billions of additions each may lose less than a millionth of a step of the grid, and gain nothing."""
    rng = np.random.default_rng(1)
    for weight in rng.exponential(1e6, size=300).tolist():
        total, fine, times = np.zeros(1, np.int64), np.zeros(1, np.int64), int(rng.integers(1, 1000))
        add(total, fine, 0, weight, times)
        kept = Fraction(int(total[0])) + Fraction(int(fine[0]), int(FINE))
        assert Fraction(weight) * times - Fraction(times, 900_000) < kept <= Fraction(weight) * times


def test_biases_below_the_least_count_as_the_least() -> None:
    """The share that may be rerouted is proven for the least bias, and for none below."""
    rows = Rows(np.array([0, 2, 4, 6]), np.array([0, 1, 0, 2, 0, 1], np.int32))
    weights = [
        adaptive_weights(rows, 3, most=2, needed=1.25, bias=np.array([bias, 0.7, 1.0]), least_bias=0.5)
        for bias in (0.1, 0.5)
    ]
    np.testing.assert_array_equal(*weights)


def test_a_contribution_that_is_chosen_is_not_charged_as_if_it_were_given() -> None:
    """A promise for contents of so many n-grams would be another one."""
    for contribution in (None, 3):
        request = HistogramRequest.checked(epsilon=2.0, contribution=contribution, measured=True)
        asked = Desk(EDGES, unit=Unit.EDGE_CONTENT, ceiling=request.ceiling, noise=Noise(1))
        assert request.charged(asked).contribution == contribution


def test_rounds_of_rivals_share_delta() -> None:
    """In the second of two adaptive rounds n-grams of two kinds may cross: what is new, and what lost weight."""
    first, second = TwoAdaptiveRounds(0.5, 1e-6, 9).rounds
    assert first.delta + 2 * second.delta == pytest.approx(1e-6)
    assert sum(one.delta for one in ShrinkingSets(0.5, 1e-6, 9).rounds) == pytest.approx(1e-6)


@pytest.mark.parametrize("replaced", [False, True])
def test_a_price_above_what_was_requested_is_not_kept(replaced: bool) -> None:
    request = HistogramRequest.checked(epsilon=2.0, contribution=3, measured=True, replaced=replaced)
    assert request.kept(request.ceiling)
    assert not request.kept(Price(epsilon=request.ceiling.epsilon * 1.001))


def test_what_a_bounded_table_hides_is_not_measured() -> None:
    request = HistogramRequest.checked(epsilon=2.0, measured=True)
    assert request.table(EDGES, ("budget",)) is EDGES
    with pytest.raises(ArgumentError, match="one that was bounded before"):
        request.table(EDGES.bounded(1), ("budget",))
