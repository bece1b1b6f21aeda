"""Releases of words hold on mail without one unit; each planted fault is found by one replay."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from entrenous import datasets
from entrenous.attack import replay_correlation, replay_histogram, replay_vocabulary
from entrenous.attack.replay import Replay
from entrenous.noise import Noise
from entrenous.words import Corpus, Group
from entrenous.words.counting.holder import HOLDERS
from entrenous.words.reading.public_edges import PublicEdges
from entrenous.words.statistics import Agreement
from entrenous.words.statistics.guided_rounds import Rounds
from entrenous.words.statistics.listed_counts import ListedCounts
from entrenous.words.statistics.named_weights import NamedWeights
from entrenous.words.statistics.nested.nesting import Nesting
from entrenous.words.vocabulary import WEIGHTINGS

LETTERS = list(datasets.organization(120, seed=1).messages(2000))
PEOPLE = sorted({letter["from"] for letter in LETTERS})
#: Besides ordinary messages two to many people, and one with words that nobody else says.
BROADCASTS = [
    dict(
        LETTERS[place],
        id=f"<broadcast-{place}@example.org>",
        to=[name for name in PEOPLE if name != LETTERS[place]["from"]][:60],
    )
    for place in (0, 1)
]
ALONE = dict(
    LETTERS[2],
    id="<alone@example.org>",
    body=" ".join(f"own{first}{second}" for first in "abcdefgh" for second in "abcdefgh"),
)
MAIL = Corpus.from_messages([*LETTERS, *BROADCASTS, ALONE])
NAMES = tuple(dict.fromkeys(["nobody says this", *list(MAIL.table(n=1).names)[:60]]))
UNITS = [name for name in HOLDERS if name != "edge"]
ASKED: dict[str, Any] = {"epsilon": 8.0, "delta": 1e-6, "published": 1}


@pytest.mark.long
@pytest.mark.parametrize("unit", UNITS)
def test_vocabularies_hold_for_every_unit(unit: str) -> None:
    """Real noise."""
    n = 2 if unit in ("all", "edge-and-message", "edge-content") else 1
    found = replay_vocabulary(MAIL, unit=unit, counts=True, n=n, neighbours=4, **ASKED)
    assert found.faults == ()
    assert found.unit == HOLDERS[unit].unit
    assert 0 < found.worst.share <= 1


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("noise", ["geometric", "gaussian"])
def test_counts_hold_for_every_unit(unit: str, noise: str) -> None:
    """Real noise; with a contribution that is chosen, and with one that is stated."""
    delta = 1e-6 if noise == "gaussian" else None
    for contribution in (None, 4):
        found = replay_histogram(
            MAIL, vocabulary=NAMES, epsilon=4.0, delta=delta, noise=noise, unit=unit, contribution=contribution,
            neighbours=6, published=1,
        )  # fmt: skip
        assert found.faults == ()
        assert found.worst.share <= 1


@pytest.mark.parametrize("rule", WEIGHTINGS)
def test_every_rule_of_weights_holds(rule: str) -> None:
    found = replay_vocabulary(MAIL, weighting=rule, unit="edge-content", n=3, neighbours=4, **ASKED)
    assert found.faults == ()
    assert found.worst.share > 0.5


def test_the_private_estimate_of_correlation_holds() -> None:
    for names in (None, NAMES[:20]):
        found = replay_correlation(
            MAIL, epsilon=1.0, contribution=4, vocabulary=names, n=1, neighbours=12, rng=1
        )
        assert found.faults == ()
        assert 0 < found.worst.share <= 1


def test_groups_pay_for_as_many_edges() -> None:
    """One edge of a group of four may use a quarter of what is paid, and no more."""
    found = replay_histogram(
        MAIL, vocabulary=NAMES, epsilon=4.0, correlation=Group(4), contribution=4, neighbours=8, rng=1
    )
    assert found.faults == ()
    assert found.worst.share <= 1


def test_an_estimate_that_pays_for_one_of_its_counts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Agreement, "sensitivity", lambda self, _unit: self.contribution)
    found = replay_correlation(MAIL, epsilon=1.0, contribution=4, n=1, neighbours=12, rng=1)
    assert any("correlation: paid" in fault for fault in found.faults)


def broken(unit: str, **more: Any) -> Replay:
    found = replay_vocabulary(MAIL, unit=unit, **{"neighbours": 6, "rng": 2, "n": 1} | ASKED | more)
    assert found.broken
    return found


def test_edges_that_are_not_clipped_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from entrenous.words.statistics.nested import nesting

    monkeypatch.setitem(nesting.NESTINGS, "edge-and-message", Nesting())  # type: ignore[index]
    assert any("can tell mu" in fault for fault in broken("edge-and-message").faults)


def test_messages_that_count_on_each_of_their_edges_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Nesting, "shares", lambda _self, table: np.ones(table.holders))
    assert any("can tell mu" in fault for fault in broken("message").faults)


def test_half_the_noise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Rounds.scale.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(Rounds, "scale", property(lambda self: plain(self) / 2))
    assert any("can tell mu" in fault for fault in broken("edge-content").faults)


def test_words_that_are_named_whatever_their_weight_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two units with words of their own: one might be named by the chance that delta allows."""
    monkeypatch.setattr(NamedWeights, "threshold", property(lambda _self: -1e9))
    another = dict(
        LETTERS[3],
        id="<another@example.org>",
        to=LETTERS[3]["to"][:1],
        cc=[],
        body=" ".join(f"other{first}{second}" for first in "abcdefgh" for second in "abcdefgh"),
    )
    mail = Corpus.from_messages([*LETTERS, ALONE, another])
    asked = {"unit": "edge-content", "weighting": "uniform", "n": 1, "neighbours": 12, "rng": 2, **ASKED}
    found = replay_vocabulary(mail, **asked)
    assert any("words that only one unit says are named" in fault for fault in found.faults)


def test_contents_that_are_not_bounded_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from entrenous.words.statistics import listed_counts

    plain = listed_counts.true_counts
    monkeypatch.setattr(
        listed_counts,
        "true_counts",
        lambda data, names, *, contribution: plain(data, names, contribution=1000 * contribution),
    )
    found = replay_histogram(
        MAIL, vocabulary=NAMES, epsilon=4.0, unit="edge-content", contribution=2, neighbours=6, rng=1
    )
    assert any("counts: paid" in fault for fault in found.faults)


def test_counts_without_noise_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = ListedCounts.draw

    def draw(self: ListedCounts, data: Any, unit: Any, noise: Noise) -> Any:
        plain(self, data, unit, noise)
        from entrenous.words.statistics.listed_counts import true_counts

        return true_counts(data, self.names, contribution=self.contribution)

    monkeypatch.setattr(ListedCounts, "draw", draw)
    found = replay_histogram(MAIL, vocabulary=NAMES, epsilon=4.0, unit="edge-content", neighbours=6, rng=1)
    assert any("counts" in fault for fault in found.faults)


LISTED = PublicEdges.of(
    [
        ("nobody@example.org", PEOPLE[0]),
        *pairwise(PEOPLE),
        *zip(PEOPLE[:40], PEOPLE[9:49], strict=True),
    ]
)


@pytest.mark.parametrize("unit", ["edge-and-message", "sender", "all", "edge-content"])
def test_releases_on_a_public_list_of_edges_hold(unit: str) -> None:
    """Holders are those of the list, and stay when all that they said is gone."""
    seen = MAIL.on_edges(LISTED)
    for found in (
        replay_histogram(
            seen, vocabulary=NAMES[:20], epsilon=4.0, unit=unit, neighbours=6, published=1, rng=1
        ),
        replay_vocabulary(seen, unit=unit, counts=True, n=1, neighbours=6, rng=1, **ASKED),
    ):
        assert found.faults == ()
        assert found.worst.share <= 1


def test_mail_without_any_unit_is_refused() -> None:
    """No neighbour, no verdict."""
    from entrenous.errors import ArgumentError

    with pytest.raises(ArgumentError, match="got none"):
        replay_histogram(Corpus.from_messages([]), vocabulary=NAMES[:3], epsilon=1.0, neighbours=2, rng=1)


def test_shares_that_forget_threads_and_near_copies_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one text was sent one by one, and a thread has many messages."""
    text, other = LETTERS[0], LETTERS[1]
    copies = [
        dict(text, id=f"<copy-{k}@example.org>", to=[name])
        for k, name in enumerate([name for name in PEOPLE if name != text["from"]][:8])
    ]
    thread = [
        dict(LETTERS[20 + k], **{"from": other["from"], "to": other["to"][:1]}, id=f"<t{k}@example.org>")
        | ({"in_reply_to": f"<t{k - 1}@example.org>"} if k else {})
        for k in range(8)
    ]
    mail = Corpus.from_messages([*LETTERS[:300], *copies, *thread])
    asked = {"neighbours": 12, "n": 1, "rng": 2, **ASKED}
    for unit in ("message", "thread"):
        assert replay_vocabulary(mail, unit=unit, **asked).faults == ()
    monkeypatch.setattr(Nesting, "shares", lambda _self, table: 1.0 / np.maximum(table.copies, 1))
    for unit in ("message", "thread"):
        found = replay_vocabulary(mail, unit=unit, **asked)
        assert any("words: paid mu" in fault for fault in found.faults)
