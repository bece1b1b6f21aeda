"""What bounding leaves out of counts: how far one content moves each question, and that the answers are right."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from entrenous.errors import PrivacyError
from entrenous.noise import Noise
from entrenous.unit import Unit
from entrenous.words.counting.table import Table
from entrenous.words.statistics import HolderSizes, LeftOut, LeftOutSpread, ListedCounts
from entrenous.words.statistics.left_out import left_out
from entrenous.words.statistics.listed_counts import BALL, FREQUENT, holder_weights, kept_counts
from entrenous.words.statistics.weights import GRID

NAMES = ("ask", "bid", "call", "deal", "earn")
CONTENTS = [
    {word: 9 - place for place, word in enumerate(words)}
    for size in range(6)
    for words in itertools.combinations(NAMES, size)
]
CLASSES = np.array([0, 0, 1, 1, 1])


def table(*contents: dict[str, int]) -> Table:
    return Table.from_counts(contents, ends=[(i, i + 1) for i in range(len(contents))])


class Silent(Noise):
    """Noise that is none, to see what it would be added to."""

    def __init__(self) -> None:
        super().__init__(0)

    def geometric(self, counts, **_):  # type: ignore[no-untyped-def]
        return counts

    def gaussian(self, values, **_):  # type: ignore[no-untyped-def]
        return values


def answer(question, mail: Table) -> np.ndarray:  # type: ignore[no-untyped-def, type-arg]
    drawn = question.draw(mail, Unit.EDGE_CONTENT, Silent())
    return np.asarray(getattr(drawn, "answer", drawn), dtype=float)


@pytest.mark.parametrize("contribution", [1, 2, 3])
def test_a_content_moves_counts_in_a_ball_by_its_radius_and_no_further(contribution: int) -> None:
    """Removed: sqrt(c). Replaced, or a part of it removed: sqrt(2c), as for two contents."""
    vectors = [
        kept_counts(table(content, {}), NAMES, contribution=contribution, bounding=BALL)
        for content in CONTENTS
    ]
    squares = [sum(int(x) ** 2 for x in vector) for vector in vectors]
    assert max(squares) <= contribution * GRID**2
    assert max(squares) > contribution * GRID**2 * (1 - 1e-8)
    assert (
        max(
            sum((int(x) - int(y)) ** 2 for x, y in zip(a, b, strict=True))
            for a, b in itertools.product(vectors, vectors)
        )
        <= 2 * contribution * GRID**2
    )


def test_a_part_of_a_content_may_move_counts_further_than_a_whole_one() -> None:
    """The reason why a unit that changes a part of a holder pays for two contents."""
    sizes = np.array([4, 4 + 4000])
    small, large = holder_weights(sizes, 4).tolist()
    moved = 4 * (small - large) ** 2 + 4000 * large**2
    assert moved > 1.8 * 4 * GRID**2


def test_weights_are_whole_numbers_that_never_exceed_the_ball() -> None:
    sizes = np.arange(1, 5000)
    for contribution in (1, 7, 300):
        weights = holder_weights(sizes, contribution).tolist()
        for size, weight in zip(sizes.tolist(), weights, strict=True):
            assert weight**2 * size <= contribution * GRID**2 or weight == GRID
            assert (weight == GRID) == (size <= contribution)


@pytest.mark.parametrize("mechanism", ["geometric", "gaussian"])
def test_a_content_moves_one_class_of_sizes(mechanism: str) -> None:
    question = HolderSizes(NAMES, (1, 2, 3, 5), mechanism, 4.0)
    base = answer(question, table({}, {"ask": 1}))
    for first, second in itertools.product(CONTENTS, CONTENTS):
        one = answer(question, table(first, {"ask": 1}))
        other = answer(question, table(second, {"ask": 1}))
        assert np.abs(one - base).sum() <= 1
        moved = np.abs(one / 1.0 - other / 1.0).sum()
        assert moved <= question.moves[Unit.REPLACED_CONTENT] * max(1.0, base.max())
    ratio = question.price(Unit.REPLACED_CONTENT), question.price(Unit.EDGE_CONTENT)
    assert ratio[0].epsilon == pytest.approx(2 * ratio[1].epsilon)
    assert ratio[0].mu == pytest.approx(2**0.5 * ratio[1].mu)


@pytest.mark.parametrize("bounding", [FREQUENT, BALL])
def test_what_is_left_out_moves_each_class_by_one_at_most(bounding: str) -> None:
    """Any content, replaced by any other: a holder is left out of a class by 0 to 1, in the mean."""
    expected = np.array([0.3, 0.0, 0.7, 1.0, 2.0])
    asked = (NAMES, 1, bounding, CLASSES, "geometric", 2.0)
    for question in (LeftOut(*asked), LeftOutSpread(*asked, expected)):
        answers = [answer(question, table(content, CONTENTS[-1], {"bid": 1})) for content in CONTENTS]
        for one, other in itertools.product(answers, answers):
            assert np.abs(one - other).max() <= 1
        assert question.price(Unit.EDGE_CONTENT).epsilon == pytest.approx(2 / 2.0)
        assert question.price(Unit.REPLACED_CONTENT) == question.price(Unit.EDGE_CONTENT)


def test_what_is_left_out_is_counted_rightly() -> None:
    mail = table({"ask": 5, "bid": 4, "call": 3, "deal": 1}, {"ask": 1}, {"bid": 2, "call": 1})
    frequent = left_out(mail, NAMES, contribution=1, bounding=FREQUENT) / GRID
    assert frequent.tolist() == [0, 1, 2, 1, 0]
    ball = left_out(mail, NAMES, contribution=1, bounding=BALL) / GRID
    assert ball == pytest.approx([0.5, 0.5 + 1 - 0.5**0.5, 0.5 + 1 - 0.5**0.5, 0.5, 0])
    means = answer(LeftOut(NAMES, 1, FREQUENT, CLASSES, "geometric", 1.0), mail)
    assert means == pytest.approx([0.5, 1.0], abs=0.001)
    spread = answer(LeftOutSpread(NAMES, 1, FREQUENT, CLASSES, "geometric", 1.0, np.ones(5)), mail)
    assert spread == pytest.approx([0.5, 2 / 3], abs=0.001)


@pytest.mark.parametrize("mechanism", ["geometric", "gaussian"])
def test_questions_on_what_is_left_out_get_the_noise_they_pay_for(mechanism: str) -> None:
    """Two-sided: the deviation of many draws is that of the scale, and neither 30 % less nor more."""
    mail, scale = table(*CONTENTS), 50.0
    classes = np.arange(len(NAMES))
    deviation = scale * (2**0.5 if mechanism == "geometric" else 1.0)
    for question in (
        HolderSizes(NAMES, (1, 2, 3, 4, 5), mechanism, scale),
        LeftOut(NAMES, 1, FREQUENT, classes, mechanism, scale),
    ):
        drawn = [question.draw(mail, Unit.EDGE_CONTENT, Noise(seed)) for seed in range(400)]
        assert np.std(np.array(drawn) - np.mean(drawn, axis=0)) == pytest.approx(deviation, rel=0.15)


def test_counts_in_a_ball_get_the_noise_they_pay_for() -> None:
    """Two-sided, as above."""
    mail, question = table(*CONTENTS), ListedCounts(NAMES, 2, "gaussian", 40.0, BALL)
    drawn = [question.draw(mail, Unit.EDGE_CONTENT, Noise(seed)).answer for seed in range(400)]
    assert np.std(np.array(drawn) - np.mean(drawn, axis=0)) == pytest.approx(40.0, rel=0.15)


def test_what_has_no_proof_is_refused() -> None:
    with pytest.raises(PrivacyError, match="ball"):
        ListedCounts(NAMES, 1, "geometric", 1.0, BALL)
    with pytest.raises(PrivacyError, match="class"):
        LeftOut(NAMES, 1, BALL, np.array([0, 0, 2, 2, 2]), "gaussian", 1.0)
    with pytest.raises(PrivacyError, match="once"):
        LeftOut((*NAMES[:4], "ask"), 1, BALL, CLASSES, "gaussian", 1.0)
