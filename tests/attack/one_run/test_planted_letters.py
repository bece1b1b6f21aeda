"""One release of mail with many canaries: what is sound is not accused, planted faults are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.real_data import DATA

from entrenous import datasets
from entrenous.attack import Finding, planted_letters
from entrenous.errors import ArgumentError
from entrenous.noise import Noise
from entrenous.unit import Unit
from entrenous.words import Corpus
from entrenous.words.counting.holder import HOLDERS
from entrenous.words.counting.message_table import MessageTable
from entrenous.words.statistics.nested import NESTINGS, Nesting, nesting

UNITS = tuple(name for name in HOLDERS if name != "edge")
DELTA = 1e-5


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_messages(datasets.organization(20, seed=1).messages(200))


def names(corpus: Corpus, unit: str, canaries: int = 1000, **more: Any) -> list[Finding]:
    return planted_letters(corpus, unit=unit, epsilon=4.0, delta=DELTA, canaries=canaries, rng=1, **more)


@pytest.mark.parametrize("unit", UNITS)
def test_vocabularies_give_much_of_their_epsilon_and_no_more(corpus: Corpus, unit: str) -> None:
    drawn, published, apart = names(corpus, unit)
    assert not any(each.broken for each in (drawn, published, apart))
    assert drawn.measured > 1.0
    assert published.measured > 0.1
    assert apart.measured > 1.5
    assert drawn.unit == HOLDERS[unit].unit.name


@pytest.mark.parametrize("unit", UNITS)
def test_counts_give_much_of_their_epsilon_and_no_more(corpus: Corpus, unit: str) -> None:
    drawn, published = planted_letters(
        corpus, what="histogram", unit=unit, epsilon=2.0, canaries=2000, vocabulary=["the"], rng=1
    )
    assert not drawn.broken
    assert drawn.measured > 1.0
    assert published.measured == drawn.measured  # counts are published as they were drawn


@pytest.mark.parametrize("unit", ["message", "all"])
def test_counts_in_a_ball_give_much_of_their_epsilon_and_no_more(corpus: Corpus, unit: str) -> None:
    drawn, published, apart = planted_letters(
        corpus, what="histogram", unit=unit, epsilon=4.0, delta=DELTA, canaries=800, rng=1
    )
    assert not any(each.broken for each in (drawn, published, apart))
    assert drawn.measured > 0.3
    assert apart.measured > 0.6
    assert drawn.details["epsilon of any noise"] < 4


def half_as_wide(self: Noise, values: Any, *, scale: float, **_: Any) -> Any:
    noise = np.rint(self.generator.normal(size=np.shape(values)) * scale / 2)
    return np.asarray(values + noise, dtype=np.int64)


def half_the_noise(self: Noise, counts: Any, *, sensitivity: int, epsilon: float, **_: Any) -> Any:
    success = -np.expm1(-2 * epsilon / sensitivity)
    up, down = self.generator.geometric(success, size=(2, *np.shape(counts)))
    return np.asarray(counts + (up - down), dtype=np.int64)


def test_half_the_noise_is_caught(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Noise, "gaussian", half_as_wide)
    monkeypatch.setattr(Noise, "geometric", half_the_noise)
    # An attacker who does not know of the fault takes the noise for what is stated; the signs of ratios are right.
    assert names(corpus, "message")[2].broken
    assert planted_letters(corpus, what="histogram", unit="message", epsilon=2.0, canaries=4000, rng=1)[
        0
    ].broken


def on_each_edge(self: Nesting, table: MessageTable) -> Any:
    return np.ones(table.holders)


FAULTS: dict[str, tuple[str, str | None, Callable[[pytest.MonkeyPatch], None]]] = {
    "a message counts on each of its edges": (
        "edge-and-message", None, lambda patch: patch.setattr(Nesting, "shares", on_each_edge),
    ),
    "all messages of a thread count": (
        "thread", None, lambda patch: patch.setitem(NESTINGS, Unit.THREAD.name, Nesting()),
    ),
    "edges are not clipped": (
        "edge-and-message", "edge", lambda patch: patch.setitem(NESTINGS, Unit.EDGE_AND_MESSAGE.name, Nesting()),
    ),
    "an edge is clipped to twice its radius": (
        "all", "edge", lambda patch: (
            patch.setattr(Nesting, "radius", 1.0), patch.setattr(nesting, "_INNER_STEEP", 10.0),
            patch.setattr(nesting, "_OUTER_STEEP", 10.0),
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_caught(corpus: Corpus, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    unit, canary, plant = FAULTS[fault]
    assert not names(corpus, unit, canary=canary)[2].broken
    plant(monkeypatch)
    found = names(corpus, unit, canary=canary)[2]
    assert found.broken
    assert found.beyond_doubt is not None
    assert found.beyond_doubt > 4.2


def test_without_a_seed_canaries_are_planted_all_the_same(corpus: Corpus) -> None:
    found = planted_letters(corpus, what="histogram", unit="message", epsilon=2.0, canaries=200)
    assert [each.details["canaries"] for each in found] == [200, 200]
    assert (
        found[0].details["right"] > found[0].details["guesses"] / 2
    )  # by chance with less than one in a billion


def test_what_cannot_be_attacked_is_refused(corpus: Corpus) -> None:
    with pytest.raises(ArgumentError, match="20 or more"):
        names(corpus, "message", canaries=10)
    with pytest.raises(ArgumentError, match="delta"):
        planted_letters(corpus, epsilon=1.0)
    with pytest.raises(ArgumentError, match="what"):
        planted_letters(corpus, what="graph", epsilon=1.0)


@pytest.mark.data
@pytest.mark.long
def test_real_mail_under_the_default_unit() -> None:
    mail = Corpus.read(DATA / "mail" / "enron-core.jsonl.gz")
    drawn, published, apart = planted_letters(mail, epsilon=4.0, delta=DELTA, canaries=4000, rng=1)
    assert not any(each.broken for each in (drawn, published, apart))
    assert 1.6 < drawn.measured < 4
    assert 2.8 < apart.measured < 4
