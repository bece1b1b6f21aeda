"""A recorder notes every draw of a real release, and changes none."""

from __future__ import annotations

import numpy as np

from entrenous import datasets, words
from entrenous.attack.tools.recorder import Recorder
from entrenous.desk import Desk
from entrenous.network import MECHANISMS
from entrenous.network.mechanism import Request
from entrenous.network.statistics import Degrees, Slots
from entrenous.noise import Noise
from entrenous.price import Price
from entrenous.unit import Unit
from entrenous.words.statistics import FixedCounts, NamedWeights

CLUB = datasets.karate_club()


def test_notes_hold_the_numbers_before_and_after() -> None:
    noise = Recorder(3)
    drawn = noise.answer(Degrees(epsilon=1.0), CLUB, Unit.EDGE)
    (said,) = noise.said
    (draw,) = said.draws
    assert np.array_equal(draw.true, CLUB.degrees)
    assert np.array_equal(draw.noisy, drawn)
    assert (draw.kind, draw.scale, draw.of) == ("geometric", 2.0, None)


def test_a_recorded_run_is_the_run_that_a_seed_makes() -> None:
    seen, plain = Recorder(5), Noise(5)
    question = Slots(np.arange(CLUB.n), np.ones(CLUB.n), 4, epsilon=1.0)
    assert np.array_equal(seen.answer(question, CLUB, Unit.EDGE), Noise(5).answer(question, CLUB, Unit.EDGE))
    assert np.array_equal(seen.said[0].words, plain.words(len(seen.said[0].words)))


def test_real_noise_is_recorded_as_real() -> None:
    assert not Recorder().rehearsal
    assert Recorder(1).rehearsal
    first, second = (Recorder(public=1).answer(Degrees(epsilon=1.0), CLUB, Unit.EDGE) for _ in range(2))
    assert not np.array_equal(first, second)


def test_every_question_of_a_mechanism_is_noted() -> None:
    noise = Recorder(1)
    desk = Desk(CLUB, unit=Unit.EDGE, ceiling=Price(epsilon=6.0), noise=noise)
    MECHANISMS["owner"].run(desk, Request(6.0, CLUB.n, shares=(0.4, 0.3, 0.3)))
    assert [said.statistic for said in noise.said] == [asked.statistic for asked in desk.asked]
    assert all(said.draws for said in noise.said)


def test_draws_of_words_are_labelled_by_their_ngrams() -> None:
    mail = words.Corpus.from_messages(datasets.organization(30, seed=1).messages(200))
    table = mail.table(n=2, contribution=20)
    for question in (NamedWeights(1.0, 1e-3, 20), FixedCounts(2.0, 1e-3, 20, n=2)):
        noise = Recorder(1)
        noise.answer(question, table, Unit.EDGE_CONTENT)
        assert all(len(draw.of) == len(draw.true) for draw in noise.said[0].draws if draw.of is not None)
        assert any(draw.of is not None for draw in noise.said[0].draws)
