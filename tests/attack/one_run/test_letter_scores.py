"""What an attacker works out from planted letters alone is what the whole mail was asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from entrenous import datasets
from entrenous.attack.one_run.canary_letters import SHAPES, counted_letters, named_letters
from entrenous.attack.one_run.invented_letters import joined
from entrenous.attack.one_run.letter_scores import drawn_scores, log_ratios, true_values
from entrenous.attack.tools.recorder import Recorder, Said
from entrenous.desk import Desk
from entrenous.words import Corpus
from entrenous.words.counting.holder import ALL, HOLDERS, MESSAGE, Holder
from entrenous.words.counting.table import Table
from entrenous.words.histogram import HistogramRequest
from entrenous.words.histogram.release import drawn as draw_counts
from entrenous.words.request import TableDesk
from entrenous.words.statistics.listed_counts import ListedCounts
from entrenous.words.vocabulary.desks import Desks
from entrenous.words.vocabulary.release import drawn as draw_names
from entrenous.words.vocabulary.vocabulary_request import VocabularyRequest

CANARIES = 40
COINS = np.random.default_rng(5).random(CANARIES) < 0.5


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_messages(datasets.organization(12, seed=1).messages(60))


def named(corpus: Corpus, by: Holder, canary: str) -> tuple[Said, Table, Table, np.ndarray, np.ndarray]:
    """Publish a vocabulary, and return its last question, both planted worlds, and whose n-grams are whose."""
    word = next(name for name, each in HOLDERS.items() if each == by)
    request = VocabularyRequest.checked(4.0, 1e-5, None, None, word, None, 2)
    letters = named_letters(by, CANARIES, mu=0.8, canary=canary)
    said = letters.said(2)
    held = letters.messages if by.messages else letters.table
    both = joined(request.table(corpus), held(COINS, by, 2, said))
    recorder = Recorder(3)
    draw_names(both.table, both.table, request, Desks(both.table, by.unit, request.prices, recorder), None)
    without, present = (held(np.full(CANARIES, there), by, 2, said) for there in (False, True))
    return recorder.said[-1], without, present, both.places, letters.owners(said)


@pytest.mark.parametrize(("by", "canary"), [(by, canary) for by, kinds in SHAPES.items() for canary in kinds])
def test_planted_letters_alone_tell_the_true_weights_of_the_whole_mail(
    corpus: Corpus, by: Holder, canary: str
) -> None:
    said, without, present, places, owners = named(corpus, by, canary)
    moved = 0
    for one, other in zip(
        true_values(said, without, places), true_values(said, present, places), strict=True
    ):
        (draw, of, plain, noisy), (_, _, there, _) = one, other
        assert of is not None
        assert draw.of is not None
        place = np.searchsorted(draw.of, places[of])
        np.testing.assert_array_equal(draw.noisy[place], noisy)
        expected = np.where(COINS[owners[of]], there, plain)
        np.testing.assert_array_equal(draw.true[place], expected)
        moved += int((there != plain).sum())
    assert moved > CANARIES


@pytest.mark.parametrize("by", [MESSAGE, ALL], ids=str)
@pytest.mark.parametrize("noise", ["geometric", "gaussian"])
def test_planted_letters_alone_tell_the_true_counts_of_a_list(corpus: Corpus, by: Holder, noise: str) -> None:
    delta = 1e-5 if noise == "gaussian" else None
    word = next(name for name, each in HOLDERS.items() if each == by)
    request = HistogramRequest.checked(
        epsilon=2.0, contribution=1, unit=word, noise=noise, delta=delta, measured=None
    )
    letters, names = counted_letters(by, CANARIES, contribution=1, ball=noise == "gaussian")
    said = letters.said(1)
    both = joined(request.table(corpus, names), letters.table(COINS, by, 1, said))
    recorder = Recorder(3)
    desk: TableDesk = Desk(both.table, unit=by.unit, ceiling=request.ceiling, noise=recorder)
    draw_counts(desk, both.table, request, names, None, "not stated")
    asked = next(each for each in recorder.said if isinstance(each.statistic, ListedCounts))
    owners = letters.owners(said)[said.names.look_up(names)]
    worlds = [letters.table(np.full(CANARIES, there), by, 1, said) for there in (False, True)]
    (draw, _, plain, _), (_, _, there, _) = (true_values(asked, table, both.places)[0] for table in worlds)
    np.testing.assert_array_equal(draw.true, np.where(COINS[owners], there, plain))
    # As much is moved as the price allows, or nearly, and no more.
    squares = np.bincount(owners, weights=((there - plain) / (2**32 if delta else 1)) ** 2)
    allowed = by.squares if delta else 2 * by.changes if by == ALL else by.changes
    assert (squares <= allowed + 1e-6).all()
    assert (squares > 0.7 * allowed).all()


def test_scores_look_at_what_was_drawn_and_at_no_coin(corpus: Corpus) -> None:
    said, without, present, places, owners = named(corpus, MESSAGE, "message")
    scores = drawn_scores(said, without, present, places, owners, CANARIES)
    blind = [replace(draw, true=np.zeros_like(draw.true)) for draw in said.draws]
    again = drawn_scores(replace(said, draws=blind), without, present, places, owners, CANARIES)
    np.testing.assert_array_equal(scores, again)
    louder = [
        draw if draw.kind == "words" else replace(draw, noisy=draw.noisy + int(draw.scale))
        for draw in said.draws
    ]
    assert (
        drawn_scores(replace(said, draws=louder), without, present, places, owners, CANARIES).sum()
        > scores.sum()
    )


def test_ratios_of_normal_noise_are_those_of_its_density() -> None:
    from scipy.stats import norm

    plain, there, noisy = np.array([0, 5, 9]), np.array([3, 5, 7]), np.array([2, 8, -4])
    expected = norm.logpdf(noisy, there, 2.5) - norm.logpdf(noisy, plain, 2.5)
    np.testing.assert_allclose(log_ratios("gaussian", 2.5, plain, there, noisy), expected)
