"""What a release takes is counted wherever noise is drawn, and nothing stays changed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from entrenous import datasets, network
from entrenous.attack.side_channels.observing import counting, file_sizes, peak_memory, spent_on
from entrenous.card import Provenance
from entrenous.desk import Desk, desk
from entrenous.network import statistics
from entrenous.noise import Noise
from entrenous.release import Release
from entrenous.unit import Unit


def test_numbers_and_words_are_counted_whoever_draws() -> None:
    with counting() as spent:
        Noise().geometric(np.zeros((2, 3), np.int64), sensitivity=1, epsilon=1.0)
        Noise(1).gaussian(np.zeros(5, np.int64), scale=3.0)
        drawn = Noise(2).words(7)
        Noise(2).words(2)
    assert (spent.numbers, spent.words) == (11, 9)
    assert drawn.tolist() == Noise(2).words(7).tolist()


def test_a_release_is_what_it_would_have_been() -> None:
    club = datasets.karate_club()
    made, spent = spent_on(lambda: network.release(club, epsilon=1.0, rng=7))
    assert made.artifact == network.release(club, epsilon=1.0, rng=7).artifact
    assert spent.cpu >= spent.at_desk > 0
    assert spent.numbers >= club.n


def test_nothing_stays_changed_even_where_a_release_fails() -> None:
    before = [vars(Noise)[name] for name in ("geometric", "gaussian", "words")] + [vars(Desk)["__call__"]]
    with pytest.raises(ZeroDivisionError):
        spent_on(lambda: 1 // 0)  # type: ignore[arg-type,return-value]
    after = [vars(Noise)[name] for name in ("geometric", "gaussian", "words")] + [vars(Desk)["__call__"]]
    assert before == after
    with counting() as spent:
        pass
    Noise().words(3)
    assert spent.words == 0


def test_questions_to_a_desk_are_timed() -> None:
    asked = desk(datasets.karate_club(), unit=Unit.EDGE, epsilon=1.0)
    with counting() as spent:
        asked(statistics.Size(epsilon=0.5))
    assert spent.at_desk > 0


def test_sizes_are_those_of_what_is_saved(tmp_path: Path) -> None:
    for rng in (None, 3):
        made = network.release(datasets.karate_club(), epsilon=1.0, method="chung-lu", rng=rng)
        saved = made.save(tmp_path / f"made{rng}")
        assert file_sizes(made) == {file.name: file.stat().st_size for file in saved.iterdir()}
        assert set(file_sizes(made)) >= {"graph.edges", "card.md"}


def test_the_peak_of_memory_is_that_of_arrays() -> None:
    def released(size: int) -> Release[int]:
        np.zeros(size, np.uint8)
        return Release(1, None, Provenance("network: planted"))

    little, much = (peak_memory(lambda size=size: released(size)) for size in (1_000_000, 3_000_000))
    assert 1_990_000 < much - little < 2_010_000
